"""Attention with several heads."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.state import here
from ....engine.ops.nn.multihead import additive
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ...questions import is_floating_point
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .linear import Linear
from .module import Module

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that PyTorch gives the last projection of attention."""


class MultiheadAttention(Module):
    """softmax(q k^T / sqrt(d)) v for several projections of query, key and value at once, joined by one more (Vaswani
    and others, "Attention is all you need", 2017): query (L, N, embed_dim), key (S, N, kdim) and value (S, N, vdim), or
    all without N, to the output (L, N, embed_dim) and the weights (N, L, S), averaged over the heads, or None with
    need_weights=False. In the call key_padding_mask (N, S) and attn_mask (L, S) or (N * heads, L, S) are True where not
    to look, or numbers to add to the scores.
    embed_dim: size of queries and outputs. num_heads: heads, each of size d = embed_dim / num_heads.
    dropout: probability of dropping weights in training (0.0). bias: learned numbers in the projections (True), at
    first 0.
    add_bias_kv: append a learned key and value (False). add_zero_attn: append a key and a value of zeros (False).
    kdim, vdim: sizes of keys and values (None: embed_dim). batch_first: all is (N, L, ...) instead of (L, N, ...)
    (False).
    device, dtype: those of the parameters (None: the defaults), drawn by Glorot's uniform rule (out_proj.weight as a
    Linear's).
    AssertionError where num_heads does not divide embed_dim and for inputs of other shape.
    >>> y, weights = nn.MultiheadAttention(4, 2)(*[torch.zeros(3, 1, 4)] * 3)
    >>> y.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))"""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def made(*shape: int) -> Parameter:
            return Parameter(T.empty(shape, device=device, dtype=dtype))

        joint = self._qkv_same_embed_dim
        separate = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if joint:
            self.in_proj_weight = made(3 * embed_dim, embed_dim)
        for name, size in separate.items():
            self.register_parameter(name, None if joint else made(embed_dim, size))
        if not joint:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.bias_k = made(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = made(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple:  # fmt: skip
        for mask in (attn_mask, key_padding_mask):
            if mask is not None and not hasattr(mask, "dtype"):
                is_floating_point(mask)  # it says that this is no tensor
        batched = query.dim() == 3
        masked = any(mask is not None and mask.dtype.name == "bool" for mask in (key_padding_mask, attn_mask))
        key_padding_mask = additive(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
        attn_mask = additive(attn_mask, "attn_mask", query)
        for x in (key, value):
            if not hasattr(x, "dtype"):
                return x.is_nested  # no tensor: an AttributeError
        written_out = need_weights or masked and self._is_fast(query, key, value)
        if self.batch_first and batched:
            # What is the same tensor must stay the same, for the joint projection.
            given = {id(x): x for x in (query, key, value)}
            turned = {at: x.transpose(1, 0) for at, x in given.items()}
            query, key, value = (turned[id(x)] for x in (query, key, value))
        joint = self._qkv_same_embed_dim
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
            self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask,
            written_out, attn_mask, not joint, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (output.transpose(1, 0) if self.batch_first and batched else output), weights if need_weights else None

    def _is_fast(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Whether PyTorch attends in one kernel, which writes the weights out: what is masked altogether becomes NaN, and not 0."""
        if not (query is key is value and query.ndim == 3 and self.batch_first and self._qkv_same_embed_dim):
            return False
        if self.training or self.num_heads % 2 or self.add_zero_attn or self.bias_k is not None or here.autocast:
            return False
        if self.in_proj_bias is None or query.dtype is not self.in_proj_weight.dtype:
            return False
        return not (here.grad_enabled and any(x.requires_grad for x in (query, *self.parameters())))


MultiheadAttention.__module__ = "torch.nn.modules.activation"
NonDynamicallyQuantizableLinear.__module__ = "torch.nn.modules.linear"
allow(MultiheadAttention, "_qkv_same_embed_dim")
