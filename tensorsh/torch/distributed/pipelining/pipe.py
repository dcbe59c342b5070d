"""``pipeline``: a model cut into stages where modules begin or end, by its graph."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from ....sandbox import process
from ....sandbox.sealed import OpenSealed
from ...nn.attention import SealedEnum
from ...nn.modules.module import Module
from .stage import PipelineStage

__all__ = ["Pipe", "SplitPoint", "pipeline"]


class SplitPoint(Enum, metaclass=SealedEnum):
    """Where a stage begins: before a module is called, or behind it."""

    __module__ = "torch.distributed.pipelining"

    BEGINNING = 1
    END = 2


class Pipe(metaclass=OpenSealed):
    """A model in stages.
    split_gm: a module that calls one stage after another."""

    __module__ = "torch.distributed.pipelining"

    def __init__(self, split_gm: Module) -> None:
        self.split_gm = split_gm
        self._stages = list(split_gm.children())
        self.num_stages = len(self._stages)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.split_gm(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self.split_gm)

    def get_stage_module(self, stage_idx: int) -> Module:
        """The layers of a stage.
        stage_idx: its number. ValueError for one that there is not."""
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return self._stages[stage_idx]

    def build_stage(self, stage_index: int, device: Any, group: Any = None) -> PipelineStage:
        """A stage of a schedule.
        stage_index: its number. device: where it computes. group: the processes (None: all)."""
        return PipelineStage(self.get_stage_module(stage_index), stage_index, self.num_stages, device, group=group)


def pipeline(
    module: Module, mb_args: tuple, mb_kwargs: dict | None = None, split_spec: dict | None = None, split_policy: Callable | None = None
) -> Pipe:  # fmt: skip
    """A model cut into stages. Its `forward` is traced by `torch.fx`, so it may not branch on values of tensors.
    module: the model. mb_args, mb_kwargs: the arguments of a microbatch, accepted. split_spec: where stages begin or end: a SplitPoint by the
    name of a module. split_policy: a function that gives the graph with its stages as children. ValueError for both;
    AttributeError for a module that there is not; RuntimeError for a model that cannot be traced, or whose stages need more than what
    the one before gives; NotImplementedError in the sandbox."""
    if not process.plain:  # a graph is run as text that it is written as
        raise NotImplementedError(
            "a model is cut by its graph in plain Python alone (`tensorsh python FILE`, `tensorsh run -n 2 FILE.py`): give each "
            "process its layers, PipelineStage(layers, rank, world_size, device)"
        )
    from ...fx import symbolic_trace

    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    for name in split_spec or ():
        module.get_submodule(name)
    try:
        traced = symbolic_trace(module)
    except Exception as error:
        raise RuntimeError(
            "It seems that we cannot capture your model as a full graph: give each process its layers, "
            f"PipelineStage(layers, rank, world_size, device) ({error})"
        ) from error
    split = split_policy(traced) if split_policy is not None else parted(traced, split_spec or {})
    joined(split)
    return Pipe(split)


def parted(traced: Any, spec: dict) -> Any:
    """A graph as a module of its stages."""
    from ...fx.passes.split_module import split_module

    stage, inside, numbers = 0, set(), {}
    for node in traced.graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        now = {name for name, _ in node.meta.get("nn_module_stack", {}).values() if name in spec}
        begun = any(spec[name] is SplitPoint.BEGINNING for name in now - inside)
        stage += begun or any(spec[name] is SplitPoint.END for name in inside - now)
        inside = now
        numbers[node] = stage
    return split_module(traced, None, numbers.__getitem__)


def joined(split: Any) -> None:
    """Refuse stages that take something else than what the one before gives."""
    calls = [node for node in split.graph.nodes if node.op == "call_module"]
    for before, call in zip(calls, calls[1:], strict=False):
        for each in call.all_input_nodes:
            if each is not before and each.args[:1] != (before,):
                raise RuntimeError(
                    f"the stage {call.target} needs {each.name}, which the stage before it does not give: "
                    "cut the model where one result goes on"
                )
