"""Shapes as the functions that make tensors are given them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import not_implemented, type_name
from .tensor import Size, Tensor


def size_of(name: str, size: tuple, position: int = 1) -> tuple[int, ...]:
    """A shape given as separate numbers or as one sequence."""
    if len(size) == 1 and not isinstance(size[0], (int, np.integer)):
        given = size[0]
        if isinstance(given, Tensor):
            if given._array.ndim == 0:
                given = given.reshape(1)
            given = given.tolist()
        elif not isinstance(given, (list, tuple, Size)):
            raise TypeError(
                f"{name}(): argument 'size' (position {position}) must be tuple of ints, not {type_name(given)}"
            )
        size = tuple(given)
    count = 1
    for n in size:
        if type(n) is not int or n < 0:
            break
        count *= n
    else:
        if count >= 1 << 58:
            refuse_size(name, size)
        return size
    sizes = [check_size(name, n, position, at) for at, n in enumerate(size)]
    for n in sizes:
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {sizes}")
    return tuple(sizes)


def refuse_size(name: str, size: tuple) -> None:
    """Raise PyTorch's error for a size beyond all memory, where it has one of its own."""
    for at, n in enumerate(size):
        if n >= 1 << 63:
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {at + 1} with error \"Overflow when unpacking "
                "long long"
            )
    if math.prod(size) >= 1 << 61:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")


def check_size(name: str, n: Any, position: int, at: int) -> int:
    if isinstance(n, Tensor) and n._array.size == 1 and n._array.dtype.kind in "iu":
        n = n.item()
    if isinstance(n, bool) and not at or not isinstance(n, (int, np.integer)):
        raise TypeError(
            f"{name}(): argument 'size' (position {position}) must be tuple of ints, but found element of type "
            f"{type_name(n)} at pos {at}"
        )
    return int(n)


def named_size(name: str, size: tuple, other: dict) -> tuple:
    """A shape given by keyword, among the keywords that no parameter takes."""
    if "names" in other and other.pop("names") is None and not other:
        return size
    if set(other) != {"size"} or size:
        key = next(k for k in other if k != "size") if set(other) != {"size"} else "size"
        raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return (other["size"],)


COUNTS = frozenset(map(np.dtype, (np.int64, np.int32)))


def check_counts(counts: np.ndarray, signs: bool = True) -> None:
    """How often something is repeated: whole numbers of these kinds, and none below 0."""
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
