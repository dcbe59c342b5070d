/* softmax and its like: functions of the rows of an array, or of its slices along another axis. */
#include "conversions.h"
#include "vector_math.h"

#define LANES 16

/* The sum of a row as PyTorch's vector code adds it: sixteen lanes, which are then folded in halves; short rows in order. */
INLINE float lane_sum(const float *x, size n) {
    if (n < LANES) {
        float total = x[0];
        for (size i = 1; i < n; i++) total += x[i];
        return total;
    }
    float lanes[LANES];
    for (int k = 0; k < LANES; k++) lanes[k] = x[k];
    size i = LANES;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += x[i + k];
    for (int k = 0; i < n; i++, k++) lanes[k] += x[i];
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

INLINE float largest(const float *x, size n) {
    float lanes[LANES], top = x[0];
    size i = 0;
    if (n >= LANES) {
        for (int k = 0; k < LANES; k++) lanes[k] = x[k];
        for (i = LANES; i + LANES <= n; i += LANES)
            for (int k = 0; k < LANES; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
        for (int k = 0; k < LANES; k++) top = lanes[k] > top ? lanes[k] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

#define ROOM 1024 /* elements that are worked on at a time: they stay in the first cache */

/* Exponentials in place; a row may be long. */
INLINE void exponentiate(Call *c, float *x, size n) {
    for (size at = 0; at < n && !ends(c, n); at += LONG_PIECE) {
        const size end = n - at < LONG_PIECE ? n : at + LONG_PIECE;
        INDEPENDENT
        for (size i = at; i < end; i++) x[i] = exp_single(x[i]);
    }
}

WIDE static void softmax_rows(Call *c, const float *x, float *out, size rows, size n, int logarithm) {
    size group = n >= ROOM ? 1 : ROOM / n;
    float exponentials[ROOM];
    for (size row = 0; row < rows; row += group, x += group * n, out += group * n) {
        size count = rows - row < group ? rows - row : group, all = count * n;
        for (size r = 0; r < count; r++) {
            const float *from = x + r * n;
            float *to = out + r * n, top = largest(from, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) to[i] = from[i] - top;
        }
        if (!logarithm) {
            exponentiate(c, out, all);
            for (size r = 0; r < count; r++) {
                float *to = out + r * n, scale = 1.0f / lane_sum(to, n);
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] *= scale;
            }
        } else if (n <= ROOM) {
            for (size i = 0; i < all; i++) exponentials[i] = exp_single(out[i]);
            for (size r = 0; r < count; r++) {
                float *to = out + r * n, less = log_float(lane_sum(exponentials + r * n, n));
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] -= less;
            }
        } else {
            /* A long row: its exponentials are added up piece by piece, ROOM being a multiple of LANES. */
            float lanes[LANES] = {0}, total;
            for (size at = 0; at < n && !ends(c, ROOM); at += ROOM) {
                size m = n - at < ROOM ? n - at : ROOM, i = 0;
                for (size k = 0; k < m; k++) exponentials[k] = exp_single(out[at + k]);
                for (; i + LANES <= m; i += LANES)
                    for (int k = 0; k < LANES; k++) lanes[k] += exponentials[i + k];
                for (int k = 0; i < m; i++, k++) lanes[k] += exponentials[i];
            }
            for (int half = LANES / 2; half; half /= 2)
                for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
            total = log_float(lanes[0]);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] -= total;
        }
    }
}

/* log_softmax of rows of a half type, in float32; PyTorch keeps the sums in the half type, and their logarithms. A long row is widened
   once for each step, piece by piece. */
INLINE float rounded_half(int brain, float x) {
    uint16_t half;
    floats_to_halves(brain, &x, &half, 1);
    halves_to_floats(brain, &half, &x, 1);
    return x;
}

INLINE void add_exponentials(const float *x, float top, size n, float *lanes) {
    float rest[LANES] = {0};
    size i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += exp_single(x[i + k] - top);
    for (int k = 0; i + k < n; k++) rest[k] = x[i + k] - top;
    for (int k = 0; k < LANES; k++) rest[k] = exp_single(rest[k]);
    for (int k = 0; i + k < n; k++) lanes[k] += rest[k];
}

INLINE float folded(float *lanes, size n) {
    if (n < LANES) {
        for (size k = 1; k < n; k++) lanes[0] += lanes[k];
        return lanes[0];
    }
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

WIDE static void log_softmax_half_rows(Call *c, int brain, const uint16_t *x, uint16_t *out, size rows, size n) {
    const size group = n >= ROOM ? 1 : ROOM / n;
    float wide[ROOM];
    for (size row = 0; row < rows; row += group, x += group * n, out += group * n) {
        const size count = rows - row < group ? rows - row : group;
        if (n <= ROOM) halves_to_floats(brain, x, wide, count * n);
        for (size r = 0; r < count && n <= ROOM; r++) {
            float *each = wide + r * n, top = largest(each, n), lanes[LANES] = {0};
            add_exponentials(each, top, n, lanes);
            const float less = rounded_half(brain, log_float(rounded_half(brain, folded(lanes, n))));
            INDEPENDENT
            for (size i = 0; i < n; i++) each[i] = each[i] - top - less;
        }
        if (n <= ROOM) {
            floats_to_halves(brain, wide, out, count * n);
            continue;
        }
        float top = -INFINITY, lanes[LANES] = {0}, less = 0;
        for (int step = 0; step < 3; step++) {
            for (size at = 0; at < n && !ends(c, ROOM); at += ROOM) {
                const size m = n - at < ROOM ? n - at : ROOM;
                halves_to_floats(brain, x + at, wide, m);
                if (step == 0) {
                    const float high = largest(wide, m);
                    top = high > top ? high : top;
                } else if (step == 1) {
                    add_exponentials(wide, top, m, lanes);
                } else {
                    INDEPENDENT
                    for (size i = 0; i < m; i++) wide[i] = wide[i] - top - less;
                    floats_to_halves(brain, wide, out + at, m);
                }
            }
            if (step == 1) less = rounded_half(brain, log_float(rounded_half(brain, folded(lanes, n))));
        }
    }
}

/* The same along an axis whose elements lie `inner` apart: columns side by side, added in order. PyTorch computes columns by
   vectors, and the exponentials of those that fill none exactly. */
#define COLUMNS 64
#define VECTOR 16
INLINE void exponentials_of(const float *x, float *out, size whole, size m) {
    INDEPENDENT
    for (size c = 0; c < whole; c++) out[c] = exp_single(x[c]);
    for (size c = whole; c < m; c++) out[c] = exp_float(x[c]);
}

WIDE static void softmax_columns(Call *call, const float *x, float *out, size outer, size n, size inner, int logarithm) {
    float top[COLUMNS], total[COLUMNS];
    for (size o = 0; o < outer; o++, x += n * inner, out += n * inner)
        for (size left = 0; left < inner && !ends(call, n * COLUMNS); left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) top[c] = x[left + c];
            for (size i = 1; i < n; i++)
                for (size c = 0; c < m; c++) top[c] = x[i * inner + left + c] > top[c] ? x[i * inner + left + c] : top[c];
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const float *from = x + i * inner + left;
                float *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < whole; c++) {
                    float shifted = from[c] - top[c], e = exp_single(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
                for (size c = whole; c < m; c++) {
                    float shifted = from[c] - top[c], e = exp_float(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
            }
            if (logarithm)
                for (size c = 0; c < m; c++) total[c] = log_float(total[c]);
            for (size i = 0; i < n; i++) {
                float *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < m; c++) to[c] = logarithm ? to[c] - total[c] : to[c] / total[c];
            }
        }
}

WIDE static void softmax_rows_backward(const float *g, const float *y, float *out, size rows, size n, int logarithm) {
    for (size row = 0; row < rows; row++, g += n, y += n, out += n) {
        if (logarithm) {
            float total = lane_sum(g, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = __builtin_fmaf(-exp_single(y[i]), total, g[i]);
        } else {
            for (size i = 0; i < n; i++) out[i] = g[i] * y[i];
            float total = lane_sum(out, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = (g[i] - total) * y[i];
        }
    }
}

WIDE static void softmax_columns_backward(Call *call, const float *g, const float *y, float *out, size outer, size n, size inner,
                                          int logarithm) {
    float total[COLUMNS], e[COLUMNS];
    for (size o = 0; o < outer; o++, g += n * inner, y += n * inner, out += n * inner)
        for (size left = 0; left < inner && !ends(call, n * COLUMNS); left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const float *slope = g + i * inner + left, *from = y + i * inner + left;
                for (size c = 0; c < m; c++) total[c] = logarithm ? total[c] + slope[c] : __builtin_fmaf(slope[c], from[c], total[c]);
            }
            for (size i = 0; i < n; i++) {
                const float *slope = g + i * inner + left, *from = y + i * inner + left;
                float *to = out + i * inner + left;
                if (logarithm) exponentials_of(from, e, whole, m);
                INDEPENDENT
                for (size c = 0; c < m; c++) to[c] = logarithm ? __builtin_fmaf(-e[c], total[c], slope[c]) : (slope[c] - total[c]) * from[c];
            }
        }
}

/* Along an axis, which is argument `axis`; the result is argument `last`, if it is given. */
static int normalized_plan(Call *c, int axis, int last) {
    const Argument *x = &c->in[0];
    Axis found;
    if (!around_axis(x, c->in[axis].whole, &found) || x->count == 0) return 0;
    if (c->given > last) c->answer = last;
    else shape_as(result(c, 0), x);
    c->lines = found.outer, c->each = found.n * found.inner;
    c->in[axis].whole = found.axis == x->ndim - 1, c->in[axis].count = found.inner;
    return have(c, last, last, x->count);
}

static int softmax_plan(Call *c) { return normalized_plan(c, 1, 2); }
static int softmax_backward_plan(Call *c) {
    return has_shape(&c->in[1], c->in[0].ndim, c->in[0].shape) && normalized_plan(c, 2, 3);
}

static void normalized(Call *c, size from, size to, int logarithm) {
    const size at = from * c->each, inner = c->in[1].count, n = c->each / inner;
    const float *x = (const float *)c->in[0].data + at;
    float *out = (float *)(c->answer < 0 ? &c->out[0] : &c->in[2])->data + at;
    if (c->in[1].whole) softmax_rows(c, x, out, to - from, n, logarithm);
    else softmax_columns(c, x, out, to - from, n, inner, logarithm);
}

static void normalized_backward(Call *c, size from, size to, int logarithm) {
    const size at = from * c->each, inner = c->in[2].count, n = c->each / inner;
    const float *y = (const float *)c->in[0].data + at, *g = (const float *)c->in[1].data + at;
    float *out = (float *)(c->answer < 0 ? &c->out[0] : &c->in[3])->data + at;
    if (c->in[2].whole) softmax_rows_backward(g, y, out, to - from, n, logarithm);
    else softmax_columns_backward(c, g, y, out, to - from, n, inner, logarithm);
}

static int softmax(Call *c, size from, size to) { return normalized(c, from, to, 0), 1; }
static int log_softmax(Call *c, size from, size to) { return normalized(c, from, to, 1), 1; }
static int softmax_backward(Call *c, size from, size to) { return normalized_backward(c, from, to, 0), 1; }
static int log_softmax_backward(Call *c, size from, size to) { return normalized_backward(c, from, to, 1), 1; }

/* log_softmax_halves(x): along the last axis. */
static int log_softmax_halves_plan(Call *c) {
    const Argument *x = &c->in[0];
    if ((x->kind != HALF && x->kind != BRAIN) || x->ndim == 0 || x->count == 0) return 0;
    shape_as(result(c, 0), x);
    c->each = x->shape[x->ndim - 1], c->lines = x->count / c->each;
    return 1;
}

static int log_softmax_halves(Call *c, size from, size to) {
    const size at = from * c->each;
    log_softmax_half_rows(c, c->in[0].kind == BRAIN, (const uint16_t *)c->in[0].data + at, (uint16_t *)c->out[0].data + at, to - from,
                          c->each);
    return 1;
}

const Kernel softmax_kernels[] = {
    {"log_softmax_halves", "h", log_softmax_halves_plan, log_softmax_halves, "log_softmax_halves(x): along the last axis"},
    {"softmax", "fi|F", softmax_plan, softmax, "softmax(x, axis, out=new)"},
    {"log_softmax", "fi|F", softmax_plan, log_softmax, "log_softmax(x, axis, out=new)"},
    {"softmax_backward", "ffi|F", softmax_backward_plan, softmax_backward, "softmax_backward(y, g, axis, out=new)"},
    {"log_softmax_backward", "ffi|F", softmax_backward_plan, log_softmax_backward, "log_softmax_backward(y, g, axis, out=new)"},
    {0},
};
