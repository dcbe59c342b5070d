"""Transformers: encoder and decoder layers, and stacks of them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from ....engine.arrays.state import here
from ....engine.arrays.warning import warn, warn_of_old
from ....engine.ops.nn.multihead import additive
from ....engine.tensors.tensor import Tensor
from .. import init
from ..reach import F, T
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


def causal_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Minus infinity above the diagonal, zero elsewhere."""
    return T.triu(T.full((size, size), -math.inf, dtype=dtype, device=device), diagonal=1)


def is_causal_mask(mask: Any, is_causal: bool | None, x: Tensor, batch_first: bool) -> bool:
    """Whether a mask is the causal one, unless that is told."""
    shape = x.size()
    size = shape[0] if len(shape) == 2 else shape[1 if batch_first else 0]
    if is_causal is not None or mask is None:
        return is_causal is True
    device, dtype = mask.device, mask.dtype
    wanted = causal_mask(size, device, dtype) if dtype.name != "bool" else None
    return wanted is not None and wanted.shape == mask.shape and bool((mask == wanted).all())


def activation_of(activation: Any) -> Callable:
    if not isinstance(activation, str):
        return F.relu if activation is None else activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


def copies(layer: Module, n: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(n)])


class Layer(Module):
    """Attentions and a network of two linear layers, each with dropout, a residual connection and a LayerNorm."""

    _decodes = False

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = None,
        layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn") if self._decodes else ("self_attn",):
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **options)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        parts = (1, 2, 3) if self._decodes else (1, 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, **options))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self._activate(activation_of(activation))

    def _activate(self, activation: Callable) -> None:
        self.activation = activation

    def _sa_block(
        self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False, need_weights: bool = False
    ) -> Tensor:
        found = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights,
            is_causal=is_causal,
        )  # fmt: skip
        return self.dropout1(found[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        last = self.dropout3 if self._decodes else self.dropout2
        return last(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(Layer):
    """Self-attention and a network of two linear layers, each with dropout, a residual connection and a LayerNorm
    (Vaswani and others, "Attention is all you need", 2017): src (S, N, d_model), or (S, d_model), to the same shape.
    The call takes src_mask and src_key_padding_mask as MultiheadAttention does, and the hint is_causal.
    d_model: size of the last dimension. nhead: heads of the attention. dim_feedforward: size between the linear layers
    (2048).
    dropout: probability in training (0.1). activation: 'relu' (None), 'gelu' or a function. layer_norm_eps: eps of the
    norms (1e-5). batch_first: all is (N, S, ...) (False). norm_first: normalise before instead of after each part
    (False).
    bias: learned numbers in linear layers and norms (True). device, dtype: those of the parameters (None: the
    defaults).
    RuntimeError for another activation's name, AssertionError where nhead does not divide d_model.
    >>> nn.TransformerEncoderLayer(4, 2, dim_feedforward=8)(torch.zeros(3, 1, 4)).shape
    torch.Size([3, 1, 4])"""

    def _activate(self, activation: Callable) -> None:
        relu = activation is F.relu or isinstance(activation, ReLU)
        gelu = activation is F.gelu or isinstance(activation, GELU)
        self.activation_relu_or_gelu = 1 if relu else 2 if gelu else 0
        self.activation = activation

    def forward(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Tensor:
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src, src_mask, "src_mask")
        mask = additive(src_mask, "src_mask", src)
        x, given = src, (mask, padding, is_causal)
        if not (mask is None and padding is None) and self._is_fast(src):
            given += (True,)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *given)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *given))
        return self.norm2(x + self._ff_block(x))

    def _is_fast(self, src: Tensor) -> bool:
        """Whether PyTorch runs the layer as one kernel, which masks as that of `MultiheadAttention` does."""
        plain = bool(self.activation_relu_or_gelu) and self.norm1.eps == self.norm2.eps
        return plain and not self.training and self.self_attn._is_fast(src, src, src)


class TransformerDecoderLayer(Layer):
    """Self-attention, attention to an encoder's output and a network of two linear layers, each with dropout, a
    residual connection and a LayerNorm (Vaswani and others, 2017): tgt (T, N, d_model) and memory (S, N, d_model), or
    without N, to tgt's shape. The call takes tgt_mask, memory_mask and both key padding masks as MultiheadAttention
    does, and the hints tgt_is_causal and memory_is_causal.
    d_model: size of the last dimension. nhead: heads of the attention. dim_feedforward: size between the linear layers
    (2048).
    dropout: probability in training (0.1). activation: 'relu' (None), 'gelu' or a function. layer_norm_eps: eps of the
    norms (1e-5). batch_first: all is (N, S, ...) (False). norm_first: normalise before instead of after each part
    (False).
    bias: learned numbers in linear layers and norms (True). device, dtype: those of the parameters (None: the
    defaults).
    >>> nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)(torch.zeros(3, 1, 4), torch.zeros(5, 1, 4)).shape
    torch.Size([3, 1, 4])"""

    _decodes = True

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(
        self, x: Tensor, mem: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Tensor:
        found = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )
        return self.dropout2(found[0])


class TransformerEncoder(Module):
    """Copies of an encoder layer one after another: src (S, N, d_model), or (S, d_model), to the same shape. The call
    takes mask, src_key_padding_mask and is_causal (None: found out from the mask) for all layers.
    encoder_layer: the layer to copy; the copies start with its values. num_layers: number of copies.
    norm: a module applied last (None). enable_nested_tensor: outputs at padding become 0 after `eval()` and without
    gradients, as where PyTorch skips it (True); UserWarning where the layer does not allow it. mask_check: only where all
    padding is at the ends (True).
    >>> layer = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True)
    >>> nn.TransformerEncoder(layer, 2)(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])"""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Any = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = why_not_nested(encoder_layer)
        if enable_nested_tensor and why:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer{why}")
            self.use_nested_tensor = False

    def forward(self, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Tensor:
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src, mask, "mask")
        mask = additive(mask, "mask", src)
        first = self.layers[0]
        # Without gradients PyTorch drops the padding on its way through the layers; what comes out there is zero.
        drops = self.use_nested_tensor and not first.training and src.ndim == 3 and padding is not None and mask is None
        drops = drops and not (
            here.grad_enabled and (src.requires_grad or any(p.requires_grad for p in first.parameters()))
        )
        hidden = padding != 0 if drops else None
        if hidden is not None and self.mask_check:  # it drops what lies at the ends alone
            drops = not bool((hidden[:, :-1] & ~hidden[:, 1:]).any())
        if drops:
            warn_of_old("nested")
        attention = getattr(first, "self_attn", None)
        causal = is_causal_mask(mask, is_causal, src, getattr(attention, "batch_first", False))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if drops:
            output = output.masked_fill(hidden.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


def why_not_nested(layer: Any) -> str:
    """Why PyTorch would not drop padding in an encoder of such layers."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, ".norm_first was True"),
        (
            not attention.batch_first,
            ".self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (not attention._qkv_same_embed_dim, ".self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, ".self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, ".activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, ".norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, ".self_attn.num_heads is odd"),
    )
    return next((words for holds, words in reasons if holds), "")


class TransformerDecoder(Module):
    """Copies of a decoder layer one after another: tgt (T, N, d_model) and memory (S, N, d_model), or without N, to
    tgt's shape. The call takes tgt_mask, memory_mask, both key padding masks, tgt_is_causal (None: found out from the
    mask) and memory_is_causal for all layers.
    decoder_layer: the layer to copy; the copies start with its values. num_layers: number of copies.
    norm: a module applied last (None).
    >>> layer = nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)
    >>> nn.TransformerDecoder(layer, 2)(torch.zeros(3, 1, 4), torch.zeros(5, 1, 4)).shape
    torch.Size([3, 1, 4])"""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: Any = None,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        attention = getattr(self.layers[0], "self_attn", None)
        causal = is_causal_mask(tgt_mask, tgt_is_causal, tgt, getattr(attention, "batch_first", False))
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """Encoder and decoder (Vaswani and others, "Attention is all you need", 2017): src (S, N, d_model) and tgt (T, N,
    d_model), or both without N, to tgt's shape. The call takes masks, padding masks and hints of both;
    generate_square_subsequent_mask(T) makes the mask that hides the future.
    d_model: size of the last dimension (512). nhead: heads of each attention (8). num_encoder_layers,
    num_decoder_layers: (6, 6).
    dim_feedforward: size between linear layers (2048). dropout: probability in training (0.1). activation: 'relu'
    (None), 'gelu' or a function. custom_encoder, custom_decoder: modules to use instead (None). layer_norm_eps: eps of
    the norms (1e-5).
    batch_first: all is (N, S, ...) (False). norm_first: normalise before instead of after each part (False).
    bias: learned numbers in linear layers and norms (True). device, dtype: those of the parameters (None: the
    defaults).
    All weights with two dimensions or more are drawn by Glorot's uniform rule. RuntimeError for inputs of other size.
    >>> model = nn.Transformer(4, 2, 1, 1, dim_feedforward=8, batch_first=True)
    >>> model(torch.zeros(1, 5, 4), torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])"""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = None, custom_encoder: Any = None,
        custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        shared = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*shared, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shared, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: Any = None, tgt_is_causal: Any = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        batch = 0 if self.batch_first else 1
        batched = src.dim() == 3
        if src.size(batch) != tgt.size(batch) and batched:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Minus infinity above the diagonal, zero elsewhere."""
        return causal_mask(sz, device, dtype)
