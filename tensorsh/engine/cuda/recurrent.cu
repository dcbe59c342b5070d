//@ LSTM
extern "C" __global__ void tensorsh_lstm(
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
}
//@ LSTM_BACKWARD
extern "C" __global__ void tensorsh_lstm_backward(
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
}
