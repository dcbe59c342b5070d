"""Attention in three launches: a product, the weights of its rows in place, and another product.

So many rows of scores are made at a time as fit into `SCORES` elements; none of them is kept. The backward pass makes them
again and turns them into weights by the logarithms of the rows' sums; dropout's numbers are drawn again, too. Half types are computed in float32: their products
are exact in TF32, in which the matrices are multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays.backend import rounded_products
from . import flash
from .kernels import Raw
from .noise import KEPT
from .rows import FOLDS, threads

SCORES = 1 << 26
"""Elements of a matrix of scores."""
PLACE = (
    "__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;"
    "long long z = row / rows; long long i = row % rows + top;"
    "long long at = (z + before) / heads * mb + (z + before) % heads * mh + i * mr;"
    "long long last = causal ? min(n, i + 1) : n;"
)
"""The row of a block: `z` counts the matrices, `at` is where its mask begins, and beyond `last` a causal mask hides all."""
NUMBERS = (
    "long long n, long long rows, long long top, long long before, long long heads, long long mb, long long mh, long long mr,"
    "long long mc, A scale, int given, int causal, long long whole, long long lanes, unsigned long long seed,"
    "unsigned long long start, long long draws, float keep, A factor"
)
FACTOR = "kept(((z + before) * whole + i) * n + k, lanes, seed, start, draws, keep, factor)"
WEIGHTS = Raw(
    "tensorsh_attention_weights",
    FOLDS + KEPT + 'extern "C" __global__ void tensorsh_attention_weights(T* s, const T* added, T* sums, ' + NUMBERS + ", A none) {"
    + PLACE + f"""
  A most = none;
  for (long long k = threadIdx.x; k < last; k += blockDim.x) {{
    A v = A(s[base + k]) * scale;
    if (given) v = v + A(added[at + k * mc]);
    s[base + k] = T(v);
    most = max(most, v);
  }}
  most = largest(most, part);
  if (isinf(most)) most = A(0);
  A sum = A(0);
  for (long long k = threadIdx.x; k < last; k += blockDim.x) sum += exp(A(s[base + k]) - most);
  sum = total(sum, part);
  A share = sum == A(0) ? A(0) : A(1) / sum;
  for (long long k = threadIdx.x; k < n; k += blockDim.x)
    s[base + k] = k < last ? T(exp(A(s[base + k]) - most) * share * {FACTOR}) : T(0);
  if (threadIdx.x == 0) sums[row] = sum == A(0) ? T(0) : T(log(sum) + most);
}}""",
)  # fmt: skip
"""Scores become weights after dropout, in place; a row that is hidden wholly becomes zero. sums: the logarithms of the rows' sums."""
WEIGHTS_BACKWARD = Raw(
    "tensorsh_attention_weights_backward",
    FOLDS + KEPT + 'extern "C" __global__ void tensorsh_attention_weights_backward('
    "T* s, T* d, const T* added, const T* sums, " + NUMBERS + ") {" + PLACE + f"""
  A lost = A(sums[row]);
  A share = A(0);
  for (long long k = threadIdx.x; k < last; k += blockDim.x) {{
    A v = A(s[base + k]) * scale;
    if (given) v = v + A(added[at + k * mc]);
    v = exp(v - lost);
    s[base + k] = T(v);
    share += v * A(d[base + k]) * {FACTOR};
  }}
  share = total(share, part);
  for (long long k = threadIdx.x; k < n; k += blockDim.x) {{
    A m = k < last ? {FACTOR} : A(0);
    d[base + k] = k < last ? T(A(s[base + k]) * (A(d[base + k]) * m - share) * scale) : T(0);
    s[base + k] = k < last ? T(A(s[base + k]) * m) : T(0);
  }}
}}""",
)  # fmt: skip
"""Scores become weights (as dropout leaves them), and those weights' gradient `d` that of the products, in place."""


class Work:
    """The matrices [B * H, L, E] of one call, its mask, and the parts in which they are worked through."""

    def __init__(self, xp: Any, query: Any, key: Any, mask: Any, causal: bool, scale: float, dropout: Any) -> None:
        self.xp, self.kind = xp, np.dtype(np.float64 if query.dtype == np.float64 else np.float32)
        self.narrow = query.dtype if query.dtype != self.kind else None
        batch, self.heads, self.rows, _ = query.shape
        self.columns, self.many = key.shape[2], batch * self.heads
        self.causal, self.scale = np.int32(causal), self.kind.type(scale)
        seed, start, draws, lanes, p = dropout or (0, 0, 1, 0, 0.0)
        keep = np.float32(1.0 - p)
        self.dropout = (
            np.int64(self.rows), np.int64(lanes), np.uint64(seed), np.uint64(start), np.int64(draws), keep,
            self.kind.type(1.0 / keep),
        )  # fmt: skip
        self.mask, self.steps = None, (0, 0, 0, 0)
        if mask is not None:
            if mask.dtype.kind == "b":
                mask = xp.where(mask, self.kind.type(0), self.kind.type(-np.inf))
            self.mask = xp.ascontiguousarray(mask.astype(self.kind, copy=False))
            whole = xp.broadcast_to(self.mask, (batch, self.heads, self.rows, self.columns))
            self.steps = tuple(s // self.kind.itemsize for s in whole.strides)

    def flat(self, x: Any) -> Any:
        return self.xp.ascontiguousarray(x.reshape(self.many, *x.shape[2:]), self.kind)

    def parts(self) -> Iterator[tuple]:
        """Slices of the matrices and of their rows."""
        together = max(1, SCORES // (self.rows * self.columns))
        step = min(self.rows, max(1, SCORES // self.columns))
        for z in range(0, self.many, together):
            for top in range(0, self.rows, step):
                yield slice(z, min(self.many, z + together)), slice(top, min(self.rows, top + step))

    def launch(self, kernel: Raw, at: tuple, arrays: list, scores: Any, sums: Any, *more: Any) -> None:
        number = np.int64
        sizes = (self.columns, scores.shape[1], at[1].start, at[0].start, self.heads, *self.steps)
        given = np.int32(self.mask is not None)
        added = scores if self.mask is None else self.mask
        blocks = scores.shape[0] * scores.shape[1]
        numbers = (*map(number, sizes), self.scale, given, self.causal, *self.dropout, *more)
        kernel(self.kind, blocks, threads(self.columns), *arrays, added, sums, *numbers)

    def product(self, a: Any, b: Any) -> Any:
        return self.xp.matmul(a, b)

    def turned(self, a: Any, b: Any) -> Any:
        """The transposed `a` times `b`; what is copied to transpose it is the smaller `b`, and the result."""
        return self.product(b.swapaxes(1, 2), a).swapaxes(1, 2)

    def exactly(self, function: Any) -> Any:
        """Half types are multiplied in TF32."""
        if self.narrow is None:
            return function()
        before = rounded_products(True)
        try:
            return function()
        finally:
            rounded_products(before)

    def shaped(self, x: Any, like: Any) -> Any:
        return x.reshape(like.shape) if self.narrow is None else x.reshape(like.shape).astype(self.narrow)


def forward(
    xp: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any = None
) -> tuple:
    """The weighted values, and the logarithms of the rows' sums. dropout: `sampling.dropout_draw`'s numbers, if any."""
    if flash.suited(query):
        return flash.forward(xp, query, key, value, mask, causal, scale, dropout)
    work = Work(xp, query, key, mask, causal, scale, dropout)
    q, k, v = map(work.flat, (query, key, value))
    k = xp.ascontiguousarray(k.swapaxes(1, 2))

    def run() -> Any:
        out, sums = xp.empty(q.shape, work.kind), xp.empty(q.shape[:2], work.kind)
        for at in work.parts():
            scores, lost = work.product(q[at], k[at[0]]), xp.empty(sums[at].shape, work.kind)
            work.launch(WEIGHTS, at, [scores], scores, lost, work.kind.type(-np.inf))
            found = work.product(scores, v[at[0]])
            if len(found) == len(q) and found.shape[1] == q.shape[1]:
                return found, lost
            out[at], sums[at] = found, lost
        return out, sums

    out, sums = work.exactly(run)
    return work.shaped(out, query), sums.reshape(query.shape[:3])


def backward(
    xp: Any, g: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any, sums: Any
) -> tuple:
    """The gradients of the query, the key and the value."""
    work = Work(xp, query, key, mask, causal, scale, dropout)
    g, q, k, v = map(work.flat, (g, query, key, value))
    sums = sums.reshape(work.many, -1)
    turned_key, turned_value = (xp.ascontiguousarray(x.swapaxes(1, 2)) for x in (k, v))

    def run() -> Any:
        whole: tuple = ()
        for at in work.parts():
            z = at[0]
            scores, d = work.product(q[at], turned_key[z]), work.product(g[at], turned_value[z])
            work.launch(WEIGHTS_BACKWARD, at, [scores, d], scores, xp.ascontiguousarray(sums[at]))
            found = work.product(d, k[z]), work.turned(d, q[at]), work.turned(scores, g[at])
            if len(d) == len(q) and d.shape[1] == q.shape[1]:
                return found
            whole = whole or tuple(xp.zeros(x.shape, work.kind) for x in (q, k, v))
            for total, place, part in zip(whole, (at, z, z), found, strict=True):
                total[place] += part
        return whole

    dq, dk, dv = work.exactly(run)
    return work.shaped(dq, query), work.shaped(dk, key), work.shaped(dv, value)
