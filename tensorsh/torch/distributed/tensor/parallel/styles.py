"""Styles of parallel modules: by columns, by rows, along the sequence."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from .....engine.arrays.warning import warn
from .....engine.tensors.tensor import Tensor
from .....sandbox.sealed import OpenSealed, all_housed
from ....nn.modules.linear import Linear
from ....nn.modules.sparse import Embedding
from ..dtensor import DTensor, current, distribute_module, distribute_tensor
from ..placement_types import Replicate, Shard

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "RowwiseParallel",
    "SequenceParallel", "parallelize_module",
]  # fmt: skip


class ParallelStyle(metaclass=OpenSealed):
    """How a module's parameters, inputs and outputs lie."""

    src_data_rank: int | None = 0
    _told: tuple[str, ...] = ()
    """What its text says."""

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in self._told)
        return f"{type(self).__name__}({fields})" if self._told else object.__repr__(self)


def _placed(value: Any, mesh: Any, layouts: tuple, desired: tuple) -> Any:
    """A part as a tensor in desired placements; `layouts` are those it comes in."""
    if not isinstance(value, DTensor):
        value = DTensor.from_local(value, mesh, layouts, run_check=False)
    return value if value.placements == desired else value.redistribute(placements=desired)


def _given(value: Any, desired: tuple, local: bool) -> Any:
    if value.placements != desired:
        value = value.redistribute(placements=desired)
    return value.to_local() if local else value


class _Layered(ParallelStyle):
    """What the styles of layers with a weight have in common."""

    _told = "input_layouts", "output_layouts", "use_local_output"

    def __init__(self, *, input_layouts: Any = None, output_layouts: Any = None, use_local_output: bool = True) -> None:
        self.input_layouts = (input_layouts or self._input(),)
        self.output_layouts = (output_layouts or self._output(),)
        self.desired_input_layouts = (self._wanted(),)
        self.use_local_output = use_local_output

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        if not isinstance(module, (Linear, Embedding)):
            raise NotImplementedError(f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!")
        self._module = module

        def part(name: str, each: Any, mesh: Any) -> None:
            for key, parameter in list(each.named_parameters(recurse=False)):
                placement = self._placement(module, key)
                each.register_parameter(
                    key, distribute_tensor(parameter, mesh, [placement], src_data_rank=self.src_data_rank)
                )

        def prepare(each: Any, inputs: tuple, mesh: Any) -> tuple:
            first = _placed(inputs[0], mesh, self.input_layouts, self._of_input(each))
            return (first, *inputs[1:])

        def finish(each: Any, outputs: Any, mesh: Any) -> Any:
            return _given(outputs, self.output_layouts, self.use_local_output)

        return distribute_module(module, device_mesh, part, prepare, finish)

    def _of_input(self, module: Any) -> tuple:
        return self.desired_input_layouts


class ColwiseParallel(_Layered):
    """A Linear or Embedding by columns: each process computes part of the output's features.
    input_layouts: how the input comes (None: Replicate()). output_layouts: how the output is to lie (None: Shard(-1)).
    use_local_output: give the part itself instead of a DTensor (True)."""

    _input = _wanted = staticmethod(lambda: Replicate())
    _output = staticmethod(lambda: Shard(-1))

    def _placement(self, module: Any, name: str) -> Any:
        return Shard(0) if isinstance(module, Linear) else Shard(1)

    def _output_layout(self) -> Any:
        return self.output_layouts


class RowwiseParallel(_Layered):
    """A Linear or Embedding by rows: each process takes part of the input's features, and results are summed.
    input_layouts: how the input comes (None: Shard(-1)). output_layouts: how the output is to lie (None: Replicate()).
    use_local_output: give the part itself instead of a DTensor (True)."""

    _input = _wanted = staticmethod(lambda: Shard(-1))
    _output = staticmethod(lambda: Replicate())

    def _placement(self, module: Any, name: str) -> Any:
        if isinstance(module, Linear):
            return Shard(1) if name == "weight" else Replicate()
        return Shard(0)

    def _of_input(self, module: Any) -> tuple:
        return (Replicate(),) if isinstance(module, Embedding) else self.desired_input_layouts


class SequenceParallel(ParallelStyle):
    """A LayerNorm, RMSNorm or Dropout whose input lies in parts along the sequence; its parameters are whole.
    sequence_dim: the dimension (1). use_local_output: give the part itself instead of a DTensor (False)."""

    _told = "sequence_dim", "use_local_output"

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding, self.sequence_dim = (Shard(sequence_dim),), sequence_dim
        self.use_local_output = use_local_output

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        def prepare(each: Any, inputs: tuple, mesh: Any) -> tuple:
            return (_placed(inputs[0], mesh, self.sequence_sharding, self.sequence_sharding), *inputs[1:])

        def finish(each: Any, outputs: Any, mesh: Any) -> Any:
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, None, prepare, finish)


def _tuple(value: Any) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


class PrepareModuleInput(ParallelStyle):
    """The inputs of a module, from the placements they come in to those it wants.
    input_layouts, desired_input_layouts: one for each input, None for those that stay. input_kwarg_layouts,
    desired_input_kwarg_layouts: the same by name. use_local_output: give parts themselves instead of DTensors (False).
    AssertionError where the numbers differ."""

    _told = (
        "input_layouts", "desired_input_layouts", "input_kwarg_layouts", "desired_input_kwarg_layouts",
        "use_local_output",
    )  # fmt: skip

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None, input_kwarg_layouts: Any = None,
        desired_input_kwarg_layouts: Any = None, use_local_output: bool = False,
    ) -> None:  # fmt: skip
        self.input_layouts = None if input_layouts is None else _tuple(input_layouts)
        self.desired_input_layouts = None if desired_input_layouts is None else _tuple(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}

    def _one(self, value: Any, mesh: Any, layout: Any, desired: Any) -> Any:
        if layout is None or not isinstance(value, Tensor):
            return value
        made = _placed(value, mesh, (layout,), (layout,))
        made = made if desired is None else made.redistribute(placements=(desired,))
        return made.to_local() if self.use_local_output else made

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        def prepare(each: Any, inputs: tuple, kwargs: dict) -> tuple:
            if self.input_layouts is not None:
                if len(inputs) != len(self.input_layouts):
                    raise ValueError("module inputs and input_layouts should have same length!")
                wanted = zip(inputs, self.input_layouts, self.desired_input_layouts or (), strict=True)
                inputs = tuple(self._one(value, device_mesh, a, b) for value, a, b in wanted)
            for name, layout in self.input_kwarg_layouts.items():
                kwargs[name] = self._one(kwargs[name], device_mesh, layout, self.desired_input_kwarg_layouts.get(name))
            return inputs, kwargs

        module.register_forward_pre_hook(prepare, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    """The outputs of a module, from the placements they come in to those that are wanted.
    output_layouts, desired_output_layouts: one for each output, None for those that stay. use_local_output: give parts
    themselves instead of DTensors (True). AssertionError where the numbers differ."""

    _told = "output_layouts", "desired_output_layouts", "use_local_output"

    def __init__(self, *, output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True) -> None:
        self.output_layouts, self.desired_output_layouts = _tuple(output_layouts), _tuple(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        def finish(each: Any, inputs: Any, outputs: Any) -> Any:
            several = isinstance(outputs, tuple)
            given = outputs if several else (outputs,)
            if len(given) != len(self.output_layouts):
                raise ValueError("module outputs and output_layouts should have same length!")
            made = []
            for value, layout, desired in zip(given, self.output_layouts, self.desired_output_layouts, strict=True):
                if layout is None or not isinstance(value, Tensor):
                    made.append(value)
                else:
                    made.append(
                        _given(_placed(value, device_mesh, (layout,), (layout,)), (desired,), self.use_local_output)
                    )
            return tuple(made) if several else made[0]

        module.register_forward_hook(finish)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """Both: the inputs as PrepareModuleInput has them, the outputs as PrepareModuleOutput.
    The options are those of the two; use_local_input (False) and use_local_output (True) are their `use_local_output`."""

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None, input_kwarg_layouts: Any = None,
        desired_input_kwarg_layouts: Any = None, use_local_input: bool = False, output_layouts: Any, desired_output_layouts: Any,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts, input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts, use_local_output=use_local_input,
        )  # fmt: skip
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)


all_housed(globals(), "torch.distributed.tensor.parallel.style")


def parallelize_module(
    module: Any, device_mesh: Any = None, parallelize_plan: Any = None, *, src_data_rank: int | None = 0
) -> Any:
    """A module with its parameters in parts, as a plan says.
    module: the module, which is changed. device_mesh: the processes, in one dimension (None: all). parallelize_plan: a style, or
    the styles of the modules within by their names, in which * stands for any part. src_data_rank: whose parameters count (0); None: each
    process cuts its own.
    ValueError for a mesh of more dimensions; a warning for a name that there is not."""
    mesh = current(device_mesh)
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this parallelize_module call will do "
            "nothing."
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        token, _, rest = path.partition(".")
        found = [each for name, each in module.named_children() if fnmatch(name, token)] if path else [module]
        if not found:
            warn(
                f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{token}' in module {module}, "
                "skipping this plan entry."
            )
        for each in found:
            parallelize_module(each, mesh, {rest: style} if rest else style, src_data_rank=src_data_rank)
    return module
