"""Embeddings: tables from which rows are looked up."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class Table(Module):
    """What both kinds share: the table, its first values, the row of padding."""

    def _fill(
        self, word: str, weight: Any, shape: tuple[int, int], padding_idx: int | None, trains: bool, device: Any,
        dtype: Any,
    ) -> None:  # fmt: skip
        self.num_embeddings, self.embedding_dim = shape
        if padding_idx is not None:
            if padding_idx > 0 and padding_idx >= shape[0] or padding_idx < 0 and padding_idx < -shape[0]:
                raise AssertionError(f"{word} must be within num_embeddings")
            padding_idx %= shape[0]
        self.padding_idx = padding_idx
        if weight is None:
            self.weight = Parameter(T.empty(shape, device=device, dtype=dtype), trains)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, trains)

    def reset_parameters(self) -> None:
        """Draw the first values anew; the row of padding is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0

    def _norm_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += (
            "" if self.padding_idx is None or isinstance(self, EmbeddingBag) else f", padding_idx={self.padding_idx}"
        )
        text += "" if self.max_norm is None else f", max_norm={self.max_norm}"
        text += "" if self.norm_type == 2 else f", norm_type={self.norm_type}"
        return text + (f", scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else "")


class Embedding(Table):
    """Rows of a learned table, looked up by integers: indices of any shape (...) to (..., embedding_dim). Indices int64
    or int32.
    num_embeddings, embedding_dim: rows and columns of the table `weight`, drawn from normal numbers.
    padding_idx: a row that starts as zeros and gets no gradient (None). max_norm: rows longer than this are scaled
    down, in place, when they are looked up (None), by the norm of order norm_type (2.0).
    scale_grad_by_freq: divide a row's gradient by how often it was looked up (False). sparse: make the gradient a
    sparse tensor, for SGD, SparseAdam and Adagrad (False). _weight, _freeze: a given table, and whether it stays as it
    is (see from_pretrained).
    device, dtype: those of the table (None: the defaults). IndexError for an index without a row.
    >>> nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))(torch.tensor([1, 0]))
    tensor([[3., 4.],
            [1., 2.]])"""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
        _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        shape = (num_embeddings, embedding_dim)
        self._fill("Padding_idx", _weight, shape, padding_idx, not _freeze, device, dtype)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        return self._norm_repr() + (", sparse=True" if self.sparse else "")

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Any:  # fmt: skip
        """An Embedding on a given table."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(
            *embeddings.shape, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings,
            _freeze=freeze,
        )  # fmt: skip


class EmbeddingBag(Table):
    """Sums, means or maxima of bags of rows of a learned table, without the rows themselves: indices (B, N) to (B,
    embedding_dim), or flat indices (N,) with `offsets` (B,), where each bag begins.
    num_embeddings, embedding_dim: rows and columns of the table `weight`, drawn from normal numbers.
    mode: 'mean' (default), 'sum' (which alone takes per_sample_weights in the call) or 'max'.
    max_norm, norm_type: rows longer than max_norm in this order are scaled down, in place, when looked up (None, 2.0).
    scale_grad_by_freq: divide a row's gradient by how often it was looked up (False). sparse: a sparse gradient
    (False).
    include_last_offset: offsets end with the number of indices (False). padding_idx: a row that counts in no bag
    (None).
    _weight: a given table (None). device, dtype: those of the table (None: the defaults). ValueError for other shapes.
    >>> nn.EmbeddingBag.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))(torch.tensor([[1, 0]]))
    tensor([[2., 3.]])"""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._fill("padding_idx", _weight, (num_embeddings, embedding_dim), padding_idx, True, device, dtype)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Any = None, per_sample_weights: Any = None) -> Tensor:
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self._norm_repr()}, mode={self.mode!r}"
        return text + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Any:  # fmt: skip
        """An EmbeddingBag on a given table."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        made = cls(
            *embeddings.shape, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset,
            padding_idx,
        )  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
