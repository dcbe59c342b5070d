"""``torch._dynamo``: what programs ask of PyTorch's compiler, in words of `torch.compile` (docs/compile.md)."""

from __future__ import annotations

from typing import Any

from ...sandbox.sealed import Sealed
from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset, set_stance
from ..settings import compile
from . import config, eval_frame, exc  # noqa: F401
from .eval_frame import OptimizedModule

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "disable", "explain", "forbid_in_graph",
    "graph_break", "is_compiling", "is_dynamo_supported", "list_backends", "mark_dynamic", "mark_static", "mark_static_address",
    "maybe_mark_dynamic", "nonstrict_trace", "optimize", "optimize_assert", "reset", "run", "set_stance", "skip",
]  # fmt: skip


def optimize(
    backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None, disable: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """A decorator that compiles functions; nopython: as `fullgraph` of `torch.compile`."""
    return compile(backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


def optimize_assert(backend: Any = "inductor", **options: Any) -> Any:
    """As `optimize`, for functions that are to be one graph."""
    return optimize(backend, nopython=True)


class ExplainOutput(metaclass=Sealed):
    """How many graphs a function is, how often they break off, and how many operators they have."""

    __module__ = "torch._dynamo.backends.debugging"

    def __init__(self, graphs: int, breaks: list[str], operators: int) -> None:
        self.graph_count, self.graph_break_count, self.op_count = graphs, len(breaks), operators
        self.break_reasons = breaks

    def __str__(self) -> str:
        text = f"Graph Count: {self.graph_count}\nGraph Break Count: {self.graph_break_count}\nOp Count: {self.op_count}\nBreak Reasons:\n"
        return text + "".join(
            [f"  Break Reason {k + 1}:\n    Reason: {each}\n" for k, each in enumerate(self.break_reasons)]
        )

    __repr__ = __str__


def explain(f: Any, *_: Any, **__: Any) -> Any:
    """A function of a function's arguments that says how it is recorded."""

    def told(*args: Any, **kwargs: Any) -> ExplainOutput:
        from ..replay.compiled import Programs

        broken, operators = Programs(f).explained(args, kwargs)
        return ExplainOutput(1 if broken is None else 2, [] if broken is None else [broken], operators)

    return told


is_dynamo_supported = eval_frame.is_dynamo_supported


def forbid_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


run = skip = nonstrict_trace = forbid_in_graph


def graph_break(msg: str = "") -> None:
    """Nothing is broken."""


def mark_dynamic(t: Any, index: Any = None, **options: Any) -> None:
    """Every size may change."""


maybe_mark_dynamic = mark_static = mark_static_address = mark_unbacked = mark_dynamic
