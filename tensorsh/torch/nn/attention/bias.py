"""``torch.nn.attention.bias``: causal masks that attention knows without their matrix, for queries and keys of two lengths."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

from ....engine.arrays.dtype import bool_
from ....engine.arrays.warning import warn
from ....engine.operators.hooks import stay
from ....engine.tensors.tensor import Tensor
from ..reach import F, T
from . import SealedEnum

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum, metaclass=SealedEnum):
    """The corner that the triangle of a causal mask stands in."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`: query i looks at key j <= i, or the last query at all keys.

    variant: `UPPER_LEFT`, or `LOWER_RIGHT`, where the last query meets the last key.  seq_len_q, seq_len_kv: the rows and
    columns of the matrix that it stands for, which `print` shows.

    Example:
        >>> F.scaled_dot_product_attention(torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 4), causal_lower_right(2, 3)).shape
        torch.Size([1, 2, 4])
    """

    __module__ = "torch.nn.attention.bias"

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        stay("classes")
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    def _materialize(self, device: Any = None) -> Tensor:
        """The matrix: True where a query looks at a key."""
        whole = T.ones(self.seq_len_q, self.seq_len_kv, dtype=bool_, device=device)
        return whole.tril(self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)

    @staticmethod
    def _dispatch(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: CausalBias, dropout_p: float = 0.0, is_causal: bool = False, **more: Any
    ) -> Tensor:  # fmt: skip
        """Attention under the mask."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        if square or attn_mask.variant == CausalVariant.UPPER_LEFT:
            return F.scaled_dot_product_attention(query, key, value, None, dropout_p, True, **more)
        mask = attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, mask, dropout_p, **more)

    def __repr__(self) -> str:  # type: ignore[override]
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """The mask of `is_causal=True`: query i looks at the keys up to i.  size: the numbers of queries and of keys."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask of queries that stand at the end of the keys, as with a cache.  size: the numbers of queries and of keys."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
