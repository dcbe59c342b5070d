"""``torch.utils.checkpoint``: values computed again in backward instead of being kept.

The newer form (`use_reentrant=False`) keeps a holder for each tensor that a node would save. When a backward pass asks for the
first one, the function runs once more, and what it saves then goes into the holders that somebody still has, for this pass.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from ...engine.arrays.state import here
from ...engine.arrays.warning import warn
from ...engine.graph.saved_hooks import saved_tensors_hooks
from ...engine.loading.table import find_function
from ...engine.tape.backward import backward, current_task
from ...engine.tape.function import Function
from ...engine.tape.grad_modes import enable_grad, no_grad
from ...engine.tensors.tensor import Tensor
from ...sandbox import process
from ...sandbox.sealed import Sealed
from ..cuda.random import get_rng_state, set_rng_state
from ..random import all_states, put_back
from .selective import CheckpointPolicy, SelectiveCheckpointContext  # noqa: F401 - names of this module

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "detach_variable", "noop_context_fn"]

EXPLICIT = (
    "torch.utils.checkpoint{}: the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if "
    "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)


class CheckpointError(RuntimeError, metaclass=Sealed):
    """The second run of a function was not like its first."""

    __module__ = "torch.utils.checkpoint"


def noop_context_fn() -> tuple:
    """Contexts that do nothing, for the first run and for the second."""
    return nullcontext(), nullcontext()


def detach_variable(inputs: tuple) -> tuple:
    """Inputs cut from their graph, wanting gradients as before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: " + type(inputs).__name__)
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn where no tensor among the inputs requires a gradient."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


def is_checkpoint_valid() -> bool:
    """Whether a backward pass that goes on asks for no tensors by name, so that another may run within it."""
    return here.walk is None or here.walk[1] is None


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The GPUs on which tensors lie, and the states of their generators of random numbers; none of the CPU's."""
    devices = sorted({x.get_device() for x in args if isinstance(x, Tensor) and x.is_cuda})
    return devices, [get_rng_state(i) for i in devices]


def set_device_states(devices: list, states: list, *, device_type: str | None = None) -> None:
    """Put the generators of GPUs back into states that `get_device_states` gave."""
    for index, each in zip(devices, states, strict=True):
        set_rng_state(each, index)


@contextmanager
def _random_as_before(snapshot: Any) -> Any:
    """Random numbers from a state of the generator, which is afterwards what it was."""
    if snapshot is None:
        yield
        return
    now = all_states()
    put_back(snapshot)
    try:
        yield
    finally:
        put_back(now)


class CheckpointFunction(Function):
    """The older form: one node that runs the function again and differentiates it."""

    @staticmethod
    def forward(ctx: Any, function: Callable, snapshot: Any, *args: Any) -> Any:
        ctx.function, ctx.snapshot = function, snapshot
        ctx.inputs = [None if isinstance(x, Tensor) else x for x in args]
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        check_backward_validity(args)
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        if not is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
                ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
                "the `inputs` argument."
            )
        inputs = list(ctx.inputs)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[i] = tensor
        again = detach_variable(tuple(inputs))
        with enable_grad(), _random_as_before(ctx.snapshot):
            outputs = ctx.function(*again)
        pairs = [
            (o, g)
            for o, g in zip((outputs,) if isinstance(outputs, Tensor) else outputs, grads, strict=True)
            if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return None, None, *[x.grad if isinstance(x, Tensor) else None for x in again]


CheckpointFunction._backward_cls._title = "CheckpointFunctionBackward"  # type: ignore[attr-defined]


class Enough(BaseException):
    """All that backward asks for is there: what the function still does is not needed."""


_early_stop: list[Any] = [None]


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Any:
    """A context: whether functions that are run again stop as soon as all is there that backward asks for."""
    before, _early_stop[0] = _early_stop[0], enable
    try:
        yield
    finally:
        _early_stop[0] = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """A context that changes nothing: where a second run is not like the first, the error names the tensors anyway."""
    yield


class _Inputs(Function):
    """Keeps what a function was given, as a node does: by the hooks of the checkpoint around it, if there is one."""

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, *args: Any) -> Tensor:
        ctx.rest = [None if isinstance(x, Tensor) else x for x in args]
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        return anchor.new_empty(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("Did not expect to backward on this graph")


class _Holder:
    """Stands for a saved tensor; `found` has it for each backward pass in which the function ran again, until it was asked for."""

    __slots__ = ("__weakref__", "found")

    def __init__(self) -> None:
        self.found: dict[Any, Any] = {}


def _described(x: Tensor) -> dict[str, Any]:
    """What a tensor has to have in common with the one that the first run saved."""
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


CHECKS: dict[str, Callable] = {"default": _described, "none": lambda x: None}


class _Frame:
    """One checkpointed call: how to run it again, and the holders of what it saved."""

    def __init__(self, again: Callable, early_stop: bool, described: Callable) -> None:
        self.again, self.early_stop, self.described = again, early_stop, described
        self.inputs: Any = None
        self.holders: list[weakref.ref] = []
        self.descriptions: list = []
        self.counts: dict[Any, int] = defaultdict(int)
        self.done: set = set()
        self.whole = self.lenient = False
        """Whether the first run has ended; whether it may have saved less, because backward ran within it."""

    def first_run(self) -> saved_tensors_hooks:
        """A context in which tensors are not kept."""

        def pack(tensor: Tensor) -> _Holder:
            holder = _Holder()
            self.holders.append(weakref.ref(holder))
            with no_grad():
                self.descriptions.append(self.described(tensor))
            return holder

        return saved_tensors_hooks(pack, self.asked_for)

    def asked_for(self, holder: _Holder) -> Tensor:
        """A tensor that was not kept; the function runs again where it has not in this backward pass."""
        task = current_task()
        if task == -1:
            task = object()
        if task not in self.done:
            ctx = self.inputs.grad_fn
            args = list(ctx.rest)
            for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
                args[place] = tensor
            with self.second_run(task), enable_grad(), suppress(Enough):
                self.again(*args)
            self.done.add(task)
            self.compare(task)
        found = holder.found[task]
        if found is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are "
                "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with "
                "details on your use case."
            )
        holder.found[task] = None
        return found

    def second_run(self, task: Any) -> saved_tensors_hooks:
        """A context in which tensors go into the holders."""

        def pack(tensor: Tensor) -> Tensor:
            tensor = tensor.detach() if tensor.requires_grad else tensor
            number = self.counts[task]
            self.counts[task] += 1
            if number >= len(self.holders):
                if not self.whole:
                    self.lenient = True
                    return tensor
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    "forward pass.\n"
                )
            holder = self.holders[number]()
            if holder is not None:
                holder.found[task] = tensor
            if self.early_stop and self.counts[task] == len(self.holders):
                raise Enough
            return tensor

        return saved_tensors_hooks(pack, lambda kept: kept)

    def compare(self, task: Any) -> None:
        """Raise CheckpointError where the second run did not save what the first one did."""
        if self.lenient:
            return
        if len(self.holders) != self.counts[task]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\nNumber of tensors saved "
                f"during recomputation: {self.counts[task]}.\n"
            )
        wrong = ""
        for i, reference in enumerate(self.holders):
            holder = reference()
            if holder is None:
                continue
            before, now = self.descriptions[i], self.described(holder.found[task])
            if before != now:
                wrong += f"tensor at position {i}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
                f"the forward pass.\n{wrong}.\n"
            )


@contextmanager
def _precision(before: Any) -> Any:
    """The mixed precision that was in effect when the function first ran."""
    now = here.autocast
    try:
        here.autocast = before
        here.settle()
        yield
    finally:
        here.autocast = now
        here.settle()


def checkpoint(
    function: Callable, *args: Any, use_reentrant: bool | None = None, context_fn: Callable = noop_context_fn,
    determinism_check: str = "default", debug: bool = False, early_stop: bool = True, preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """``function(*args, **kwargs)``, whose intermediate tensors backward computes once more instead of finding them kept."""
    if use_reentrant is None:
        warn(
            EXPLICIT.format(
                "", "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."
            )
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, all_states() if preserve_rng_state else None, *args)
    with contextmanager(_checkpoint_without_reentrant_generator)(
        function, preserve_rng_state, context_fn, determinism_check, debug, early_stop, *args, **kwargs
    ):
        return function(*args, **kwargs)


def _checkpoint_without_reentrant_generator(
    fn: Callable, preserve_rng_state: bool, context_fn: Callable, determinism_check: str, debug: bool, early_stop: bool,
    *args: Any, **kwargs: Any,
) -> Iterator[None]:  # fmt: skip
    """Waits once, within which whoever asked runs the function the first time."""
    if determinism_check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}")
    snapshot = all_states() if preserve_rng_state else None
    first, second = context_fn()
    precision = here.autocast

    def again(*given: Any) -> None:
        with _random_as_before(snapshot), _precision(precision), second:
            fn(*given, **kwargs)

    stops = _early_stop[0] if _early_stop[0] is not None else early_stop
    frame = _Frame(again, stops, CHECKS[determinism_check])
    frame.inputs = _Inputs.apply(find_function("empty")((0,), requires_grad=True), *args)
    if frame.inputs.grad_fn is None:
        yield
        return
    with frame.first_run(), first:
        yield
    frame.whole = True


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True
) -> Any:
    """The value of functions called one after another, in `segments` checkpointed parts, the last one kept as usual."""
    if use_reentrant is None:
        warn(
            EXPLICIT.format(
                ".checkpoint_sequential", "In version 2.9 we will raise an exception if use_reentrant is not passed."
            )
        )
        use_reentrant = True
    listed = hasattr(functions, "children") and hasattr(functions, "__len__")
    steps = list(functions.children()) if listed else functions
    size = len(steps) // segments

    def part(chosen: list) -> Callable:
        def run(value: Any) -> Any:
            for step in chosen:
                value = step(value)
            return value

        return run

    start = 0
    for start in range(size, size * segments, size):
        run = part(steps[start - size : start])
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return part(steps[start:])(input)


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple:
    """Contexts for the first run and the second, in which results are kept as a policy says.

    policy_fn_or_list: ``policy(ctx, operator, *args, **kwargs)``, which gives a CheckpointPolicy, or a list of operators
    (``torch.ops.aten.mm.default``) whose results are kept. In plain Python alone; NotImplementedError in scripts.
    """
    if not process.plain:
        raise NotImplementedError(
            "selective checkpointing is for plain Python (tensorsh python): call checkpoint() without context_fn here, all of "
            "the function is then run again"
        )
    from .._ops import OpOverload

    policy = policy_fn_or_list
    if isinstance(policy, list):
        for operator in policy:
            if not isinstance(operator, OpOverload):
                extra = (
                    " Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    if type(operator).__name__ == "OpOverloadPacket"
                    else ""
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {operator} of type {type(operator)}.{extra}"
                )
        chosen = list(policy)

        def policy(ctx: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if operator in chosen else CheckpointPolicy.PREFER_RECOMPUTE

    elif not callable(policy):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    from .selective_modes import Keeping, Reusing

    kept: dict[Any, dict] = defaultdict(dict)
    return Keeping(policy, kept), Reusing(policy, kept, allow_cache_entry_mutation)
