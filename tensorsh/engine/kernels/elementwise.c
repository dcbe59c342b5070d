/* Elementwise functions of float32 that numpy has not, or not with PyTorch's accuracy, as ufuncs.

   Functions of numpy are computed in double and rounded; those of several steps round where PyTorch's kernels do. */
#include "vector_math.h"

#define PIECE 256

/* A ufunc's loop for the function `run` on elements that lie side by side; others go through a buffer, piece by piece. */
#define LOOP(name, count_in, arguments)                                                                       \
    static void name##_loop(char **args, const size *count, const size *steps, void *data) {                  \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(float);                                                           \
        float buffers[count_in + 1][PIECE];                                                                   \
        size near = 1;                                                                                        \
        for (int k = 0; k <= count_in; k++) near &= steps[k] == one;                                          \
        for (size done = 0, m; done < n; done += m) {                                                         \
            const float *in[count_in];                                                                        \
            m = near ? n : n - done < PIECE ? n - done : PIECE;                                               \
            float *out = near || steps[count_in] == one ? (float *)(args[count_in] + done * one) : buffers[count_in]; \
            for (int k = 0; k < count_in; k++) {                                                              \
                const char *from = args[k] + done * steps[k];                                                 \
                in[k] = (const float *)from;                                                                  \
                if (steps[k] == one) continue;                                                                \
                in[k] = buffers[k];                                                                           \
                if (steps[k] == 0 && done) continue; /* a number, which is there */                           \
                for (size i = 0; i < m; i++, from += steps[k]) buffers[k][i] = *(const float *)from;          \
            }                                                                                                 \
            name##_flat arguments;                                                                            \
            if (out != buffers[count_in]) continue;                                                           \
            char *to = args[count_in] + done * steps[count_in];                                               \
            for (size i = 0; i < m; i++, to += steps[count_in]) *(float *)to = out[i];                        \
        }                                                                                                     \
    }

#define UNARY(name, ...)                                                                                      \
    WIDE static void name##_flat(const float *in, float *out, size n) {                                       \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const float x = in[i];                                                                            \
            out[i] = (float)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 1, (in[0], out, m))

#define BINARY(name, a, b, ...)                                                                               \
    WIDE static void name##_flat(const float *in, const float *other, float *out, size n) {                   \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const float a = in[i], b = other[i];                                                              \
            out[i] = (float)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 2, (in[0], in[1], out, m))

#define TERNARY(name, a, b, c, ...)                                                                           \
    WIDE static void name##_flat(const float *in, const float *other, const float *third, float *out, size n) { \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const float a = in[i], b = other[i], c = third[i];                                                \
            out[i] = (float)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 3, (in[0], in[1], in[2], out, m))

#define TANH_SCALE 0.79788456080286535588f /* sqrt(2 / pi) */
#define TANH_CUBE 0.044715f

UNARY(exp, exp_float(x))
UNARY(expm1, expm1_float(x))
UNARY(log, log_float(x))
UNARY(log1p, log1p_float(x))
UNARY(log2, log_float(x) * 0x1.71547652b82fep+0)
UNARY(log10, log_float(x) * 0x1.bcb7b1526e50ep-2)
UNARY(exp2, exp2_single(x))
UNARY(tanh, tanh_float(x))
UNARY(erf, erf_float(x))
UNARY(erfc, erfc_float(x))
UNARY(relu, x < 0 ? 0 : x) /* a negative zero stays one, as in PyTorch */
UNARY(sigmoid, 1.0f / (1.0f + exp_single(-x)))
UNARY(silu, x / (1.0f + exp_single(-x)))
UNARY(gelu, x * 0.5f * (1.0f + erf_of_normal(x, bell(x))))
UNARY(gelu_tanh, 0.5f * x * (1.0f + (float)tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, x * x * x, x))))

/* Functions of angles, in a block of which one is too large by C's library. */
#define OF_ANGLES(name)                                                                                       \
    WIDE static void name##_flat(const float *in, float *out, size n) {                                       \
        for (size done = 0, m; done < n; done += m) {                                                         \
            m = n - done < PIECE ? n - done : PIECE;                                                          \
            const float *x = in + done;                                                                       \
            float made[PIECE];                                                                                \
            int far = 0;                                                                                      \
            for (size i = 0; i < m; i++) far |= !(fabsf(x[i]) <= (float)MOST_ANGLE);                          \
            for (size i = 0; i < m; i++) made[i] = (float)name##_float(x[i]);                                 \
            for (size i = 0; far && i < m; i++)                                                               \
                if (!(fabsf(x[i]) <= (float)MOST_ANGLE)) made[i] = (float)name((double)x[i]);                 \
            memcpy(out + done, made, m * sizeof(float));                                                      \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 1, (in[0], out, m))
OF_ANGLES(sin)
OF_ANGLES(cos)
OF_ANGLES(tan)
UNARY(erfinv, normal_quantile(0.5 * x, 0.5 - fabs(0.5 * x)) * 0.70710678118654752440)
UNARY(ndtri, normal_quantile(x - 0.5, x < 0.5f ? (double)x : 1.0 - x))

UNARY(sign, (float)(x > 0.0f) - (float)(x < 0.0f))
UNARY(hardswish, x * (x + 3.0f < 0.0f ? 0.0f : x + 3.0f > 6.0f ? 6.0f : x + 3.0f) / 6.0f)
BINARY(leaky_relu, x, slope, x > 0.0f ? x : x * slope)
BINARY(hypotenuse, x, y, fabsf(x) == INFINITY || fabsf(y) == INFINITY ? INFINITY : sqrt((double)x * x + (double)y * y))
/* log(exp(x) + exp(y)), and the same to base 2: the larger one, and log(1 + exp(-distance)), each step rounded as PyTorch does. */
INLINE float larger(float x, float y) { return x > y || x != x ? x : y; }
INLINE float falling(float x, float y) { return x == y ? 0.0f : -fabsf(x - y); }
BINARY(logaddexp, x, y, larger(x, y) + (float)log1p_float((float)exp_float(falling(x, y))))
BINARY(logaddexp2, x, y, FMAF((float)log1p_float(exp2_single(falling(x, y))), BITS_OF_E, larger(x, y)))
TERNARY(softplus, x, beta, threshold, x * beta > threshold ? x : (float)log1p_float((float)exp_float(x * beta)) / beta)

/* Where all are above 0, which is usual, no exponentials are needed. */
WIDE static void elu_flat(const float *in, const float *low, const float *scale, float *out, size n) {
    for (size done = 0, m; done < n; done += m, in += m, low += m, scale += m, out += m) {
        m = n - done < PIECE ? n - done : PIECE;
        int below = 0;
        for (size i = 0; i < m; i++) below |= in[i] <= 0.0f;
        if (below) {
            INDEPENDENT
            for (size i = 0; i < m; i++) {
                const float x = in[i];
                out[i] = x <= 0.0f ? (float)expm1_float(x) * low[i] : x * scale[i];
            }
        } else {
            INDEPENDENT
            for (size i = 0; i < m; i++) out[i] = in[i] * scale[i];
        }
    }
}
LOOP(elu, 3, (in[0], in[1], in[2], out, m))
TERNARY(smooth_l1, x, y, beta, fabsf(x - y) < beta ? 0.5f * fabsf(x - y) * fabsf(x - y) / beta : fabsf(x - y) - 0.5f * beta)
TERNARY(huber, x, y, delta, fabsf(x - y) <= delta ? 0.5f * fabsf(x - y) * fabsf(x - y) : delta * (fabsf(x - y) - 0.5f * delta))
TERNARY(lerp, x, end, w,
        fabsf(w) < 0.5f ? __builtin_fmaf(end - x, w, x) : __builtin_fmaf(-(end - x), 1.0f - w, end))

/* The remainder of a division with the dividend's sign, which is a float exactly. The quotient in double is at most one
   off; `far` counts where it does not tell. */
INLINE float rest_of(float x, float y, int *far) {
    double a = fabs((double)x), b = fabs((double)y), ratio = a / b, whole = __builtin_trunc(ratio);
    double rest = __builtin_fma(-whole, b, a);
    *far += !(ratio < 0x1p52 && b < INFINITY);
    rest = rest < 0 ? rest + b : rest >= b ? rest - b : rest;
    return copysignf((float)rest, x);
}

/* Functions of the remainder r of x by y; C's own fmodf, which is slow, gives it where the quotient is too large. */
#define MODULO(name, ...)                                                                                     \
    INLINE float name##_of(float x, float y, float r) { return (void)x, (void)y, __VA_ARGS__; }                \
    WIDE static void name##_flat(const float *in, const float *other, float *out, size n) {                   \
        for (size done = 0; done < n; done += PIECE) {                                                        \
            size m = n - done < PIECE ? n - done : PIECE;                                                     \
            const float *x = in + done, *y = other + done;                                                    \
            float *to = out + done, made[PIECE];                                                              \
            int far = 0;                                                                                      \
            for (size i = 0; i < m; i++) made[i] = name##_of(x[i], y[i], rest_of(x[i], y[i], &far));          \
            for (size i = 0; far && i < m; i++) made[i] = name##_of(x[i], y[i], fmodf(x[i], y[i]));           \
            memcpy(to, made, m * sizeof(float));                                                              \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 2, (in[0], in[1], out, m))

INLINE float floor_of(float x, float y, float r) {
    float ratio = x / y, quotient = (x - r) / y;
    quotient = r != 0.0f && (y < 0.0f) != (r < 0.0f) ? quotient - 1.0f : quotient;
    float down = __builtin_floorf(quotient);
    down = quotient - down > 0.5f ? down + 1.0f : down;
    down = quotient != 0.0f ? down : copysignf(0.0f, ratio);
    return y == 0.0f ? ratio : down;
}
MODULO(fmod, r)
MODULO(remainder, r != 0.0f && (y < 0.0f) != (r < 0.0f) ? r + y : r)
MODULO(floor_divide, floor_of(x, y, r))

/* Gradients: g is that of the result, x the argument or the result, whichever the formula has. */
BINARY(tanh_backward, g, x, g * (float)(1.0 - (double)x * x))
BINARY(sigmoid_backward, g, x, g * (1.0f - x) * x)
INLINE float gelu_gradient(float g, float x) {
    const float e = __builtin_fabsf(x) > 13.2f ? 0.0f : bell(x); /* an infinite x times it is NaN */
    return g * (0.5f * (1.0f + erf_of_normal(x, e)) + x * e * 0.39894228040143267794f);
}
BINARY(gelu_backward, g, x, gelu_gradient(g, x))

/* A sum of products of which none is fused with the sum: what is made by fmaf is no product to the compiler. */
INLINE float gelu_tanh_gradient(float g, float x) {
    float square = x * x, tanh = (float)tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, square * x, x));
    float slope = TANH_SCALE * __builtin_fmaf(3.0f * TANH_CUBE, square, 1.0f);
    float through = __builtin_fmaf(0.5f * x * __builtin_fmaf(-tanh, tanh, 1.0f), slope, 0.0f);
    return g * (0.5f * (1.0f + tanh) + through);
}
BINARY(gelu_tanh_backward, g, x, gelu_tanh_gradient(g, x))

INLINE float silu_gradient(float g, float x) {
    float s = 1.0f / (1.0f + exp_single(-x));
    return g * s * __builtin_fmaf(x, 1.0f - s, 1.0f);
}
BINARY(silu_backward, g, x, silu_gradient(g, x))

#define UFUNC(name, count) {#name, count, {name##_loop}, 0}

Ufunc elementwise_ufuncs[] = {
    UFUNC(exp, 1), UFUNC(expm1, 1), UFUNC(log, 1), UFUNC(log1p, 1), UFUNC(log2, 1), UFUNC(log10, 1), UFUNC(tanh, 1),
    UFUNC(sin, 1), UFUNC(cos, 1), UFUNC(tan, 1), UFUNC(erf, 1), UFUNC(erfc, 1), UFUNC(erfinv, 1), UFUNC(ndtri, 1), UFUNC(exp2, 1), UFUNC(relu, 1), UFUNC(sigmoid, 1), UFUNC(silu, 1), UFUNC(gelu, 1), UFUNC(gelu_tanh, 1),
    UFUNC(tanh_backward, 2), UFUNC(sigmoid_backward, 2), UFUNC(gelu_backward, 2), UFUNC(gelu_tanh_backward, 2),
    UFUNC(silu_backward, 2), UFUNC(sign, 1), UFUNC(hardswish, 1), UFUNC(leaky_relu, 2), UFUNC(hypotenuse, 2), UFUNC(softplus, 3),
    UFUNC(elu, 3), UFUNC(smooth_l1, 3), UFUNC(huber, 3), UFUNC(lerp, 3), UFUNC(logaddexp, 2), UFUNC(logaddexp2, 2), UFUNC(fmod, 2), UFUNC(remainder, 2), UFUNC(floor_divide, 2),
    {0},
};
