"""Shapes as the functions that make tensors are given them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ..arrays.device import absent
from ..arrays.errors import not_implemented
from ..arrays.extents import LONG, span
from ..arrays.type_names import type_name
from .tensor import Tensor

OVERFLOW = "Overflow when unpacking long long"


def ints(function: str, name: str, value: Any, position: int = 1) -> tuple[int, ...]:
    """A size or list of dimensions as a tuple of plain integers; TypeError in PyTorch's words."""
    if type(value) is not tuple:
        if isinstance(value, (tuple, list)):
            value = tuple(value)
        elif not isinstance(value, bool) and fits(value):
            value = (value,)
        else:
            raise TypeError(
                f"{function}(): argument '{name}' (position {position}) must be tuple of ints, not {type_name(value)}"
            )
    for v in value:
        if type(v) is not int or not -LONG <= v < LONG:
            break
    else:
        return value
    found = []
    for at, v in enumerate(value):
        if not at and (isinstance(v, bool) or not fits(v)):
            raise TypeError(
                f"{function}(): argument '{name}' (position {position}) must be tuple of ints, but found element of type "
                f"{type_name(v)} at pos 0"
            )
        number = whole(v) if is_whole(v) else None
        if number is None or not -LONG <= number < LONG:
            told = f'type must be tuple of ints,but got {type_name(v)}"' if number is None else OVERFLOW
            raise TypeError(
                f"{function}(): argument '{name}' failed to unpack the object at pos {at + 1} with error \"{told}"
            )
        found.append(number)
    return tuple(found)


def is_whole(value: Any) -> bool:
    """Whether a value stands for an integer: one of Python or numpy, a tensor that holds one, what has an index."""
    if isinstance(value, Tensor):
        return value._array.size == 1 and value._array.dtype.kind in "iu"
    if isinstance(value, np.ndarray):
        return not value.ndim and value.dtype.kind in "iu"
    return hasattr(type(value), "__index__")


def fits(value: Any) -> bool:
    """Whether PyTorch takes a value for the first of its integers: it asks for the number to find out, and again later."""
    try:
        return is_whole(value) and whole(value) is not None
    except Exception:
        return False


def size_of(name: str, size: tuple, position: int = 1) -> tuple[int, ...]:
    """A shape given as separate numbers or as one sequence."""
    given = size[0] if len(size) == 1 else size
    if isinstance(given, Tensor):
        given = given.reshape(-1).tolist()
    size = ints(name, "size", given, position)
    total = 1
    for n in size:
        if n < 0:
            check_signs(size, name)
        total *= n
    if not total or total >= 1 << 58:
        span(size, None, 4)
    return size


def check_signs(size: tuple, name: str = "") -> None:
    """Raise PyTorch's error for a negative size."""
    if size and min(size) < 0:
        if name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        n = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")


def named_size(name: str, size: tuple, other: dict) -> tuple:
    """A shape given by keyword, among the keywords that no parameter takes."""
    if "names" in other and other.pop("names") is None and not other:
        return size
    if set(other) != {"size"} or size:
        key = next(k for k in other if k != "size") if set(other) != {"size"} else "size"
        raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return (other["size"],)


COUNTS = frozenset(map(np.dtype, (np.int64, np.int32)))


def check_counts(counts: np.ndarray, signs: bool = True, total: int | None = None) -> None:
    """How often something is repeated: whole numbers of these kinds, and none below 0; known, or what they come to is."""
    if absent(counts) and total is None:
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    if counts.dtype not in COUNTS:
        raise not_implemented("repeat_interleave_cpu", counts)
    if signs and counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")


def check_repeats(counts: np.ndarray, along: int, dim: int, total: int | None) -> None:
    """A count for each of the elements along a dimension, and what they come to if that is told."""
    if counts.ndim != 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.size != along:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({dim}) = {along}"
        )
    check_counts(counts)
    if total is not None and total < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {total}: [{total}]")
    if total is not None and total != counts.sum():
        raise RuntimeError("allocated size does not match required size")
