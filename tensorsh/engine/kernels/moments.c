/* The hot loop of layer norm's moments, apart because here a multiplication and the addition of its product are fused: it says
   so by a pragma, since compilers make no vectors of single calls of fma. */
#ifdef __clang__
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif
#include "moments.h"

typedef float vector __attribute__((vector_size(4 * MOMENT_LANES), aligned(4)));

WIDE static void chunk(const float *const *rows, int count, float *means, float *squares) {
    vector mean[MOMENT_ROWS], square[MOMENT_ROWS];
    for (int r = 0; r < MOMENT_ROWS; r++) mean[r] = square[r] = (vector){0};
    for (int j = 0; j < count; j++) {
        const float share = 1.0f / (float)(j + 1);
        for (int r = 0; r < MOMENT_ROWS; r++) {
            vector x = *(const vector *)(rows[r] + j * MOMENT_LANES), delta = x - mean[r];
            mean[r] += delta * share;
            square[r] += delta * (x - mean[r]);
        }
    }
    for (int r = 0; r < MOMENT_ROWS; r++) {
        *(vector *)(means + r * MOMENT_LANES) = mean[r];
        *(vector *)(squares + r * MOMENT_LANES) = square[r];
    }
}

/* A function that has several builds is known in its own file only. */
void chunk_moments(const float *const *rows, int count, float *means, float *squares) { chunk(rows, count, means, squares); }
