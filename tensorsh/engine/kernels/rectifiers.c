/* Functions with kinks, of float32 and float64, as ufuncs: shrinkages, clamps, thresholds. Their bounds are numbers as a rule. */
#include "kernels.h"

#define PIECE 256

/* A ufunc of x and the numbers a and b, or of x and a, or of x alone; arrays of bounds are read element by element. */
#define RECTIFIER(T, name, inputs, ...)                                                                       \
    WIDE static void name##_flat(const T *in, T a, T b, T *out, size n) {                                     \
        (void)a, (void)b;                                                                                     \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const T x = in[i];                                                                                \
            out[i] = (__VA_ARGS__);                                                                           \
        }                                                                                                     \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(T);                                                               \
        T a = inputs > 1 ? *(const T *)args[1] : 0, b = inputs > 2 ? *(const T *)args[2] : 0;                 \
        const int still = (inputs < 2 || steps[1] == 0) && (inputs < 3 || steps[2] == 0);                     \
        if (still && steps[0] == one && steps[inputs] == one) {                                               \
            name##_flat((const T *)args[0], a, b, (T *)args[inputs], n);                                      \
            return;                                                                                           \
        }                                                                                                     \
        T buffer[PIECE], made[PIECE];                                                                         \
        for (size done = 0; still && done < n; done += PIECE) { /* with the bounds of all */                  \
            const size m = n - done < PIECE ? n - done : PIECE;                                               \
            gather(args[0] + done * steps[0], steps[0], sizeof(T), buffer, m);                                \
            name##_flat(buffer, a, b, made, m);                                                               \
            for (size i = 0; i < m; i++) *(T *)(args[inputs] + (done + i) * steps[inputs]) = made[i];         \
        }                                                                                                     \
        for (size i = 0; !still && i < n; i++) {                                                              \
            const T x = *(const T *)(args[0] + i * steps[0]);                                                 \
            if (inputs > 1) a = *(const T *)(args[1] + i * steps[1]);                                         \
            if (inputs > 2) b = *(const T *)(args[2] + i * steps[2]);                                         \
            *(T *)(args[inputs] + i * steps[inputs]) = (__VA_ARGS__);                                         \
        }                                                                                                     \
    }
#define RECTIFIERS(name, inputs, ...)                                                                         \
    RECTIFIER(float, name##_floats, inputs, __VA_ARGS__)                                                      \
    RECTIFIER(double, name##_doubles, inputs, __VA_ARGS__)

/* A NaN stays, and a zero between bounds that are zeros keeps its sign. */
#define AT_LEAST(low, x) ((x) < (low) ? (low) : (x))
#define AT_MOST(x, high) ((x) > (high) ? (high) : (x))
#define ABOVE_ZERO(x) ((x) > 0 || (x) != (x) ? (x) : 0)

RECTIFIERS(hardshrink, 2, x >= -a && x <= a ? 0 : x)
RECTIFIERS(softshrink, 2, x > a ? x - a : x < -a ? x + a : x * 0)
RECTIFIERS(threshold, 3, x <= a ? b : x)
RECTIFIERS(hardtanh, 3, AT_MOST(AT_LEAST(a, x), b))
RECTIFIERS(hardsigmoid, 1, AT_MOST(ABOVE_ZERO(x + 3), 6) / 6)

/* The gradient of relu: that of the result, 0 where the result is not above 0 (a NaN passes it on). */
#define RELU_BACKWARD(T, name)                                                                                \
    WIDE static void name##_flat(const T *g, const T *result, T *out, size n) {                               \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = result[i] <= 0 ? 0 : g[i];                                      \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        const size n = *count, one = sizeof(T);                                                               \
        (void)data;                                                                                           \
        if (steps[0] == one && steps[1] == one && steps[2] == one) {                                          \
            name##_flat((const T *)args[0], (const T *)args[1], (T *)args[2], n);                             \
            return;                                                                                           \
        }                                                                                                     \
        for (size i = 0; i < n; i++)                                                                          \
            *(T *)(args[2] + i * steps[2]) = *(T *)(args[1] + i * steps[1]) <= 0 ? 0 : *(T *)(args[0] + i * steps[0]); \
    }
RELU_BACKWARD(float, relu_backward_floats)
RELU_BACKWARD(double, relu_backward_doubles)

#define UFUNC(name, inputs) {#name, inputs, {name##_floats, name##_doubles}, 0}
Ufunc rectifier_ufuncs[] = {
    UFUNC(hardshrink, 2), UFUNC(softshrink, 2), UFUNC(threshold, 3), UFUNC(hardtanh, 3), UFUNC(hardsigmoid, 1), UFUNC(relu_backward, 2), {0},
};
