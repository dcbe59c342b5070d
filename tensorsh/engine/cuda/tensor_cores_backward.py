"""The gradients of attention of half types on tensor cores: one kernel goes through the keys for rows of the query, another through
the query for rows of the keys and the values, so nothing is added up by atomic operations.

Weights are made again of the scores and the logarithms of the rows' sums. Both kernels are as the one in `tensor_cores`: the rows
of a warp stay in its registers, tiles of the others are copied ahead."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .sources import pieces
from .tensor_cores import DTYPES, added, kernel

CODE = pieces(__file__)

WIDEST, THREADS, ROWS = 64, 128, 64
STEPS = "long long {0}b, long long {0}h, long long {0}r"
NUMBERS = (
    "long long rows, long long columns, long long heads, long long width,"
    + ",".join(STEPS.format(x) for x in "qkvgo")
    + ", long long db, long long dh, long long dr, float scale, int causal"
)
"""What every kernel is told: sizes, the steps of the query, the key, the value, the result's gradient, the result, and the gradients
that the kernel makes."""


def scores(first: str, second: str) -> str:
    """The C of a tile's scores `s` and of the products `p` with the other tile, both from zero, by the names of the tiles."""
    return CODE["SCORES"].replace("@FIRST@", first).replace("@SECOND@", second)


QUERY = CODE["QUERY"].replace("@SCORES@", scores("ks", "vs")).replace("@ADDED@", added("x", "ks"))
"""The query's gradient, and `shares`: of each row the sum of its result times the result's gradient."""
KEYS = CODE["KEYS"].replace("@SCORES@", scores("qs", "gs"))
"""The gradients of the keys and the values."""
PARAMETERS = NUMBERS.replace("long long or,", "long long or_,")
OF_QUERY = {dtype: kernel("query_", QUERY, PARAMETERS, dtype, WIDEST, 64) for dtype in DTYPES}
OF_KEYS = {dtype: kernel("keys_", KEYS, PARAMETERS, dtype, WIDEST, 64) for dtype in DTYPES}


@lru_cache(maxsize=512)
def numbers(shape: tuple, columns: int, strides: tuple, scale: float, causal: bool) -> tuple:
    """The blocks of both kernels, and their numbers."""
    batch, heads, rows, width = shape
    sizes = tuple(map(np.int64, (rows, columns, heads, width, *strides)))
    factor = np.float32(scale), np.int32(causal)
    each = [tuple(map(np.int64, (n * heads * width, width, heads * width))) for n in (rows, columns)]
    blocks = [-(-n // ROWS) * batch * heads for n in (rows, columns)]
    return (blocks[0], (*sizes, *each[0], *factor)), (blocks[1], (*sizes, *each[1], *factor))


def backward(xp: Any, arrays: tuple, strides: tuple, sums: Any, causal: bool, scale: float) -> tuple:
    """The gradients of the query, the key and the value.

    arrays: the query, the key, the value, the result's gradient and the result, whose rows can be read 8 elements at a time; strides:
    their steps."""
    q, k, v, g, result = arrays
    batch, heads, rows, width = q.shape
    columns = k.shape[2]
    dq = xp.empty((batch, rows, heads, width), q.dtype)
    dk, dv = (xp.empty((batch, columns, heads, width), q.dtype) for _ in range(2))
    shares = xp.empty(sums.shape, np.float32)
    first, second = numbers(q.shape, columns, strides, scale, causal)
    OF_QUERY[q.dtype.name](q.dtype, first[0], THREADS, q, k, v, g, result, dq, sums, shares, *first[1])
    OF_KEYS[q.dtype.name](q.dtype, second[0], THREADS, q, k, v, g, dk, dv, sums, shares, *second[1])
    return dq.swapaxes(1, 2), dk.swapaxes(1, 2), dv.swapaxes(1, 2)
