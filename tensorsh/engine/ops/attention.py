"""Scaled dot-product attention."""

from __future__ import annotations

import math

from ..operator import composite
from ..table import find_function


@composite("nn.functional.scaled_dot_product_attention", method=False, guard=True)
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):  # fmt: skip
    """softmax(query @ key^T * scale + mask) @ value, for query [..., L, E], key [..., S, E], value [..., S, V]."""
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        rows, columns = query.shape[-2], key.shape[-2]
        attn_mask = find_function("ones")(rows, columns, device=query.device).tril().bool()
    # PyTorch scales both factors by the root, which keeps half precision in range.
    root = math.sqrt(abs(scale))
    sign = -1.0 if scale < 0 else 1.0
    scores = (query * (root * sign)) @ (key.transpose(-2, -1) * root)
    if attn_mask is not None:
        if attn_mask.dtype.name == "bool":
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    weights = find_function("softmax")(scores, -1)
    if attn_mask is not None and attn_mask.dtype.name == "bool" and not is_causal:
        # A row that may attend to nothing gives zeros, not NaN. A GPU is not asked whether there is one: it would wait.
        empty = attn_mask.any(-1, keepdim=True).logical_not()
        if not empty.is_cpu or bool(empty.any()):
            weights = weights.masked_fill(empty, 0.0)
    if dropout_p > 0.0:
        weights = find_function("nn.functional.dropout")(weights, dropout_p)
    return weights @ value
