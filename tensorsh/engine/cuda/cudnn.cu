//@ BIAS
extern "C" __global__ void tensorsh_bias_of_channels(T* y, const T* b, unsigned n, unsigned l, unsigned o) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * W;
  if (at >= n) return;
  if (at + W <= n) {
    T v[W];
    load(v, &y[at]);
    #pragma unroll
    for (unsigned k = 0; k < W; ++k) v[k] = T(A(v[k]) + A(b[(at + k) / l % o]));
    store(&y[at], v);
  } else {
    for (unsigned k = at; k < n; ++k) y[k] = T(A(y[k]) + A(b[k / l % o]));
  }
}
