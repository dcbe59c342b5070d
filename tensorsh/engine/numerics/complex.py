"""Products and quotients of complex arrays, with the roundings of PyTorch's loops, which are the same on every processor that
has fused steps.

PyTorch multiplies numbers that lie side by side in vectors, whose steps all round. What is left over, and numbers that lie apart,
its compiler fuses, two numbers of float32 at a time; so the product of a number and its conjugate may have an imaginary part.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..kernels import kernel, through, unsuited

COMPLEX64, COMPLEX128 = np.dtype(np.complex64), np.dtype(np.complex128)
COMPLEX = frozenset((COMPLEX64, COMPLEX128))
rounded_product, fused_product = kernel("complex_product"), kernel("complex_product_fused")
rounded_quotient, fused_quotient = kernel("complex_quotient"), kernel("complex_quotient_fused")
multiplied, moduli = kernel("complex_multiply", unsuited), kernel("modulus", unsuited)
divided, by_number = kernel("complex_divide", unsuited), kernel("complex_by_number", unsuited)


def product(xp: Any, a: Any, b: Any) -> Any:
    """``a * b``."""
    dtype = a.dtype
    single = dtype is COMPLEX64
    if fused_product is None or xp is not np or not (single or dtype is COMPLEX128) or b.dtype is not dtype:
        return xp.multiply(a, b)
    if a.shape == b.shape and a.size != 1:
        found = multiplied(a, b, 8 if single else 4)
        if found is not None:
            return found
    elif single and a.size != b.size and (a.size == 1 or b.size == 1):
        many, one = (a, b) if b.size == 1 else (b, a)
        found = by_number(many, np.asarray(one)) if many.ndim >= one.ndim else None
        return rounded_product(a, b) if found is None else found
    a, b, shape, order, near = in_runs(a, b)
    n = a.shape[-1]
    whole = n - n % (8 if single else 4) if near else 0
    end = whole + (n - whole) // 2 * 2 if single else n
    if whole == n:
        return settled(rounded_product(a, b), shape, order)
    found = np.empty(a.shape, a.dtype)
    for start, stop, multiply in ((0, whole, rounded_product), (whole, end, fused_product), (end, n, rounded_product)):
        if start < stop:
            multiply(a[:, start:stop], b[:, start:stop], found[:, start:stop])
    return settled(found, shape, order)


def weighted(a: Any, number: Any) -> Any:
    """A complex array, of any device, times a number of its type."""
    return product(np, a, number) if type(a) is np.ndarray else a * number


def quotient(xp: Any, a: Any, b: Any) -> Any:
    """``a / b``, both parts divided by the larger part of the divisor."""
    if fused_quotient is None or xp is not np or a.dtype not in COMPLEX or b.dtype is not a.dtype:
        return xp.true_divide(a, b)
    if a.shape == b.shape and (found := divided(a, b)) is not None:
        return found
    if a.dtype is COMPLEX128:
        return fused_quotient(a, b)
    a, b, shape, order, _ = in_runs(a, b)
    n = a.shape[-1]
    if n % 2 == 0:
        return settled(fused_quotient(a, b), shape, order)
    found = np.empty(a.shape, a.dtype)
    fused_quotient(a[:, :-1], b[:, :-1], found[:, :-1])
    rounded_quotient(a[:, -1:], b[:, -1:], found[:, -1:])
    return settled(found, shape, order)


def single_product(xp: Any, a: Any, b: Any) -> Any:
    """``a * b``, as the compiler has the product of two complex numbers by themselves."""
    if rounded_product is None or xp is not np or a.dtype not in COMPLEX or b.dtype is not a.dtype:
        return xp.multiply(a, b)
    return rounded_product(a, b) if a.dtype is COMPLEX64 else fused_product(a, b)


def square(xp: Any, a: Any) -> Any:
    """``a * a`` as a power: blocks of 16 numbers in vectors, all others fused."""
    if fused_product is None or xp is not np or a.dtype not in COMPLEX or not a.flags.c_contiguous:
        return product(xp, a, a)
    found = multiplied(a, a, 16 if a.dtype is COMPLEX64 else 8)
    return product(xp, a, a) if found is None else found


def modulus(xp: Any, z: Any) -> Any:
    """The absolute values, correctly rounded; numpy's own differ with the processor."""
    if xp is not np:
        return xp.absolute(z)
    if z.flags.c_contiguous and moduli(z, out := np.empty(z.shape, z.real.dtype)) is not None:
        return out
    if z.dtype != COMPLEX64:
        return np.hypot(z.real, z.imag)
    found = through("hypotenuse", z.real, z.imag)
    return np.hypot(z.real.astype(np.float64), z.imag.astype(np.float64)).astype(np.float32) if found is None else found


def in_runs(a: Any, b: Any) -> tuple:
    """Two arrays as PyTorch's loops go through them: both broadcast, in the order of their memory, as lines of numbers; the
    shape and order of axes to come back to; whether the numbers of a line lie side by side, or are one."""
    if a.shape == b.shape and a.flags.c_contiguous and b.flags.c_contiguous:
        return a.reshape(1, -1), b.reshape(1, -1), a.shape, None, True
    a, b = np.broadcast_arrays(a, b)
    item = a.itemsize
    order = by_strides(a, b)
    order = [k for k in order if a.shape[k] == 1] + [k for k in order if a.shape[k] != 1]
    a, b = a.transpose(order), b.transpose(order)
    shape = a.shape
    lines = len(shape) - 1
    while lines > 0 and all(x.strides[lines - 1] == x.strides[lines] * shape[lines] for x in (a, b)):
        lines -= 1
    near = all(x.strides[-1] in (0, item) for x in (a, b)) if shape else True
    flat = (prod(shape[:lines]), prod(shape[lines:]))
    return a.reshape(flat), b.reshape(flat), shape, order, near


def by_strides(a: Any, b: Any) -> list[int]:
    """The axes from the outermost to the innermost, by PyTorch's sort: the first array that goes on along both tells which of two
    lies farther in; where none does, they stay as they are."""
    inner = list(range(a.ndim))[::-1]
    for i in range(1, len(inner)):
        at = i
        for other in range(i - 1, -1, -1):
            x, y = inner[other], inner[at]
            pairs = [(abs(v.strides[x]), abs(v.strides[y])) for v in (a, b)]
            told = [p > q for p, q in pairs if p and q and p != q]
            if not told:
                continue
            if not told[0]:
                break
            inner[other], inner[at], at = y, x, other
    return inner[::-1]


def settled(found: Any, shape: tuple, order: list[int] | None) -> Any:
    """A result of lines in its shape, its axes in their places."""
    found = found.reshape(shape)
    return found if order is None else found.transpose(np.argsort(order))
