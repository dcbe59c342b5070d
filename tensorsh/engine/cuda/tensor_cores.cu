//@ SHARED

__device__ __forceinline__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ int piece(int row, int c) { return row * @D@ + (((c & ~7) | ((c ^ row) & 7)) << 3); }
__device__ __forceinline__ void copy(T* to, const T* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" :: "r"(place(to)), "l"(from), "r"(there ? 16 : 0) : "memory");
}
__device__ __forceinline__ void done() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
__device__ __forceinline__ void matrices(unsigned (&r)[4], const T* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(from)) : "memory");
}
__device__ __forceinline__ void turned(unsigned (&r)[4], const T* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(from)) : "memory");
}
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.@TYPE@.@TYPE@.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ unsigned pair(float low, float high) {
  unsigned both;
  asm("cvt.rn.@TYPE@x2.f32 %0, %1, %2;\n" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
__device__ __forceinline__ void tile(T* to, const T* from, long long step, long long first, long long end, int count,
    long long width, int t) {
  #pragma unroll
  for (int n = t; n < count * (@D@ / 8); n += @H@) {
    int i = n / (@D@ / 8), c = n % (@D@ / 8);
    bool there = first + i < end && c * 8 < width;
    copy(to + piece(i, c), from + (there ? (first + i) * step + c * 8 : 0), there);
  }
}

//@ FORWARD

extern "C" __global__ void __launch_bounds__(@H@, 2) @NAME@(@PARAMETERS@) {
  __shared__ __align__(128) T qs[@R@ * @D@];
  __shared__ __align__(128) T ks[2][@N@ * @D@];
  __shared__ __align__(128) T vs[2][@N@ * @D@];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  long long tiles = (rows + @R@ - 1) / @R@;
  long long z = blockIdx.x / tiles, b = z / heads, h = z % heads;
  long long top = (tiles - 1 - blockIdx.x % tiles) * @R@;
  long long end = causal ? min(columns, top + @R@) : columns;
  const T* keys = k + b * kb + h * kh;
  const T* values = v + b * vb + h * vh;
  tile(qs, q + b * qb + h * qh, qr, top, rows, @R@, width, t);
  done();
  tile(ks[0], keys, kr, 0, columns, @N@, width, t);
  tile(vs[0], values, vr, 0, columns, @N@, width, t);
  done();
  asm volatile("cp.async.wait_group 1;\n" ::: "memory");
  __syncthreads();
  unsigned a[@D@ / 16][4], r[4];
  #pragma unroll
  for (int d = 0; d < @D@ / 16; ++d) matrices(a[d], qs + piece(warp * 16 + lane % 16, 2 * d + lane / 16));
  float o[@D@ / 8][4], s[@N@ / 8][4], most[2] = {none, none}, sum[2] = {0.0f, 0.0f};
  #pragma unroll
  for (int c = 0; c < @D@ / 8; ++c) {
    #pragma unroll
    for (int e = 0; e < 4; ++e) o[c][e] = 0.0f;
  }
  long long own = top + warp * 16 + lane / 4;
  float log2e = scale * 1.4426950408889634f;
  int now = 0;
  for (long long first = 0; first < end; first += @N@) {
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
    __syncthreads();
    if (first + @N@ < end) {
      tile(ks[1 - now], keys, kr, first + @N@, columns, @N@, width, t);
      tile(vs[1 - now], values, vr, first + @N@, columns, @N@, width, t);
      done();
    }
    if (!causal || first < top + warp * 16 + 16) {
    #pragma unroll
    for (int j = 0; j < @N@ / 8; ++j) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) s[j][e] = 0.0f;
    }
    #pragma unroll
    for (int d = 0; d < @D@ / 16; ++d) {
      #pragma unroll
      for (int j = 0; j < @N@ / 8; j += 2) {
        matrices(r, ks[now] + piece(j * 8 + lane / 16 * 8 + lane % 8, 2 * d + lane / 8 % 2));
        multiply(s[j], a[d], r[0], r[1]);
        multiply(s[j + 1], a[d], r[2], r[3]);
      }
    }
    if (first + @N@ > columns || (causal && first + @N@ > top + warp * 16 + 1)) {
      #pragma unroll
      for (int j = 0; j < @N@ / 8; ++j) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
          long long c = first + j * 8 + lane % 4 * 2 + e % 2;
          if (c >= columns || (causal && c > own + e / 2 * 8)) s[j][e] = none;
        }
      }
    }
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
      float high = most[i];
      #pragma unroll
      for (int j = 0; j < @N@ / 8; ++j) high = max(high, max(s[j][2 * i], s[j][2 * i + 1]));
      high = max(high, __shfl_xor_sync(0xffffffffu, high, 1));
      high = max(high, __shfl_xor_sync(0xffffffffu, high, 2));
      float from = isinf(high) ? 0.0f : high * log2e;
      float shrink = exp2f(most[i] * log2e - from);
      most[i] = high;
      sum[i] *= shrink;
      #pragma unroll
      for (int c = 0; c < @D@ / 8; ++c) {
        o[c][2 * i] *= shrink;
        o[c][2 * i + 1] *= shrink;
      }
      #pragma unroll
      for (int j = 0; j < @N@ / 8; ++j) {
        s[j][2 * i] = exp2f(s[j][2 * i] * log2e - from);
        s[j][2 * i + 1] = exp2f(s[j][2 * i + 1] * log2e - from);
        sum[i] += s[j][2 * i] + s[j][2 * i + 1];
      }
    }
@ADDED@    }
    now = 1 - now;
  }
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], 1);
    sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], 2);
    float share = sum[i] == 0.0f ? 0.0f : 1.0f / sum[i];
    long long row = own + i * 8;
    if (row < rows) {
      T* to = out + b * ob + h * oh + row * row_step;
      #pragma unroll
      for (int c = 0; c < @D@ / 8; ++c)
        if (c * 8 < width) *(unsigned*)(to + c * 8 + lane % 4 * 2) = pair(o[c][2 * i] * share, o[c][2 * i + 1] * share);
      if (lane % 4 == 0) sums[z * rows + row] = sum[i] == 0.0f ? 0.0f : log(sum[i]) + most[i] * scale;
    }
  }
}

//@ ADDED
    #pragma unroll
    for (int j = 0; j < @N@ / 16; ++j) {
      unsigned @WEIGHTS@[4] = {pair(s[2 * j][0], s[2 * j][1]), pair(s[2 * j][2], s[2 * j][3]),
        pair(s[2 * j + 1][0], s[2 * j + 1][1]), pair(s[2 * j + 1][2], s[2 * j + 1][3])};
      #pragma unroll
      for (int c = 0; c < @D@ / 8; c += 2) {
        turned(r, @TILE@[now] + piece(j * 16 + lane / 8 % 2 * 8 + lane % 8, c + lane / 16));
        multiply(o[c], @WEIGHTS@, r[0], r[1]);
        multiply(o[c + 1], @WEIGHTS@, r[2], r[3]);
      }
    }

