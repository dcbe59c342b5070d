"""Scaled dot-product attention.

The usual form is one operator, as in PyTorch: scores of a few heads at a time, which stay in the cache, are made, turned into
weights and used at once. What is kept for the backward pass is the logarithm of each row's sum, from which it makes the
weights again. The other forms (dropout, a mask that wants a gradient) are written out in elementary operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import kernels
from ...arrays.backend import module_of
from ...arrays.blas import alone
from ...arrays.constants import EXACT_SIZE, FLOAT32, FLOAT64
from ...arrays.cupy_module import accelerator
from ...arrays.device import absent
from ...arrays.dtype import HALVES
from ...arrays.errors import cpp_name, fits_into
from ...arrays.on_arrays import on_arrays
from ...arrays.parallel import ROWS, buffer_for, each, spread
from ...arrays.state import ATTENTION, state
from ...graph.fields import wrap
from ...loading.table import find_function
from ...numerics.products import batches
from ...operators.declare import Array, Unlinked, composite, operator
from ...tape.worlds import differentiable
from ...tensors.tensor import Tensor
from ..elementwise.by_number import times
from ..random.sampling import source
from ..reductions.softmax import safe_softmax

turned = kernels.kernel("turned", kernels.unsuited)


def looking_back(mask: Any, lower: Any, fill: Any) -> Any:
    """A mask, or none, that hides later places too; `fill`: what puts minus infinity where the other does not hold."""
    if mask is None:
        return lower
    return lower & mask if mask.dtype.name == "bool" else fill(mask, lower)


def additive(mask: Any, causal: bool, query: Any, key: Any) -> Any:
    """What is added to the scores [B, H, L, S]: a view of that shape, or None."""
    batch, heads, rows, _ = query.shape
    columns = key.shape[2]
    if causal:
        xp = module_of([query])
        lower = xp.tril(xp.ones((rows, columns), bool))
        mask = looking_back(mask, lower, lambda mask, lower: np.where(lower, mask, mask.dtype.type(-np.inf)))
    if mask is None:
        return None
    if mask.dtype.kind == "b":
        mask = np.where(mask, query.dtype.type(0), query.dtype.type(-np.inf))
    return np.broadcast_to(mask.astype(query.dtype, copy=False), (batch, heads, rows, columns))


def jobs(query: Any, key: Any, causal: bool) -> Any:
    """Index of the batch and heads, and how many rows of scores at a time, so that these stay in the cache; of a triangle as
    many as PyTorch takes, which leaves out the columns that none of them looks at."""
    batch, heads, rows, _ = query.shape
    columns = key.shape[2]
    high = min(rows, 256 if rows >= 768 else 64 if rows >= 192 else 32) if causal else rows
    together = max(1, min(heads, ROWS // max(1, high * columns)))
    step = max(1, min(high, ROWS // max(1, columns)))
    return [((b, slice(h, h + together)), step) for b in range(batch) for h in range(0, heads, together)]


SHARED = 1 << 24
"""With fewer products of queries and keys the interpreter's lock costs more than a second thread gains."""


def helpers(query: Any, key: Any) -> int:
    """How many threads to share the heads among."""
    return state.threads if query.size * key.shape[2] >= SHARED else 1


def transposed(x: Any, scale: float = 1.0) -> Any:
    """Transposed matrices times a number, copied: BLAS loses more time with a transposed second factor than this takes."""
    if (found := turned(x, scale)) is not None:
        return found
    x = x.swapaxes(1, 2).copy()
    return np.multiply(x, x.dtype.type(scale), out=x)


def exponential(s: Any, exact: bool) -> None:
    """exp in place, rounded from double for small problems."""
    if exact:
        np.copyto(s, np.exp(s.astype(FLOAT64)), "same_kind")
    else:
        np.exp(s, s)


def attended(query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float) -> tuple:
    """The result and the logarithms of the rows' sums."""
    batch, heads, rows, width = query.shape
    columns = key.shape[2]
    kind = query.dtype.type
    whole = kernels.suits(query, key, value)
    mask = None if causal and whole and mask is None else additive(mask, causal, query, key)
    # In memory a row of the result holds all heads, as PyTorch has it and as what follows wants it.
    out = np.empty((batch, rows, heads, width), query.dtype).swapaxes(1, 2)
    sums = np.empty((batch, heads, rows, 1), query.dtype)
    exact = query.dtype == FLOAT32 and batch * heads * rows * columns <= EXACT_SIZE

    def work(at: tuple, step: int) -> None:
        turned = transposed(key[at], scale)
        for top in range(0, rows, step):
            part, end = slice(top, top + step), min(columns, top + step) if causal else columns
            s = batches(query[at][:, part], turned[..., :end])
            if whole:
                if mask is not None:
                    np.add(s, mask[at][:, part, :end], s)
                total = np.zeros((*s.shape[:2], 1), s.dtype)
                kernels.compiled.attention_weights(s, total, exact, min(top + 1, end) if causal else 0)
                sums[at][:, part] = total
                out[at][:, part] = batches(s, value[at][:, :end])
                continue
            if mask is not None:
                np.add(s, mask[at][:, part, :end], s)
            most = np.maximum.reduce(s, 2, keepdims=True)
            np.copyto(most, kind(0), where=most == -np.inf)
            np.subtract(s, most, s)
            exponential(s, exact)
            total = np.add.reduce(s, 2, keepdims=True)
            np.copyto(total, kind(1), where=total == 0)  # a row that attends to nothing is zero
            np.multiply(np.matmul(s, value[at][:, :end]), np.reciprocal(total), out[at][:, part])
            sums[at][:, part] = np.log(total) + most

    each(work, alone(jobs(query, key, causal)), helpers(query, key), buffer_for(columns))
    return out, sums


@operator("_attention", method=False, outputs=1, node="ScaledDotProductFlashAttentionForCpuBackward0")
def attention(xp, query: Array, key: Array, value: Array, mask: Unlinked = None, is_causal=False, scale=1.0):
    """softmax(query @ key^T * scale + mask) @ value for [B, H, L, E], [B, H, S, E] and [B, H, S, E]; also the log-sums."""
    return attended(query, key, value, mask, is_causal, scale)


def attention_backward(g, needs, query, key, value, mask, is_causal, scale, result, result1):
    rows, columns = query.shape[2], key.shape[2]
    kind = query.dtype.type
    whole = kernels.suits(query, key, value, g)
    added = None if is_causal and whole and mask is None else additive(mask, is_causal, query, key)
    dq, dk, dv = np.empty_like(query), np.zeros_like(key), np.zeros_like(value)
    exact = query.dtype == FLOAT32 and result1.size * columns <= EXACT_SIZE
    delta = np.einsum("bhie,bhie->bhi", g, result)[..., None]

    def work(at: tuple, step: int) -> None:
        turned, turned_value = transposed(key[at], scale), transposed(value[at])
        for top in range(0, rows, step):
            part, end = slice(top, top + step), min(columns, top + step) if is_causal else columns
            q = query[at][:, part]
            s = batches(q, turned[..., :end])
            if added is not None:
                np.add(s, added[at][:, part, :end], s)
            grad = g[at][:, part]
            ds = batches(grad, turned_value[..., :end])
            total, share = (np.ascontiguousarray(x[at][:, part]).reshape(-1, 1) for x in (result1, delta))
            if whole:
                first = min(top + 1, end) if is_causal else 0
                if s.size:
                    kernels.done(kernels.compiled.attention_scores_backward(s, ds, total, share, exact, first))
            else:
                flat, flat_ds = s.reshape(-1, end), ds.reshape(-1, end)
                np.subtract(flat, spread(total, end), flat)
                exponential(flat, exact)
                np.subtract(flat_ds, spread(share, end), flat_ds)
                np.multiply(flat_ds, flat, flat_ds)
            dv[at][:, :end] += batches(s.swapaxes(1, 2), grad)
            np.multiply(batches(ds, key[at][:, :end]), kind(scale), dq[at][:, part])
            dk[at][:, :end] += batches(ds.swapaxes(1, 2), q)
        dk[at] *= kind(scale)

    each(work, alone(jobs(query, key, is_causal)), helpers(query, key), buffer_for(columns))
    return dq if needs[0] else None, dk if needs[1] else None, dv if needs[2] else None, None


@attention.joint_gradient
@on_arrays(attention_backward)
def _(t, g, needs, query, key, value, mask, is_causal, scale, result, result1):
    named = {} if mask is None else {"attn_mask": mask}
    if scale != usual(query.shape[3]):
        named["scale"] = scale
    return *t._attention_backward(g, query, key, value, result, result1, 0.0, is_causal, **named), None


@composite("_attention_backward", method=False)
def attention_gradients(
    grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask=None, scale=None
):  # fmt: skip
    """The gradients of `_attention` by operators that can be differentiated in turn."""
    scale = usual(query.shape[3]) if scale is None else scale
    return written_out(differentiable, grad_out, (True,) * 3, query, key, value, attn_mask, is_causal, scale)[:3]


def on_device_node(query: Any, key: Any, value: Any, mask: Any, *_: Any) -> str:
    kind = "Flash" if mask is None and query.dtype.itemsize == 2 and query.shape[3] <= 256 else "Efficient"
    return f"ScaledDotProduct{kind}AttentionBackward0"


@operator("_attention_on_device", method=False, outputs=1, node=on_device_node)
def attention_on_device(
    xp, query: Array, key: Array, value: Array, mask: Unlinked = None, is_causal=False, scale=1.0, dropout=None
):  # fmt: skip
    """`_attention` on a GPU, which draws dropout's numbers itself, each time that it needs them."""
    return accelerator().attention.forward(xp, query, key, value, mask, is_causal, scale, dropout)


def attention_on_device_backward(g, needs, query, key, value, mask, is_causal, scale, dropout, result, result1):
    backward, xp = accelerator().attention.backward, module_of([query])
    found = backward(xp, g, query, key, value, mask, is_causal, scale, dropout, result, result1)
    return *[x if need else None for x, need in zip(found, needs, strict=False)], None


@attention_on_device.joint_gradient
@on_arrays(attention_on_device_backward)
def _(t, g, needs, query, key, value, mask, is_causal, scale, dropout, result, result1):
    return written_out(t, g, needs, query, key, value, mask, is_causal, scale, dropout)


def written_out(
    t: Any, g: Any, needs: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any = None
) -> tuple:  # fmt: skip
    """The gradients by operators that can be differentiated in turn."""
    scores = t.matmul(query * scale, t.transpose(key, 2, 3))
    if mask is not None or causal:
        found = additive(None if mask is None else mask._array, causal, query._array, key._array)
        scores = scores + wrap(found)
    weights = (t.softmax if mask is None else t._safe_softmax)(scores, 3)
    kept, dw = weights, t.matmul(g, t.transpose(value, 2, 3))
    if dropout is not None:
        again, xp = accelerator().sampling.dropout_again, module_of([query._array])
        noise = wrap(again(xp, dropout, tuple(weights.shape), weights._array.dtype))
        kept, dw = weights * noise, dw * noise
    dv = t.matmul(t.transpose(kept, 2, 3), g) if needs[2] else None
    ds = weights * (dw - t.sum(weights * dw, 3, True)) * scale
    dq = t.matmul(ds, key) if needs[0] else None
    return dq, t.matmul(t.transpose(ds, 2, 3), query) if needs[1] else None, dv, None


def suited(query: Tensor, key: Tensor, value: Tensor, mask: Any, dropout_p: float) -> bool:
    """Whether PyTorch has one operator for this form."""
    q, k, v = query._array, key._array, value._array
    return (
        (dropout_p == 0.0 or dropout_p < 1.0 and type(q) is not np.ndarray)
        and q.ndim == k.ndim == v.ndim == 4
        and type(q) is type(k) is type(v)
        and q.dtype == k.dtype == v.dtype
        and q.shape[:2] == k.shape[:2]
        and k.shape == v.shape
        and q.shape[3] == k.shape[3]
        and q.size > 0 < k.size
        and (mask is None or mask._node is None and mask._array.ndim in (2, 4))
    )


def fused(query: Tensor, key: Tensor, value: Tensor, mask: Any, dropout_p: float) -> Any:
    """The operator that PyTorch has for this form, where it has one."""
    q = query._array
    if absent(q) or not suited(query, key, value, mask, dropout_p):
        return None
    if isinstance(q, np.ndarray):
        return attention if q.dtype in (FLOAT32, FLOAT64) and "flash" in state.attention else None
    # A GPU's operators take rows of whole words of 16 bytes; double precision has none.
    narrow = q.dtype.itemsize == 2 and (mask is None and q.shape[3] <= 256 or not q.shape[3] % 8)
    return attention_on_device if narrow or q.dtype == FLOAT32 and not q.shape[3] % 4 else None


def drawn(query: Tensor, key: Tensor, p: float) -> tuple:
    """The numbers by which a GPU draws dropout of the weights."""
    count = math.prod(query.shape[:3]) * key.shape[2]
    return accelerator().sampling.dropout_draw(source(None, like=query._array), count, float(p))


def check_attention(query, key, value, attn_mask, dropout_p) -> None:
    """The dimensions and dtypes of attention's operands."""
    kind = query._array.dtype
    if key._array.dtype != kind or value._array.dtype != kind:
        kinds = [cpp_name(x) for x in (query, key, value)]
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {kinds[0]} key.dtype: {kinds[1]} and "
            f"value.dtype: {kinds[2]} instead."
        )
    if min(query._array.ndim, key._array.ndim, value._array.ndim) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.ndim} key.dim: "
            f"{key.ndim} and value.dim: {value.ndim} instead."
        )
    if attn_mask is not None and attn_mask.dtype.name not in ("bool", "float32", query.dtype.name):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cpp_name(attn_mask)} and  query.dtype: {cpp_name(query)} instead."
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")


def check_ways(suits: bool) -> None:
    """RuntimeError where a program allows no way of attention that a processor has, or only the one that this form does not suit."""
    if state.attention.isdisjoint({"math", "flash"}):
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
            "kernel and the fused kernels."
        )
    if "math" not in state.attention and not suits:
        raise RuntimeError("No available kernel.  Aborting execution.")


def hidden(scores: Tensor, seen: Tensor) -> Tensor:
    """Minus infinity in place of what is not seen."""
    return scores.masked_fill(seen.logical_not(), -math.inf)


def usual(width: int) -> float:
    """The scale of scores that are sums of so many products."""
    return 1.0 / math.sqrt(width) if width else math.inf


@composite("nn.functional.scaled_dot_product_attention", method=False)
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):  # fmt: skip
    """softmax(query @ key^T * scale + mask) @ value, for query [..., L, E], key [..., S, E], value [..., S, V]."""
    check_attention(query, key, value, attn_mask, dropout_p)
    scale = usual(query._array.shape[-1]) if scale is None else scale
    if enable_gqa and query.size(-3):
        if any(not x.size(-3) or query.size(-3) % x.size(-3) for x in (key, value)):
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        copies = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(copies, -3), value.repeat_interleave(copies, -3)
    whole = fused(query, key, value, attn_mask, dropout_p)
    half = query.dtype in HALVES and isinstance(query._array, np.ndarray) and whole is None
    half = half and suited(query, key, value, attn_mask, dropout_p)  # one operator in PyTorch, several here
    if state.attention is not ATTENTION and whole is not attention and isinstance(query._array, np.ndarray):
        check_ways(half)
    if is_causal and attn_mask is not None and whole is not attention and not (half and "flash" in state.attention):
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if whole:
        if attn_mask is not None:
            fits_into((*query.shape[:3], key.shape[2]), tuple(attn_mask.shape))
        given = (query, key, value, attn_mask, bool(is_causal), float(scale))
        return whole.function(*given, drawn(query, key, dropout_p)) if dropout_p else whole.function(*given)
    if is_causal:
        rows, columns = query.shape[-2], key.shape[-2]
        lower = find_function("ones")(rows, columns, device=query.device).tril().bool()
        attn_mask = looking_back(attn_mask, lower, hidden)
    # PyTorch scales both factors by the root, which keeps half precision in range.
    root = math.sqrt(abs(scale))
    sign = -1.0 if scale < 0 else 1.0
    scores = times(query, root * sign) @ times(key.transpose(-2, -1), root)
    softmax = find_function("softmax") if attn_mask is None else safe_softmax.function
    if attn_mask is not None:
        if attn_mask.dtype.name == "bool":
            attn_mask = hidden(scores.new_zeros(attn_mask.shape), attn_mask)
        scores = scores + attn_mask
    weights = softmax(scores, -1)
    if dropout_p > 0.0:
        weights = find_function("nn.functional.dropout")(weights, dropout_p)
    return weights @ value
