//@ READY All blocks but the last of the `all` that share a ticket end here; what they have written can be read by it.

  __shared__ int last[1];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last[0] = atomicAdd(&tickets[turn], 1u) == all - 1;
  }
  __syncthreads();
  if (last[0] == 0) return;
  __threadfence();

//@ ROWS
extern "C" __global__ void tensorsh_sum_rows(
    const T* x, R* y, A* some_sums, unsigned int* tickets, long long n, long long chunk, long long parts, A count,
    long long piece, long long step) {
  __shared__ A part[32];
  long long base = blockIdx.x / parts * piece;
  long long first = blockIdx.x % parts * chunk;
  long long end = first + chunk < n ? first + chunk : n;
  A sum = A(0);
  if (piece % W == 0 && aligned(x)) {
    A sums[W];
    for (int e = 0; e < W; e++) sums[e] = A(0);
    for (long long k = first + threadIdx.x * W; k < end; k += blockDim.x * W) {
      T some[W];
      load(some, &x[base + AT]);
      for (int e = 0; e < W; e++) sums[e] += A(some[e]);
    }
    for (int e = 0; e < W; e++) sum += sums[e];
  } else {
    for (long long k = first + threadIdx.x; k < end; k += blockDim.x) sum += A(x[base + AT]);
  }
  sum = total(sum, part);
  if (!LAST) {
    if (threadIdx.x == 0) y[blockIdx.x] = R(sum / count);
    return;
  }
  if (threadIdx.x == 0) some_sums[blockIdx.x] = sum;
  long long turn = blockIdx.x / parts;
  unsigned int all = parts;
@READY@
  sum = A(0);
  for (long long k = threadIdx.x; k < parts; k += blockDim.x) sum += __ldcg(&some_sums[turn * parts + k]);
  sum = total(sum, part);
  if (threadIdx.x == 0) {
    y[turn] = R(sum / count);
    tickets[turn] = 0u;
  }
}
//@ COLUMNS
extern "C" __global__ void tensorsh_sum_columns(
    const T* x, R* y, A* some_sums, unsigned int* tickets, long long n, long long inner, long long chunk, long long parts,
    long long tiles, A count) {
  __shared__ A sums[256];
  long long c = blockIdx.x % tiles * 32 + threadIdx.x % 32;
  long long rest = blockIdx.x / tiles;
  long long base = rest / parts * n * inner + c;
  long long first = rest % parts * chunk;
  long long end = first + chunk < n ? first + chunk : n;
  A sum = A(0);
  if (c < inner)
    for (long long k = first + threadIdx.x / 32; k < end; k += 8) sum += A(x[base + k * inner]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < 32 && c < inner) {
    for (int w = 1; w < 8; w++) sum += sums[threadIdx.x + 32 * w];
    if (LAST) some_sums[rest * inner + c] = sum;
    else y[rest * inner + c] = R(sum / count);
  }
  if (!LAST) return;
  long long turn = rest / parts * tiles + blockIdx.x % tiles;
  unsigned int all = parts;
@READY@
  sum = A(0);
  if (c < inner)
    for (long long k = threadIdx.x / 32; k < parts; k += 8)
      sum += __ldcg(&some_sums[(rest / parts * parts + k) * inner + c]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < 32 && c < inner) {
    for (int w = 1; w < 8; w++) sum += sums[threadIdx.x + 32 * w];
    y[rest / parts * inner + c] = R(sum / count);
  }
  if (threadIdx.x == 0) tickets[turn] = 0u;
}
//@ SCAN
extern "C" __global__ void tensorsh_running_sums(
    const T* x, T* y, const A* before, long long n, long long chunk, long long parts) {
  __shared__ A part[32];
  long long base = blockIdx.x / parts * n;
  long long first = blockIdx.x % parts * chunk;
  long long end = first + chunk < n ? first + chunk : n;
  A carried = first > 0 ? before[blockIdx.x - 1] : A(0);
  bool even = n % W == 0 && aligned(x);
  for (long long start = first; start < end; start += blockDim.x * W) {
    long long k = start + threadIdx.x * W;
    T some[W];
    if (even && k < end) load(some, &x[base + k]);
    else for (int e = 0; e < W; e++) { some[e] = T(0); if (k + e < end) some[e] = x[base + k + e]; }
    A sums[W];
    A mine = A(0);
    for (int e = 0; e < W; e++) { mine += A(some[e]); sums[e] = mine; }
    A run = mine;
    for (int d = 1; d < 32; d = d * 2) {
      A lower = __shfl_up_sync(0xffffffffu, run, d);
      if (threadIdx.x % 32 >= d) run += lower;
    }
    if (threadIdx.x % 32 == 31) part[threadIdx.x / 32] = run;
    A less = __shfl_up_sync(0xffffffffu, run, 1);
    __syncthreads();
    A below = carried;
    for (int w = 0; w < blockDim.x / 32; w++) {
      if (w < threadIdx.x / 32) below += part[w];
      carried += part[w];
    }
    __syncthreads();
    if (threadIdx.x % 32 > 0) below += less;
    for (int e = 0; e < W; e++) some[e] = T(below + sums[e]);
    if (even && k < end) store(&y[base + k], some);
    else for (int e = 0; e < W; e++) { if (k + e < end) y[base + k + e] = some[e]; }
  }
}
