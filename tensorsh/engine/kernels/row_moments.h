/* Means and variances of rows, added in the order of PyTorch's kernels: Welford's formula over eight lanes, or four of doubles, in
   chunks of sixteen vectors, the chunks paired as in a cascade, the lanes joined at the end. Operations round as written:
   a file that includes this forbids that they are fused. It is for NUMBER, with its FUSED product and sum; OF(name) is the name of a
   function for it. */
#include "moments.h"

#undef ROWS
#undef CHUNK
#undef DEPTH
#define ROWS MOMENT_ROWS
#define CHUNK 16
#define DEPTH 48
#define IN_VECTOR (32 / (int)sizeof(NUMBER))

/* Count, mean and sum of squared distances from it, for each lane of some rows. */
struct OF(moments) {
    NUMBER count, mean[ROWS * IN_VECTOR], squares[ROWS * IN_VECTOR];
};

INLINE void OF(join)(const struct OF(moments) *from, struct OF(moments) *to) {
    const NUMBER n = to->count + from->count, share = n == 0 ? 0 : from->count / n, count = to->count;
    for (int k = 0; k < ROWS * IN_VECTOR; k++) {
        NUMBER delta = from->mean[k] - to->mean[k], step = share * delta;
        to->squares[k] = FUSED(delta * count, step, to->squares[k] + from->squares[k]);
        to->mean[k] += step;
    }
    to->count = n;
}

/* Means and variances of ROWS rows of n elements. */
INLINE void OF(row_moments)(const NUMBER *const *rows, size n, NUMBER *means, NUMBER *variances) {
    static const struct OF(moments) none;
    struct OF(moments) stack[DEPTH], part;
    const size vectors = n / IN_VECTOR, chunks = (vectors + CHUNK - 1) / CHUNK;
    int depth = 0;
    while ((size)1 << depth < chunks) depth++;
    stack[0] = none;
    for (int k = 1; k < depth; k++) stack[k] = none;
    for (size i = 0; i < chunks; i++) {
        int count = (int)(vectors - i * CHUNK < CHUNK ? vectors - i * CHUNK : CHUNK);
        const NUMBER *from[ROWS];
        for (int r = 0; r < ROWS; r++) from[r] = rows[r] + i * CHUNK * IN_VECTOR;
        OF(chunk_moments)(from, count, part.mean, part.squares);
        part.count = (NUMBER)count;
        OF(join)(&part, stack);
        size pairs = i + 1;
        for (int j = 1; j < depth && !(pairs & 1); j++, pairs >>= 1) {
            OF(join)(stack + j - 1, stack + j);
            stack[j - 1] = none;
        }
    }
    for (int j = 1; j < depth; j++) OF(join)(stack + j, stack);
    NUMBER counts[IN_VECTOR + 1], shares[IN_VECTOR];
    counts[0] = (NUMBER)(n % IN_VECTOR);
    for (int k = 0; k < IN_VECTOR; k++) {
        counts[k + 1] = counts[k] + (NUMBER)vectors;
        shares[k] = counts[k + 1] == 0 ? 0 : (NUMBER)vectors / counts[k + 1];
    }
    for (int r = 0; r < ROWS; r++) {
        NUMBER count = 0, m = 0, squares = 0;
        for (size i = vectors * IN_VECTOR; i < n; i++) {
            NUMBER x = rows[r][i], delta = x - m;
            count += 1;
            m += delta / count;
            squares += delta * (x - m);
        }
        for (int k = 0; k < IN_VECTOR; k++) {
            NUMBER delta = stack[0].mean[r * IN_VECTOR + k] - m;
            m = FUSED(shares[k], delta, m);
            squares += FUSED(delta * delta * shares[k], counts[k], stack[0].squares[r * IN_VECTOR + k]);
        }
        means[r] = m;
        variances[r] = squares / (NUMBER)n;
    }
}

#undef IN_VECTOR
#undef NUMBER
#undef FUSED
#undef OF
