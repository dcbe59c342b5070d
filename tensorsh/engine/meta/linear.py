"""The shapes of numpy's products, matrix functions and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import MetaArray, axis_of, common
from .calls import rule, shape_of
from .twins import asked, shaped


def kind_of(*arrays: Any) -> Any:
    """A small array of the dtype of a product."""
    return asked(
        np.multiply, tuple([a.reshape(-1)[:1] if isinstance(a, (MetaArray, np.ndarray)) else a for a in arrays]), {}
    )


@rule("matmul")
def matmul(function: Any, a: Any, b: Any, **options: Any) -> MetaArray:
    x, y = shape_of(a), shape_of(b)
    if not x or not y:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    left, right = (x if len(x) > 1 else (1, *x)), (y if len(y) > 1 else (*y, 1))
    if left[-1] != right[-2]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
            f"(size {right[-2]} is different from {left[-1]})"
        )
    batch = common(left[:-2], right[:-2])
    shape = (*batch, *([left[-2]] if len(x) > 1 else []), *([right[-1]] if len(y) > 1 else []))
    return shaped(shape, asked(function, (a, b), {}))


@rule("dot", "inner", "vdot", "vecdot")
def dot(function: Any, a: Any, b: Any, **_: Any) -> MetaArray:
    x, y = shape_of(a), shape_of(b)
    name = function.__name__
    if not x or not y:
        return MetaArray(x or y, kind_of(a, b).dtype)
    if name == "vdot":
        return MetaArray((), kind_of(a, b).dtype)
    if name == "vecdot":
        return MetaArray(common(x, y)[:-1], kind_of(a, b).dtype)
    inner = -1 if name == "inner" or len(y) == 1 else -2
    if x[-1] != y[inner]:
        raise ValueError(f"shapes {x} and {y} not aligned: {x[-1]} (dim {len(x) - 1}) != {y[inner]}")
    rest = list(y)
    del rest[inner]
    return MetaArray((*x[:-1], *rest), kind_of(a, b).dtype)


@rule("trace")
def trace(function: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, **_: Any) -> Any:
    return np.sum(a.diagonal(offset, axis1, axis2), -1, dtype=dtype)


# -- linear algebra ---------------------------------------------------------------------------------------------------


def results(function: Any, args: tuple, shapes: list, **options: Any) -> Any:
    """Results of such shapes, with the dtypes that numpy has for them."""
    small = asked(function, (np.eye(2, dtype=args[0].dtype), *args[1:]), options)
    if not isinstance(small, tuple):
        return MetaArray(shapes[0], small.dtype)
    made = [MetaArray(s, x.dtype) for s, x in zip(shapes, small, strict=True)]
    return type(small)(*made) if hasattr(small, "_fields") else tuple(made)


@rule("linalg.eigvals", "linalg.eigvalsh", "linalg.svdvals")
def eigenvalues(function: Any, a: Any, *args: Any, **_: Any) -> Any:
    return results(function, (a,), [(*a.shape[:-2], min(a.shape[-2:]))])


@rule("linalg.svd")
def svd(function: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    *batch, m, n = a.shape
    k = min(m, n)
    if not compute_uv:
        return results(function, (a,), [(*batch, k)], compute_uv=False)
    u, v = (m, n) if full_matrices else (k, k)
    return results(function, (a,), [(*batch, m, u), (*batch, k), (*batch, v, n)])


# -- Fourier transforms -------------------------------------------------------------------------------------------------


@rule("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft")
def fourier(function: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> MetaArray:
    return transformed(function.__name__, a, None if n is None else (n,), (axis,))


@rule("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn", "fft.fft2", "fft.ifft2", "fft.rfft2", "fft.irfft2")
def fourier_many(
    function: Any, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None
) -> MetaArray:
    if axes is None and function.__name__.endswith("2"):
        axes = (-2, -1)
    if axes is None:
        axes = range(a.ndim) if s is None else range(a.ndim - len(s), a.ndim)
    return transformed(function.__name__, a, s, tuple(axes))


def transformed(name: str, a: Any, sizes: Any, axes: tuple) -> MetaArray:
    shape = list(a.shape)
    places = [axis_of(x, a.ndim) for x in axes]
    for i, at in enumerate(places):
        shape[at] = shape[at] if sizes is None or sizes[i] in (None, -1) else sizes[i]
    single = a.dtype in (np.float32, np.complex64, np.float16)
    made: Any = np.complex64 if single else np.complex128
    last = places[-1]
    given = None if sizes is None or sizes[-1] in (None, -1) else sizes[-1]
    if name in ("rfft", "rfftn", "rfft2", "ihfft"):
        shape[last] = shape[last] // 2 + 1
    elif name in ("irfft", "irfftn", "irfft2", "hfft"):
        shape[last] = 2 * (a.shape[last] - 1) if given is None else given
        made = np.float32 if single else np.float64
    return MetaArray(shape, made)
