//@ TAKE
extern "C" __global__ void tensorsh_take(
    const T* x, const I* index, T* y, int* flag, long long n, long long inner, long long m, long long count, int kind) {
  for (int u = 0; u < 4; u++) {
    long long i = (blockIdx.x * 4 + u) * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
      long long j = i, o = 0, e = 0;
      if (inner > 1) { j = i / inner; e = i % inner; }
      if (m < count / inner) { o = j / m; j = j % m; }
      long long at = index[kind & 1 ? i : j];
      if ((kind & 2) && at < 0) at += n;
      if (at < 0 || at >= n) { flag[0] = 1; at = 0; }
      at = (o * n + at) * inner + e;
      T some[WIDE];
      load(some, &x[at * WIDE]);
      store(&y[i * WIDE], some);
    }
  }
}
//@ JOIN
, long long width, long long count) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= count) return;
  long long row = i / width;
  long long c = i % width;
  T some[WIDE];
  
