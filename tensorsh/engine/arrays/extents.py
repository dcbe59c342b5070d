"""Extents: sizes, strides and offsets as a program gives them, the bytes they reach, and the arrays they make of a memory.

Sizes come as plain integers (sandbox/integers.py). `span` computes the bytes that they reach in unbounded integers and
refuses beyond 64 bits, as PyTorch does; `strided` makes the array, and only inside the memory of its owner. No other file
makes an array of chosen strides or on a given memory: numpy's `as_strided` checks nothing, and its `ndarray` forgets sums
beyond 64 bits and takes an empty buffer for as large as is asked.

A tensor's storage is the buffer that owns its array's memory: numpy's chain of bases ends there. Strides and offsets are
counted in bytes here and in elements where a program sees them.

Cython compiles this file together with `extents.pxd`, in which what reads numpy's arrays is C; without a compiler it runs
as it stands."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from .. import interpreted as cython

import math
from operator import index
from typing import Any

import numpy as np

ndarray = np.ndarray
LONG = 1 << 63
"""The first number that PyTorch's integers of 64 bits do not hold."""
WORD = 1 << 64
FAR = 1 << 62
"""A stride in the place of those that numpy does not hold, where there is one element only."""


def address(array: Any) -> int:
    """Where an array's first element lies."""
    if type(array) is ndarray:
        return place(array)
    return array.data.ptr


def owner(array: Any) -> Any:
    """The array that owns an array's memory."""
    base = array.base
    while base is not None:
        if type(base) is ndarray or type(base) is type(array):
            array = base
        elif type(base).__name__ != "DummyArray":
            # What numpy.lib.stride_tricks puts between its result and the array is passed over.
            break
        base = base.base
    return array


def limits(shape: tuple, strides: tuple, itemsize: int) -> tuple[int, int]:
    """First and one past the last byte of elements, counted from the first element."""
    low, high = 0, itemsize
    for n, s in zip(shape, strides, strict=True):
        if not n:
            return 0, 0
        if s < 0:
            low += (n - 1) * s
        else:
            high += (n - 1) * s
    return low, high


def extent(array: Any) -> tuple[int, int]:
    """First and one past the last address an array touches."""
    if type(array) is ndarray:
        return reached(array)
    low, high = limits(array.shape, array.strides, array.itemsize)
    start = address(array)
    return start + low, start + high


def meets(target: Any, array: Any) -> bool:
    """Whether the memory that two arrays reach has a byte in common; never that of sparse ones, which is in parts."""
    if type(target) is ndarray and type(array) is ndarray:
        return meet(target, array)
    if not target.size or not array.size or hasattr(target, "layout") or hasattr(array, "layout"):
        return False
    first, end = extent(target)
    low, high = extent(array)
    return first < high and low < end


def strided(array: Any, shape: tuple, strides: tuple, offset: int = 0, dtype: Any = None) -> Any:
    """An array of any shape and strides on another's memory; `offset` counts from the other's first element."""
    if dtype is None:
        dtype = array.dtype
    if type(array) is not ndarray:
        if hasattr(array, "restrided"):  # a deferred one
            return array.restrided(shape, strides, offset, dtype)
        low, high = limits(shape, strides, dtype.itemsize)
        memory = array.data.mem
        start = array.data.ptr - memory.ptr + offset
        if 0 not in shape and (start + low < 0 or start + high > memory.size):
            raise outside(shape, strides)
        return type(array)(shape, dtype, array.data + offset, strides)
    made = laid(array, shape, strides, offset, dtype)
    return farther(array, shape, strides, offset, dtype) if made is None else made


if cython.compiled:
    ready()  # type: ignore[name-defined]  # noqa: F821 - of extents.pxd
else:

    def place(array: Any) -> int:
        """The address of the first element of an array of numpy."""
        return array.__array_interface__["data"][0]

    def reached(array: Any) -> tuple[int, int]:
        """First and one past the last address that an array of numpy touches."""
        low, high = limits(array.shape, array.strides, array.itemsize)
        start = place(array)
        return start + low, start + high

    meet = np.may_share_memory

    def laid(array: Any, shape: tuple, strides: tuple, offset: int, dtype: Any) -> Any:
        """`strided` where that stays within an array in row order; None elsewhere."""
        low, high = limits(shape, strides, dtype.itemsize)
        if offset + low < 0 or offset + high > array.nbytes or not array.flags.c_contiguous:
            return None
        if dtype.hasobject or array.dtype.hasobject:
            return None
        try:
            return ndarray(shape, dtype, array, offset, strides)
        except (ValueError, OverflowError):  # a stride or a size that numpy does not hold
            return None


def fitting(array: Any, shape: tuple, strides: tuple, offset: int) -> Any:
    """`strided`, counted in elements, where no stride is negative and no element outside of the storage; None elsewhere."""
    if type(array) is not ndarray or len(shape) != len(strides):
        return None
    dtype = array.dtype
    itemsize = dtype.itemsize
    steps = []
    for s in strides:
        if s < 0:
            return None
        steps.append(s * itemsize)
    return laid(array, shape, tuple(steps), offset * itemsize, dtype)


def farther(array: Any, shape: tuple, strides: tuple, offset: int, dtype: Any) -> Any:
    """`strided` where an array is not all the memory that counts: in that of its owner."""
    if dtype.hasobject or array.dtype.hasobject:
        raise TypeError("no memory of Python objects is shown with other strides")
    if 0 in shape:
        return np.empty(shape, dtype)
    if math.prod(shape) * dtype.itemsize >= LONG:
        raise RuntimeError("numel: integer multiplication overflow")
    # The stride of a dimension of one element is never walked; numpy does not hold all that PyTorch has there.
    strides = tuple([s if n > 1 else min(s, FAR) for n, s in zip(shape, strides, strict=True)])
    root = owner(array)
    start = address(array) - address(root) + offset
    low, high = limits(shape, strides, dtype.itemsize)
    first, end = limits(root.shape, root.strides, root.itemsize)
    if start + low < first or start + high > end:
        raise outside(shape, strides)
    root = in_order(root)
    if root.flags.c_contiguous:
        made = ndarray(shape, dtype, root, start, strides)
        if made.flags.writeable and not array.flags.writeable:
            made.flags.writeable = False
        return made
    if not offset and dtype == array.dtype:
        # Memory of another library that has gaps.
        return np.lib.stride_tricks.as_strided(array, shape, strides)
    raise outside(shape, strides)


def in_order(root: Any) -> Any:
    """An owner of memory with its dimensions, which numpy may have laid out in another order, as they lie there."""
    if root.flags.c_contiguous:
        return root
    return root.transpose(sorted(range(root.ndim), key=lambda i: -root.strides[i]))


def in_bytes(root: Any) -> Any:
    """The bytes of an owner of memory."""
    return in_order(root).reshape(-1).view(np.uint8)


def outside(shape: tuple, strides: tuple) -> RuntimeError:
    return RuntimeError(f"sizes {list(shape)} and strides of {list(strides)} bytes reach beyond the storage")


def count(size: tuple) -> int:
    """The number of elements; PyTorch's error where that takes more than 64 bits or a size is negative."""
    total = 1
    for n in size:
        total *= n if n >= 0 else n % WORD
    if total >= LONG:
        raise RuntimeError("numel: integer multiplication overflow")
    return total


def span(size: tuple, stride: tuple | None, itemsize: int, offset: int = 0) -> int:
    """How many bytes a storage must have for sizes, strides (None: in row order) and an offset, counted in elements."""
    if stride is None:
        if math.prod([n or 1 for n in size[1:]]) >= LONG and 0 in size:
            raise RuntimeError("Stride calculation overflowed")
        needed = (offset + math.prod(size)) * itemsize
    elif 0 in size:
        return 0
    else:
        needed = offset + 1
        for i in range(len(size)):
            n, s = size[i] - 1, stride[i]
            needed += n * s if n >= 0 and s >= 0 else n % WORD * (s % WORD)  # a negative number is a large one here
        needed *= itemsize
    if needed >= LONG:
        told = "" if stride is None else f" and strides={list(stride)}"
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}{told}")
    return needed


def signed(number: int) -> int:
    """A number as PyTorch's integers of 64 bits hold it: what is beyond begins again from below."""
    return (index(number) + LONG) % WORD - LONG  # numpy's integers have bounds of their own


def sized(size: Any, itemsize: int = 4) -> tuple:
    """The sizes of a result as they come out in 64 bits, refused where PyTorch refuses to make it: below 0, or too large."""
    found = tuple([signed(n) for n in size])
    for n in found:
        if n < -FAR:
            raise RuntimeError(f"IntArrayRef contains an int that cannot be represented as a SymInt: {n}")
    for n in found:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(found)}")
    span(found, None, itemsize)
    return found


def check_bounds(array: Any, size: tuple, stride: tuple, offset: int) -> None:
    """Raise what PyTorch raises where sizes and strides, counted in elements, do not fit in an array's storage."""
    low, high = extent(owner(array))
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = span(size, stride, array.itemsize, offset)
    if needed > high - low:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{array.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {high - low}"
        )
    count(size)


def contiguous_strides(shape: tuple, itemsize: int = 1) -> tuple[int, ...]:
    """Strides of a shape in row order, empty dimensions counted as one."""
    strides = []
    step = itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= n or 1
    return tuple(reversed(strides))


def element_strides(array: Any) -> tuple[int, ...]:
    """An array's strides in elements. numpy gives none to new empty arrays, PyTorch those of row order; parts of others keep theirs."""
    if not array.size and (min(array.strides) < 0 or not max(array.strides)):
        return contiguous_strides(array.shape)
    size = array.itemsize
    return tuple(s // size for s in array.strides)


def viewing_strides(array: Any, shape: tuple) -> tuple[int, ...] | None:
    """The strides (in bytes) that show an array in another shape; None where that needs a copy."""
    old_shape, old_strides = array.shape, array.strides
    if not array.size:
        return contiguous_strides(shape, array.itemsize)
    if not old_shape:
        return (array.itemsize,) * len(shape)
    strides = [0] * len(shape)
    at = len(shape) - 1
    step = old_strides[-1]
    old_count = new_count = 1
    for i in range(len(old_shape) - 1, -1, -1):
        old_count *= old_shape[i]
        # A run of dimensions that lie behind one another ends here.
        if i == 0 or (old_shape[i - 1] != 1 and old_strides[i - 1] != old_count * step):
            while at >= 0 and (new_count < old_count or shape[at] == 1):
                strides[at] = new_count * step
                new_count *= shape[at]
                at -= 1
            if new_count != old_count:
                return None
            if i > 0:
                step = old_strides[i - 1]
                old_count = new_count = 1
    return None if at != -1 else tuple(strides)


def storage_of(array: Any) -> tuple[Any, int]:
    """An array's owner and the array's offset in it in bytes."""
    root = owner(array)
    return root, address(array) - extent(root)[0]


def element_offset(array: Any) -> int:
    """Where in its storage an array starts, in elements."""
    if array.base is None:
        return 0
    return storage_of(array)[1] // array.itemsize


def repeated(array: Any, counts: Any, axis: int | None = None) -> Any:
    """numpy's `repeat`, which writes beyond its result where the counts are beyond 64 bits together."""
    total = np.sum(counts, dtype=np.float64) * (np.size(array) if np.size(counts) == 1 else 1)
    if total >= FAR:
        whole = sum(np.ravel(counts).tolist())
        sized((whole,))
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{whole}]")
    return np.repeat(array, counts, axis)
