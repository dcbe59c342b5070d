//@ CODE

extern "C" __global__ void __launch_bounds__(256, TOGETHER) @NAME@(@PARAMETERS@) {
  __shared__ __align__(16) float qs[@D@ * @M@];
  __shared__ __align__(16) float ks[@SHARED@];
  __shared__ __align__(16) float vs[@N@ * @D@];
  int t = threadIdx.x, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  long long tiles = (rows + @M@ - 1) / @M@;
  long long z = blockIdx.x / tiles, b = z / heads, h = z % heads;
  long long top = (tiles - 1 - blockIdx.x % tiles) * @M@;
  long long end = causal ? min(columns, top + @M@) : columns;
  T x[4];
  #pragma unroll
  for (int part = 0; part < @QC@; ++part) {
    int n = part * 256 + t;
    int i = n / 32 % (@M@ / 8) * 8 + n % 32 / 4, c = n / 32 / (@M@ / 8) * 4 + n % 4;
    x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
    if (top + i < rows && c * 4 < width) load(x, &q[b * qb + h * qh + (top + i) * qr + c * 4]);
    int at = (((i >> 2) ^ ((2 * c) & (@M@ / 4 - 1))) << 2) | (i & 3);
    #pragma unroll
    for (int e = 0; e < 4; ++e) qs[(c * 4 + e) * @M@ + at] = float(x[e]);
  }
  float s[@RM@ * @RN@], o[@RM@ * @RE@], most[@RM@], sum[@RM@], left[4], right[8];
  #pragma unroll
  for (int r = 0; r < @RM@; ++r) {
    most[r] = none;
    sum[r] = 0.0f;
  }
  #pragma unroll
  for (int r = 0; r < @RM@ * @RE@; ++r) o[r] = 0.0f;
  for (long long first = 0; first < end; first += @N@) {
    __syncthreads();
    #pragma unroll
    for (int part = 0; part < @KC@; ++part) {
      int n = part * 256 + t;
      int i = n / 32 % (@N@ / 8) * 8 + n % 32 / 4, c = n / 32 / (@N@ / 8) * 4 + n % 4;
      x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
      if (first + i < columns && c * 4 < width) load(x, &k[b * kb + h * kh + (first + i) * kr + c * 4]);
      int at = (((i >> 2) ^ ((2 * c) & (@N@ / 4 - 1))) << 2) | (i & 3);
      #pragma unroll
      for (int e = 0; e < 4; ++e) ks[(c * 4 + e) * @N@ + at] = float(x[e]);
    }
    #pragma unroll
    for (int part = 0; part < @KC@; ++part) {
      int n = part * 256 + t;
      int i = n / (@D@ / 4), c = n % (@D@ / 4);
      x[0] = T(0.0f); x[1] = T(0.0f); x[2] = T(0.0f); x[3] = T(0.0f);
      if (first + i < columns && c * 4 < width) load(x, &v[b * vb + h * vh + (first + i) * vr + c * 4]);
      #pragma unroll
      for (int e = 0; e < 4; ++e) vs[i * @D@ + c * 4 + e] = float(x[e]);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < @RM@ * @RN@; ++r) s[r] = 0.0f;
    #pragma unroll 8
    for (int d = 0; d < @D@; ++d) {
      int own = d * @M@ + ((((ty * @RM@) >> 2) ^ ((2 * (d >> 2)) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      int other = d * @N@ + ((((tx * @RN@) >> 2) ^ ((2 * (d >> 2)) & (@N@ / 4 - 1))) << 2) + ((tx * @RN@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) left[r] = qs[own + r];
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) right[j] = ks[other + j];
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) {
        #pragma unroll
        for (int j = 0; j < @RN@; ++j) s[r * @RN@ + j] += left[r] * right[j];
      }
    }
    bool edge = first + @N@ > columns || (causal && first + @N@ > top + 1);
    #pragma unroll
    for (int r = 0; r < @RM@; ++r) {
      long long i = top + ty * @RM@ + r;
      float high = most[r];
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) {
        long long c = first + tx * @RN@ + j;
        s[r * @RN@ + j] *= scale;
        if (GIVEN && i < rows && c < columns) s[r * @RN@ + j] += added[b * mb + h * mh + i * mr + c * mc];
        if (edge && (c >= columns || (causal && c > i))) s[r * @RN@ + j] = none;
        high = max(high, s[r * @RN@ + j]);
      }
      #pragma unroll
      for (int d = 8; d > 0; d = d / 2) high = max(high, __shfl_xor_sync(0xffffffffu, high, d));
      float from = isinf(high) ? 0.0f : high;
      float shrink = exp2f((most[r] - from) * 1.4426950408889634f);
      most[r] = high;
      sum[r] *= shrink;
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) o[r * @RE@ + e] *= shrink;
      #pragma unroll
      for (int j = 0; j < @RN@; ++j) {
        float p = exp2f((s[r * @RN@ + j] - from) * 1.4426950408889634f);
        sum[r] += p;
        if (DROPS) p *= float(kept((z * rows + i) * columns + first + tx * @RN@ + j, lanes, seed, start, draws, keep, factor));
        s[r * @RN@ + j] = p;
      }
    }
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < @RN@; ++j) {
      int c = tx * @RN@ + j;
      int at = c * @M@ + ((((ty * @RM@) >> 2) ^ ((c >> 2) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) ks[at + r] = s[r * @RN@ + j];
    }
    __syncthreads();
    #pragma unroll 8
    for (int c = 0; c < @N@; ++c) {
      int own = c * @M@ + ((((ty * @RM@) >> 2) ^ ((c >> 2) & (@M@ / 4 - 1))) << 2) + ((ty * @RM@) & 3);
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) left[r] = ks[own + r];
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) right[e] = vs[c * @D@ + e / @W@ * (16 * @W@) + tx * @W@ + e % @W@];
      #pragma unroll
      for (int r = 0; r < @RM@; ++r) {
        #pragma unroll
        for (int e = 0; e < @RE@; ++e) o[r * @RE@ + e] += left[r] * right[e];
      }
    }
  }
  #pragma unroll
  for (int r = 0; r < @RM@; ++r) {
    long long i = top + ty * @RM@ + r;
    #pragma unroll
    for (int d = 8; d > 0; d = d / 2) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
    float share = sum[r] == 0.0f ? 0.0f : 1.0f / sum[r];
    if (i < rows) {
      #pragma unroll
      for (int e = 0; e < @RE@; ++e) {
        int c = e / @W@ * (16 * @W@) + tx * @W@ + e % @W@;
        if (c < width) out[b * ob + h * oh + i * row_step + c] = T(o[r * @RE@ + e] * share);
      }
      if (tx == 0) sums[z * rows + i] = sum[r] == 0.0f ? 0.0f : log(sum[r]) + most[r];
    }
  }
}

