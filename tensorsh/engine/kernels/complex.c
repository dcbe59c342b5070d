/* Products and quotients of complex numbers as ufuncs: `_fused` with fused steps, the others with every step rounded but that of
   the divisor. numpy's loops fuse where the processor can. Which numbers PyTorch fuses, numerics/complex.py knows.

   Not WIDE: gcc 12 fuses what it recognizes as a complex product, whatever it is told. */
#include "vector_math.h"

#define LOOP(name, real)                                                                                      \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        const char *a = args[0], *b = args[1];                                                                \
        char *out = args[2];                                                                                  \
        for (size i = 0; i < *count; i++, a += steps[0], b += steps[1], out += steps[2])                      \
            name##_of((const real *)a, (const real *)b, (real *)out);                                         \
    }

#define COMPLEX(kind, real, fma, absolute)                                                                    \
    INLINE void kind##_product_of(const real *x, const real *y, real *out) {                                  \
        const real re = x[0] * y[0] - x[1] * y[1], im = x[0] * y[1] + x[1] * y[0];                            \
        out[0] = re, out[1] = im;                                                                             \
    }                                                                                                         \
    INLINE void kind##_fused_product_of(const real *x, const real *y, real *out) {                            \
        const real re = fma(x[0], y[0], -(x[1] * y[1])), im = fma(x[0], y[1], x[1] * y[0]);                   \
        out[0] = re, out[1] = im;                                                                             \
    }                                                                                                         \
    /* Both parts of the divisor are divided by its larger one. */                                            \
    INLINE void kind##_divided(const real *x, const real *y, real *out, int fused) {                          \
        const real a = x[0], b = x[1], c = y[0], d = y[1];                                                    \
        const int first = absolute(c) >= absolute(d);                                                         \
        const real p = first ? d : c, q = first ? c : d, ratio = p / q, scale = 1 / fma(p, ratio, q);         \
        const real u = first ? a : b, v = first ? b : a, near = v * ratio, far = u * ratio;                   \
        const real re = fused ? fma(v, ratio, u) : u + near;                                                  \
        const real im = first ? fused ? fma(-u, ratio, v) : v - far : fused ? fma(u, ratio, -v) : far - v;    \
        out[0] = first && q == 0 ? a / absolute(c) : re * scale;                                              \
        out[1] = first && q == 0 ? b / absolute(d) : im * scale;                                              \
    }                                                                                                         \
    INLINE void kind##_quotient_of(const real *x, const real *y, real *out) { kind##_divided(x, y, out, 0); } \
    INLINE void kind##_fused_quotient_of(const real *x, const real *y, real *out) { kind##_divided(x, y, out, 1); } \
    LOOP(kind##_product, real) LOOP(kind##_fused_product, real) LOOP(kind##_quotient, real) LOOP(kind##_fused_quotient, real)

COMPLEX(single, float, FMAF, fabsf)
COMPLEX(double, double, FMA, fabs)

#define UFUNC(name, loop) {name, 2, {single_##loop, double_##loop}, 1}
Ufunc complex_ufuncs[] = {
    UFUNC("complex_product", product), UFUNC("complex_product_fused", fused_product), UFUNC("complex_quotient", quotient),
    UFUNC("complex_quotient_fused", fused_quotient), {0},
};
