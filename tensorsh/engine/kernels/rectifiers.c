/* Functions with kinks, of float32 and float64, as ufuncs: shrinkages, clamps, thresholds, and their gradients. Their bounds are
   numbers as a rule. */
#include "kernels.h"

/* A ufunc of x, or of g and x, and then of the first of the numbers a, b and c; arrays of numbers are read element by element. */
#define KINKED(T, name, arrays, numbers, ...)                                                                 \
    WIDE static void name##_flat(const T *gs, const T *xs, T a, T b, T c, T *out, size n) {                   \
        (void)a, (void)b, (void)c;                                                                            \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < whole(n); i++) {                                                                 \
            const T g = gs[i], x = xs[i];                                                                     \
            (void)g;                                                                                          \
            out[i] = (__VA_ARGS__);                                                                           \
        }                                                                                                     \
    }                                                                                                         \
    static void name##_taken(const void *const *in, void *out, size n) {                                      \
        T abc[3] = {0};                                                                                       \
        for (int k = 0; k < numbers; k++) abc[k] = *(const T *)in[arrays + k];                                \
        name##_flat(in[0], in[arrays - 1], abc[0], abc[1], abc[2], out, n);                                   \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        int still = 1;                                                                                        \
        for (int k = arrays; k < arrays + numbers; k++) still &= steps[k] == 0;                               \
        if (still) in_pieces_of(name##_taken, args, *count, steps, arrays, numbers, sizeof(T));               \
        for (size i = 0; !still && i < *count; i++) {                                                         \
            T abc[3] = {0};                                                                                   \
            for (int k = 0; k < numbers; k++) abc[k] = *(const T *)(args[arrays + k] + i * steps[arrays + k]); \
            const T g = *(const T *)(args[0] + i * steps[0]), a = abc[0], b = abc[1], c = abc[2];             \
            const T x = *(const T *)(args[arrays - 1] + i * steps[arrays - 1]);                               \
            (void)g, (void)a, (void)b, (void)c;                                                               \
            *(T *)(args[arrays + numbers] + i * steps[arrays + numbers]) = (__VA_ARGS__);                     \
        }                                                                                                     \
    }
#define KINKED_BOTH(name, arrays, numbers, ...)                                                               \
    KINKED(float, name##_floats, arrays, numbers, __VA_ARGS__)                                                \
    KINKED(double, name##_doubles, arrays, numbers, __VA_ARGS__)
#define RECTIFIER(name, numbers, ...) KINKED_BOTH(name, 1, numbers, __VA_ARGS__)
#define GRADIENT(name, numbers, ...) KINKED_BOTH(name##_backward, 2, numbers, __VA_ARGS__)

/* A NaN stays, and a zero between bounds that are zeros keeps its sign. */
#define AT_LEAST(low, x) ((x) < (low) ? (low) : (x))
#define AT_MOST(x, high) ((x) > (high) ? (high) : (x))

RECTIFIER(hardshrink, 1, x >= -a && x <= a ? 0 : x)
RECTIFIER(softshrink, 1, x > a ? x - a : x < -a ? x + a : x * 0)
RECTIFIER(threshold, 2, x <= a ? b : x)
RECTIFIER(hardtanh, 2, AT_MOST(AT_LEAST(a, x), b))
RECTIFIER(hardsigmoid, 0, AT_MOST(AT_LEAST(0, x + 3), 6) / 6)
RECTIFIER(nan_to_num, 3, x != x ? a : x == (float)INFINITY ? b : x == -(float)INFINITY ? c : x)

/* Gradients: g is that of the result, x the argument, in that of relu the result. A NaN passes g on as a rule. */
#define SIXTH 0x1.555556p-3f /* of single precision, for doubles as well */
GRADIENT(relu, 0, x <= 0 ? 0 : g)
GRADIENT(threshold, 1, x <= a ? 0 : g)
GRADIENT(hardtanh, 2, (x <= a) | (x >= b) ? 0 : g)
GRADIENT(hardshrink, 1, (x >= -a) & (x <= a) ? 0 : g)
GRADIENT(hardsigmoid, 0, (x > -3) & (x < 3) ? g * SIXTH : 0)
GRADIENT(hardswish, 0, x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5f) : g)
GRADIENT(leaky_relu, 1, x > 0 ? g : g * a)
/* Beyond its domain, [0, 1], logit has no slope; where arguments are limited to a range within it is flat beyond that. */
#define LOGIT_SLOPE(x) ((x) == 0 || (x) == 1 ? g * (float)INFINITY : g / ((x) * (1 - (x))))
GRADIENT(logit, 0, x < 0 || x > 1 ? (float)NAN : LOGIT_SLOPE(x))
GRADIENT(logit_limited, 2, x < a || x > b ? 0 : LOGIT_SLOPE(x))

/* Of two arrays, of which g is the first. */
#define COPYSIGN(to, from) _Generic((to), float: __builtin_copysignf(to, from), double: __builtin_copysign(to, from))
KINKED_BOTH(heaviside, 2, 0, g == 0 ? x : g > 0)
KINKED_BOTH(copysign, 2, 0, COPYSIGN(g, x))

#define UFUNC(name, inputs) {#name, inputs, {name##_floats, name##_doubles}, 0}
Ufunc rectifier_ufuncs[] = {
    UFUNC(hardshrink, 2), UFUNC(softshrink, 2), UFUNC(threshold, 3), UFUNC(hardtanh, 3), UFUNC(hardsigmoid, 1), UFUNC(nan_to_num, 4),
    UFUNC(relu_backward, 2), UFUNC(threshold_backward, 3), UFUNC(hardtanh_backward, 4), UFUNC(hardshrink_backward, 3),
    UFUNC(hardsigmoid_backward, 2), UFUNC(hardswish_backward, 2), UFUNC(leaky_relu_backward, 3),
    UFUNC(logit_backward, 2), UFUNC(logit_limited_backward, 4), UFUNC(heaviside, 2), UFUNC(copysign, 2), {0},
};
