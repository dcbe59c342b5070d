"""Weights as lengths times directions (Salimans and Kingma, 2016: Weight Normalization)."""

from __future__ import annotations

from ...arrays.errors import length
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor


@composite("norm_except_dim", method=False)
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which keep size 1."""
    if dim == -1:
        return v.norm(pow)
    if dim == 0:
        shape = v._array.shape
        if len(shape) == 2 and v._node is None and v._array.flags.c_contiguous:
            return v.norm(pow, 1, True)
        return v.contiguous().view(length(shape, 0), -1).norm(pow, 1).view(-1, *(1,) * (len(shape) - 1))
    if dim == v.ndim - 1:
        return v.contiguous().view(-1, v.shape[-1]).norm(pow, 0).view(*(1,) * (v.ndim - 1), -1)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


def others(x, dim):
    """The dimensions but one."""
    return tuple(d for d in range(x.ndim) if d != dim % x.ndim)


@operator("_weight_norm_interface", node="WeightNormInterfaceBackward0", outputs="_ (_)", method=False)
def weight_norm(xp, v: Array, g: Array, dim=0):
    """v scaled to the lengths g over all dimensions but the first or last; also the lengths that v has."""
    if dim not in (0, v.ndim - 1):
        raise RuntimeError(
            "_weight_norm_interface: dim must be the first or last dimension; `torch._weight_norm` takes others"
        )
    norm = xp.sqrt((v * v).sum(others(v, dim), keepdims=True))
    return v * (g / norm), norm


@weight_norm.joint_gradient
def _(t, grads, needs, v, g, dim, result1):
    """By the formulas (3) of the paper."""
    norm = t.kept(result1, lambda: t.sum(v * v, others(v, dim), keepdim=True) ** 0.5)
    along = t.sum(grads[0] * v, others(v, dim), keepdim=True)
    dv = (g / norm) * (grads[0] - v * (along / (norm * norm))) if needs[0] else None
    return dv, along / norm if needs[1] else None


@composite("_weight_norm", method=False)
def weight_normed(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """v scaled to the lengths g over all dimensions but one; over all for -1."""
    v, g = v.contiguous(), g.contiguous()
    if dim in (0, v.ndim - 1) and v.dtype.itemsize > 2:
        return weight_norm.function(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
