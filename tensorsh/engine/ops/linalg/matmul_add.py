"""Matrix products added to a tensor: ``beta * input + alpha * product``, with `input` broadcast to the product."""

from __future__ import annotations

import numpy as np

from ...arrays.backend import on_gpu
from ...arrays.constants import FLOAT32, FLOAT64
from ...arrays.cupy_module import accelerator
from ...arrays.dtype import of
from ...arrays.errors import check_factors, cpp_name, length
from ...arrays.numbers import converted, not_integral
from ...arrays.parallel import by_rows
from ...arrays.views import expanded
from ...numerics.arithmetic import multiplied as meeting
from ...numerics.arithmetic import product as multiplied
from ...numerics.products import affine, complex_product
from ...numerics.rounding import FUSED, fused
from ...operators.declare import Array, operator
from .matmul import (
    adjoint,
    check_batches,
    check_bool,
    check_kinds,
    check_mv,
    first_gradient,
    outer_product,
    product,
    second_gradient,
    times,
    wide,
)


def scaled(x, factor):
    """`factor * x`, the factor in x's own dtype."""
    if factor == 1:
        return x
    factor = converted(factor, x.dtype)
    if x.dtype.kind == "c" and type(x) is np.ndarray:
        return multiplied(np, x, x.dtype.type(factor))
    return x * factor


def conjugated(g, factor):
    """A gradient times the conjugate of a number."""
    return g if factor == 1 else g * factor.conjugate()


def expandable(input: Array, target: tuple) -> None:
    """Raise the error of `expand` where an array does not broadcast to a shape."""
    size = input.shape
    if len(size) > len(target) or any(
        s != t and s != 1 for s, t in zip(reversed(size), reversed(target), strict=False)
    ):
        expanded(input, target)


def combined(input, found, beta, alpha, dtype):
    """``beta * input + alpha * found`` in `dtype`, in the memory of `found`; an `input` times zero counts as zero even if it is NaN."""
    expandable(input, found.shape)
    found = scaled(found, alpha)
    if beta != 0:
        other = scaled(wide(input), beta)
        found = (
            np.add(found, other, found) if type(found) is np.ndarray and found.dtype == other.dtype else found + other
        )
    return found if found.dtype == dtype else found.astype(dtype)


def added(input, a, b, beta, alpha):
    """``beta * input + alpha * (a @ b)``."""
    if on_gpu(a) and (found := accelerator().product_added(input, a, b, beta, alpha)) is not None:
        return found
    if (alpha == 0 or not a.shape[-1]) and beta != 0 and type(a) is np.ndarray:  # the product is not looked at
        shape = (*a.shape[:-1], *b.shape[-1:]) if b.ndim > 1 else a.shape[:-1]
        expandable(input, shape)
        return np.broadcast_to(scaled(wide(input), beta), shape).astype(a.dtype)
    return combined(input, product(wide(a), wide(b)), beta, alpha, a.dtype)


@operator(inplace=True, broadcast=True)
def addmm(xp, input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)``; `input` broadcasts."""
    for name, x in (("self", input), ("mat1", mat1)):
        if x.dtype != mat2.dtype:
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {of(x).short} and {of(mat2).short}")
    for name, x in (("mat1", mat1), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    check_factors(mat1, mat2)
    expandable(input, (mat1.shape[0], mat2.shape[1]))
    check_bool("addmm_impl_cpu_", mat1)
    if mat1.dtype.kind == "c" and type(mat1) is np.ndarray and beta != 0:
        if (found := complex_product(scaled(mat1, alpha), mat2, scaled(input, beta))) is not None:
            return found
    return added(input, mat1, mat2, beta, alpha)


def plain_addmm(input, mat1, mat2, beta, alpha):
    """The product of float matrices of one dtype, added without factors; None for others."""
    dt = mat1.dtype
    if beta != 1 or alpha != 1 or mat1.ndim != 2 or mat2.ndim != 2 or mat2.dtype is not dt or input.dtype is not dt:
        return None
    if dt is not FLOAT32 and dt is not FLOAT64:
        return None
    return added(input, mat1, mat2, 1, 1) if on_gpu(mat1) else affine(mat1, mat2, input)


addmm.fast = plain_addmm
addmm.gradient(
    input=lambda t, g, beta: conjugated(g, beta),
    mat1=lambda t, g, mat2, mat1_strides, alpha: conjugated(first_gradient(t, g, mat2, mat1_strides), alpha),
    mat2=lambda t, g, mat1, mat2_strides, alpha: conjugated(second_gradient(t, g, mat1, mat2_strides), alpha),
)


@operator(inplace=True, broadcast=True)
def addmv(xp, input: Array, mat: Array, vec: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat @ vec)``; `input` broadcasts."""
    check_mv(input, mat, vec)
    check_bool("addmv_impl_cpu", mat)
    return added(input, mat, vec, converted(beta, mat.dtype), converted(alpha, mat.dtype))


addmv.gradient(
    input=lambda t, g, beta: conjugated(g, beta),
    mat=lambda t, g, vec, alpha: conjugated(outer_product(t, g, vec), alpha),
    vec=lambda t, g, mat, alpha: conjugated(t.mv(adjoint(t, mat), g), alpha),
)


@operator(inplace=True, promote="same")
def addr(xp, input: Array, vec1: Array, vec2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * outer(vec1, vec2)``; `input` broadcasts."""
    for name, x in (("vec1", vec1), ("vec2", vec2)):
        if x.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {x.ndim}-D")
    if input.dtype.kind == "b":
        if isinstance(beta, (float, complex)) or isinstance(alpha, (float, complex)):
            raise not_integral("beta" if isinstance(beta, (float, complex)) else "alpha")
        found = xp.logical_and(vec1[:, None], vec2) & bool(alpha)
        expandable(input, found.shape)
        return found | input if beta else found
    for name, x in (("beta", beta), ("alpha", alpha)):
        if isinstance(x, bool):
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if input.dtype.kind in "iu":
        for name, x in (("beta", beta), ("alpha", alpha)):
            if not isinstance(x, (int, np.integer)):
                raise not_integral(name)
    beta, alpha = converted(beta, input.dtype), converted(alpha, input.dtype)
    if beta != 0 and input.dtype in FUSED:
        if input.shape != (shape := (len(vec1), len(vec2))):
            expandable(input, shape)
            input = np.broadcast_to(input, shape)
        return by_rows(fused, vec2, scaled(vec1, alpha)[:, None], scaled(input, beta))
    found = meeting(vec1[:, None], vec2) if xp is np else vec1[:, None] * vec2
    return combined(input, found, beta, alpha, input.dtype)


addr.gradient(
    input=lambda t, g, beta: conjugated(g, beta),
    vec1=lambda t, g, vec2, alpha: conjugated(t.mv(g, t.conj(vec2)), alpha),
    vec2=lambda t, g, vec1, alpha: conjugated(t.mv(t.transpose(g, 0, 1), t.conj(vec1)), alpha),
)


@operator(inplace=True, broadcast=True)
def baddbmm(xp, input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * bmm(batch1, batch2)``; `input` broadcasts."""
    expandable(input, (length(batch1.shape, 0), length(batch1.shape, 1), length(batch2.shape, 2)))
    check_batches(batch1, batch2)
    if input.dtype != batch1.dtype:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {cpp_name(input)}, batch1: {cpp_name(batch1)}, "
            f"batch2: {cpp_name(batch2)}"
        )
    check_kinds("baddbmm", batch1, batch2)
    return added(input, batch1, batch2, beta, alpha)


baddbmm.gradient(
    input=lambda t, g, beta: conjugated(g, beta),
    batch1=lambda t, g, batch2, alpha: conjugated(t.bmm(g, adjoint(t, batch2)), alpha),
    batch2=lambda t, g, batch1, alpha: conjugated(t.bmm(adjoint(t, batch1), g), alpha),
)


@operator(inplace=True, broadcast=True)
def addbmm(xp, input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * bmm(batch1, batch2).sum(0)``; `input` broadcasts."""
    expandable(input, (length(batch1.shape, 1), length(batch2.shape, 2)))
    for name, x in (("batch1", batch1), ("batch2", batch2)):
        if x.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} and {batch2.shape[1]}x{batch2.shape[2]})"
        )
    for first, x, y in (("self", input, batch2), ("mat1", batch1, batch2)):
        if x.dtype != y.dtype:
            raise RuntimeError(f"{first} and mat2 must have the same dtype, but got {of(x).short} and {of(y).short}")
    check_bool("addmm_impl_cpu_", batch1)
    b, n, k = batch1.shape
    left = batch1.transpose(1, 0, 2).reshape(n, b * k)
    return added(input, left, batch2.reshape(b * k, -1 if b * k else batch2.shape[2]), beta, alpha)


addbmm.gradient(
    input=lambda t, g, beta: conjugated(g, beta),
    batch1=lambda t, g, batch2, alpha: conjugated(times(t, g, adjoint(t, batch2)), alpha),
    batch2=lambda t, g, batch1, alpha: conjugated(times(t, adjoint(t, batch1), g), alpha),
)
