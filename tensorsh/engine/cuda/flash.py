"""Attention in one launch: each block of threads goes through the keys for some rows of the query, tile by tile, and keeps what it
has summed up so far (an online softmax), so no matrix of scores is in memory.

256 threads, 16 by 16, share a tile of scores; a thread has a few rows and columns of it, and the same rows of the result. The
tiles of the query and the keys lie turned in shared memory, and scores of a column together, each with its groups of four moved
by an exclusive or, so that the threads of a warp find them in different banks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from . import tensor_cores
from .kernels import Launch, Raw, empty
from .noise import KEPT
from .sources import pieces

THREADS = 256
SINGLE = np.dtype(np.float32)
PARAMETERS = (
    "const T* q, const T* k, const T* v, T* out, float* sums, const float* added, long long rows, long long columns,"
    "long long heads, long long width, long long qb, long long qh, long long qr, long long kb, long long kh, long long kr,"
    "long long vb, long long vh, long long vr, long long ob, long long oh, long long row_step, long long mb, long long mh,"
    "long long mr, long long mc, float scale, int causal, long long lanes, unsigned long long seed,"
    "unsigned long long start, long long draws, float keep, A factor, float none"
)
CODE = pieces(__file__)["CODE"]


class Tiles:
    """The kernel for rows of up to so many elements."""

    def __init__(self, width: int, rows: int, columns: int) -> None:
        self.width, self.rows = width, rows
        name = f"tensorsh_attention_{width}"
        values = {
            "NAME": name, "PARAMETERS": PARAMETERS, "D": width, "M": rows, "N": columns, "RM": rows // 16,
            "RN": columns // 16, "RE": width // 16,  "W": min(4, width // 16), "QC": rows * width // 1024, "KC": columns * width // 1024, "SHARED": max(width, rows) * columns,
        }  # fmt: skip
        code = CODE
        for key, value in values.items():
            code = code.replace(f"@{key}@", str(value))
        self.kernel = Raw(name, KEPT + code, ("float32", "float16", "bfloat16"), GIVEN=1, DROPS=1, TOGETHER=2)


TILES = (Tiles(32, 64, 64), Tiles(64, 64, 64), Tiles(128, 32, 32))


def suited(q: Any) -> bool:
    """Whether a kernel takes rows of such an array."""
    return q.shape[3] <= TILES[-1].width and not q.shape[3] % 4 and q.dtype.itemsize <= 4


def steps(xp: Any, x: Any, each: int) -> tuple[Any, tuple]:
    """An array, copied unless its rows can be read so many elements at a time, and the steps of its first dimensions."""
    size = x.itemsize
    found = even(x.strides, size, each)
    if found is None:
        x = xp.ascontiguousarray(x)
        found = tuple([s // size for s in x.strides[:3]])
    return x if not x.data.ptr % (each * size) else x.copy(), found


@lru_cache(maxsize=512)
def even(strides: tuple, size: int, each: int) -> tuple | None:
    """The steps of the first dimensions, in elements, if rows that lie in such can be read so many elements at a time."""
    fits = strides[3] == size and all(s % (each * size) == 0 <= s for s in strides[:3])
    return tuple([s // size for s in strides[:3]]) if fits else None


@lru_cache(maxsize=512)
def launch_of(
    array_class: type, dtype: np.dtype, shape: tuple, columns: int, strides: tuple, scale: float, causal: bool, given: bool,
    drops: bool,
) -> Launch:  # fmt: skip
    batch, heads, rows, width = shape
    tiles = next(t for t in TILES if width <= t.width)
    launcher = tiles.kernel.launcher(dtype, GIVEN=int(given), DROPS=int(drops), TOGETHER=2 if given or drops else 3)
    numbers = (rows, columns, heads, width, *strides, np.float32(scale), np.int32(causal))
    return Launch(launcher, -(-rows // tiles.rows) * batch * heads, THREADS, numbers)


@lru_cache(maxsize=8)
def noise(dropout: Any) -> tuple:
    """The numbers by which a kernel draws dropout."""
    seed, start, draws, lanes, p = dropout or (0, 0, 1, 0, 0.0)
    keep = np.float32(1.0 - p)
    return (
        np.int64(lanes),
        np.uint64(seed),
        np.uint64(start),
        np.int64(draws),
        keep,
        np.float32(1.0 / keep),
        np.float32(-np.inf),
    )


def additive(xp: Any, mask: Any, shape: tuple) -> tuple[Any, tuple]:
    """A mask as what is added to scores of a shape, and the steps in it; None without one."""
    if mask is None:
        return None, (0, 0, 0, 0)
    if mask.dtype.kind == "b":
        mask = xp.where(mask, np.float32(0), np.float32(-np.inf))
    added = xp.ascontiguousarray(mask.astype(np.float32, copy=False))
    return added, tuple(s // 4 for s in xp.broadcast_to(added, shape).strides)


def on_tensor_cores(query: Any, mask: Any, dropout: Any, scale: float) -> Any:
    """The kernel for tensor cores; None where there is none for such arrays."""
    return tensor_cores.suited(query) if mask is None and dropout is None and scale > 0 else None


def forward(
    xp: Any, query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float, dropout: Any = None
) -> tuple:
    """The weighted values, which lie as PyTorch's do, row by row of all heads, and the logarithms of the rows' sums."""
    batch, heads, rows, width = query.shape
    own = on_tensor_cores(query, mask, dropout, scale)
    each = 4 if own is None else 8
    (q, a), (k, b), (v, c) = steps(xp, query, each), steps(xp, key, each), steps(xp, value, each)
    out, sums = empty((batch, rows, heads, width), query.dtype), empty((batch, heads, rows), SINGLE)
    added, beside = additive(xp, mask, (batch, heads, rows, key.shape[2]))
    strides = (*a, *b, *c, rows * heads * width, width, heads * width)
    if own is not None:
        blocks, threads, more = tensor_cores.numbers(query.shape, own[1], key.shape[2], strides, scale, causal)
        own[0](query.dtype, blocks, threads, q, k, v, out, sums, *more)
    else:
        how = launch_of(
            query.__class__, query.dtype, query.shape, key.shape[2], (*strides, *beside), scale, causal, mask is not None,
            dropout is not None,
        )  # fmt: skip
        added = sums if added is None else added
        how.launcher(how.blocks, how.threads, q, k, v, out, sums, added, *how.numbers, *noise(dropout))
    return out.swapaxes(1, 2), sums
