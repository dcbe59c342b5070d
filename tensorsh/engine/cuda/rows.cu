//@ FOLDS

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

//@ ROW
__shared__ A part[32];long long row = blockIdx.x; long long base = row / inner * n * inner + row % inner;
//@ EACH
for (long long k = threadIdx.x; k < n; k += blockDim.x)
//@ CHANNEL Which weight an element of a row is scaled by: its own of the row, or that of its channel.
long long c = inner == 1 ? k : row % groups * (n / inner) + k / inner;
//@ SOFTMAX
@FOLDS@extern "C" __global__ void tensorsh_softmax_rows(const T* x, T* y, long long n, long long inner, int kind) {@ROW@
  A most = A(x[base]);
  @EACH@ most = max(most, A(x[base + k * inner]));
  most = largest(most, part);
  A sum = A(0);
  @EACH@ sum += exp(A(x[base + k * inner]) - most);
  sum = total(sum, part);
  @EACH@ {
    A v = A(x[base + k * inner]) - most;
    if (kind == 1) y[base + k * inner] = T(v - log(sum));
    else if (kind == 2 && isinf(most) && most < A(0)) y[base + k * inner] = T(A(0));
    else y[base + k * inner] = T(exp(v) / sum);
  }
}
//@ SOFTMAX_BACKWARD
@FOLDS@extern "C" __global__ void tensorsh_softmax_rows_backward(const T* g, const T* r, T* y, long long n, long long inner, int kind) {@ROW@
  A sum = A(0);
  @EACH@ {
    A d = A(g[base + k * inner]);
    sum += kind == 1 ? d : d * A(r[base + k * inner]);
  }
  sum = total(sum, part);
  @EACH@ {
    A d = A(g[base + k * inner]), v = A(r[base + k * inner]);
    y[base + k * inner] = T(kind == 1 ? d - exp(v) * sum : v * (d - sum));
  }
}
//@ HELD A row that a block keeps in registers: W elements at a time, PER times. NONE stands where it has ended.

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

//@ SOFTMAX_HELD
@FOLDS@extern "C" __global__ void tensorsh_softmax_held(const T* x, T* y, long long n, int kind) {__shared__ A part[32]; long long base = blockIdx.x * n; @HELD@
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
for (int j = 0; j < PER; j++) { long long first = threadIdx.x * W + j * step; if (first < n) { T made[W]; for (int e = 0; e < W; e++) { const int at = j * W + e; long long k = first + e; A d = v[at] - most;made[e] = T(kind == 1 ? d - less : none ? A(0) : exp(d) / sum); } store(&y[base + first], made); } }}
//@ NORM_HELD
@FOLDS@extern "C" __global__ void tensorsh_norm_held(const T* x, const T* w, const T* b, T* y, A* mean, A* rstd,long long n, A eps, int given) {__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;@HELD@
  A m = A(0);
  if (!(given & 4)) {
    A sum = A(0);
    for (int j = 0; j < PER * W; j++) sum += v[j];
    m = total(sum, part) / A(n);
  }
  A squares = A(0);
  for (int j = 0; j < PER; j++) { long long first = threadIdx.x * W + j * step; if (first < n) { for (int e = 0; e < W; e++) { const int at = j * W + e; long long k = first + e; A d = v[at] - m; squares += d * d; } } }
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
  } else {for (int j = 0; j < PER; j++) { long long first = threadIdx.x * W + j * step; if (first < n) { T made[W]; for (int e = 0; e < W; e++) { const int at = j * W + e; long long k = first + e; made[e] = T((v[at] - m) * r); } store(&y[base + first], made); } }}
  if (threadIdx.x == 0) {
    if (!(given & 4)) mean[row] = m;
    rstd[row] = r;
  }
}
//@ NORM
@FOLDS@extern "C" __global__ void tensorsh_norm_rows(const T* x, const T* w, const T* b, T* y, A* mean, A* rstd,long long n, long long inner, long long groups, A eps, int given) {__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;
  A m = A(0);
  if (!(given & 4)) {
    A sum = A(0);
    @EACH@ sum += A(x[base + k]);
    m = total(sum, part) / A(n);
  }
  A squares = A(0);
  @EACH@ { A d = A(x[base + k]) - m; squares += d * d; }
  A r = rsqrt(total(squares, part) / A(n) + eps);
  @EACH@ {
    @CHANNEL@
    y[base + k] = T((A(x[base + k]) - m) * r * (given & 1 ? A(w[c]) : A(1)) + (given & 2 ? A(b[c]) : A(0)));
  }
  if (threadIdx.x == 0) {
    if (!(given & 4)) mean[row] = m;
    rstd[row] = r;
  }
}
//@ NORM_BACKWARD
@FOLDS@extern "C" __global__ void tensorsh_norm_rows_backward(const T* g, const T* w, const T* x, const A* mean, const A* rstd, T* y, long long n, long long inner,long long groups, int given) {__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;
  A m = given & 4 ? A(0) : mean[row];
  A r = rstd[row];
  A first = A(0), second = A(0);
  @EACH@ {
    @CHANNEL@
    A d = A(g[base + k]) * (given & 1 ? A(w[c]) : A(1));
    first += d;
    second += d * (A(x[base + k]) - m) * r;
  }
  if (given & 4) first = A(0);
  else first = total(first, part) / A(n);
  second = total(second, part) / A(n);
  @EACH@ {
    @CHANNEL@
    A d = A(g[base + k]) * (given & 1 ? A(w[c]) : A(1));
    y[base + k] = T(r * (d - first - (A(x[base + k]) - m) * r * second));
  }
}
//@ NORM_WEIGHTS
extern "C" __global__ void tensorsh_norm_weights(const T* g, const T* x, const A* mean, const A* rstd, A* dw, A* db,long long rows, long long n, long long chunk, long long columns, int given) {
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
}
