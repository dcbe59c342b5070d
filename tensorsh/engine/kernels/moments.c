/* The hot loop of layer norm's moments, apart because here a multiplication and the addition of its product are fused: it says
   so by a pragma, since compilers make no vectors of single calls of fma. */
#ifdef __clang__
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif
#include "moments.h"

/* A function that has several builds is known in its own file only. */
#define MOMENTS(T, name)                                                                                      \
    typedef T name##_vector __attribute__((vector_size(32), aligned(4)));                                     \
    WIDE static void name(const T *const *rows, int count, T *means, T *squares) {                            \
        enum { LANES = 32 / sizeof(T) };                                                                      \
        name##_vector mean[MOMENT_ROWS], square[MOMENT_ROWS];                                                 \
        for (int r = 0; r < MOMENT_ROWS; r++) mean[r] = square[r] = (name##_vector){0};                       \
        for (int j = 0; j < count; j++) {                                                                     \
            const T share = (T)1 / (T)(j + 1);                                                                \
            for (int r = 0; r < MOMENT_ROWS; r++) {                                                           \
                name##_vector x = *(const name##_vector *)(rows[r] + j * LANES), delta = x - mean[r];         \
                mean[r] += delta * share;                                                                     \
                square[r] += delta * (x - mean[r]);                                                           \
            }                                                                                                 \
        }                                                                                                     \
        for (int r = 0; r < MOMENT_ROWS; r++) {                                                               \
            *(name##_vector *)(means + r * LANES) = mean[r];                                                  \
            *(name##_vector *)(squares + r * LANES) = square[r];                                              \
        }                                                                                                     \
    }                                                                                                         \
    void chunk_moments_of_##name(const T *const *rows, int count, T *means, T *squares) { name(rows, count, means, squares); }
MOMENTS(float, floats)
MOMENTS(double, doubles)
