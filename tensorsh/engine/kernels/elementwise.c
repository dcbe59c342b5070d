/* Elementwise functions of float32 that numpy has not, or not with PyTorch's accuracy, as ufuncs.

   Functions of numpy are computed in double and rounded; those of several steps round where PyTorch's kernels do. */
#include "vector_math.h"

#define PIECE 256

/* A ufunc's loop for the function `run` on elements that lie side by side; others go through a buffer, piece by piece. */
#define LOOP(name, count_in, arguments)                                                                       \
    static void name##_loop(char **args, const size *count, const size *steps, void *data) {                  \
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
                for (size i = 0; i < m; i++, from += steps[k]) buffers[k][i] = *(const float *)from;          \
                in[k] = buffers[k];                                                                           \
            }                                                                                                 \
            name##_flat arguments;                                                                            \
            if (out != buffers[count_in]) continue;                                                           \
            char *to = args[count_in] + done * steps[count_in];                                               \
            for (size i = 0; i < m; i++, to += steps[count_in]) *(float *)to = out[i];                        \
        }                                                                                                     \
    }                                                                                                         \
    static PyUFuncGenericFunction name##_loops[] = {name##_loop};

#define UNARY(name, ...)                                                                                      \
    WIDE static void name##_flat(const float *in, float *out, size n) {                                       \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const float x = in[i];                                                                            \
            out[i] = (float)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 1, (in[0], out, m))

#define BINARY(name, ...)                                                                                     \
    WIDE static void name##_flat(const float *in, const float *other, float *out, size n) {                   \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const float g = in[i], x = other[i];                                                              \
            out[i] = (float)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP(name, 2, (in[0], in[1], out, m))

#define TANH_SCALE 0.79788456080286535588f /* sqrt(2 / pi) */
#define TANH_CUBE 0.044715f

UNARY(exp, exp_float(x))
UNARY(expm1, expm1_float(x))
UNARY(log, log_float(x))
UNARY(log1p, log1p_float(x))
UNARY(log2, log_float(x) * 0x1.71547652b82fep+0)
UNARY(log10, log_float(x) * 0x1.bcb7b1526e50ep-2)
UNARY(tanh, tanh_float(x))
UNARY(erf, erf_float(x))
UNARY(relu, x < 0 ? 0 : x) /* a negative zero stays one, as in PyTorch */
UNARY(sigmoid, 1.0f / (1.0f + exp_single(-x)))
UNARY(silu, x / (1.0f + exp_single(-x)))
UNARY(gelu, x * 0.5f * (1.0f + erf_of_normal(x, bell(x))))
UNARY(gelu_tanh, 0.5f * x * (1.0f + (float)tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, x * x * x, x))))

/* Gradients: g is that of the result, x the argument or the result, whichever the formula has. */
BINARY(tanh_backward, g * (float)(1.0 - (double)x * x))
BINARY(sigmoid_backward, g * (1.0f - x) * x)
INLINE float gelu_gradient(float g, float x) {
    float e = bell(x), near = x > 13.0f ? 13.0f : x;
    near = near < -13.0f ? -13.0f : near;
    return g * (0.5f * (1.0f + erf_of_normal(x, e)) + near * e * 0.39894228040143267794f);
}
BINARY(gelu_backward, gelu_gradient(g, x))

/* A sum of products of which none is fused with the sum: what is made by fmaf is no product to the compiler. */
INLINE float gelu_tanh_gradient(float g, float x) {
    float square = x * x, tanh = (float)tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, square * x, x));
    float slope = TANH_SCALE * __builtin_fmaf(3.0f * TANH_CUBE, square, 1.0f);
    float through = __builtin_fmaf(0.5f * x * __builtin_fmaf(-tanh, tanh, 1.0f), slope, 0.0f);
    return g * (0.5f * (1.0f + tanh) + through);
}
BINARY(gelu_tanh_backward, gelu_tanh_gradient(g, x))

INLINE float silu_gradient(float g, float x) {
    float s = 1.0f / (1.0f + exp_single(-x));
    return g * s * __builtin_fmaf(x, 1.0f - s, 1.0f);
}
BINARY(silu_backward, silu_gradient(g, x))

static const char types[] = {NPY_FLOAT, NPY_FLOAT, NPY_FLOAT};
static void *const data[] = {NULL};

#define UFUNC(name, count) {#name, count, name##_loops}
static const struct {
    const char *name;
    int arguments;
    PyUFuncGenericFunction *loops;
} ufuncs[] = {
    UFUNC(exp, 1), UFUNC(expm1, 1), UFUNC(log, 1), UFUNC(log1p, 1), UFUNC(log2, 1), UFUNC(log10, 1), UFUNC(tanh, 1),
    UFUNC(erf, 1), UFUNC(relu, 1), UFUNC(sigmoid, 1), UFUNC(silu, 1), UFUNC(gelu, 1), UFUNC(gelu_tanh, 1),
    UFUNC(tanh_backward, 2), UFUNC(sigmoid_backward, 2), UFUNC(gelu_backward, 2), UFUNC(gelu_tanh_backward, 2),
    UFUNC(silu_backward, 2),
};

int add_ufuncs(PyObject *module) {
    for (unsigned i = 0; i < sizeof ufuncs / sizeof *ufuncs; i++) {
        PyObject *made = PyUFunc_FromFuncAndData(ufuncs[i].loops, data, types, 1, ufuncs[i].arguments, 1, PyUFunc_None,
                                                 ufuncs[i].name, NULL, 0);
        if (made == NULL || PyModule_AddObject(module, ufuncs[i].name, made) < 0) return -1;
    }
    return 0;
}
