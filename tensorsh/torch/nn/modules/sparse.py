"""Embeddings: tables from which rows are looked up."""

from __future__ import annotations

from typing import Any

from ....engine.tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class Table(Module):
    """What both kinds share: the table, its first values, the row of padding."""

    def _fill(
        self,
        word: str,
        weight: Any,
        shape: tuple[int, int],
        padding_idx: int | None,
        trains: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        self.num_embeddings, self.embedding_dim = shape
        if padding_idx is not None:
            if not -shape[0] <= padding_idx < shape[0]:
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
    """Rows of a table of shape (num_embeddings, embedding_dim), looked up by integers."""

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
    """Sums, means or maxima of bags of rows."""

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
