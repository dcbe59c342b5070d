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

THREADS = 256
SINGLE = np.dtype(np.float32)
PARAMETERS = (
    "const T* q, const T* k, const T* v, T* out, float* sums, const float* added, long long rows, long long columns,"
    "long long heads, long long width, long long qb, long long qh, long long qr, long long kb, long long kh, long long kr,"
    "long long vb, long long vh, long long vr, long long ob, long long oh, long long row_step, long long mb, long long mh,"
    "long long mr, long long mc, float scale, int causal, long long lanes, unsigned long long seed,"
    "unsigned long long start, long long draws, float keep, A factor, float none"
)
CODE = """
extern "C" __global__ void __launch_bounds__(256, TOGETHER) @NAME@(@PARAMETERS@) {
  __shared__ __align__(16) float qs[@D@ * @M@];
  __shared__ __align__(16) float ks[@SHARED@];
  __shared__ __align__(16) float vs[@N@ * @D@];
  int t = threadIdx.x, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  long long tiles = (rows + @M@ - 1) / @M@;
  long long z = blockIdx.x / tiles, b = z / heads, h = z % heads;
  long long top = (tiles - 1 - blockIdx.x % tiles) * @M@;
  long long end = causal ? min(columns, top + @M@) : columns;
  T x[4];
  #pragma unroll
  for (int part = 0; part < @QC@; ++part) {
    int n = part * 256 + t;
    int i = n / 32 % (@M@ / 8) * 8 + n % 32 / 4, c = n / 32 / (@M@ / 8) * 4 + n % 4;
    x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
    if (top + i < rows && c * 4 < width) load(x, &q[b * qb + h * qh + (top + i) * qr + c * 4]);
    int at = (((i >> 2) ^ ((2 * c) & (@M@ / 4 - 1))) << 2) | (i & 3);
    #pragma unroll
    for (int e = 0; e < 4; ++e) qs[(c * 4 + e) * @M@ + at] = float(x[e]);
  }
  float s[@RM@ * @RN@], o[@RM@ * @RE@], most[@RM@], sum[@RM@], left[4], right[8];
  #pragma unroll
  for (int r = 0; r < @RM@; ++r) {
    most[r] = none;
    sum[r] = 0.0f;
  }
  #pragma unroll
  for (int r = 0; r < @RM@ * @RE@; ++r) o[r] = 0.0f;
  for (long long first = 0; first < end; first += @N@) {
    __syncthreads();
    #pragma unroll
    for (int part = 0; part < @KC@; ++part) {
      int n = part * 256 + t;
      int i = n / 32 % (@N@ / 8) * 8 + n % 32 / 4, c = n / 32 / (@N@ / 8) * 4 + n % 4;
      x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
      if (first + i < columns && c * 4 < width) load(x, &k[b * kb + h * kh + (first + i) * kr + c * 4]);
      int at = (((i >> 2) ^ ((2 * c) & (@N@ / 4 - 1))) << 2) | (i & 3);
      #pragma unroll
      for (int e = 0; e < 4; ++e) ks[(c * 4 + e) * @N@ + at] = float(x[e]);
    }
    #pragma unroll
    for (int part = 0; part < @KC@; ++part) {
      int n = part * 256 + t;
      int i = n / (@D@ / 4), c = n % (@D@ / 4);
      x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
      if (first + i < columns && c * 4 < width) load(x, &v[b * vb + h * vh + (first + i) * vr + c * 4]);
      #pragma unroll
      for (int e = 0; e < 4; ++e) vs[i * @D@ + c * 4 + e] = float(x[e]);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < @RM@ * @RN@; ++r) s[r] = 0.0f;
    #pragma unroll 8
    for (int d = 0; d < @D@; ++d) {
      int own = d * @M@ + ((((ty * @RM@) >> 2) ^ ((2 * (d >> 2)) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      int other = d * @N@ + ((((tx * @RN@) >> 2) ^ ((2 * (d >> 2)) & (@N@ / 4 - 1))) << 2) + ((tx * @RN@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) left[r] = qs[own + r];
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) right[j] = ks[other + j];
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) {
        #pragma unroll
        for (int j = 0; j < @RN@; ++j) s[r * @RN@ + j] += left[r] * right[j];
      }
    }
    bool edge = first + @N@ > columns || (causal && first + @N@ > top + 1);
    #pragma unroll
    for (int r = 0; r < @RM@; ++r) {
      long long i = top + ty * @RM@ + r;
      float high = most[r];
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) {
        long long c = first + tx * @RN@ + j;
        s[r * @RN@ + j] *= scale;
        if (GIVEN && i < rows && c < columns) s[r * @RN@ + j] += added[b * mb + h * mh + i * mr + c * mc];
        if (edge && (c >= columns || (causal && c > i))) s[r * @RN@ + j] = none;
        high = max(high, s[r * @RN@ + j]);
      }
      #pragma unroll
      for (int d = 8; d > 0; d = d / 2) high = max(high, __shfl_xor_sync(0xffffffffu, high, d));
      float from = isinf(high) ? 0.0f : high;
      float shrink = exp2f((most[r] - from) * 1.4426950408889634f);
      most[r] = high;
      sum[r] *= shrink;
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) o[r * @RE@ + e] *= shrink;
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) {
        float p = exp2f((s[r * @RN@ + j] - from) * 1.4426950408889634f);
        sum[r] += p;
        if (DROPS) p *= float(kept((z * rows + i) * columns + first + tx * @RN@ + j, lanes, seed, start, draws, keep, factor));
        s[r * @RN@ + j] = p;
      }
    }
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < @RN@; ++j) {
      int c = tx * @RN@ + j;
      int at = c * @M@ + ((((ty * @RM@) >> 2) ^ ((c >> 2) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) ks[at + r] = s[r * @RN@ + j];
    }
    __syncthreads();
    #pragma unroll 8
    for (int c = 0; c < @N@; ++c) {
      int own = c * @M@ + ((((ty * @RM@) >> 2) ^ ((c >> 2) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) left[r] = ks[own + r];
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) right[e] = vs[c * @D@ + e / @W@ * (16 * @W@) + tx * @W@ + e % @W@];
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) {
        #pragma unroll
        for (int e = 0; e < @RE@; ++e) o[r * @RE@ + e] += left[r] * right[e];
      }
    }
  }
  #pragma unroll
  for (int r = 0; r < @RM@; ++r) {
    long long i = top + ty * @RM@ + r;
    #pragma unroll
    for (int d = 8; d > 0; d = d / 2) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
    float share = sum[r] == 0.0f ? 0.0f : 1.0f / sum[r];
    if (i < rows) {
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) {
        int c = e / @W@ * (16 * @W@) + tx * @W@ + e % @W@;
        if (c < width) out[b * ob + h * oh + i * row_step + c] = T(o[r * @RE@ + e] * share);
      }
      if (tx == 0) sums[z * rows + i] = sum[r] == 0.0f ? 0.0f : log(sum[r]) + most[r];
    }
  }
}
"""


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
