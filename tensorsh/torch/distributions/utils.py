"""``torch.distributions.utils``: what the distributions share, for programs that write their own."""

from __future__ import annotations

from typing import Any

from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from .base import broadcast_all, clamp_probs, lazy_property

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]  # fmt: skip


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits: sigmoid of each, or softmax over the last dimension."""
    return T.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities."""
    clamped = clamp_probs(probs)
    return T.log(clamped) - T.log1p(-clamped) if is_binary else T.log(clamped)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of square matrices as vectors, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows = T.arange(n)
    return mat[..., rows < rows.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices with vectors as their lower triangles."""
    count = vec.shape[-1]
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > 1e-6:
        raise ValueError(f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a "
                         "square D x D matrix.")  # fmt: skip
    n = round(n)
    mat = vec.new_zeros(vec.shape[:-1] + (n, n))
    rows = T.arange(n)
    mat[..., rows < rows.view(-1, 1) + (diag + 1)] = vec
    return mat


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Normal samples that no gradient flows to."""
    return T.normal(T.zeros(shape, dtype=dtype, device=device), T.ones(shape, dtype=dtype, device=device))


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)
