"""``torch.utils.checkpoint``: values computed again in backward instead of being kept.

The newer form (`use_reentrant=False`) keeps, for each tensor a node would save, its number in the order of saving. When
backward asks for the first one, the function runs once more, and what it saves then is handed out by number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from typing import Any

from ...engine.graph.saved_hooks import saved_tensors_hooks
from ...engine.tape.backward import backward
from ...engine.tape.function import Function
from ...engine.tape.grad_modes import enable_grad, no_grad
from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed
from ..random import all_states, put_back

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "detach_variable", "noop_context_fn"]

EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)


class CheckpointError(RuntimeError, metaclass=Sealed):
    """The second run of a function was not like its first."""


def noop_context_fn() -> tuple:
    """Contexts that do nothing, for the first run and for the second."""
    return nullcontext(), nullcontext()


def detach_variable(inputs: tuple) -> tuple:
    """Inputs cut from their graph, wanting gradients as before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: " + type(inputs).__name__)
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


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
        if not any(args[i].requires_grad for i in ctx.places):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
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


class _Place:
    """Stands for a saved tensor: the how-manieth that the function saved."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number


def checkpoint(
    function: Callable, *args: Any, use_reentrant: bool | None = None, context_fn: Callable = noop_context_fn,
    determinism_check: str = "default", debug: bool = False, early_stop: bool = True, preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """``function(*args, **kwargs)``, whose intermediate tensors backward computes once more instead of finding them kept."""
    if use_reentrant is None:
        warnings.warn(EXPLICIT, stacklevel=2)
        use_reentrant = True
    snapshot = all_states() if preserve_rng_state else None
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, snapshot, *args)
    first, second = context_fn()
    places: list = []
    found: list = []

    def pack(tensor: Tensor) -> _Place:
        places.append(tensor.shape)
        return _Place(len(places) - 1)

    def unpack(place: _Place) -> Tensor:
        if not found:
            with enable_grad(), _random_as_before(snapshot), second, saved_tensors_hooks(keep, none):
                with suppress(Enough):
                    function(*args, **kwargs)
            if len(found) != len(places):
                raise CheckpointError(
                    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                    f"recomputation.\nNumber of tensors saved during forward: {len(places)}\nNumber of tensors saved "
                    f"during recomputation: {len(found)}"
                )
        tensor = found[place._number]
        if tensor.shape != places[place._number]:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
                f"the forward pass.\ntensor at position {place._number}:\nsaved metadata: {places[place._number]}\n"
                f"recomputed metadata: {tensor.shape}"
            )
        return tensor

    def keep(tensor: Tensor) -> None:
        found.append(tensor.detach())
        if len(found) == len(places) and (_early_stop[0] if _early_stop[0] is not None else early_stop):
            raise Enough

    def none(kept: Any) -> Any:
        raise CheckpointError("torch.utils.checkpoint: trying to backward through the recomputed graph.")

    with first, saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True
) -> Any:
    """The value of functions called one after another, in `segments` checkpointed parts, the last one kept as usual."""
    if use_reentrant is None:
        warnings.warn(EXPLICIT, stacklevel=2)
        use_reentrant = True
    steps = list(functions.children() if hasattr(functions, "children") else functions)
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


class CheckpointPolicy(Enum):
    """Whether a result is kept or computed again."""

    MUST_SAVE, PREFER_SAVE, MUST_RECOMPUTE, PREFER_RECOMPUTE, MUST_CPU_OFFLOAD = range(5)


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple:
    """Contexts that keep what a policy says: refused, since all that a function saves is computed again."""
    raise NotImplementedError(
        "tensorsh has no selective checkpointing: call checkpoint() without context_fn, all of the function is then run again"
    )
