"""Products of float matrices as arrays: of float32 by the compiled kernel, whose sums are in PyTorch's order, larger ones and those of
other dtypes by numpy's BLAS.
"""

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
SMALL = 1 << 28
"""With more multiplications BLAS is faster than the kernel."""


def by_blas(a: Any, b: Any) -> Any:
    """The product of two matrices; a column by a row has nothing to add up, its zeros keep their signs."""
    return np.multiply(a, b) if a.shape[1] == 1 and outer(a, b) else dot(a, b)


def large(a: Any, b: Any) -> Any:
    """A product by BLAS, made apart where it takes long."""
    return apart(by_blas, a, b) if a.size * b.shape[1] >= LONG else by_blas(a, b)


def matrices(a: Any, b: Any) -> Any:
    """``a @ b`` for two matrices of one dtype. Raises ValueError where their shapes do not fit."""
    try:
        if a.dtype is FLOAT32 and (r := product(a, b)) is not None:
            return r
        return large(a, b)
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
    if a.dtype is FLOAT32 and (r := product(a, b, bias)) is not None:
        return r
    if not len(b) and not a.shape[1]:
        return np.broadcast_to(bias, (len(a), b.shape[1])).copy()
    r = large(a, b)
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
