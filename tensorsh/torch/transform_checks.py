"""What the transforms of ``torch.func`` are given, and what a transformed function may return, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from ..engine.arrays.state import here
from ..engine.tape.forward_mode import forwards
from ..engine.tape.grad_modes import enable_grad
from ..engine.tensors.tensor import Tensor
from .autograd.graph import disable_saved_tensors_hooks
from .trees import flatten

HOOKS = "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use case."


@contextmanager
def under_way() -> Iterator[None]:
    """A context in which a function is called by a transform."""
    here.transforms += 1
    try:
        yield
    finally:
        here.transforms -= 1


@contextmanager
def transforming(backward: bool) -> Iterator[None]:
    """A context in which a function is transformed. backward: by a backward pass. RuntimeError: hooks for saved tensors then."""
    with enable_grad(), disable_saved_tensors_hooks(HOOKS) if backward else forwards(), under_way():
        born, gradients = here.born, here.gradients
        here.born = next(numbers)
        here.gradients = (*gradients, (here.born, here.transforms))
        try:
            yield
        finally:
            here.born, here.gradients = born, gradients


numbers = count(1)
"""The numbers of transforms, of which tensors bear that of the one which they were made in."""


def places_of(argnums: Any, count: int) -> tuple[int, ...]:
    """The places of the arguments to differentiate by, counted from the first of `count`. RuntimeError: no such, or one twice."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = tuple(_place(each, count) for each in ((argnums,) if isinstance(argnums, int) else argnums))
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {found}")
    return found


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def parted(output: Any, call: str) -> tuple:
    """The result and what comes beside it, of a function that returns both."""
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for each in flatten(output[1]):
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return output


def tensors_only(output: Any, call: str = "vjp(f, *primals)") -> None:
    """Refuse what a function gave beside tensors, where its derivative is wanted."""
    leaves = flatten(output)
    if not leaves or len(leaves) == 1 and leaves[0] is None:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


def differentiable(output: Any) -> None:
    """Refuse integers, which have no derivative."""
    for each in flatten(output):
        if not (each.dtype.is_floating_point or each.dtype.is_complex):
            raise RuntimeError(
                f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {each.dtype}"
            )


def real(name: str, tree: Any, what: str) -> None:
    """Refuse complex numbers, of which a matrix of derivatives is not defined."""
    for i, each in enumerate(flatten(tree)):
        if isinstance(each, Tensor) and each.dtype.is_complex:
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}"
            )


def tensors_of(tree: Any, call: str, what: str) -> list:
    """The leaves of arguments, which are tensors."""
    leaves = flatten(tree)
    if not leaves:
        raise RuntimeError(f"{call}: Expected {what} to contain at least one Tensor.")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{call}: Expected {what} to only contain Tensors, got {type(each)}")
    return leaves
