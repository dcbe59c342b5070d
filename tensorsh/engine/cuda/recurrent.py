"""A layer of an LSTM as one launch forwards and one backwards: a block for each sequence walks over all of its steps.

The states of a sequence stay in the block's shared memory; of the weights each step reads all, from the cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from .kernels import Raw, dense, empty
from .sums import suits

WIDEST = 256
"""So many states the shared memory holds; for more, products of whole matrices are faster too."""
LSTM = Raw(
    "tensorsh_lstm",
    """extern "C" __global__ void tensorsh_lstm(
    T* gates, const T* weight, T* h, T* c, T* y, T* cells, T* squashed, int steps, int count, int n, int reverse) {
  __shared__ A state[256];
  __shared__ A cell[256];
  __shared__ A act[1024];
  int row = blockIdx.x;
  int tid = threadIdx.x;
  if (tid < n) { state[tid] = A(h[row * n + tid]); cell[tid] = A(c[row * n + tid]); }
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    long long at = (long long)(reverse ? steps - 1 - s : s) * count + row;
    if (tid < 4 * n) {
      A sum = A(gates[at * 4 * n + tid]), more = A(0);
      for (int k = 0; k < n; k += 2) {
        sum += state[k] * A(weight[k * 4 * n + tid]);
        if (k + 1 < n) more += state[k + 1] * A(weight[(k + 1) * 4 * n + tid]);
      }
      sum += more;
      A made = tid / n == 2 ? tanh(sum) : A(1) / (A(1) + exp(-sum));
      act[tid] = made;
      gates[at * 4 * n + tid] = T(made);
    }
    __syncthreads();
    if (tid < n) {
      A now = act[n + tid] * cell[tid] + act[tid] * act[2 * n + tid];
      A end = tanh(now);
      A out = act[3 * n + tid] * end;
      cell[tid] = now;
      state[tid] = out;
      cells[at * n + tid] = T(now);
      squashed[at * n + tid] = T(end);
      y[at * n + tid] = T(out);
    }
    __syncthreads();
  }
  if (tid < n) { h[row * n + tid] = T(state[tid]); c[row * n + tid] = T(cell[tid]); }
}""",
    dtypes=("float32", "float64"),
)  # fmt: skip
"""gates [steps, count, 4n] hold what the input adds, and afterwards the gates; weight [n, 4n]; h and c [count, n] become the
last states."""
LSTM_BACKWARD = Raw(
    "tensorsh_lstm_backward",
    """extern "C" __global__ void tensorsh_lstm_backward(
    const T* gates, const T* cells, const T* first, const T* squashed, const T* gy, const T* weight, T* dh, T* dc, T* d,
    int steps, int count, int n, int reverse, int given) {
  __shared__ A slope[256];
  __shared__ A slope_c[256];
  __shared__ A act[1024];
  __shared__ A part[1024];
  int row = blockIdx.x;
  int tid = threadIdx.x;
  if (tid < n) { slope[tid] = A(dh[row * n + tid]); slope_c[tid] = A(dc[row * n + tid]); }
  __syncthreads();
  for (int s = steps - 1; s >= 0; s = s - 1) {
    long long at = (long long)(reverse ? steps - 1 - s : s) * count + row;
    long long before = (long long)(reverse ? steps - s : s - 1) * count + row;
    if (tid < n) {
      A i = A(gates[at * 4 * n + tid]), f = A(gates[at * 4 * n + n + tid]);
      A g = A(gates[at * 4 * n + 2 * n + tid]), o = A(gates[at * 4 * n + 3 * n + tid]);
      A q = A(squashed[at * n + tid]);
      A old = s > 0 ? A(cells[before * n + tid]) : A(first[row * n + tid]);
      A up = slope[tid] + (given ? A(gy[at * n + tid]) : A(0));
      A into = slope_c[tid] + up * o * (A(1) - q * q);
      act[tid] = into * g * i * (A(1) - i);
      act[n + tid] = into * old * f * (A(1) - f);
      act[2 * n + tid] = into * i * (A(1) - g * g);
      act[3 * n + tid] = up * q * o * (A(1) - o);
      slope_c[tid] = into * f;
    }
    __syncthreads();
    if (tid < 4 * n) {
      d[at * 4 * n + tid] = T(act[tid]);
      int k = tid % n;
      int top = tid / n * n;
      A sum = A(0), more = A(0);
      for (int j = 0; j < n; j += 2) {
        sum += act[top + j] * A(weight[(top + j) * n + k]);
        if (j + 1 < n) more += act[top + j + 1] * A(weight[(top + j + 1) * n + k]);
      }
      part[tid] = sum + more;
    }
    __syncthreads();
    if (tid < n) slope[tid] = part[tid] + part[n + tid] + part[2 * n + tid] + part[3 * n + tid];
    __syncthreads();
  }
  if (tid < n) { dh[row * n + tid] = T(slope[tid]); dc[row * n + tid] = T(slope_c[tid]); }
}""",
    dtypes=("float32", "float64"),
)  # fmt: skip
"""d: the gradients of what the gates are made of; dh and dc become those of the first states. first: the first cells; weight
[4n, n]; given: whether there is gy, the gradient of all states."""


def fits(n: int, *arrays: Any) -> bool:
    """Whether a layer is for one block a sequence."""
    return n <= WIDEST and all(suits(a) and a.dtype.itemsize >= 4 for a in arrays)


def lstm(gates: Any, w_hh: Any, h: Any, c: Any, steps: int, reverse: bool) -> tuple | None:
    """States, last states, cells and their tanh of a layer whose gates hold what the input adds; None where it is not for this."""
    count, n = h.shape
    if not fits(n, gates, w_hh, h, c):
        return None
    y, cells, squashed = (empty((len(gates), n), gates.dtype) for _ in range(3))
    h, c = h.copy(), c.copy()
    numbers = map(np.int32, (steps, count, n, reverse))
    LSTM(gates.dtype, count, -(-4 * n // 32) * 32, gates, dense(w_hh.T), h, c, y, cells, squashed, *numbers)
    return y, h, c, cells, squashed


def lstm_backward(
    gates: Any, cells: Any, c: Any, squashed: Any, gy: Any, w_hh: Any, dh: Any, dc: Any, steps: int, reverse: bool
) -> Any:
    """The gradients of what the gates are made of, and in dh and dc those of the first states; None where it is not for this."""
    count, n = c.shape
    gy = None if gy is None else dense(gy)
    w_hh, c = dense(w_hh), dense(c)
    if not fits(n, gates, cells, squashed, w_hh, c, dh, dc):
        return None
    d = empty(gates.shape, gates.dtype)
    numbers = map(np.int32, (steps, count, n, reverse, gy is not None))
    arrays = gates, cells, c, squashed, gates if gy is None else gy, w_hh, dh, dc, d
    LSTM_BACKWARD(gates.dtype, count, -(-4 * n // 32) * 32, *arrays, *numbers)
    return d
