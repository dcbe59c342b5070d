/* The hot loop of layer norm's moments, apart because here multiplications and additions are to be fused. */
#include "moments.h"

typedef float vector __attribute__((vector_size(4 * MOMENT_LANES), aligned(4)));

WIDE void chunk_moments(const float *const *rows, int count, float *means, float *squares) {
    vector mean[MOMENT_ROWS], square[MOMENT_ROWS];
    for (int r = 0; r < MOMENT_ROWS; r++) mean[r] = square[r] = (vector){0};
    for (int j = 0; j < count; j++) {
        float share = 1.0f / (float)(j + 1);
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
