"""The largest and smallest elements of rows, or of a whole array, and where they first stand. NaN is both."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .kernels import FLOATS, Launch, Raw, empty
from .philox import NOWHERE
from .places import KINDS, ours
from .sums import parts_of, threads

EXTREMA = Raw(
    "tensorsh_extrema",
    """__device__ bool before(A a, long long i, A b, long long j, int least) {
  if (i < 0) return false;
  if (j < 0) return true;
  if (a != a || b != b) return a != a && (b == b || i < j);
  if (a == b) return i < j;
  return least ? a < b : a > b;
}
extern "C" __global__ void tensorsh_extrema(
    const T* x, const long long* from, T* y, long long* at, long long n, long long chunk, long long parts, int least, int given) {
  __shared__ A values[32];
  __shared__ long long places[32];
  long long base = blockIdx.x / parts * n;
  long long first = blockIdx.x % parts * chunk;
  long long end = first + chunk < n ? first + chunk : n;
  A best = A(0);
  long long place = -1;
  for (long long k = first + threadIdx.x; k < end; k += blockDim.x) {
    A v = A(x[base + k]);
    long long i = k;
    if (given & 4) i = from[base + k];
    if (before(v, i, best, place, least)) { best = v; place = i; }
  }
  for (int d = 16; d > 0; d = d / 2) {
    A v = __shfl_down_sync(0xffffffffu, best, d);
    long long i = __shfl_down_sync(0xffffffffu, place, d);
    if (threadIdx.x % 32 + d < 32 && before(v, i, best, place, least)) { best = v; place = i; }
  }
  if (threadIdx.x % 32 == 0) { values[threadIdx.x / 32] = best; places[threadIdx.x / 32] = place; }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++)
      if (before(values[w], places[w], best, place, least)) { best = values[w]; place = places[w]; }
    if (given & 1) y[blockIdx.x] = T(best);
    if (given & 2) at[blockIdx.x] = place;
  }
}""",
    dtypes=(*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64"),
)  # fmt: skip
"""given: 1 where the elements are wanted, 2 their places, 4 where the places of x are told."""


INDEX = np.dtype(np.int64)


@lru_cache(maxsize=2048)
def extrema_launch(
    array_class: type, dtype: np.dtype, rows: int, n: int, least: bool, wanted: int, told: bool
) -> Launch:
    chunk, parts = parts_of(n, rows, 4096)
    given = np.int32((wanted if parts == 1 else 3) + 4 * told)
    numbers = (n, chunk, parts, np.int32(least), given)
    return Launch(EXTREMA.launcher(dtype), rows * parts, threads(chunk), numbers, parts)


def extrema(x: Any, n: int, shape: tuple, least: bool, wanted: int, places: Any = None) -> tuple:
    """The extreme elements of rows of n, and their places, in a shape (wanted: 1, 2 or both)."""
    how = extrema_launch(x.__class__, x.dtype, x.size // n, n, least, wanted, places is not None)
    last = how.parts == 1
    values = empty(shape if last else how.blocks, x.dtype) if wanted & 1 or not last else x
    at = empty(shape if last else how.blocks, INDEX) if wanted & 2 or not last else None
    told = NOWHERE if places is None else places
    how.launcher(how.blocks, how.threads, x, told, values, NOWHERE if at is None else at, *how.numbers)
    return (values, at) if last else extrema(values, how.parts, shape, least, wanted, at)


def rows_of(x: Any, dim: Any, keepdim: Any) -> tuple | None:
    """How many elements a row has, and the shape of what its extrema are; None for other dimensions than the last or all."""
    if not ours(x) or not x._c_contiguous or not x.size or x.dtype not in KINDS or type(keepdim) is not bool:
        return None
    shape = x.shape
    if dim is None or not shape:
        return None if shape == () else (x.size, (1,) * len(shape) if keepdim else ())
    if type(dim) is not int or dim not in (-1, len(shape) - 1):
        return None
    return shape[-1], (*shape[:-1], 1) if keepdim else shape[:-1]


def direct(least: bool, wanted: int, refused: str = "") -> Callable:
    """The extreme elements, their places, or both; refused: kinds of dtypes that the operator refuses."""

    def run(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
        found = rows_of(input, None if dim == () else dim, keepdim)
        if found is None or input.dtype.kind in refused:
            return None
        n, shape = found
        values, at = extrema(input, n, shape, least, wanted)
        return (values, at) if wanted == 3 else values if wanted == 1 else at

    return run


def along(least: bool) -> Callable:
    run = direct(least, 3)
    return lambda input, dim, keepdim=False: None if dim is None else run(input, dim, keepdim)


DIRECT: dict[str, Callable] = {
    "_max_all": direct(False, 1), "_min_all": direct(True, 1), "amax": direct(False, 1), "amin": direct(True, 1),
    "argmax": direct(False, 2, "b"), "argmin": direct(True, 2, "b"), "_max_dim": along(False), "_min_dim": along(True),
}  # fmt: skip
