"""Attention with several heads, from projection to projection."""

from __future__ import annotations

import math
from typing import Any

from ...arrays.warning import warn
from ...loading.table import find_function
from ...operators.declare import composite
from ...tensors.tensor import Tensor


def expect(holds: bool, message: str, kind: type[Exception] = AssertionError) -> None:
    if not holds:
        raise kind(message)


def batched(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any, attn_mask: Any, num_heads: int) -> bool:
    """Whether there is a batch dimension; the dimensions of all arguments are checked to agree on it."""
    expect(
        query.dim() in (2, 3),
        f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor",
    )
    n = query.dim()
    batch = n == 3
    kind = "For batched (3-D)" if batch else "For unbatched (2-D)"
    expect(
        key.dim() == n == value.dim(),
        f"{kind} `query`, expected `key` and `value` to be {n}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively",
    )
    if key_padding_mask is not None:
        expect(
            key_padding_mask.dim() == n - 1,
            f"{kind} `query`, expected `key_padding_mask` to be `None` or {n - 1}-D but found {key_padding_mask.dim()}-D "
            "tensor instead",
        )
    if attn_mask is not None:
        expect(
            attn_mask.dim() in (2, 3),
            f"{kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead",
        )
        if not batch and attn_mask.dim() == 3:
            shape = (num_heads, query.shape[0], key.shape[0])
            expect(
                tuple(attn_mask.shape) == shape, f"Expected `attn_mask` shape to be {shape} but got {attn_mask.size()}"
            )
    return batch


def additive(
    mask: Tensor | None, name: str, query: Tensor, other: Tensor | None = None, other_name: str = ""
) -> Tensor | None:
    """A mask as numbers to add: minus infinity where a boolean one is True; `other`: what should have its dtype."""
    return canonical(mask, name, dtype_of(other), other_name, query.dtype)


def dtype_of(other: Any) -> Any:
    """The dtype of a mask that may be None."""
    if other is not None and not hasattr(other, "dtype"):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return None if other is None else other.dtype


def canonical(mask: Any, name: str, other: Any, other_name: str, kind: Any, check_other: bool = True) -> Any:
    """A mask in this dtype, to add; other: the dtype that it should have itself."""
    if mask is None:
        return None
    own, number = mask.dtype, mask.is_floating_point()
    expect(number or own.name == "bool", f"only bool and floating types of {name} are supported")
    if check_other and other is not None and own is not other:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return mask if number else find_function("zeros_like")(mask, dtype=kind).masked_fill_(mask, -math.inf)


def projected(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
    """Query, key and value through one packed weight [3 E, E]; equal inputs share a product."""
    linear = find_function("nn.functional.linear")
    e = query.size(-1)

    def apart(x: Tensor, w: Tensor, b: Tensor | None, parts: int) -> Tensor:
        y = linear(x, w, b).unflatten(-1, (parts, e))
        return y.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()

    if key is not value:
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        return [linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases, strict=True)]
    if query is key:
        y = apart(query, weight, bias, 3)
        return y[0], y[1], y[2]
    w_q, w_kv = weight.split([e, 2 * e])
    b_q, b_kv = (None, None) if bias is None else bias.split([e, 2 * e])
    y = apart(key, w_kv, b_kv, 2)
    return linear(query, w_q, b_q), y[0], y[1]


def checked_mask(mask: Tensor, length: int, source: int, both: int) -> Tensor:
    """An attention mask [.., L, S] with a dimension for batch and heads in front."""
    for n, shape in ((2, (length, source)), (3, (both, length, source))):
        if mask.ndim == n and tuple(mask.shape) != shape:
            raise RuntimeError(f"The shape of the {n}D attn_mask is {mask.size()}, but should be {shape}.")
    expect(mask.ndim in (2, 3), f"attn_mask's dimension {mask.ndim} is not supported", RuntimeError)
    return mask.unsqueeze(0) if mask.ndim == 2 else mask


def longer(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key."""
    return None if mask is None else find_function("nn.functional.pad")(mask, (0, 1))


def separately(query, key, value, weights: dict, bias: Tensor | None) -> list:  # type: ignore[no-untyped-def]
    """Query, key and value, each through a weight of its own."""
    expect(
        key.shape[:2] == value.shape[:2],
        f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
    )
    linear, biases = find_function("nn.functional.linear"), (None,) * 3 if bias is None else bias.chunk(3)
    for n, w in weights.items():
        expect(w is not None, f"use_separate_proj_weight is True but {n}_proj_weight is None")
    size = query.size(-1)
    for name, x, w in zip(("query", "key", "value"), (query, key, value), weights.values(), strict=True):
        shape = size, x.size(-1)
        expect(w.shape == shape, f"expecting {name} weights shape of {shape}, but got {w.shape}")
    for name, b in zip(("query", "key", "value"), biases, strict=True):
        if b is not None:
            expect(b.shape == (size,), f"expecting {name} bias shape of {(size,)}, but got {b.shape}")
    return [linear(x, w, b) for x, w, b in zip((query, key, value), weights.values(), biases, strict=True)]


def check_biases(bias_k: Any, bias_v: Any, static_k: Any, static_v: Any) -> None:
    expect(bias_v is None or bias_k is not None, "bias_v is set but bias_k is None")
    if bias_k is not None:
        expect(bias_v is not None, "bias_k is set but bias_v is None")
        expect(static_k is None, "bias cannot be added to static key.")
        expect(static_v is None, "bias cannot be added to static value.")


def checked_static(name: str, static: Tensor, both: int, head: int) -> Tensor:
    """A key or a value of all heads that is given instead of a projection."""
    for d, n in ((0, both), (2, head)):
        expect(static.size(d) == n, f"expecting {name}.size({d}) of {n}, but got {static.size(d)}")
    return static


def with_padding(mask: Tensor | None, padding: Tensor | None, size: int, heads: int, source: int) -> Tensor | None:
    """An attention mask with that of the padded keys added, for all heads."""
    if padding is None:
        return mask
    for d, n in ((0, size), (1, source)):
        expect(padding.shape[d] == n, f"Expected key_padded_mask.shape[{d}] to be {n}, but got {padding.shape[d]}")
    spread = padding.view(size, 1, 1, source).expand(-1, heads, -1, -1).reshape(size * heads, 1, source)
    return spread if mask is None else mask + spread


@composite("nn.functional.multi_head_attention_forward", method=False)
def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
    out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
    average_attn_weights=True, is_causal=False,
):  # fmt: skip
    """Query [L, N, E] attends to key and value [S, N, E] in several heads: the result [L, N, E], and the weights [N, L, S]."""
    cat = find_function("cat")
    batch = batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batch:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, size, dim = query.shape
    both = size * num_heads
    key_padding_mask = additive(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = additive(attn_mask, "attn_mask", query)
        is_causal = is_causal and key_padding_mask is None
    expect(dim == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {dim}")
    head = dim // num_heads
    expect(head * num_heads == dim, f"embed_dim {dim} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        weights = {"q": q_proj_weight, "k": k_proj_weight, "v": v_proj_weight}
        q, k, v = separately(query, key, value, weights, in_proj_bias)
    else:
        expect(key.shape == value.shape, f"key shape {key.size()} does not match value shape {value.size()}")
        expect(in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = projected(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = checked_mask(attn_mask, length, key.shape[0], both)
    check_biases(bias_k, bias_v, static_k, static_v)
    if bias_k is not None:
        k, v = (cat([x, b.repeat(1, size, 1)]) for x, b in ((k, bias_k), (v, bias_v)))
        attn_mask, key_padding_mask = longer(attn_mask), longer(key_padding_mask)
    apart = lambda x: x.view(x.shape[0], both, head).transpose(0, 1)
    q = apart(q)
    k = apart(k) if static_k is None else checked_static("static_k", static_k, both, head)
    v = apart(v) if static_v is None else checked_static("static_v", static_v, both, head)
    if add_zero_attn:
        zero = find_function("zeros")((both, 1, head), dtype=k.dtype)
        k, v = cat([k, zero], dim=1), cat([v, zero], dim=1)
        attn_mask, key_padding_mask = longer(attn_mask), longer(key_padding_mask)
    mask = with_padding(attn_mask, key_padding_mask, size, num_heads, k.size(1))
    dropout_p, sizes = dropout_p if training else 0.0, (length, size, num_heads)
    if need_weights:
        return _with_weights(
            q, k, v, mask, dropout_p, sizes, out_proj_weight, out_proj_bias, average_attn_weights, batch
        )
    return _without_weights(q, k, v, mask, dropout_p, is_causal, sizes, out_proj_weight, out_proj_bias, batch), None


def _without_weights(q, k, v, mask, dropout_p, is_causal, sizes, weight, bias, batch):  # type: ignore[no-untyped-def]
    """Attention of all heads at once, projected."""
    length, size, heads = sizes
    if mask is not None:
        shared = mask.size(0) == 1 and mask.ndim == 3
        mask = mask.unsqueeze(0) if shared else mask.view(size, heads, -1, k.size(1))
    apart = lambda x: x.view(size, heads, x.size(1), q.size(2))
    attend = find_function("nn.functional.scaled_dot_product_attention")
    y = attend(apart(q), apart(k), apart(v), mask, dropout_p, is_causal)
    y = y.permute(2, 0, 1, 3).reshape(size * length, heads * q.size(2))
    y = find_function("nn.functional.linear")(y, weight, bias)
    y = y.view(length, size, y.size(1))
    return y if batch else y.squeeze(1)


def _with_weights(q, k, v, mask, dropout_p, sizes, weight, bias, average, batch):  # type: ignore[no-untyped-def]
    """Attention written out, so that the weights can be returned too."""
    length, size, heads = sizes
    scaled = q * math.sqrt(1.0 / q.shape[2])
    scores = (
        scaled.bmm(k.transpose(-2, -1)) if mask is None else find_function("baddbmm")(mask, scaled, k.transpose(-2, -1))
    )
    weights = scores.softmax(-1)
    if dropout_p > 0.0:
        weights = find_function("nn.functional.dropout")(weights, dropout_p)
    y = weights.bmm(v).transpose(0, 1).reshape(length * size, heads * q.shape[2])
    y = find_function("nn.functional.linear")(y, weight, bias)
    y = y.view(length, size, y.size(1))
    weights = weights.view(size, heads, length, k.size(1))
    if average:
        weights = weights.mean(dim=1)
    return (y, weights) if batch else (y.squeeze(1), weights.squeeze(0))
