"""Distances and similarities of vectors."""

from __future__ import annotations

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """p-norm of the difference of vectors, ``norm(x1 - x2 + eps, p)``: two inputs (..., D), broadcast to each other, to
    (...).
    p: the order of the norm, also negative or inf (2.0). eps: added to the difference, so that the gradient exists
    where both are equal (1e-6). keepdim: keep the last dimension with size 1 (False).
    RuntimeError for shapes that do not broadcast.
    >>> nn.PairwiseDistance()(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])"""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along a dimension, ``(x1 * x2).sum(dim) / (norm(x1) * norm(x2))``: two
    inputs, broadcast to each other, to their shape without that dimension.
    dim: the dimension of the vectors (1). eps: least value of each norm, against a division by 0 (1e-8).
    RuntimeError for shapes that do not broadcast; results lie between -1 and 1.
    >>> nn.CosineSimilarity(dim=0)(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)"""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
