"""Attention: in one launch where `flash` has a kernel for it; else, and for the gradients, products and what lies between them.

So many rows of scores are made at a time as fit into `SCORES` elements; none of them is kept. The backward pass makes them
again and turns them into weights by the logarithms of the rows' sums; dropout's numbers are drawn again, too. Scores are
float32; what half types are multiplied with is rounded to them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ..arrays.backend import cupy, follow_precision
from . import flash, tensor_cores_backward
from .kernels import Raw
from .noise import KEPT
from .places import ours
from .products import product
from .rows import FOLDS, threads
from .sources import pieces

CODE = pieces(__file__)

SCORES = 1 << 26
"""Elements of a matrix of scores."""
HIDDEN = 256
"""From twice as many rows on, those that a causal mask lets see the first keys alone are worked through apart."""
KINDS = ("float32", "float16", "bfloat16")
WEIGHTS = Raw("tensorsh_attention_weights", FOLDS + KEPT + CODE["WEIGHTS"], KINDS)
"""Scores become weights `p` after dropout, which may lie where they lay; a row that is hidden wholly becomes zero. sums: the
logarithms of the rows' sums."""
WEIGHTS_BACKWARD = Raw("tensorsh_attention_weights_backward", FOLDS + KEPT + CODE["WEIGHTS_BACKWARD"], KINDS)
"""Scores become weights `p` (as dropout leaves them), and those weights' gradient `d` that of the products, `ds`; both may lie
where the others lay."""


class Work:
    """The matrices [B * H, L, E] of one call, its mask, and the parts in which they are worked through."""

    def __init__(self, xp: Any, query: Any, key: Any, mask: Any, causal: bool, scale: float, dropout: Any) -> None:
        self.xp, self.kind = xp, query.dtype
        batch, self.heads, self.rows, _ = query.shape
        self.columns, self.many = key.shape[2], batch * self.heads
        self.causal, self.scale = causal, np.float32(scale)
        self.dropout = np.int64(self.rows), *flash.noise(dropout)
        self.mask, self.steps = flash.additive(xp, mask, (batch, self.heads, self.rows, self.columns))

    def flat(self, x: Any) -> Any:
        return self.xp.ascontiguousarray(x).reshape(self.many, *x.shape[2:])

    def parts(self) -> Iterator[tuple]:
        """Slices of the matrices, of their rows, and of the keys that these see."""
        together = max(1, SCORES // (self.rows * self.columns))
        step = min(self.rows, max(1, SCORES // self.columns))
        if self.causal and self.rows >= 2 * HIDDEN:
            step = min(step, max(HIDDEN, -(-self.rows // 8)))
            together = max(1, SCORES // (step * self.columns))
        for z in range(0, self.many, together):
            for top in range(0, self.rows, step):
                end = min(self.rows, top + step)
                seen = min(self.columns, end) if self.causal else self.columns
                yield slice(z, min(self.many, z + together)), slice(top, end), slice(0, seen)

    def launch(self, kernel: Raw, at: tuple, scores: Any, arrays: tuple, sums: Any, *more: Any) -> None:
        sizes = (scores.shape[2], self.columns, scores.shape[1], at[1].start, at[0].start, self.heads, *self.steps)
        given = np.int32(self.mask is not None), np.int32(self.causal)
        added = scores if self.mask is None else self.mask
        numbers = (*map(np.int64, sizes), self.scale, *given, *self.dropout[:-1], *more)
        rows = scores.shape[0] * scores.shape[1]
        kernel(self.kind, rows, threads(scores.shape[2]), scores, *arrays, added, sums, *numbers)

    def scores(self, a: Any, b: Any) -> Any:
        """The products of rows with rows, in float32."""
        return product(a, b.swapaxes(1, 2), self.xp.empty((*a.shape[:2], b.shape[1]), np.float32))

    def narrow(self, scores: Any) -> Any:
        """Where numbers made of scores are to lie: in their place, if they are of one dtype."""
        return scores if scores.dtype == self.kind else self.xp.empty(scores.shape, self.kind)

    def whole(self, at: tuple) -> bool:
        return prod(s.stop - s.start for s in at) == self.many * self.rows * self.columns


def forward(
    xp: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any = None
) -> tuple:
    """The weighted values, and the logarithms of the rows' sums. dropout: `sampling.dropout_draw`'s numbers, if any."""
    if flash.suited(query):
        return flash.forward(xp, query, key, value, mask, causal, scale, dropout)
    work = Work(xp, query, key, mask, causal, scale, dropout)
    q, k, v = map(work.flat, (query, key, value))
    out, sums = xp.empty(q.shape, q.dtype), xp.empty(q.shape[:2], np.float32)
    for at in work.parts():
        z, rows, seen = at
        scores = work.scores(q[z, rows], k[z, seen])
        weights, lost = work.narrow(scores), xp.empty(scores.shape[:2], np.float32)
        work.launch(WEIGHTS, at, scores, (weights,), lost, np.float32(-np.inf))
        out[z, rows], sums[z, rows] = product(weights, v[z, seen]), lost
    return out.reshape(query.shape), sums.reshape(query.shape[:3])


def forward_at_once(query: Any, *rest: Any) -> tuple | None:
    """Of arrays of the device; None for others."""
    if not ours(query):
        return None
    follow_precision()
    return forward(cupy(), query, *rest)


DIRECT = {"_attention_on_device": forward_at_once}


def backward(
    xp: Any, g: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any, result: Any,
    sums: Any,
) -> tuple:  # fmt: skip
    """The gradients of the query, the key and the value."""
    if flash.on_tensor_cores(query, mask, dropout, scale) and query.shape[3] <= tensor_cores_backward.WIDEST:
        arrays, strides = zip(*(flash.steps(xp, x, 8) for x in (query, key, value, g, result)), strict=True)
        return tensor_cores_backward.backward(xp, arrays, sum(strides, ()), sums, causal, scale)
    work = Work(xp, query, key, mask, causal, scale, dropout)
    g, q, k, v = map(work.flat, (g, query, key, value))
    sums = xp.ascontiguousarray(sums).reshape(work.many, -1)
    found: tuple = ()
    for at in work.parts():
        z, rows, seen = at
        scores, d = work.scores(q[z, rows], k[z, seen]), work.scores(g[z, rows], v[z, seen])
        weights, ds = work.narrow(scores), work.narrow(d)
        work.launch(WEIGHTS_BACKWARD, at, scores, (d, weights, ds), xp.ascontiguousarray(sums[z, rows]))
        del scores, d
        pairs = (ds, k[z, seen]), (ds.swapaxes(1, 2), q[z, rows]), (weights.swapaxes(1, 2), g[z, rows])
        if work.whole(at):
            found = tuple(product(*pair) for pair in pairs)
            break
        found = found or tuple(xp.zeros(x.shape, np.float32) for x in (q, k, v))
        for total, place, pair in zip(found, ((z, rows), (z, seen), (z, seen)), pairs, strict=True):
            part = total[place]
            part += product(*pair, xp.empty(part.shape, np.float32))
    like = (query, key, value)
    return tuple(x.reshape(y.shape).astype(y.dtype, copy=False) for x, y in zip(found, like, strict=True))
