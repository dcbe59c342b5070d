/* Means and variances of rows of float32, added in the order of PyTorch's kernels: Welford's formula over eight lanes in
   chunks of sixteen vectors, the chunks paired as in a cascade, the lanes joined at the end. Operations round as written:
   a file that includes this forbids that they are fused. */
#ifndef TENSORSH_ROW_MOMENTS_H
#define TENSORSH_ROW_MOMENTS_H

#include "moments.h"

#define LANES MOMENT_LANES
#define ROWS MOMENT_ROWS
#define CHUNK 16
#define DEPTH 48

/* Count, mean and sum of squared distances from it, for each lane of some rows. */
struct moments {
    float count, mean[ROWS * LANES], squares[ROWS * LANES];
};

INLINE void join(const struct moments *from, struct moments *to) {
    const float n = to->count + from->count, share = n == 0.0f ? 0.0f : from->count / n, count = to->count;
    for (int k = 0; k < ROWS * LANES; k++) {
        float delta = from->mean[k] - to->mean[k], step = share * delta;
        to->squares[k] = __builtin_fmaf(delta * count, step, to->squares[k] + from->squares[k]);
        to->mean[k] += step;
    }
    to->count = n;
}

/* Means and variances of ROWS rows of n elements. */
INLINE void row_moments(const float *const *rows, size n, float *means, float *variances) {
    static const struct moments none;
    struct moments stack[DEPTH], part;
    const size vectors = n / LANES, chunks = (vectors + CHUNK - 1) / CHUNK;
    int depth = 0;
    while ((size)1 << depth < chunks) depth++;
    for (int k = 0; k < (depth ? depth : 1); k++) stack[k] = none;
    for (size i = 0; i < chunks; i++) {
        int count = (int)(vectors - i * CHUNK < CHUNK ? vectors - i * CHUNK : CHUNK);
        const float *from[ROWS];
        for (int r = 0; r < ROWS; r++) from[r] = rows[r] + i * CHUNK * LANES;
        chunk_moments(from, count, part.mean, part.squares);
        part.count = (float)count;
        join(&part, stack);
        size pairs = i + 1;
        for (int j = 1; j < depth && !(pairs & 1); j++, pairs >>= 1) {
            join(stack + j - 1, stack + j);
            stack[j - 1] = none;
        }
    }
    for (int j = 1; j < depth; j++) join(stack + j, stack);
    float counts[LANES + 1], shares[LANES];
    counts[0] = (float)(n % LANES);
    for (int k = 0; k < LANES; k++) {
        counts[k + 1] = counts[k] + (float)vectors;
        shares[k] = counts[k + 1] == 0.0f ? 0.0f : (float)vectors / counts[k + 1];
    }
    for (int r = 0; r < ROWS; r++) {
        float count = 0, m = 0, squares = 0;
        for (size i = vectors * LANES; i < n; i++) {
            float x = rows[r][i], delta = x - m;
            count += 1.0f;
            m += delta / count;
            squares += delta * (x - m);
        }
        for (int k = 0; k < LANES; k++) {
            float delta = stack[0].mean[r * LANES + k] - m;
            m = __builtin_fmaf(shares[k], delta, m);
            squares += __builtin_fmaf(delta * delta * shares[k], counts[k], stack[0].squares[r * LANES + k]);
        }
        means[r] = m;
        variances[r] = squares / (float)n;
    }
}

#endif
