/* Layer norm: rows less their mean, divided by their deviation, and the gradients of float32. Operations round as written. */
#include "conversions.h"
#include "moments_of_rows.h"

#define LANES 8

/* No bias is one of +0. */
#define NORMALIZE(T, name, FUSED, ROOT)                                                                        \
    WIDE static void normalize_##name(const T *x, const T *w, const T *b, T *out, T *means, T *rstds,         \
                               size rows, size n, T eps) {                                                    \
        T mean[ROWS], variance[ROWS];                                                                         \
        for (size row = 0; row < rows; row++, x += n, out += n) {                                             \
            if (row % ROWS == 0) {                                                                            \
                const T *some[ROWS];                                                                          \
                for (int r = 0; r < ROWS; r++) some[r] = row + r < rows ? x + r * n : x;                      \
                row_moments_of_##name(some, n, mean, variance);                                               \
            }                                                                                                 \
            T m = mean[row % ROWS], v = variance[row % ROWS];                                                 \
            T rstd = 1 / ROOT((v > 0 || v != v ? v : 0) + eps);                                               \
            means[row] = m;                                                                                   \
            rstds[row] = rstd;                                                                                \
            if (w && b)                                                                                       \
                for (size i = 0; i < n; i++) out[i] = FUSED((x[i] - m) * rstd, w[i], b[i]);                   \
            else if (w)                                                                                       \
                for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd * w[i] + 0;                           \
            else if (b)                                                                                       \
                for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd + b[i];                               \
            else                                                                                              \
                for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd + 0;                                  \
        }                                                                                                     \
    }
NORMALIZE(float, floats, __builtin_fmaf, sqrtf)
NORMALIZE(double, doubles, __builtin_fma, sqrt)

/* Sums along a row, in eight lanes, of g w and g x w. */
INLINE void row_products(const float *g, const float *w, const float *x, size n, float *plain, float *with_x) {
    typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));
    float a[LANES], b[LANES];
    vector sum = {0}, sum_with_x = {0};
    size i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector gradient = *(const vector *)(g + i), product = gradient * *(const vector *)(x + i);
        if (w) {
            vector weight = *(const vector *)(w + i);
            gradient *= weight;
            product *= weight;
        }
        sum += gradient;
        sum_with_x += product;
    }
    *(vector *)a = sum;
    *(vector *)b = sum_with_x;
    if (n < LANES) {
        /* in order */
        for (; i < n; i++) {
            float product = g[i] * x[i];
            a[0] += w ? g[i] * w[i] : g[i];
            b[0] += w ? product * w[i] : product;
        }
    }
    for (int k = 0; i < n; i++, k++) {
        float product = g[i] * x[i];
        a[k] = w ? __builtin_fmaf(g[i], w[i], a[k]) : a[k] + g[i];
        b[k] = w ? __builtin_fmaf(product, w[i], b[k]) : __builtin_fmaf(g[i], x[i], b[k]);
    }
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half], b[k] += b[k + half];
    *plain = a[0];
    *with_x = b[0];
}

/* Gradients of x, and those of weight and bias, for the columns from..to, added to what stands there. */
WIDE static void normalize_backward(const float *g, const float *x, const float *w, const float *means, const float *rstds,
                                    float *dx, float *restrict dw, float *restrict db, size rows, size n, size from, size to) {
    const float scale = 1.0f / (float)n;
    for (size row = 0; row < rows; row++, x += n, g += n) {
        float mean = means[row], rstd = rstds[row], shift = -rstd * mean;
        if (dx) {
            float plain, with_x;
            row_products(g, w, x, n, &plain, &with_x);
            float b = __builtin_fmaf(plain, mean, -with_x) * rstd * rstd * rstd * scale;
            float c = __builtin_fmaf(-b, mean, -(plain * rstd * scale));
            INDEPENDENT
            for (size i = 0; i < n; i++) {
                float scaled = w ? rstd * g[i] * w[i] : rstd * g[i];
                dx[i] = __builtin_fmaf(b, x[i], scaled) + c;
            }
            dx += n;
        }
        if (dw && db) {
            for (size i = from; i < to; i++) {
                dw[i] = __builtin_fmaf(g[i], __builtin_fmaf(rstd, x[i], shift), dw[i]);
                db[i] += g[i];
            }
        } else if (dw) {
            for (size i = from; i < to; i++) dw[i] = __builtin_fmaf(g[i], __builtin_fmaf(rstd, x[i], shift), dw[i]);
        } else if (db) {
            for (size i = from; i < to; i++) db[i] += g[i];
        }
    }
}

int norm_kinds(const Call *c, int last) {
    const Argument *x = &c->in[0];
    const int kind = x->kind == HALF || x->kind == BRAIN ? FLOAT32 : (int)x->kind;
    int good = c->in[4].kind == x->kind;
    for (int k = 1; k <= last; k++) good &= k == 4 || !c->in[k].data || (int)c->in[k].kind == kind;
    return good;
}

int norm_of_kinds(Call *c) {
    const int half = c->in[0].kind == HALF || c->in[0].kind == BRAIN;
    c->room = half ? 2 * MOMENT_ROWS * c->each * (size)sizeof(float) : 0;
    return norm_kinds(c, 6);
}

void rows_widened(const Call *c, size row, size some, float *to) {
    const Argument *x = &c->in[0];
    halves_to_floats(x->kind == BRAIN, (const uint16_t *)x->data + row * c->each, to, some * c->each);
}

void rows_narrowed(const Call *c, size row, size some, const float *from) {
    const Argument *out = &c->in[4];
    floats_to_halves(out->kind == BRAIN, from, (uint16_t *)out->data + row * c->each, some * c->each);
}

static int layer_norm_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim != 2 || x->count == 0) return 0;
    c->lines = x->shape[0], c->each = x->shape[1], c->apart = 1;
    return norm_of_kinds(c) && have(c, 1, 2, c->each) && have(c, 4, 4, x->count) && have(c, 5, 6, c->lines);
}

INLINE float *line_of(const Call *c, int k, size from, size each) {
    return c->in[k].data ? (float *)c->in[k].data + from * each : NULL;
}

INLINE double *wide_line_of(const Call *c, int k, size from, size each) {
    return c->in[k].data ? (double *)c->in[k].data + from * each : NULL;
}

static int layer_norm(Call *c, size from, size to) {
    const size n = c->each;
    const double eps = c->in[3].number;
    if (c->room) { /* halves, a few rows at a time */
        float *const wide = c->scratch, *const made = wide + ROWS * n;
        for (size row = from, some; row < to && !ends(c, ROWS * n); row += some) {
            some = to - row < ROWS ? to - row : ROWS;
            rows_widened(c, row, some, wide);
            normalize_floats(wide, c->in[1].data, c->in[2].data, made, line_of(c, 5, row, 1), line_of(c, 6, row, 1), some, n, (float)eps);
            rows_narrowed(c, row, some, made);
        }
    } else if (c->in[0].kind == FLOAT32)
        normalize_floats(line_of(c, 0, from, n), c->in[1].data, c->in[2].data, line_of(c, 4, from, n), line_of(c, 5, from, 1),
                         line_of(c, 6, from, 1), to - from, n, (float)eps);
    else
        normalize_doubles(wide_line_of(c, 0, from, n), c->in[1].data, c->in[2].data, wide_line_of(c, 4, from, n),
                          wide_line_of(c, 5, from, 1), wide_line_of(c, 6, from, 1), to - from, n, eps);
    return 1;
}

#define COLUMNS 128 /* that are a line of work where the gradients of weight and bias are all that is wanted */

/* Lines are rows, or columns, whose sums no thread may cut. */
static int layer_norm_backward_plan(Call *c) {
    const Argument *x = &c->in[1];
    if (x->ndim != 2 || x->count == 0) return 0;
    const size rows = x->shape[0], n = x->shape[1];
    if (c->in[5].data) c->lines = rows, c->each = n, c->apart = !c->in[6].data && !c->in[7].data;
    else c->lines = (n + COLUMNS - 1) / COLUMNS, c->each = rows * COLUMNS, c->apart = 1;
    return have(c, 0, 0, x->count) && have(c, 2, 2, n) && have(c, 3, 4, rows) && have(c, 5, 5, x->count) && have(c, 6, 7, n);
}

static int layer_norm_backward(Call *c, size from, size to) {
    const size n = c->in[1].shape[1], first = c->in[5].data ? 0 : from * COLUMNS, end = c->in[5].data || to * COLUMNS > n ? n : to * COLUMNS;
    const size row = c->in[5].data ? from : 0, rows = c->in[5].data ? to - from : c->in[1].shape[0];
    normalize_backward(line_of(c, 0, row, n), line_of(c, 1, row, n), c->in[2].data, line_of(c, 3, row, 1), line_of(c, 4, row, 1),
                       line_of(c, 5, row, n), c->in[6].data, c->in[7].data, rows, n, first, end);
    return 1;
}

const Kernel layer_norm_kernels[] = {
    {"layer_norm", "hr?r?xHRR", layer_norm_plan, layer_norm,
     "layer_norm(x [rows, n], weight or None, bias or None, eps, out, means, reciprocal deviations)"},
    {"layer_norm_backward", "fff?ffF?F?F?", layer_norm_backward_plan, layer_norm_backward,
     "layer_norm_backward(g, x, weight or None, means, reciprocal deviations, dx, dw, db), the last three or None"},
    {0},
};
