/* Products and quotients of complex numbers as ufuncs: `_fused` with fused steps, the others with every step rounded but that of
   the divisor. numpy's loops fuse where the processor can. Which numbers PyTorch fuses, numerics/complex.py knows.

   Not WIDE: gcc 12 fuses what it recognizes as a complex product, whatever it is told. */
#include "conversions.h"
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

/* Arrays of one shape whose numbers lie side by side, as PyTorch goes through them: whole blocks in vectors, whose steps all round;
   of the rest, its compiler fuses two numbers of single precision at a time, and all of double precision. What is longer than a
   register, compilers take to memory and back. */
typedef float singles __attribute__((vector_size(32), aligned(4)));
typedef double doubles __attribute__((vector_size(32), aligned(8)));
typedef int32_t single_signs __attribute__((vector_size(32)));
typedef int64_t double_signs __attribute__((vector_size(32)));
#define FIRSTS4(x) __builtin_shufflevector(x, x, 0, 0, 2, 2)
#define SECONDS4(x) __builtin_shufflevector(x, x, 1, 1, 3, 3)
#define TURNED4(x) __builtin_shufflevector(x, x, 1, 0, 3, 2)
#define FIRSTS8(x) __builtin_shufflevector(x, x, 0, 0, 2, 2, 4, 4, 6, 6)
#define SECONDS8(x) __builtin_shufflevector(x, x, 1, 1, 3, 3, 5, 5, 7, 7)
#define TURNED8(x) __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6)

/* The first `n` products, by fours of single and by twos of double precision: where the sign of a term turns, so do its bits,
   which no compiler takes for a complex product. */
#define BLOCKS(name, real, vector, signs, minus, lanes, FIRSTS, SECONDS, TURNED)                              \
    WIDE static void name(const real *x, const real *y, real *out, size n) {                                  \
        const signs turn = minus;                                                                             \
        for (size i = 0; i < 2 * n; i += lanes) {                                                             \
            const vector a = *(const vector *)(x + i), b = *(const vector *)(y + i);                          \
            const vector p = a * FIRSTS(b), q = TURNED(a) * SECONDS(b);                                       \
            *(vector *)(out + i) = p + (vector)((signs)q ^ turn);                                             \
        }                                                                                                     \
    }
#define TURN4 {INT64_MIN, 0, INT64_MIN, 0}
#define TURN8 {INT32_MIN, 0, INT32_MIN, 0, INT32_MIN, 0, INT32_MIN, 0}
BLOCKS(single_blocks, float, singles, single_signs, TURN8, 8, FIRSTS8, SECONDS8, TURNED8)
BLOCKS(double_blocks, double, doubles, double_signs, TURN4, 4, FIRSTS4, SECONDS4, TURNED4)

/* Each number times one: all steps round. */
WIDE static void single_by_number(const float *x, const float *y, float *out, size n) {
    const singles again = {y[0], y[0], y[0], y[0], y[0], y[0], y[0], y[0]};
    const singles other = {-y[1], y[1], -y[1], y[1], -y[1], y[1], -y[1], y[1]};
    const size whole = n - n % 4;
    for (size i = 0; i < 2 * whole; i += 8) {
        const singles a = *(const singles *)(x + i), p = a * again, q = TURNED8(a) * other;
        *(singles *)(out + i) = p + q;
    }
    for (size i = whole; i < n; i++) {
        const float re = x[2 * i] * y[0] + x[2 * i + 1] * -y[1], im = x[2 * i + 1] * y[0] + x[2 * i] * y[1];
        out[2 * i] = re, out[2 * i + 1] = im;
    }
}

static int by_number_plan(Call *c) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    if (x->kind != PLAIN || x->item != 8 || x->dtype != y->dtype || y->count != 1) return 0;
    shape_as(result(c, 0), x);
    c->lines = x->count, c->each = 1;
    return 1;
}

static int by_number(Call *c, size from, size to) {
    single_by_number((const float *)c->in[0].data + 2 * from, c->in[1].data, (float *)c->out[0].data + 2 * from, to - from);
    return 1;
}

static int pairs_plan(Call *c) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    if (x->kind != PLAIN || x->dtype != y->dtype || (x->item != 8 && x->item != 16) || !has_shape(x, y->ndim, y->shape)) return 0;
    shape_as(result(c, 0), x);
    c->lines = 1, c->each = x->count;
    return 1;
}

/* complex_multiply(x, y, block): blocks of so many numbers are vectors, 8 or 16 of single and 4 or 8 of double precision. */
static int complex_multiply_plan(Call *c) {
    const size block = c->in[2].whole;
    return pairs_plan(c) && (block == 4 || block == 8 || block == 16) && block * c->in[0].item >= 64;
}

static int complex_multiply(Call *c, size from, size to) {
    (void)from, (void)to;
    const size n = c->in[0].count, block = c->in[2].whole, whole = n - n % block;
    if (c->in[0].item == 8) {
        const float *x = c->in[0].data, *y = c->in[1].data;
        float *out = c->out[0].data;
        const size odd = block == 8 ? n - (n - whole) % 2 : n;
        for (size i = 0, m; i < whole && !ends(c, LONG_WORK); i += m) {
            m = whole - i < LONG_WORK ? whole - i : LONG_WORK;
            single_blocks(x + 2 * i, y + 2 * i, out + 2 * i, m);
        }
        for (size i = whole; i < odd; i++) single_fused_product_of(x + 2 * i, y + 2 * i, out + 2 * i);
        for (size i = odd; i < n; i++) single_product_of(x + 2 * i, y + 2 * i, out + 2 * i);
    } else {
        const double *x = c->in[0].data, *y = c->in[1].data;
        double *out = c->out[0].data;
        for (size i = 0, m; i < whole && !ends(c, LONG_WORK); i += m) {
            m = whole - i < LONG_WORK ? whole - i : LONG_WORK;
            double_blocks(x + 2 * i, y + 2 * i, out + 2 * i, m);
        }
        for (size i = whole; i < n; i++) double_fused_product_of(x + 2 * i, y + 2 * i, out + 2 * i);
    }
    return 1;
}

#define QUOTIENTS(name, real, of)                                                                             \
    WIDE static void name(const real *x, const real *y, real *out, size n) {                                  \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) of(x + 2 * i, y + 2 * i, out + 2 * i);                                   \
    }
QUOTIENTS(single_quotients, float, single_fused_quotient_of)
QUOTIENTS(double_quotients, double, double_fused_quotient_of)

/* complex_divide(x, y): of single precision, a number that is left over by pairs is not fused. */
static int complex_divide(Call *c, size from, size to) {
    (void)from, (void)to;
    const size n = c->in[0].count;
    if (c->in[0].item == 8) {
        const float *x = c->in[0].data, *y = c->in[1].data;
        float *out = c->out[0].data;
        for (size i = 0, m; i < n - n % 2 && !ends(c, LONG_WORK); i += m) {
            m = n - n % 2 - i < LONG_WORK ? n - n % 2 - i : LONG_WORK;
            single_quotients(x + 2 * i, y + 2 * i, out + 2 * i, m);
        }
        if (n % 2) single_quotient_of(x + 2 * (n - 1), y + 2 * (n - 1), out + 2 * (n - 1));
    } else {
        const double *x = c->in[0].data, *y = c->in[1].data;
        double *out = c->out[0].data;
        for (size i = 0, m; i < n && !ends(c, LONG_WORK); i += m) {
            m = n - i < LONG_WORK ? n - i : LONG_WORK;
            double_quotients(x + 2 * i, y + 2 * i, out + 2 * i, m);
        }
    }
    return 1;
}

/* The root of a^2 + b^2, rounded once but for about one in a million: the rests of the squares and of their sum mend the root.
   Very large and very small numbers are scaled before. */
#define MODULUS(name, real, fma, absolute, root, large, small, down, up)                                      \
    WIDE static void name(const real *z, real *out, size n) {                                                 \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const real x = absolute(z[2 * i]), y = absolute(z[2 * i + 1]), most = x > y ? x : y, least = x > y ? y : x; \
            const real scale = most > large ? down : most < small ? up : 1, back = most > large ? up : most < small ? down : 1; \
            const real a = most * scale, b = least * scale, p = a * a, q = b * b, s = p + q;                  \
            const real rest = (q - (s - p)) + (fma(a, a, -p) + fma(b, b, -q));                                \
            const real r = root(s), mended = fma(fma(-r, r, s) + rest, (real)0.5 / r, r);                     \
            const real found = s == 0 ? 0 : mended * back;                                                    \
            out[i] = ((x == (real)INFINITY) | (y == (real)INFINITY)) ? (real)INFINITY : x != x ? x : y != y ? y : found; \
        }                                                                                                     \
    }
MODULUS(single_modulus, float, FMAF, fabsf, sqrtf, 0x1p60f, 0x1p-40f, 0x1p-100f, 0x1p100f)
MODULUS(double_modulus, double, FMA, fabs, sqrt, 0x1p500, 0x1p-400, 0x1p-600, 0x1p600)

/* modulus(z, out): the absolute values of complex numbers. */
static int modulus_plan(Call *c) {
    const Argument *z = &c->in[0], *out = &c->in[1];
    if (z->kind != PLAIN || z->item != 2 * out->item || !has_shape(z, out->ndim, out->shape)) return 0;
    c->answer = 1;
    c->lines = z->count, c->each = 1;
    return 1;
}

static int modulus(Call *c, size from, size to) {
    if (c->in[1].kind == FLOAT32) single_modulus((const float *)c->in[0].data + 2 * from, (float *)c->in[1].data + from, to - from);
    else double_modulus((const double *)c->in[0].data + 2 * from, (double *)c->in[1].data + from, to - from);
    return 1;
}

/* parted(a, b): the parts of complex matrices (..., m, k) and (..., k, n), given as pairs of numbers: the rows of real parts above
   those of imaginary ones, and columns side by side, so that one real product holds all four. */
static int parted_plan(Call *c) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    const int n = a->ndim;
    if (n < 3 || b->ndim != n || a->dtype != b->dtype || a->count == 0 || b->count == 0) return 0;
    if (a->shape[n - 1] != 2 || b->shape[n - 1] != 2 || a->shape[n - 2] != b->shape[n - 3]) return 0;
    for (int k = 0; k < n - 3; k++)
        if (a->shape[k] != b->shape[k]) return 0;
    for (int k = 0; k < 2; k++) {
        Argument *out = result(c, k);
        shape_as(out, k ? b : a);
        out->ndim = n - 1;
        out->shape[k ? n - 2 : n - 3] *= 2;
    }
    c->lines = a->count / (2 * a->shape[n - 2] * a->shape[n - 3]);
    c->each = (a->count + b->count) / c->lines;
    return 1;
}

#define PARTED(T, name)                                                                                      \
    static void name(const T *a, const T *b, T *rows, T *columns, size m, size k, size n) {                  \
        for (size i = 0; i < m * k; i++) rows[i] = a[2 * i], rows[m * k + i] = a[2 * i + 1];                 \
        for (size i = 0; i < k; i++, b += 2 * n, columns += 2 * n)                                           \
            for (size j = 0; j < n; j++) columns[j] = b[2 * j], columns[n + j] = b[2 * j + 1];               \
    }                                                                                                        \
    static void name##_joined(const T *four, T *out, size m, size n) {                                       \
        const T *below = four + 2 * m * n;                                                                   \
        for (size i = 0; i < m; i++, four += 2 * n, below += 2 * n, out += 2 * n)                            \
            for (size j = 0; j < n; j++) out[2 * j] = four[j] - below[n + j], out[2 * j + 1] = four[n + j] + below[j]; \
    }
PARTED(float, parted_floats)
PARTED(double, parted_doubles)

static int parted(Call *c, size from, size to) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    const size m = a->shape[a->ndim - 3], k = a->shape[a->ndim - 2], n = b->shape[b->ndim - 2], one = 2 * m * k, other = 2 * k * n;
    for (size at = from; at < to; at++) {
        if (a->kind == FLOAT32)
            parted_floats((const float *)a->data + at * one, (const float *)b->data + at * other, (float *)c->out[0].data + at * one,
                          (float *)c->out[1].data + at * other, m, k, n);
        else
            parted_doubles((const double *)a->data + at * one, (const double *)b->data + at * other, (double *)c->out[0].data + at * one,
                           (double *)c->out[1].data + at * other, m, k, n);
        if (ends(c, one + other)) break;
    }
    return 1;
}

/* parts_joined(four): the complex product (..., m, n) as pairs of numbers, of the real one (..., 2 m, 2 n). */
static int joined_plan(Call *c) {
    const Argument *four = &c->in[0];
    const int n = four->ndim;
    if (n < 2 || n >= DIMS || four->count == 0 || four->shape[n - 1] % 2 || four->shape[n - 2] % 2) return 0;
    Argument *out = result(c, 0);
    shape_as(out, four);
    out->shape[n - 1] /= 2, out->shape[n - 2] /= 2;
    add_dimension(out, 2);
    c->each = four->shape[n - 1] * four->shape[n - 2];
    c->lines = four->count / c->each;
    return 1;
}

static int parts_joined(Call *c, size from, size to) {
    const Argument *four = &c->in[0];
    const size m = four->shape[four->ndim - 2] / 2, n = four->shape[four->ndim - 1] / 2;
    for (size at = from; at < to; at++) {
        if (four->kind == FLOAT32) parted_floats_joined((const float *)four->data + at * c->each, (float *)c->out[0].data + at * c->each / 2, m, n);
        else parted_doubles_joined((const double *)four->data + at * c->each, (double *)c->out[0].data + at * c->each / 2, m, n);
        if (ends(c, c->each)) break;
    }
    return 1;
}

/* paired(real, imaginary=None, half=False): complex numbers of their parts, each in equal steps; none: zeros. `half`: the real ones rounded to
   float16. */
static int paired_plan(Call *c) {
    Argument *real = &c->in[0], *other = &c->in[1];
    const int two = c->given > 1 && other->data != NULL, half = c->given > 2 && c->in[2].whole != 0;
    if ((real->kind != FLOAT32 && real->kind != FLOAT64) || !in_equal_steps(real)) return 0;
    if (half && (two || real->kind != FLOAT32)) return 0;
    if (two && (other->kind != real->kind || !has_shape(other, real->ndim, real->shape) || !in_equal_steps(other))) return 0;
    shape_as(result(c, real->kind == FLOAT32 ? NEW_COMPLEX64 : NEW_COMPLEX128), real);
    c->in[1].number = two, c->in[2].number = half;
    c->lines = real->count, c->each = 1;
    return 1;
}

#define PAIRED(T)                                                                                            \
    WIDE static void paired_##T(const T *real, const T *other, T *out, size n) {                             \
        if (other) for (size i = 0; i < n; i++) out[2 * i] = real[i], out[2 * i + 1] = other[i];             \
        else for (size i = 0; i < n; i++) out[2 * i] = real[i], out[2 * i + 1] = 0;                          \
    }
PAIRED(float)
PAIRED(double)
enum { SIDE = 1024 };

WIDE static const void *side_by_side(const Argument *x, size from, void *near, size n) {
    const char *at = (const char *)x->data + from * x->whole;
    if (x->whole == x->item) return at;
    gather(at, x->whole, x->item, near, n);
    return near;
}

static int paired(Call *c, size from, size to) {
    const Argument *real = &c->in[0], *other = &c->in[1];
    const size item = real->item;
    for (size i = from, n; i < to; i += n) {
        double near[SIDE], beside[SIDE];
        uint16_t halves[SIDE];
        n = to - i < SIDE ? to - i : SIDE;
        const void *x = side_by_side(real, i, near, n), *y = other->number ? side_by_side(other, i, beside, n) : NULL;
        if (c->in[2].number) {
            floats_to_halves(0, x, halves, n);
            halves_to_floats(0, halves, (float *)near, n);
            x = near;
        }
        if (item == 4) paired_float(x, y, (float *)c->out[0].data + 2 * i, n);
        else paired_double(x, y, (double *)c->out[0].data + 2 * i, n);
    }
    return 1;
}

const Kernel complex_kernels[] = {
    {"paired", "e|e?b", paired_plan, paired, "paired(real, imaginary=None, half=False): complex numbers of their parts"},
    {"parted", "rr", parted_plan, parted, "parted(a, b): rows and columns of the parts of complex matrices, given as pairs"},
    {"parts_joined", "r", joined_plan, parts_joined, "parts_joined(four): pairs of the parts of a complex product"},
    {"complex_multiply", "aai", complex_multiply_plan, complex_multiply, "complex_multiply(x, y, block)"},
    {"complex_divide", "aa", pairs_plan, complex_divide, "complex_divide(x, y)"},
    {"complex_by_number", "aa", by_number_plan, by_number, "complex_by_number(x, y): each of single precision times one"},
    {"modulus", "aR", modulus_plan, modulus, "modulus(z, out)"},
    {0},
};

#define UFUNC(name, loop) {name, 2, {single_##loop, double_##loop}, 1}
Ufunc complex_ufuncs[] = {
    UFUNC("complex_product", product), UFUNC("complex_product_fused", fused_product), UFUNC("complex_quotient", quotient),
    UFUNC("complex_quotient_fused", fused_quotient), {0},
};
