/* softmax and its like: functions of the rows of an array, or of its slices along another axis. */
#include "conversions.h"
#include "double_math.h"

#define ROOM 1024 /* elements that are worked on at a time: they stay in the first cache */
#define COLUMNS 64
#define LEVELS 4
#define VECTOR 16

#define NUMBER double
#define BITS int64_t
#define LANES 8
#define OF(name) name##_of_doubles
#define EXP exp_double
#define EXACT_EXP exp_double
#define LOG log_double
#define FUSED __builtin_fma
#include "row_functions.h"

#define NUMBER float
#define BITS int32_t
#define LANES 16
#define OF(name) name##_of_floats
#define EXP exp_single
#define EXACT_EXP exp_nearest
#define LOG log_nearest
#define FUSED __builtin_fmaf
#include "row_functions.h"

#define LANES 16

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
            float *each = wide + r * n, top = largest_of_floats(each, n), lanes[LANES] = {0};
            add_exponentials(each, top, n, lanes);
            const float less = rounded_half(brain, log_nearest(rounded_half(brain, folded(lanes, n))));
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
                    const float high = largest_of_floats(wide, m);
                    top = high > top ? high : top;
                } else if (step == 1) {
                    add_exponentials(wide, top, m, lanes);
                } else {
                    INDEPENDENT
                    for (size i = 0; i < m; i++) wide[i] = wide[i] - top - less;
                    floats_to_halves(brain, wide, out + at, m);
                }
            }
            if (step == 1) less = rounded_half(brain, log_nearest(rounded_half(brain, folded(lanes, n))));
        }
    }
}

/* Along an axis, which is argument `axis`; the result is argument `last`, if it is given. */
static int normalized_plan(Call *c, int axis, int last) {
    const Argument *x = &c->in[0];
    Axis found;
    if (!of_one_kind(c, 1, axis - 1) || !of_one_kind(c, last, last) || !around_axis(x, c->in[axis].whole, &found) || x->count == 0) return 0;
    if (c->given > last) c->answer = last;
    else shape_as(result(c, 0), x);
    c->lines = found.outer, c->each = found.n * found.inner, c->apart = 1;
    c->in[axis].whole = found.axis == x->ndim - 1, c->in[axis].count = found.inner;
    return have(c, last, last, x->count);
}

static int softmax_plan(Call *c) { return normalized_plan(c, 1, 2); }
static int softmax_backward_plan(Call *c) {
    return has_shape(&c->in[1], c->in[0].ndim, c->in[0].shape) && normalized_plan(c, 2, 3);
}

#define NORMALIZED(T, numbers)                                                                                     \
    static void normalized_##numbers(Call *c, size from, size to, int logarithm) {                                \
        const size at = from * c->each, inner = c->in[1].count, n = c->each / inner;                               \
        const T *x = (const T *)c->in[0].data + at;                                                                \
        T *out = (T *)(c->answer < 0 ? &c->out[0] : &c->in[2])->data + at;                                         \
        if (c->in[1].whole) softmax_rows_of_##numbers(c, x, out, to - from, n, logarithm);                         \
        else softmax_columns_of_##numbers(c, x, out, to - from, n, inner, logarithm);                              \
    }                                                                                                              \
    static void normalized_backward_##numbers(Call *c, size from, size to, int logarithm) {                       \
        const size at = from * c->each, inner = c->in[2].count, n = c->each / inner;                               \
        const T *y = (const T *)c->in[0].data + at, *g = (const T *)c->in[1].data + at;                            \
        T *out = (T *)(c->answer < 0 ? &c->out[0] : &c->in[3])->data + at;                                         \
        if (c->in[2].whole) softmax_rows_backward_of_##numbers(g, y, out, to - from, n, logarithm);                \
        else softmax_columns_backward_of_##numbers(c, g, y, out, to - from, n, inner, logarithm);                  \
    }
NORMALIZED(float, floats)
NORMALIZED(double, doubles)

#define KERNEL(name, work, logarithm)                                                                              \
    static int name(Call *c, size from, size to) {                                                                \
        if (c->in[0].kind == FLOAT32) work##_floats(c, from, to, logarithm);                                       \
        else work##_doubles(c, from, to, logarithm);                                                               \
        return 1;                                                                                                  \
    }
KERNEL(softmax, normalized, 0)
KERNEL(log_softmax, normalized, 1)
KERNEL(softmax_backward, normalized_backward, 0)
KERNEL(log_softmax_backward, normalized_backward, 1)

/* log_sums(x, axis): log(sum(exp(x))) along an axis. */
static int log_sums_plan(Call *c) {
    const Argument *x = &c->in[0];
    Axis found;
    if (!around_axis(x, c->in[1].whole, &found) || x->count == 0) return 0;
    Argument *made = result(c, 0);
    for (int k = 0; k < x->ndim; k++)
        if (k != found.axis) add_dimension(made, x->shape[k]);
    c->in[1].count = found.inner;
    c->lines = found.outer, c->each = found.n * found.inner, c->apart = 1;
    return 1;
}

#define LOG_SUMS(T, numbers)                                                                                       \
    {                                                                                                              \
        const T *x = (const T *)c->in[0].data + from * c->each;                                                    \
        T *out = (T *)c->out[0].data + from * inner;                                                               \
        if (inner == 1) log_of_sums_of_rows_of_##numbers(c, x, out, to - from, n);                                 \
        else log_of_sums_of_columns_of_##numbers(c, x, out, to - from, n, inner);                                  \
    }
static int log_sums(Call *c, size from, size to) {
    const size inner = c->in[1].count, n = c->each / inner;
    if (c->in[0].kind == FLOAT32) LOG_SUMS(float, floats)
    else LOG_SUMS(double, doubles)
    return 1;
}

/* log_softmax_halves(x): along the last axis. */
static int log_softmax_halves_plan(Call *c) {
    const Argument *x = &c->in[0];
    if ((x->kind != HALF && x->kind != BRAIN) || x->ndim == 0 || x->count == 0) return 0;
    shape_as(result(c, 0), x);
    c->each = x->shape[x->ndim - 1], c->lines = x->count / c->each, c->apart = 1;
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
    {"log_sums", "r~i", log_sums_plan, log_sums, "log_sums(x, axis): log(sum(exp(x))) along an axis"},
    {"softmax", "ri|R", softmax_plan, softmax, "softmax(x, axis, out=new)"},
    {"log_softmax", "ri|R", softmax_plan, log_softmax, "log_softmax(x, axis, out=new)"},
    {"softmax_backward", "rri|R", softmax_backward_plan, softmax_backward, "softmax_backward(y, g, axis, out=new)"},
    {"log_softmax_backward", "rri|R", softmax_backward_plan, log_softmax_backward, "log_softmax_backward(y, g, axis, out=new)"},
    {0},
};
