"""Kernels of one block for each row: softmax, log_softmax, the layer, group and RMS norms, and their gradients.

A row need not lie in one piece: its elements are `inner` apart, as along any dimension of a contiguous array."""

from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from .kernels import Launch, Raw, dense, empty

FOLDS = """
__device__ A total(A v, A* part) {
  for (int d = 16; d > 0; d = d / 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : A(0);
  for (int d = 16; d > 0; d = d / 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  __syncthreads();
  return v;
}
__device__ A largest(A v, A* part) {
  for (int d = 16; d > 0; d = d / 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : part[0];
  for (int d = 16; d > 0; d = d / 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
  __syncthreads();
  return v;
}
"""
"""The sum and the maximum over the threads of a block, told to all of them."""
ROW = "__shared__ A part[32];long long row = blockIdx.x; long long base = row / inner * n * inner + row % inner;"
EACH = "for (long long k = threadIdx.x; k < n; k += blockDim.x)"

SOFTMAX = Raw(
    "tensorsh_softmax_rows",
    FOLDS + 'extern "C" __global__ void tensorsh_softmax_rows(const T* x, T* y, long long n, long long inner, int kind) {'
    + ROW + f"""
  A most = A(x[base]);
  {EACH} most = max(most, A(x[base + k * inner]));
  most = largest(most, part);
  A sum = A(0);
  {EACH} sum += exp(A(x[base + k * inner]) - most);
  sum = total(sum, part);
  {EACH} {{
    A v = A(x[base + k * inner]) - most;
    if (kind == 1) y[base + k * inner] = T(v - log(sum));
    else if (kind == 2 && isinf(most) && most < A(0)) y[base + k * inner] = T(A(0));
    else y[base + k * inner] = T(exp(v) / sum);
  }}
}}""",
)  # fmt: skip
"""kind 0: softmax, 1: log_softmax, 2: softmax that is zero for a row of negative infinities."""
SOFTMAX_BACKWARD = Raw(
    "tensorsh_softmax_rows_backward",
    FOLDS + 'extern "C" __global__ void tensorsh_softmax_rows_backward('
    "const T* g, const T* r, T* y, long long n, long long inner, int kind) {" + ROW + f"""
  A sum = A(0);
  {EACH} {{
    A d = A(g[base + k * inner]);
    sum += kind == 1 ? d : d * A(r[base + k * inner]);
  }}
  sum = total(sum, part);
  {EACH} {{
    A d = A(g[base + k * inner]), v = A(r[base + k * inner]);
    y[base + k * inner] = T(kind == 1 ? d - exp(v) * sum : v * (d - sum));
  }}
}}""",
)  # fmt: skip
HELD = """
  A v[PER * W];
  const long long step = (long long)blockDim.x * W;
  for (int j = 0; j < PER; j++) {
    long long k = threadIdx.x * W + j * step;
    if (k < n) {
      T some[W];
      load(some, &x[base + k]);
      for (int e = 0; e < W; e++) v[j * W + e] = A(some[e]);
    } else {
      for (int e = 0; e < W; e++) v[j * W + e] = NONE;
    }
  }
"""
"""A row that a block keeps in registers: W elements at a time, PER times. NONE stands where it has ended."""


def each_held(code: str) -> str:
    """For each element `k` that a thread holds as `v[at]`."""
    return (
        "for (int j = 0; j < PER; j++) { long long first = threadIdx.x * W + j * step; if (first < n) {"
        f" for (int e = 0; e < W; e++) {{ const int at = j * W + e; long long k = first + e; {code} }} }} }}"
    )


def each_stored(code: str) -> str:
    """For each element `k` that a thread holds as `v[at]`, what `made[e]` is, which is stored."""
    return (
        "for (int j = 0; j < PER; j++) { long long first = threadIdx.x * W + j * step; if (first < n) { T made[W];"
        f" for (int e = 0; e < W; e++) {{ const int at = j * W + e; long long k = first + e; {code} }}"
        " store(&y[base + first], made); } }"
    )


SOFTMAX_HELD = Raw(
    "tensorsh_softmax_held",
    FOLDS + 'extern "C" __global__ void tensorsh_softmax_held(const T* x, T* y, long long n, int kind) {'
    "__shared__ A part[32]; long long base = blockIdx.x * n; "
    + HELD.replace("NONE", "A(-1) / A(0)") + """
  A most = v[0];
  for (int j = 1; j < PER * W; j++) most = max(most, v[j]);
  most = largest(most, part);
  A sum = A(0);
  for (int j = 0; j < PER; j++)
    if (threadIdx.x * W + j * step < n)
      for (int e = 0; e < W; e++) sum += exp(v[j * W + e] - most);
  sum = total(sum, part);
  A less = kind == 1 ? log(sum) : A(0);
  bool none = kind == 2 && isinf(most) && most < A(0);
""" + each_stored(
        "A d = v[at] - most;"
        "made[e] = T(kind == 1 ? d - less : none ? A(0) : exp(d) / sum);"
    ) + "}",
    PER=2,
)  # fmt: skip
"""As SOFTMAX, of rows that lie in one piece and are read once."""
NORM_HELD = Raw(
    "tensorsh_norm_held",
    FOLDS + 'extern "C" __global__ void tensorsh_norm_held(const T* x, const T* w, const T* b, T* y, A* mean, A* rstd,'
    "long long n, A eps, int given) {__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;"
    "" + HELD.replace("NONE", "A(0)") + """
  A m = A(0);
  if (!(given & 4)) {
    A sum = A(0);
    for (int j = 0; j < PER * W; j++) sum += v[j];
    m = total(sum, part) / A(n);
  }
  A squares = A(0);
  """ + each_held("A d = v[at] - m; squares += d * d;") + """
  A r = rsqrt(total(squares, part) / A(n) + eps);
  if (given & 3) {
    for (int j = 0; j < PER; j++) {
      long long first = threadIdx.x * W + j * step;
      if (first < n) {
        T scales[W], shifts[W], made[W];
        if (given & 1) load(scales, &w[first]);
        if (given & 2) load(shifts, &b[first]);
        for (int e = 0; e < W; e++) {
          A z = (v[j * W + e] - m) * r;
          if (given & 1) z = z * A(scales[e]);
          if (given & 2) z = z + A(shifts[e]);
          made[e] = T(z);
        }
        store(&y[base + first], made);
      }
    }
  } else {""" + each_stored("made[e] = T((v[at] - m) * r);") + """}
  if (threadIdx.x == 0) {
    if (!(given & 4)) mean[row] = m;
    rstd[row] = r;
  }
}""",
    PER=2,
)  # fmt: skip
"""As NORM, of rows that are read once."""


def held(dtype: np.dtype, n: int) -> tuple[int, int] | None:
    """How many threads hold a row that begins at an even place, and how often each 16 bytes of it; None for rows that are too
    long."""
    width = 16 // dtype.itemsize
    if n % width or n > 1024 * 4 * width:
        return None
    packs = n // width
    per = 1 if packs <= 512 else 2 if packs <= 1024 else 4
    return -(-packs // (32 * per)) * 32, per


CHANNEL = "long long c = inner == 1 ? k : row % groups * (n / inner) + k / inner;"
"""Which weight an element of a row is scaled by: its own of the row, or that of its channel."""
NORM = Raw(
    "tensorsh_norm_rows",
    FOLDS + 'extern "C" __global__ void tensorsh_norm_rows(const T* x, const T* w, const T* b, T* y, A* mean, A* rstd,'
    "long long n, long long inner, long long groups, A eps, int given) {"
    "__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;" + f"""
  A m = A(0);
  if (!(given & 4)) {{
    A sum = A(0);
    {EACH} sum += A(x[base + k]);
    m = total(sum, part) / A(n);
  }}
  A squares = A(0);
  {EACH} {{ A d = A(x[base + k]) - m; squares += d * d; }}
  A r = rsqrt(total(squares, part) / A(n) + eps);
  {EACH} {{
    {CHANNEL}
    y[base + k] = T((A(x[base + k]) - m) * r * (given & 1 ? A(w[c]) : A(1)) + (given & 2 ? A(b[c]) : A(0)));
  }}
  if (threadIdx.x == 0) {{
    if (!(given & 4)) mean[row] = m;
    rstd[row] = r;
  }}
}}""",
)  # fmt: skip
"""given: 1 with a weight, 2 with a bias, 4 not centred, as in RMS norm."""
NORM_BACKWARD = Raw(
    "tensorsh_norm_rows_backward",
    FOLDS + 'extern "C" __global__ void tensorsh_norm_rows_backward('
    "const T* g, const T* w, const T* x, const A* mean, const A* rstd, T* y, long long n, long long inner,"
    "long long groups, int given) {__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;" + f"""
  A m = given & 4 ? A(0) : mean[row];
  A r = rstd[row];
  A first = A(0), second = A(0);
  {EACH} {{
    {CHANNEL}
    A d = A(g[base + k]) * (given & 1 ? A(w[c]) : A(1));
    first += d;
    second += d * (A(x[base + k]) - m) * r;
  }}
  if (given & 4) first = A(0);
  else first = total(first, part) / A(n);
  second = total(second, part) / A(n);
  {EACH} {{
    {CHANNEL}
    A d = A(g[base + k]) * (given & 1 ? A(w[c]) : A(1));
    y[base + k] = T(r * (d - first - (A(x[base + k]) - m) * r * second));
  }}
}}""",
)  # fmt: skip

NORM_WEIGHTS = Raw(
    "tensorsh_norm_weights",
    'extern "C" __global__ void tensorsh_norm_weights(const T* g, const T* x, const A* mean, const A* rstd, A* dw, A* db,'
    """long long rows, long long n, long long chunk, long long columns, int given) {
  long long c = blockIdx.x % columns * blockDim.x + threadIdx.x;
  long long part = blockIdx.x / columns;
  if (c >= n) return;
  long long end = (part + 1) * chunk < rows ? (part + 1) * chunk : rows;
  A scale = A(0), shift = A(0);
  for (long long row = part * chunk; row < end; row++) {
    A d = A(g[row * n + c]);
    if (given & 1) scale += d * (A(x[row * n + c]) - (given & 4 ? A(0) : mean[row])) * rstd[row];
    shift += d;
  }
  if (given & 1) dw[part * n + c] = scale;
  if (given & 2) db[part * n + c] = shift;
}""",
)  # fmt: skip
"""The gradients of weight and bias (given: which are wanted, 1 and 2) of a chunk of rows each; 4 as for NORM."""


def threads(n: int) -> int:
    """How many threads work on a row."""
    return 32 if n <= 128 else 128 if n <= 1024 else 256 if n <= 8192 else 1024


@lru_cache(maxsize=2048)
def softmax_launch(array_class: type, dtype: np.dtype, shape: tuple, axis: int, kind: int, even: bool) -> Launch:
    n, inner, rows = shape[axis], prod(shape[axis % len(shape) + 1 :]), prod(shape) // shape[axis]
    form = held(dtype, n) if inner == 1 and even else None
    if form is not None:
        return Launch(SOFTMAX_HELD.launcher(dtype, PER=form[1]), rows, form[0], (n, np.int32(kind)))
    return Launch(SOFTMAX.launcher(dtype), rows, threads(n), (n, inner, np.int32(kind)))


def softmax(xp: Any, x: Any, axis: int, kind: int) -> Any:
    x = dense(x)
    y = empty(x.shape, x.dtype)
    how = softmax_launch(x.__class__, x.dtype, x.shape, axis, kind, not x.data.ptr % 16)
    how.launcher(how.blocks, how.threads, x, y, *how.numbers)
    return y


def softmax_backward(xp: Any, g: Any, result: Any, axis: int, kind: int) -> Any:
    if not g.ndim or not g.size:
        return g * 0
    g, r = dense(g), dense(result)
    y = empty(g.shape, g.dtype)
    n, inner = g.shape[axis], prod(g.shape[axis % g.ndim + 1 :])
    SOFTMAX_BACKWARD(g.dtype, g.size // n, threads(n), g, r, y, n, inner, np.int32(kind))
    return y


@cache
def exact(kind: Any) -> Any:
    """What a kernel computes in."""
    return np.dtype(np.float64 if kind == np.float64 else np.float32)


@lru_cache(maxsize=2048)
def norm_launch(
    array_class: type, dtype: np.dtype, size: int, n: int, inner: int, groups: int, eps: float, given: int, even: bool
) -> Launch:
    form = held(dtype, n) if inner == groups == 1 and even else None
    last = exact(dtype).type(eps), np.int32(given)
    if form is not None:
        return Launch(NORM_HELD.launcher(dtype, PER=form[1]), size // n, form[0], (n, *last))
    return Launch(NORM.launcher(dtype), size // n, threads(n), (n, inner, groups, *last))


def norm(
    xp: Any, x: Any, n: int, weight: Any, bias: Any, eps: float, kept: tuple, inner: int = 1, groups: int = 1,
    centred: bool = True,
) -> tuple:  # fmt: skip
    """Rows of n elements normalised; their means (None of what is not centred) and reciprocal deviations, in shape `kept`."""
    x, kind = dense(x), exact(x.dtype)
    y, rstd = empty(x.shape, x.dtype), empty(kept, kind)
    mean = empty(kept, kind) if centred else None
    w = x if weight is None else dense(weight)
    b = x if bias is None else dense(bias)
    given = (weight is not None) + 2 * (bias is not None) + 4 * (not centred)
    even = not (x.data.ptr | w.data.ptr | b.data.ptr) % 16
    how = norm_launch(x.__class__, x.dtype, x.size, n, inner, groups, eps, given, even)
    how.launcher(how.blocks, how.threads, x, w, b, y, mean if centred else rstd, rstd, *how.numbers)
    return y, mean, rstd


def norm_backward(
    xp: Any, g: Any, weight: Any, x: Any, mean: Any, rstd: Any, n: int, inner: int = 1, groups: int = 1
) -> Any:
    """The gradient of what was normalised."""
    g, x = dense(g), dense(x)
    w = x if weight is None else dense(weight)
    y = empty(x.shape, x.dtype)
    numbers = (n, inner, groups, np.int32((weight is not None) + 4 * (mean is None)))
    NORM_BACKWARD(x.dtype, x.size // n, threads(n), g, w, x, rstd if mean is None else mean, rstd, y, *numbers)
    return y
