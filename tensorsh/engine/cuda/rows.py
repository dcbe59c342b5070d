"""Kernels of one block for each row: softmax, log_softmax, layer norm, and their gradients, each in one launch.

A row need not lie in one piece: its elements are `inner` apart, as along any dimension of a contiguous array.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .kernels import Raw

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
LAYER_NORM = Raw(
    "tensorsh_layer_norm_rows",
    FOLDS + 'extern "C" __global__ void tensorsh_layer_norm_rows('
    "const T* x, const T* w, const T* b, T* y, T* mean, T* rstd, long long n, A eps, int given) {"
    "long long inner = 1;" + ROW + f"""
  A sum = A(0);
  {EACH} sum += A(x[base + k]);
  A m = total(sum, part) / A(n);
  A squares = A(0);
  {EACH} {{ A d = A(x[base + k]) - m; squares += d * d; }}
  A r = rsqrt(total(squares, part) / A(n) + eps);
  {EACH} y[base + k] = T((A(x[base + k]) - m) * r * (given & 1 ? A(w[k]) : A(1)) + (given & 2 ? A(b[k]) : A(0)));
  if (threadIdx.x == 0) {{ mean[row] = T(m); rstd[row] = T(r); }}
}}""",
)  # fmt: skip
"""given: 1 with a weight, 2 with a bias."""
LAYER_NORM_BACKWARD = Raw(
    "tensorsh_layer_norm_rows_backward",
    FOLDS + 'extern "C" __global__ void tensorsh_layer_norm_rows_backward('
    "const T* g, const T* w, const T* x, const T* mean, const T* rstd, T* y, long long n, int given) {"
    "long long inner = 1;" + ROW + f"""
  A m = A(mean[row]), r = A(rstd[row]);
  A first = A(0), second = A(0);
  {EACH} {{
    A d = A(g[base + k]) * (given & 1 ? A(w[k]) : A(1));
    first += d;
    second += d * (A(x[base + k]) - m) * r;
  }}
  first = total(first, part) / A(n);
  second = total(second, part) / A(n);
  {EACH} {{
    A d = A(g[base + k]) * (given & 1 ? A(w[k]) : A(1));
    y[base + k] = T(r * (d - first - (A(x[base + k]) - m) * r * second));
  }}
}}""",
)  # fmt: skip


def threads(n: int) -> int:
    """How many threads work on a row."""
    return 32 if n <= 128 else 128 if n <= 1024 else 256 if n <= 8192 else 1024


def softmax(xp: Any, x: Any, axis: int, kind: int) -> Any:
    x = xp.ascontiguousarray(x)
    y = xp.empty(x.shape, x.dtype)
    n, inner = x.shape[axis], prod(x.shape[axis + 1 :]) if axis >= 0 else prod(x.shape[x.ndim + axis + 1 :])
    SOFTMAX(x.dtype, x.size // n, threads(n), x, y, np.int64(n), np.int64(inner), np.int32(kind))
    return y


def softmax_backward(xp: Any, g: Any, result: Any, axis: int, kind: int) -> Any:
    if not g.ndim or not g.size:
        return g * 0
    g, r = xp.ascontiguousarray(g), xp.ascontiguousarray(result)
    y = xp.empty(g.shape, g.dtype)
    n, inner = g.shape[axis], prod(g.shape[axis % g.ndim + 1 :])
    SOFTMAX_BACKWARD(g.dtype, g.size // n, threads(n), g, r, y, np.int64(n), np.int64(inner), np.int32(kind))
    return y


def layer_norm(xp: Any, x: Any, n: int, weight: Any, bias: Any, eps: float, kept: tuple) -> tuple:
    x = xp.ascontiguousarray(x)
    y, mean, rstd = xp.empty(x.shape, x.dtype), xp.empty(kept, x.dtype), xp.empty(kept, x.dtype)
    w = x if weight is None else xp.ascontiguousarray(weight)
    b = x if bias is None else xp.ascontiguousarray(bias)
    given = np.int32((weight is not None) + 2 * (bias is not None))
    number = np.float64 if x.dtype == np.float64 else np.float32
    LAYER_NORM(x.dtype, x.size // n, threads(n), x, w, b, y, mean, rstd, np.int64(n), number(eps), given)
    return y, mean, rstd


def layer_norm_backward(xp: Any, g: Any, weight: Any, x: Any, mean: Any, rstd: Any, n: int) -> Any:
    g, x = xp.ascontiguousarray(g), xp.ascontiguousarray(x)
    w = x if weight is None else xp.ascontiguousarray(weight)
    y = xp.empty(x.shape, x.dtype)
    given = np.int32(weight is not None)
    LAYER_NORM_BACKWARD(x.dtype, x.size // n, threads(n), g, w, x, mean, rstd, y, np.int64(n), given)
    return y
