//@ PLACE The row of a block: `z` counts the matrices, `at` is where its mask begins, beyond `last` a causal mask hides all.
__shared__ A part[32]; long long row = blockIdx.x; long long base = row * n;long long z = row / rows; long long i = row % rows + top;long long at = (z + before) / heads * mb + (z + before) % heads * mh + i * mr;long long last = causal ? min(n, i + 1) : n;
//@ NUMBERS
long long n, long long all, long long rows, long long top, long long before, long long heads, long long mb,long long mh, long long mr, long long mc, A scale, int given, int causal, long long whole, long long lanes, unsigned long long seed,unsigned long long start, long long draws, float keep, A factor
//@ FACTOR
kept(((z + before) * whole + i) * all + k, lanes, seed, start, draws, keep, factor)
//@ WEIGHTS
extern "C" __global__ void tensorsh_attention_weights(float* s, T* p, const float* added, float* sums, @NUMBERS@, float none) {@PLACE@
  A most = none;
  for (long long k = threadIdx.x; k < last; k += blockDim.x) {
    A v = s[base + k] * scale;
    if (given) v = v + added[at + k * mc];
    s[base + k] = v;
    most = max(most, v);
  }
  most = largest(most, part);
  if (isinf(most)) most = A(0);
  A sum = A(0);
  for (long long k = threadIdx.x; k < last; k += blockDim.x) sum += exp(s[base + k] - most);
  sum = total(sum, part);
  A share = sum == A(0) ? A(0) : A(1) / sum;
  for (long long k = threadIdx.x; k < n; k += blockDim.x)
    p[base + k] = T(k < last ? exp(s[base + k] - most) * share * @FACTOR@ : A(0));
  if (threadIdx.x == 0) sums[row] = sum == A(0) ? A(0) : log(sum) + most;
}
//@ WEIGHTS_BACKWARD
extern "C" __global__ void tensorsh_attention_weights_backward(float* s, float* d, T* p, T* ds, const float* added, const float* sums, @NUMBERS@) {@PLACE@
  A lost = sums[row];
  A share = A(0);
  for (long long k = threadIdx.x; k < last; k += blockDim.x) {
    A v = s[base + k] * scale;
    if (given) v = v + added[at + k * mc];
    v = exp(v - lost);
    s[base + k] = v;
    share += v * d[base + k] * @FACTOR@;
  }
  share = total(share, part);
  for (long long k = threadIdx.x; k < n; k += blockDim.x) {
    A m = k < last ? @FACTOR@ : A(0);
    A v = s[base + k];
    ds[base + k] = T(k < last ? v * (d[base + k] * m - share) * scale : A(0));
    p[base + k] = T(k < last ? v * m : A(0));
  }
}
