//@ QUERY

extern "C" __global__ void __launch_bounds__(128) @NAME@(const T* q, const T* k, const T* v, const T* g, const T* result,
    T* dq, const float* sums, float* shares, @PARAMETERS@) {
  __shared__ __align__(128) T ks[2][@N@ * @D@];
  __shared__ __align__(128) T vs[2][@N@ * @D@];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  long long tiles = (rows + 63) / 64;
  long long z = blockIdx.x / tiles, b = z / heads, h = z % heads;
  long long top = (tiles - 1 - blockIdx.x % tiles) * 64;
  long long end = causal ? min(columns, top + 64) : columns;
  const T* keys = k + b * kb + h * kh;
  const T* values = v + b * vb + h * vh;
  tile(ks[0], q + b * qb + h * qh, qr, top, rows, 64, width, t);
  tile(vs[0], g + b * gb + h * gh, gr, top, rows, 64, width, t);
  done();
  asm volatile("cp.async.wait_group 0;\n" ::: "memory");
  __syncthreads();
  unsigned a[@D@ / 16][4], w[@D@ / 16][4], r[4];
  #pragma unroll
  for (int d = 0; d < @D@ / 16; ++d) {
    matrices(a[d], ks[0] + piece(warp * 16 + lane % 16, 2 * d + lane / 16));
    matrices(w[d], vs[0] + piece(warp * 16 + lane % 16, 2 * d + lane / 16));
  }
  long long own = top + warp * 16 + lane / 4;
  float lost[2], share[2] = {0.0f, 0.0f}, o[@D@ / 8][4], s[@N@ / 8][4], p[@N@ / 8][4];
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    long long row = own + i * 8;
    lost[i] = 0.0f;
    if (row < rows) {
      lost[i] = sums[z * rows + row] * 1.4426950408889634f;
      const T* from = result + b * ob + h * oh + row * or_;
      #pragma unroll
      for (int c = 0; c < @D@ / 8; ++c) {
        if (c * 8 < width) {
          const T* two = (const T*)&w[c / 2][c % 2 * 2 + i];
          const T* there = from + c * 8 + lane % 4 * 2;
          share[i] += float(two[0]) * float(there[0]) + float(two[1]) * float(there[1]);
        }
      }
    }
    share[i] += __shfl_xor_sync(0xffffffffu, share[i], 1);
    share[i] += __shfl_xor_sync(0xffffffffu, share[i], 2);
    if (row < rows && lane % 4 == 0) shares[z * rows + row] = share[i];
  }
  #pragma unroll
  for (int c = 0; c < @D@ / 8; ++c) {
    #pragma unroll
    for (int e = 0; e < 4; ++e) o[c][e] = 0.0f;
  }
  float log2e = scale * 1.4426950408889634f;
  int now = 0;
  __syncthreads();
  tile(ks[0], keys, kr, 0, columns, @N@, width, t);
  tile(vs[0], values, vr, 0, columns, @N@, width, t);
  done();
  for (long long first = 0; first < end; first += @N@) {
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
    __syncthreads();
    if (first + @N@ < end) {
      tile(ks[1 - now], keys, kr, first + @N@, columns, @N@, width, t);
      tile(vs[1 - now], values, vr, first + @N@, columns, @N@, width, t);
      done();
    }
@SCORES@    #pragma unroll
    for (int j = 0; j < @N@ / 8; ++j) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) {
        long long c = first + j * 8 + lane % 4 * 2 + e % 2;
        bool seen = c < columns && !(causal && c > own + e / 2 * 8);
        s[j][e] = seen ? exp2f(s[j][e] * log2e - lost[e / 2]) * (p[j][e] - share[e / 2]) : 0.0f;
      }
    }
@ADDED@    now = 1 - now;
  }
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    long long row = own + i * 8;
    if (row < rows) {
      T* to = dq + b * db + h * dh + row * dr;
      #pragma unroll
      for (int c = 0; c < @D@ / 8; ++c)
        if (c * 8 < width) *(unsigned*)(to + c * 8 + lane % 4 * 2) = pair(o[c][2 * i] * scale, o[c][2 * i + 1] * scale);
    }
  }
}

//@ KEYS

extern "C" __global__ void __launch_bounds__(128) @NAME@(const T* q, const T* k, const T* v, const T* g, T* dk, T* dv,
    const float* sums, const float* shares, @PARAMETERS@) {
  __shared__ __align__(128) T qs[2][@N@ * @D@];
  __shared__ __align__(128) T gs[2][@N@ * @D@];
  __shared__ float ls[2][@N@];
  __shared__ float ss[2][@N@];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  long long tiles = (columns + 63) / 64;
  long long z = blockIdx.x / tiles, b = z / heads, h = z % heads;
  long long top = blockIdx.x % tiles * 64;
  long long begin = causal ? top / @N@ * @N@ : 0;
  const T* queries = q + b * qb + h * qh;
  const T* grads = g + b * gb + h * gh;
  tile(qs[0], k + b * kb + h * kh, kr, top, columns, 64, width, t);
  tile(gs[0], v + b * vb + h * vh, vr, top, columns, 64, width, t);
  done();
  asm volatile("cp.async.wait_group 0;\n" ::: "memory");
  __syncthreads();
  unsigned a[@D@ / 16][4], w[@D@ / 16][4], r[4];
  #pragma unroll
  for (int d = 0; d < @D@ / 16; ++d) {
    matrices(a[d], qs[0] + piece(warp * 16 + lane % 16, 2 * d + lane / 16));
    matrices(w[d], gs[0] + piece(warp * 16 + lane % 16, 2 * d + lane / 16));
  }
  long long own = top + warp * 16 + lane / 4;
  float x[@D@ / 8][4], y[@D@ / 8][4], s[@N@ / 8][4], p[@N@ / 8][4];
  #pragma unroll
  for (int c = 0; c < @D@ / 8; ++c) {
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
      x[c][e] = 0.0f;
      y[c][e] = 0.0f;
    }
  }
  float log2e = scale * 1.4426950408889634f;
  int now = 0;
  __syncthreads();
  tile(qs[0], queries, qr, begin, rows, @N@, width, t);
  tile(gs[0], grads, gr, begin, rows, @N@, width, t);
  done();
  if (t < @N@) {
    ls[0][t] = begin + t < rows ? sums[z * rows + begin + t] * 1.4426950408889634f : 0.0f;
    ss[0][t] = begin + t < rows ? shares[z * rows + begin + t] : 0.0f;
  }
  for (long long first = begin; first < rows; first += @N@) {
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
    __syncthreads();
    if (first + @N@ < rows) {
      tile(qs[1 - now], queries, qr, first + @N@, rows, @N@, width, t);
      tile(gs[1 - now], grads, gr, first + @N@, rows, @N@, width, t);
      done();
      if (t < @N@) {
        long long row = first + @N@ + t;
        ls[1 - now][t] = row < rows ? sums[z * rows + row] * 1.4426950408889634f : 0.0f;
        ss[1 - now][t] = row < rows ? shares[z * rows + row] : 0.0f;
      }
    }
@SCORES@    #pragma unroll
    for (int j = 0; j < @N@ / 8; ++j) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) {
        int c = j * 8 + lane % 4 * 2 + e % 2;
        bool seen = first + c < rows && !(causal && own + e / 2 * 8 > first + c);
        s[j][e] = seen ? exp2f(s[j][e] * log2e - ls[now][c]) : 0.0f;
        p[j][e] = s[j][e] * (p[j][e] - ss[now][c]);
      }
    }
    #pragma unroll
    for (int j = 0; j < @N@ / 16; ++j) {
      unsigned m[4] = {pair(s[2 * j][0], s[2 * j][1]), pair(s[2 * j][2], s[2 * j][3]),
        pair(s[2 * j + 1][0], s[2 * j + 1][1]), pair(s[2 * j + 1][2], s[2 * j + 1][3])};
      unsigned n[4] = {pair(p[2 * j][0], p[2 * j][1]), pair(p[2 * j][2], p[2 * j][3]),
        pair(p[2 * j + 1][0], p[2 * j + 1][1]), pair(p[2 * j + 1][2], p[2 * j + 1][3])};
      #pragma unroll
      for (int c = 0; c < @D@ / 8; c += 2) {
        int at = piece(j * 16 + lane / 8 % 2 * 8 + lane % 8, c + lane / 16);
        turned(r, gs[now] + at);
        multiply(y[c], m, r[0], r[1]);
        multiply(y[c + 1], m, r[2], r[3]);
        turned(r, qs[now] + at);
        multiply(x[c], n, r[0], r[1]);
        multiply(x[c + 1], n, r[2], r[3]);
      }
    }
    now = 1 - now;
  }
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    long long row = own + i * 8;
    if (row < columns) {
      long long to = b * db + h * dh + row * dr + lane % 4 * 2;
      #pragma unroll
      for (int c = 0; c < @D@ / 8; ++c) {
        if (c * 8 < width) {
          *(unsigned*)(dk + to + c * 8) = pair(x[c][2 * i] * scale, x[c][2 * i + 1] * scale);
          *(unsigned*)(dv + to + c * 8) = pair(y[c][2 * i], y[c][2 * i + 1]);
        }
      }
    }
  }
}

//@ SCORES
    #pragma unroll
    for (int j = 0; j < @N@ / 8; ++j) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) {
        s[j][e] = 0.0f;
        p[j][e] = 0.0f;
      }
    }
    #pragma unroll
    for (int d = 0; d < @D@ / 16; ++d) {
      #pragma unroll
      for (int j = 0; j < @N@ / 8; j += 2) {
        int at = piece(j * 8 + lane / 16 * 8 + lane % 8, 2 * d + lane / 8 % 2);
        matrices(r, @FIRST@[now] + at);
        multiply(s[j], a[d], r[0], r[1]);
        multiply(s[j + 1], a[d], r[2], r[3]);
        matrices(r, @SECOND@[now] + at);
        multiply(p[j], w[d], r[0], r[1]);
        multiply(p[j + 1], w[d], r[2], r[3]);
      }
    }

