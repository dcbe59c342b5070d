"""Elements taken by their places, and arrays joined: one pass each. Places are checked on the way, by the device's flag."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..arrays import cupy_module, device_guard
from .checks import flag_of
from .kernels import C_NAMES, FLOATS, Raw, dense, empty
from .sources import pieces

CODE = pieces(__file__)

DTYPES = (*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64")
KINDS = frozenset(map(np.dtype, DTYPES))
INDICES = frozenset((np.dtype(np.int32), np.dtype(np.int64)))
THREADS, EACH = 256, 4
TAKE = Raw("tensorsh_take", CODE["TAKE"], dtypes=DTYPES, WIDE=1, I="long long")
"""Of x [o, n, inner] the rows that index [m] names: [o, m, inner]; `inner` and `count` in units of WIDE elements.

kind: 1 with an index for each element, 2 where negative ones count from the end.
"""
MOST = 8
JOIN = Raw(
    "tensorsh_join",
    'extern "C" __global__ void tensorsh_join('
    + ", ".join(f"const T* x{k}" for k in range(MOST)) + ", T* y, "
    + ", ".join(f"long long n{k}" for k in range(MOST)) + CODE["JOIN"] + " else ".join(f"if (c < n{k}) load(some, &x{k}[(row * n{k} + c) * WIDE]);" if not k else
    f"{{ c -= n{k - 1}; if (c < n{k}) load(some, &x{k}[(row * n{k} + c) * WIDE]);" for k in range(MOST))
    + "}" * (MOST - 1) + """
  store(&y[i * WIDE], some);
}""",
    dtypes=DTYPES, WIDE=1,
)  # fmt: skip
"""Rows of several arrays one behind another; the widths `n` and the places in units of WIDE elements."""


def ours(*arrays: Any) -> bool:
    """Whether arrays are the device's, of a program that uses one."""
    kind = cupy_module.array_class
    return not device_guard.several and all(type(a) is kind for a in arrays)


def unit(dtype: Any, inner: int, *arrays: Any) -> int:
    """How many elements are copied at once."""
    width = 16 // dtype.itemsize
    return width if inner % width == 0 and not any(a.data.ptr % 16 for a in arrays) else 1


def take(x: Any, index: Any, dim: int, each: bool = False, negative: bool = True) -> Any:
    """The elements that an index names along a dimension, or (`each`) that an index of the shape of the rest names; None for
    what is left to others."""
    if not ours(x, index) or x.dtype not in KINDS or index.dtype not in INDICES or not x.size or not index.size:
        return None
    if not -x.ndim <= dim < x.ndim:
        return None
    dim %= x.ndim
    shape = x.shape
    n, inner, m = shape[dim], prod(shape[dim + 1 :]), index.shape[dim] if each else index.size
    if each and (index.shape[:dim] != shape[:dim] or index.shape[dim + 1 :] != shape[dim + 1 :]):
        return None
    x, index = dense(x), dense(index)
    y = empty(index.shape if each else (*shape[:dim], *index.shape, *shape[dim + 1 :]), x.dtype)
    wide = 1 if each or inner == 1 else unit(x.dtype, inner, x)
    numbers = (n, inner // wide, m, y.size // wide)
    blocks = -(-y.size // (wide * THREADS * EACH))
    kind = np.int32(each + 2 * negative)
    TAKE(x.dtype, blocks, THREADS, x, index, y, flag_of(x), *numbers, kind, WIDE=wide, I=C_NAMES[index.dtype.name])
    return y


def gather(input: Any, dim: Any, index: Any, sparse_grad: Any = False) -> Any:
    return (
        take(input, index, dim, True, False)
        if type(dim) is int and ours(input, index) and input.ndim == index.ndim
        else None
    )


def embedding(weight: Any, indices: Any, padding_idx: Any = -1, sparse: Any = False) -> Any:
    return take(weight, indices, 0, False, False)


@lru_cache(maxsize=1024)
def joined(dim: int, size: int, shapes: tuple) -> tuple | None:
    """The shape of arrays of these shapes behind one another, how many elements of a size are copied at once, and the numbers of
    the kernel; None where they do not fit."""
    first = shapes[0]
    if not -len(first) <= dim < len(first):
        return None
    dim %= len(first)
    before, behind = first[:dim], first[dim + 1 :]
    if any((shape[:dim], shape[dim + 1 :]) != (before, behind) or not prod(shape) for shape in shapes):
        return None
    inner = prod(behind)
    widths = [shape[dim] * inner for shape in shapes]
    together = 16 // size
    wide = together if all(width % together == 0 for width in widths) else 1
    shape, none = (*before, sum(widths) // inner, *behind), (0,) * (MOST - len(shapes))
    return shape, wide, tuple((*(w // n for w in widths), *none, sum(widths) // n, prod(shape) // n) for n in (1, wide))


def join(tensors: Any, dim: Any = 0) -> Any:
    """Arrays of one dtype, one behind another; None for what is left to others."""
    count = len(tensors)
    if type(dim) is not int or not 2 <= count <= MOST or not ours(*tensors):
        return None
    first = tensors[0]
    dtype = first.dtype
    if dtype not in KINDS:
        return None
    aligned = True
    for a in tensors:
        if a.dtype != dtype or not a._c_contiguous:
            return None
        aligned = aligned and not a.data.ptr % 16
    found = joined(dim, dtype.itemsize, tuple([a.shape for a in tensors]))
    if found is None:
        return None
    shape, wide, numbers = found
    y = empty(shape, dtype)
    sizes = numbers[aligned]
    none = (first,) * (MOST - count)
    JOIN(dtype, -(-sizes[-1] // THREADS), THREADS, *tensors, *none, y, *sizes, WIDE=wide if aligned else 1)
    return y


def clone(input: Any, memory_format: Any = None) -> Any:
    """A copy of an array in row order; None for others."""
    if memory_format is not None or not ours(input) or not input._c_contiguous or not input.size:
        return None
    y = empty(input.shape, input.dtype)
    y.data.copy_from_device_async(input.data, input.nbytes)
    return y


FILL = Raw(
    "tensorsh_fill",
    """extern "C" __global__ void tensorsh_fill(T* y, T value, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = value;
}""",
    dtypes=DTYPES,
)


def filled(shape: tuple, dtype: Any, value: Any) -> Any:
    """A new array of one number on the current device; None for a dtype that cupy does not fill."""
    if value and dtype not in KINDS:
        if dtype.kind == "V":
            return None
        y = empty(shape, dtype)
        y.fill(value)
        return y
    y = empty(shape, dtype)
    if value and y.size:
        FILL(dtype, -(-y.size // THREADS), THREADS, y, dtype.type(value), y.size)
    elif y.size:
        y.data.memset_async(0, y.nbytes)
    return y


def transposed(input: Any) -> Any:
    return input.T if ours(input) and input.ndim <= 2 else None


def view(input: Any, size: Any = None, dtype: Any = None) -> Any:
    """A contiguous array in another shape; None for what else views may be."""
    if dtype is not None or type(size) is not tuple or not ours(input) or not input._c_contiguous:
        return None
    count, open_ = 1, 0
    for n in size:
        if type(n) is not int or n < -1:
            return None
        if n < 0:
            open_ += 1
        else:
            count *= n
    fits = open_ == 1 and count and input.size % count == 0 or not open_ and count == input.size
    return input.reshape(size) if fits else None


DIRECT: dict[str, Callable] = {
    "gather": gather, "_embedding": embedding, "cat": join, "clone": clone, "t": transposed, "_view": view,
}  # fmt: skip
