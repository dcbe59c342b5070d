"""``torch.cond`` and ``torch.while_loop``: a branch and a loop as functions, and ``map``, ``scan`` and ``associative_scan`` of
``torch._higher_order_ops``, loops over the slices of tensors. They are run as they stand, nothing is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor
from .utils._pytree import tree_flatten, tree_leaves, tree_unflatten

__all__ = ["cond", "while_loop"]


class UnsupportedAliasMutationException(RuntimeError):
    """A branch or a body changes what it was given."""

    reason: str


def _decided(pred: Any) -> bool:
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return bool(pred)


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """What `true_fn` gives for the operands, or, where `pred` is false, what `false_fn` does.

    pred: a bool or a tensor of one element. operands: tensors, in tuples, lists and dictionaries as the branches take them.
    """
    if isinstance(pred, (bool, int, float)):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or not all(isinstance(x, Tensor) for x in tree_leaves(operands)):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got "
            f"{operands}."
        )
    return (true_fn if _decided(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> Any:
    """`body_fn` called again and again on what it gave, as long as `cond_fn` holds of it."""
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    carried: Any = tuple(carried_inputs)
    while _decided(cond_fn(*carried)):
        found = body_fn(*carried)
        carried = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return carried


def stacked(many: list, dim: int = 0) -> Any:
    """Structures of tensors as one structure of their stacks."""
    flat = [tree_flatten(each) for each in many]
    columns = zip(*[leaves for leaves, _ in flat], strict=True)
    return tree_unflatten([find_function("stack")(list(column), dim) for column in columns], flat[0][1])


def map(f: Callable, xs: Any, *args: Any) -> Any:  # noqa: A001 - PyTorch's name
    """What `f` gives for each slice of `xs` along the first dimension, stacked. xs: a tensor, or a structure of tensors."""
    leaves, form = tree_flatten(xs)
    if not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [x.shape for x in leaves]
    if shapes[0][0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(shape[0] != shapes[0][0] for shape in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    return stacked([f(tree_unflatten([x[i] for x in leaves], form), *args) for i in range(shapes[0][0])])


def scanned(leaves: list, dim: Any, reverse: Any) -> tuple[int, Iterable]:
    """The dimension that is gone along, and its places in the order in which they come."""
    at = dim % leaves[0].ndim if leaves[0].ndim and -leaves[0].ndim <= dim < leaves[0].ndim else dim
    if any(x.ndim <= at or x.shape[at] == 0 for x in leaves):
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    places = range(leaves[0].shape[at])
    return at, reversed(places) if reverse else places


def scan(combine_fn: Callable, init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> tuple:
    """``carry, y = combine_fn(carry, x)`` for each slice of `xs` along `dim`, from `init` on: the last carry and all y, stacked.

    init, xs: tensors, or structures of tensors. reverse: begin with the last slice; what belongs to a slice stands at its place.
    """
    leaves, form = tree_flatten(xs)
    if not leaves:
        return init, []
    checks = ((callable(combine_fn), f"Combine_fn must be a callable, but got {combine_fn}"), (isinstance(dim, int), f"Dim must be an int, but got {type(dim)}"),
              (isinstance(reverse, bool), f"Reverse must be a bool, but got {type(reverse)}"))  # fmt: skip
    for holds, told in checks:
        if not holds:
            raise RuntimeError(told)
    begin, carried_form = tree_flatten(init)
    if not begin:
        raise RuntimeError("scan() operator requires init leaves.")
    for name, many in (("init", begin), ("xs", leaves)):
        for x in many:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {x}")
    at, places = scanned(leaves, dim, reverse)
    carry, found = init, []
    for i in places:
        carry, y = combine_fn(carry, tree_unflatten([x.select(at, i) for x in leaves], form))
        check_carry(begin, carry, carried_form)
        found.append(y)
    outs, shape = tree_flatten(stacked(found[::-1] if reverse else found))
    return carry, tree_unflatten([y.movedim(0, at) if at < y.ndim else y for y in outs], shape)


def check_carry(begin: list, carry: Any, form: Any) -> None:
    """RuntimeError unless a carry is built as the first was, of tensors of the same sizes and dtypes."""
    leaves, own = tree_flatten(carry)
    if own != form:
        raise RuntimeError(
            f"The tree structure of the inits and the carries are not identical. Expected {form}, but got {own}"
        )
    for old, new in zip(begin, leaves, strict=True):
        if new.shape != old.shape or new.dtype != old.dtype:
            raise RuntimeError(
                f"Expected init and carry to have same metadata. Expected {old.shape} {old.dtype}, but got {new.shape} {new.dtype}"
            )


def associative_scan(
    combine_fn: Callable, xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """The first slice of `xs` along `dim`, what `combine_fn` makes of it and the second, of that and the third, and so on, stacked.

    xs: a tensor, or a structure of tensors of one shape. combine_fn: associative, of two slices. combine_mode: "generic"; PyTorch has
    "pointwise" on CUDA alone. reverse: begin with the last slice.
    """
    leaves, form = tree_flatten(xs)
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise ValueError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if any(not isinstance(x, Tensor) for x in leaves):
        raise ValueError("xs leaves must be a Tensor")
    if combine_mode == "pointwise" and any(str(x.device)[:4] != "cuda" for x in leaves):
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    try:
        at, places = scanned(leaves, dim, reverse)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    found: list = []
    for i in places:
        slices = tree_unflatten([x.select(at, i) for x in leaves], form)
        found.append(combine_fn(found[-1], slices) if found else slices)
    return stacked(found[::-1] if reverse else found, at)
