"""Distances between points: in two sets, in one, pair by pair; and the cosine of angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....sandbox.long_calls import MANY, apart
from ...arrays.dtype import of
from ...arrays.errors import broadcast_error, not_implemented, refuse_halves, wrap_dim
from ...arrays.on_arrays import on_arrays
from ...arrays.promotion import result_type
from ...kernels import kernel, unsuited
from ...loading import table
from ...operators.declare import Array, composite, operator
from ...tape.grad_modes import no_grad
from ...tensors.tensor import Tensor
from ..elementwise.by_number import plus
from ..reductions.norms import fold, norm_gradient
from .common import constant

MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
LARGE = 25
"""From this many points on Euclidean distances go through a matrix product."""


distances = kernel("distances", unsuited)
distances_back = kernel("distances_back", unsuited)
NORMS = {1.0: 0, 2.0: 1, math.inf: 2, 0.0: 3}
"""The kernel's numbers of norms."""


def p_norm(xp: Any, difference: Any, p: float) -> Any:
    """The p-norm along the last dimension."""
    size = xp.abs(difference)
    if size.shape[-1] == 0:
        return xp.zeros(size.shape[:-1], size.dtype)
    if p == 0:
        return (size != 0).sum(-1).astype(size.dtype)
    if p == 1:
        return size.sum(-1)
    if p == 2:
        return xp.sqrt((size * size).sum(-1))
    if abs(p) == math.inf:
        return size.max(-1) if p > 0 else size.min(-1)
    return (size**p).sum(-1) ** (1 / p)


def slope(t: Any, difference: Any, distance: Any, p: float) -> Any:
    """The derivative of the p-norm, p > 0, by the differences; zero where the distance is."""
    if p == 1:
        return t.sgn(difference)
    d = t.unsqueeze(distance, -1)
    zero = d == 0
    safe = t.masked_fill(d, zero, 1)
    if p == 2:
        found = difference / safe
    elif p == math.inf:
        found = t.masked_fill(t.sgn(difference) * (t.abs(difference) == d), d != d, math.nan)
    elif p < 2:
        size = t.abs(difference)
        still = difference == 0
        found = t.sgn(difference) * t.masked_fill(size, still, 1) ** (p - 1) / safe ** (p - 1)
        found = t.masked_fill(found, still, 0)
    else:
        found = difference * t.abs(difference) ** (p - 2) / safe ** (p - 1)
    return t.masked_fill(found, zero, 0)


def by_kernel(x1: Any, x2: Any, p: float) -> Any:
    """The distances between rows of two batches of matrices, or of pairs of rows of one matrix; None for other norms."""
    if p not in NORMS:
        return None
    if x2 is not None and x1.shape[:-2] != x2.shape[:-2]:
        batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        x1, x2 = (np.broadcast_to(x, batch + x.shape[-2:]) for x in (x1, x2))
    return distances(np.ascontiguousarray(x1), None if x2 is None else np.ascontiguousarray(x2), NORMS[p])


@operator("_cdist_forward", method=False, node="CdistBackward0", broadcast=True, long=True)
def cdist_forward(xp, x1: Array, x2: Array, p):
    """The p-norms of all differences between rows of two batches of matrices."""
    if x1.shape[-2] == 0 or x2.shape[-2] == 0 or x1.shape[-1] == 0:
        batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        return xp.zeros((*batch, x1.shape[-2], x2.shape[-2]), x1.dtype)
    found = by_kernel(x1, x2, p) if xp is np else None
    return p_norm(xp, x1[..., :, None, :] - x2[..., None, :, :], p) if found is None else found


def gradient_by_kernel(g: Any, x1: Any, x2: Any, result: Any, p: float) -> Any:
    """The gradient of distances between rows of two matrices, or of pairs of one matrix' rows; None for other norms."""
    if p not in NORMS or p == 0 or type(g) is not np.ndarray:
        return None
    g, x1, x2, result = [None if x is None else np.ascontiguousarray(x) for x in (g, x1, x2, result)]
    return distances_back(g, x1, x2, result, NORMS[p])


def cdist_backward(g: Any, needs: Any, x1: Any, x2: Any, result: Any, p: float) -> Any:
    """The gradients of distances between rows of two matrices, or None."""
    found = gradient_by_kernel(g, x1, x2, result, p)
    return None if found is None else [x if wanted else None for x, wanted in zip(found, needs, strict=True)]


@cdist_forward.joint_gradient
@on_arrays(cdist_backward)
def cdist_gradient(t, g, needs, x1, x2, result, p):
    if p == 0:  # a count of differences
        return [t.zeros_like(x1), t.zeros_like(x2)]
    difference = t.unsqueeze(x1, -2) - t.unsqueeze(x2, -3)
    found = t.unsqueeze(g, -1) * slope(t, difference, result, p)
    return [t.sum(found, -2) if needs[0] else None, 0 - t.sum(found, -3) if needs[1] else None]


@operator("_euclidean_dist", method=False, broadcast=True, long=True)
def euclidean_dist(xp, x1: Array, x2: Array):
    """Euclidean distances by one matrix product of rows extended with their squared lengths."""
    a, b = (x1 * x1).sum(-1, keepdims=True), (x2 * x2).sum(-1, keepdims=True)
    left = xp.concatenate([x1 * x1.dtype.type(-2), a, xp.ones_like(a)], -1)
    right = xp.concatenate([x2, xp.ones_like(b), b], -1)
    return xp.sqrt(xp.maximum(left @ right.swapaxes(-1, -2), 0))


@euclidean_dist.joint_gradient
def euclidean_gradient(t, g, needs, x1, x2, result):
    zero = result == 0
    ratio = t.masked_fill(g / t.masked_fill(result, zero, 1), zero, 0)
    first = x1 * t.sum(ratio, -1, True) - ratio @ x2 if needs[0] else None
    turned = t.transpose(ratio, -2, -1)
    second = x2 * t.unsqueeze(t.sum(ratio, -2), -1) - turned @ x1 if needs[1] else None
    return [first, second]


@composite("cdist functional.cdist", method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = MODES[0]) -> Tensor:
    """The distances in the p-norm between the rows of x1 and those of x2: (..., n, k), (..., m, k) give (..., n, m)."""
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    a, b = x1._array, x2._array
    for name, x in (("X1", a), ("X2", b)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    for name, x in (("X1", a), ("X2", b)):
        if x.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {of(x).short}")
    if a.dtype.itemsize <= 2:
        raise not_implemented("cdist", a)
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {of(a).short} but found {of(b).short}")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise broadcast_error(a.shape[:-2], b.shape[:-2]) from None
    by_product = compute_mode == MODES[1] or (compute_mode == MODES[0] and (a.shape[-2] > LARGE or b.shape[-2] > LARGE))
    if p == 2 and by_product and a.size and b.size:
        found = euclidean_dist.function(x1, x2)
        return found.view(found._array.shape)
    return cdist_forward.function(x1, x2, float(p))


def pairs(xp: Any, input: Any, p: float) -> Any:
    rows, columns = xp.triu_indices(input.shape[0], 1)
    return p_norm(xp, input[rows] - input[columns], p)


@operator("_pdist_forward", method=False, node="PdistBackward0", long=True)
def pdist_forward(xp, input: Array, p):
    """The p-norms of the differences of all pairs of rows, i < j."""
    found = by_kernel(input, None, p) if xp is np else None
    if found is None:
        long = xp is np and input.shape[0] ** 2 >= MANY
        found = apart(pairs, xp, input, p) if long else pairs(xp, input, p)
    return found


def pdist_backward(g: Any, needs: Any, input: Any, result: Any, p: float) -> list | None:
    """The gradient of distances of pairs, or None."""
    found = gradient_by_kernel(g, input, None, result, p)
    return None if found is None else [found]


@pdist_forward.joint_gradient
@on_arrays(pdist_backward)
def pdist_gradient(t, g, needs, input, result, p):
    n = input.shape[0]
    if n < 2 or p == 0 or not input.shape[1]:
        return [t.zeros_like(input)]
    rows, columns = (constant(t, x, input) for x in np.triu_indices(n, 1))
    found = t.unsqueeze(g, -1) * slope(t, t.index_select(input, 0, rows) - t.index_select(input, 0, columns), result, p)
    zeros = t.zeros_like(input)
    return [t.index_add(t.index_add(zeros, 0, rows, found), 0, columns, -found)]


@composite("pdist nn.functional.pdist", method=False)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances in the p-norm of all pairs of rows: (n, k) gives (n (n - 1) / 2,)."""
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if input._array.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    refuse_halves("pdist", input._array)
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return pdist_forward.function(input, float(p))


@operator("_norm_dim", method=False, node="NormBackward1", wide=True)
def norm_along(xp, input: Array, p, dim, keepdim):
    """The p-norm along one dimension, as `norm` of old recorded it."""
    if p == 2 and xp is np and input.size:
        return fold(xp, input, 2, (dim,), keepdim)
    found = p_norm(xp, xp.moveaxis(input, dim, -1), p)
    return xp.expand_dims(found, dim) if keepdim else xp.asarray(found)


@norm_along.joint_gradient
def norm_along_gradient(t, g, needs, input, result, p, dim, keepdim):
    if p in (0, -math.inf) or p == 2 and t.raw:
        return [norm_gradient(t, g, input, p, result, dim, keepdim)]
    if keepdim:
        g, result = t.squeeze(g, dim), t.squeeze(result, dim)
    moved = t.movedim(input, dim, -1)
    return [t.movedim(t.unsqueeze(g, -1) * slope(t, moved, result, p), -1, dim)]


@composite("pairwise_distance nn.functional.pairwise_distance", method=False)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dimension.
    (*, D) and (*, D) to (*), or (*, 1) with `keepdim`; they broadcast. `p` is 2."""
    dim = max(x1._array.ndim, x2._array.ndim) - 1
    return norm_along.function(plus(x1 - x2, eps), float(p), dim, keepdim)


@composite("cosine_similarity nn.functional.cosine_similarity", method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`; their lengths count as at least `eps`."""
    common = result_type([x1._array, x2._array])
    if common.numpy.kind not in "fV":
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.short}")
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x if x.dtype is common else x.to(common) for x in (x1, x2))
    shape = x1._array.shape
    if x2._array.shape != shape:
        try:
            shape = np.broadcast_shapes(shape, x2._array.shape)
        except ValueError:
            raise broadcast_error(x1._array.shape, x2._array.shape) from None
        x1, x2 = (x if x._array.shape == shape else x.expand(shape) for x in (x1, x2))
    dim = wrap_dim(dim, len(shape))
    norm = table.find_function("linalg.vector_norm")
    lengths = [norm(x, 2, dim, True) for x in (x1, x2)]
    if not any([x._node is not None for x in lengths]):
        lengths = [x.clamp_min(eps) for x in lengths]
    else:
        lengths = [x.clone() for x in lengths]
        with no_grad():
            for x in lengths:
                x.clamp_min_(eps)
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)
