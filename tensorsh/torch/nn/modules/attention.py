"""Attention with several heads."""

from __future__ import annotations

import math
from typing import Any

from ....engine.arrays.dtype import FLOAT
from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .linear import Linear
from .module import Module

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that PyTorch gives the last projection of attention."""


def additive(mask: Any, name: str, dtype: Any, other: Any = None, other_name: str = "") -> Any:
    """A mask to be added to scores: minus infinity where a bool mask is True."""
    if mask is None or mask.dtype.category == FLOAT:
        pass
    elif mask.dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask is not None and other is not None and mask.dtype is not other.dtype:
        warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
        )
    if mask is None or mask.dtype.category == FLOAT:
        return mask
    return T.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def check_shapes(query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any, heads: int) -> bool:
    """Whether there is a batch dimension; errors where the numbers of dimensions do not agree."""
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    n = query.ndim
    words = f"For {'batched' if n == 3 else 'unbatched'} ({n}-D) `query`, expected"
    if key.ndim != n or value.ndim != n:
        raise AssertionError(
            f"{words} `key` and `value` to be {n}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != n - 1:
        raise AssertionError(
            f"{words} `key_padding_mask` to be `None` or {n - 1}-D but found {padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(f"{words} `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead")
    if n == 2 and mask is not None and mask.ndim == 3:
        wanted = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")
    return n == 3


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

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple:
        """Query, key and value by their own projections; by one product where they are the same tensor."""
        weight, bias, e = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if weight is None:
            biases = (None, None, None) if bias is None else bias.chunk(3)
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        elif key is value and query is key:
            joint = F.linear(query, weight, bias).unflatten(-1, (3, e))
            return tuple(joint.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous().unbind(0))
        elif key is value:
            parts = (None, None) if bias is None else bias.split([e, 2 * e])
            w_q, w_kv = weight.split([e, 2 * e])
            joint = F.linear(key, w_kv, parts[1]).unflatten(-1, (2, e))
            pair = joint.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return F.linear(query, w_q, parts[0]), pair[0], pair[1]
        else:
            weights, biases = weight.chunk(3), (None, None, None) if bias is None else bias.chunk(3)
        return tuple(F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple:  # fmt: skip
        batched = query.ndim == 3
        if self.batch_first and batched:
            # What is the same tensor must stay the same, for the joint projection.
            turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = (turned[id(x)] for x in (query, key, value))
        output, weights = self._attend(
            query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal
        )
        return (output.transpose(1, 0) if self.batch_first and batched else output), weights

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, padding: Any, need_weights: bool, mask: Any, average: bool,
        is_causal: bool,
    ) -> tuple:  # fmt: skip
        heads = self.num_heads
        padding = additive(padding, "key_padding_mask", query.dtype, mask, "attn_mask")
        mask = additive(mask, "attn_mask", query.dtype)
        batched = check_shapes(query, key, value, padding, mask, heads)
        if not batched:
            once = {id(x): x.unsqueeze(1) for x in (query, key, value)}
            query, key, value = (once[id(x)] for x in (query, key, value))
            padding = None if padding is None else padding.unsqueeze(0)
        length, batch, e = query.shape
        if is_causal and mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        if is_causal and padding is None and not need_weights:
            mask = None
        elif padding is not None:
            is_causal = False
        if e != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {e}")
        if key.shape != value.shape:
            if self.in_proj_weight is not None:
                raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
            if key.shape[:2] != value.shape[:2]:
                raise AssertionError(
                    f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
                )
        q, k, v = self._projected(query, key, value)
        if mask is not None:
            wanted = (length, key.shape[0]) if mask.ndim == 2 else (batch * heads, length, key.shape[0])
            if tuple(mask.shape) != wanted:
                raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {wanted}.")
            mask = mask.unsqueeze(0) if mask.ndim == 2 else mask
        masks = [mask, padding]
        if self.bias_k is not None:
            k, v = T.cat([k, self.bias_k.repeat(1, batch, 1)]), T.cat([v, self.bias_v.repeat(1, batch, 1)])
            masks = [m if m is None else F.pad(m, (0, 1)) for m in masks]
        q, k, v = (x.reshape(x.shape[0], batch * heads, self.head_dim).transpose(0, 1) for x in (q, k, v))
        if self.add_zero_attn:
            zeros = T.zeros(batch * heads, 1, self.head_dim, dtype=k.dtype, device=k.device)
            k, v = T.cat([k, zeros], 1), T.cat([v, zeros], 1)
            masks = [m if m is None else F.pad(m, (0, 1)) for m in masks]
        mask, padding = masks
        size = k.shape[1]
        if padding is not None:
            for at, wanted in enumerate((batch, size)):
                if padding.shape[at] != wanted:
                    raise AssertionError(
                        f"Expected key_padded_mask.shape[{at}] to be {wanted}, but got {padding.shape[at]}"
                    )
            padding = padding.reshape(batch, 1, 1, size).expand(-1, heads, -1, -1).reshape(batch * heads, 1, size)
            mask = padding if mask is None else mask + padding
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            scores = q * math.sqrt(1.0 / self.head_dim)
            turned = k.transpose(-2, -1)
            weights = T.softmax(T.bmm(scores, turned) if mask is None else T.baddbmm(mask, scores, turned), -1)
            if dropout > 0.0:
                weights = F.dropout(weights, dropout)
            output = T.bmm(weights, v).transpose(0, 1).reshape(length * batch, e)
            weights = weights.reshape(batch, heads, length, size)
            weights = weights.mean(dim=1) if average else weights
            weights = weights if batched else weights.squeeze(0)
        else:
            weights = None
            if mask is not None:
                one = mask.ndim == 3 and mask.shape[0] == 1
                mask = mask.unsqueeze(0) if one else mask.reshape(batch, heads, -1, size)
            q, k, v = (x.reshape(batch, heads, x.shape[1], self.head_dim) for x in (q, k, v))
            output = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal)
            output = output.permute(2, 0, 1, 3).reshape(batch * length, e)
        output = F.linear(output, self.out_proj.weight, self.out_proj.bias).view(length, batch, e)
        return (output if batched else output.squeeze(1)), weights


MultiheadAttention.__module__ = "torch.nn.modules.activation"
NonDynamicallyQuantizableLinear.__module__ = "torch.nn.modules.linear"
allow(MultiheadAttention, "_qkv_same_embed_dim")
