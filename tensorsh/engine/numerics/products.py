"""Products of float matrices as arrays: by the compiled kernel, whose sums are in PyTorch's order, or by numpy's BLAS.

The kernel takes products of up to `SMALL` multiplications; BLAS is faster with more, and adds in the kernel's order where
it is handed no more than one block of the sum at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import LONG, apart
from ..arrays.constants import FLOAT32
from ..kernels import kernel, unsuited
from .batches import matmul, outer

ndarray = np.ndarray
dot: Any = ndarray.dot
product, products, dot_product = (kernel(name, unsuited) for name in ("product", "products", "dot"))
EXACT = 1 << 28
"""With more multiplications than this a sum is made as BLAS likes it."""
SMALL = EXACT if product is unsuited else 1 << 24
BLOCK = 384
"""How much of a sum MKL, PyTorch's BLAS, makes at a time; then it adds up such blocks."""


def blocks(k: int, whole: bool) -> list[tuple[int, int]]:
    """Where MKL cuts a sum of k products. `whole`: the second factor is stored by columns, and has many of them."""
    cuts = [0]
    while (left := k - cuts[-1]) > 0:
        if left <= BLOCK:
            step = left
        else:
            step = BLOCK if (whole and k > 2 * BLOCK) or left > 2 * BLOCK else (left + 1) // 2
        cuts.append(cuts[-1] + step)
    return list(zip(cuts, cuts[1:], strict=False))


def by_blas(a: Any, b: Any) -> Any:
    """The product of two matrices; a column by a row has nothing to add up, its zeros keep their signs."""
    return np.multiply(a, b) if a.shape[1] == 1 and outer(a, b) else dot(a, b)


def large(a: Any, b: Any, bias: Any = None) -> Any:
    """A product by BLAS, block by block of the sum; one of several blocks begins with the bias."""
    if a.size * b.shape[1] >= LONG:
        return apart(by_blocks, a, b, bias)
    return by_blocks(a, b, bias)


def by_blocks(a: Any, b: Any, bias: Any) -> Any:
    k, n = b.shape
    if k <= BLOCK or a.dtype is not FLOAT32 or a.size * n > EXACT:
        r = by_blas(a, b)
        return r if bias is None else np.add(r, bias, r)
    total = None if bias is None else np.broadcast_to(bias, (len(a), n)).copy()
    for start, end in blocks(k, n >= BLOCK // 2 and b.strides[0] < b.strides[1]):
        part = dot(a[:, start:end], b[start:end])
        total = part if total is None else np.add(total, part, total)
    return total


def matrices(a: Any, b: Any) -> Any:
    """``a @ b`` for two matrices of one dtype. Raises ValueError where their shapes do not fit."""
    try:
        size = a.size
        if size * b.size > SMALL and size * b.shape[1] > SMALL:  # most are small by either
            return large(a, b)
        if a.dtype is FLOAT32:
            if (r := product(a, b)) is not None:
                return r
        return by_blas(a, b)
    except TypeError:
        if hasattr(a, "layout") or hasattr(b, "layout"):
            return a @ b  # one of them is sparse
        raise


def matrix_vector(a: Any, v: Any) -> Any:
    """``a @ v`` for a matrix and a vector."""
    if a.dtype is FLOAT32 and (r := product(a, v[None].T)) is not None:
        return r.reshape(-1)
    return dot(a, v)


def vectors(a: Any, b: Any) -> Any:
    """``a @ b`` for two vectors."""
    if a.dtype is FLOAT32 and (r := dot_product(a, b)) is not None:
        return r
    return dot(a, b)


def affine(a: Any, b: Any, bias: Any) -> Any:
    """``a @ b + bias`` for a matrix, and a number for each column."""
    if a.size * b.shape[1] > SMALL:
        return large(a, b, bias)
    if a.dtype is FLOAT32:
        if (r := product(a, b, bias)) is not None:
            return r
    if not len(b) and not a.shape[1]:
        return np.broadcast_to(bias, (len(a), b.shape[1])).copy()
    r = by_blas(a, b)
    r += bias
    return r


def batches(a: Any, b: Any) -> Any:
    """The products of the matrices of two batches of one size (numpy would broadcast others)."""
    if a.shape[0] != b.shape[0]:
        raise ValueError
    if a.dtype is FLOAT32 and a.size * b.shape[2] <= SMALL:
        if (r := products(a, b)) is not None:
            return r
    return matmul(a, b)


def complex_product(a: Any, b: Any, start: Any = None) -> Any:
    """The product of complex matrices or vectors, in the order of PyTorch's: small batches, products by a vector and by narrow
    matrices add up whole products (from `start`), larger ones four real sums; None for what numpy's BLAS is to do, and where
    there is a start that it does not begin with."""
    if a.ndim == b.ndim == 2:
        if min(*a.shape, b.shape[1]) > 3:
            if start is not None:
                return None
            return by_parts(matrices, a, b) if a.dtype == COMPLEX64 and a.size * b.shape[1] <= SMALL else None
    elif a.ndim == b.ndim == 3:
        if a.shape[0] != b.shape[0]:
            return None
        if a[:1].size * b.shape[2] >= NATIVE:
            return by_parts(batches, a, b) if a.dtype == COMPLEX64 and a.size * b.shape[2] <= SMALL else None
    elif (a.ndim, b.ndim) != (2, 1):
        return None
    k = a.shape[-1]
    if b.shape[-2 if b.ndim > 1 else 0] != k or not 0 < a.size * (b.shape[-1] if b.ndim > 1 else 1) <= WHOLE:
        return None
    columns = b if b.ndim > 1 else b[:, None]
    found = np.zeros((*a.shape[:-1], columns.shape[-1]), a.dtype)
    if start is not None:
        found[...] = start
    left, right = found.real, found.imag
    ar, ai, br, bi = a.real, a.imag, columns.real, columns.imag
    for i in range(k):
        p, q, u, v = ar[..., i, None], ai[..., i, None], br[..., i : i + 1, :], bi[..., i : i + 1, :]
        left += p * u - q * v
        right += p * v + q * u
    return found if b.ndim > 1 else found[:, 0]


def by_parts(multiply: Any, a: Any, b: Any) -> Any:
    """A complex product as four products of real and imaginary parts: of the rows of both by the columns of both, at once; None
    where there are no kernels."""
    real = a.real.dtype
    pairs = [np.ascontiguousarray(x).view(real).reshape(*x.shape, 2) for x in (a, b)]
    if (parts := parted(*pairs)) is None or (joined := parts_joined(multiply(*parts))) is None:
        return None
    return joined.view(a.dtype)[..., 0]


parted, parts_joined = kernel("parted", unsuited), kernel("parts_joined", unsuited)
NATIVE, WHOLE = 400, 1 << 16
"""Batches of matrices of fewer products each are not BLAS's in PyTorch; sums of more products than these would be too slow."""
COMPLEX64 = np.dtype(np.complex64)
KERNELS = {(2, 2): matrices, (2, 1): matrix_vector, (1, 1): vectors, (3, 3): batches}
"""The products by the numbers of dimensions of their factors."""
COMPILED = {(2, 2): product, (1, 1): dot_product, (3, 3): products}
"""The kernels, which look themselves at what they are given, and answer None to what is not for them."""
