//@ EXTREMA
__device__ bool before(A a, long long i, A b, long long j, int least) {
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
}
