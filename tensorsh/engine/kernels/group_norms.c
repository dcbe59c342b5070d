/* Group norm: groups of channels that lie side by side less their mean and divided by their deviation, and the gradients of
   float32. Sums are added as PyTorch adds them, and what its compiler fuses is fused; other operations round as written. */
#include "moments_of_rows.h"

#define LANES 8

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));

/* `groups` groups, each of d channels of s elements; a group's weights are found by its number among those of a sample. */
struct groups {
    const float *g, *x, *w, *b;
    float *out, *mean, *rstd, *sum, *with_x; /* of a channel: the sums of g and of g x */
    double eps;
    size from, to, first, d, s, of_sample; /* groups from..to are worked on, of arrays that begin with the first */
};

#define NORMALIZE(T, name, FUSED)                                                                              \
    WIDE static void normalize_groups_##name(const struct groups *v) {                                        \
        const size n = v->d * v->s;                                                                           \
        T mean[ROWS], variance[ROWS];                                                                         \
        for (size i = v->from; i < v->to; i++) {                                                              \
            const T *x = (const T *)(const void *)v->x + (i - v->first) * n;                                  \
            T *out = (T *)(void *)v->out + (i - v->first) * n;                                                \
            const size row = (i - v->from) % ROWS;                                                            \
            if (row == 0) {                                                                                   \
                const T *some[ROWS];                                                                          \
                for (int r = 0; r < ROWS; r++) some[r] = i + r < v->to ? x + r * n : x;                       \
                row_moments_of_##name(some, n, mean, variance);                                               \
            }                                                                                                 \
            const T m = mean[row], var = variance[row];                                                       \
            const T rstd = (T)(1.0 / sqrt((var > 0 || var != var ? var : 0) + v->eps));                       \
            ((T *)(void *)v->mean)[i] = m;                                                                    \
            ((T *)(void *)v->rstd)[i] = rstd;                                                                 \
            if (!v->w && !v->b) {                                                                             \
                INDEPENDENT                                                                                   \
                for (size k = 0; k < n; k++) out[k] = (x[k] - m) * rstd;                                      \
                continue;                                                                                     \
            }                                                                                                 \
            for (size j = 0; j < v->d; j++, x += v->s, out += v->s) {                                         \
                const size c = i % v->of_sample * v->d + j;                                                   \
                const T scale = v->w ? rstd * ((const T *)(const void *)v->w)[c] : rstd;                      \
                const T shift = FUSED(-scale, m, v->b ? ((const T *)(const void *)v->b)[c] : 0);              \
                INDEPENDENT                                                                                   \
                for (size k = 0; k < v->s; k++) out[k] = FUSED(scale, x[k], shift);                           \
            }                                                                                                 \
        }                                                                                                     \
    }
NORMALIZE(float, floats, __builtin_fmaf)
NORMALIZE(double, doubles, __builtin_fma)

/* Sums along a channel of g and of g x, in eight lanes; a vector's rest is fused, a short line in order. */
INLINE void products(const float *g, const float *x, size n, float *plain, float *with_x) {
    float a[LANES], b[LANES];
    size i = LANES;
    if (n < LANES) {
        a[0] = g[0], b[0] = g[0] * x[0];
        for (i = 1; i < n; i++) a[0] += g[i], b[0] += g[i] * x[i];
        *plain = a[0], *with_x = b[0];
        return;
    }
    vector sum = *(const vector *)g, sum_with_x = sum * *(const vector *)x;
    for (; i + LANES <= n; i += LANES) {
        vector gradient = *(const vector *)(g + i);
        sum += gradient;
        sum_with_x += gradient * *(const vector *)(x + i);
    }
    *(vector *)a = sum;
    *(vector *)b = sum_with_x;
    for (int k = 0; i < n; i++, k++) a[k] += g[i], b[k] += g[i] * x[i];
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half], b[k] += b[k + half];
    *plain = a[0], *with_x = b[0];
}

/* The sum over a group's channels of their sums times their weights: in lanes, then the others, of which PyTorch's
   compiler multiplies four at a time. */
INLINE float weighted(const float *sums, const float *w, size d) {
    float lanes[LANES] = {0}, total = 0;
    size j = 0;
    for (; j + LANES <= d; j += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] = w ? __builtin_fmaf(sums[j + k], w[j + k], lanes[k]) : lanes[k] + sums[j + k];
    for (int k = 0; k < LANES; k++) total += lanes[k];
    const size fours = j + (d - j) / 4 * 4;
    for (; j < fours; j++) total += w ? sums[j] * w[j] : sums[j];
    for (; j < d; j++) total = w ? __builtin_fmaf(sums[j], w[j], total) : total + sums[j];
    return total;
}

WIDE static void normalize_groups_backward(const struct groups *v) {
    for (size c = v->from * v->d; c < v->to * v->d; c++) products(v->g + c * v->s, v->x + c * v->s, v->s, v->sum + c, v->with_x + c);
    if (!v->out) return;
    const float scale = 1.0f / (float)(v->d * v->s);
    for (size i = v->from; i < v->to; i++) {
        const float mean = v->mean[i], rstd = v->rstd[i], *w = v->w ? v->w + i % v->of_sample * v->d : NULL;
        const float plain = weighted(v->sum + i * v->d, w, v->d), with_x = weighted(v->with_x + i * v->d, w, v->d);
        const float b = __builtin_fmaf(plain, mean, -with_x) * rstd * rstd * rstd * scale;
        const float c = __builtin_fmaf(-(plain * rstd), scale, -b * mean);
        for (size j = 0; j < v->d; j++) {
            const size at = (i * v->d + j) * v->s;
            const float *g = v->g + at, *x = v->x + at, a = w ? rstd * w[j] : rstd;
            float *dx = v->out + at;
            INDEPENDENT
            for (size k = 0; k < v->s; k++) dx[k] = __builtin_fmaf(a, g[k], b * x[k]) + c;
        }
    }
}

/* The gradients of the weights and biases from..to, from the channels' sums, sample by sample. */
WIDE static void weights_backward(const struct groups *v, size samples, float *dw, float *db) {
    const size channels = v->of_sample * v->d;
    for (size c = v->from; c < v->to; c++) {
        float plain = 0, with_x = 0;
        for (size n = 0; n < samples; n++) {
            const size group = n * v->of_sample + c / v->d, at = n * channels + c;
            with_x = __builtin_fmaf(__builtin_fmaf(-v->sum[at], v->mean[group], v->with_x[at]), v->rstd[group], with_x);
            plain += v->sum[at];
        }
        if (dw) dw[c] = with_x;
        if (db) db[c] = plain;
    }
}

/* An array [groups, channels of a group, s], and which argument says how many groups a sample has. */
static int grouped(Call *c, int array, int of_sample) {
    const Argument *x = &c->in[array];
    if (x->ndim != 3 || x->count == 0 || c->in[of_sample].whole < 1 || x->shape[0] % c->in[of_sample].whole) return 0;
    c->lines = x->shape[0], c->each = x->shape[1] * x->shape[2], c->apart = 1;
    return 1;
}

static struct groups groups_of(const Call *c, int array, int of_sample, size from, size to) {
    const size *shape = c->in[array].shape;
    return (struct groups){.from = from, .to = to, .d = shape[1], .s = shape[2], .of_sample = c->in[of_sample].whole};
}

/* Of an array [samples, channels, ...]. */
static int group_norm_plan(Call *c) {
    const Argument *x = &c->in[0];
    const size groups = c->in[7].whole;
    if (x->ndim < 2 || x->count == 0 || groups < 1 || x->shape[1] % groups) return 0;
    c->lines = x->shape[0] * groups, c->each = x->count / c->lines, c->apart = 1;
    return norm_of_kinds(c) && have(c, 1, 2, x->shape[1]) && have(c, 4, 4, x->count) && have(c, 5, 6, c->lines);
}

static int group_norm(Call *c, size from, size to) {
    const size *shape = c->in[0].shape, groups = c->in[7].whole;
    struct groups v = {.from = from, .to = to, .d = shape[1] / groups, .s = c->in[0].count / (shape[0] * shape[1]), .of_sample = groups};
    v.x = c->in[0].data, v.w = c->in[1].data, v.b = c->in[2].data, v.eps = c->in[3].number;
    v.out = c->in[4].data, v.mean = c->in[5].data, v.rstd = c->in[6].data;
    if (c->room) { /* halves, a few groups at a time */
        float *const wide = c->scratch, *const made = wide + ROWS * c->each;
        v.x = wide, v.out = made;
        for (size row = from; row < to && !ends(c, ROWS * c->each); row = v.to) {
            v.from = v.first = row, v.to = to - row < ROWS ? to : row + ROWS;
            rows_widened(c, row, v.to - row, wide);
            normalize_groups_floats(&v);
            rows_narrowed(c, row, v.to - row, made);
        }
    } else
        (c->in[0].kind == FLOAT32 ? normalize_groups_floats : normalize_groups_doubles)(&v);
    return 1;
}

static int group_norm_backward_plan(Call *c) {
    if (!grouped(c, 1, 8)) return 0;
    const size all = c->in[1].count, channels = c->in[1].shape[1];
    return have(c, 0, 0, all) && have(c, 2, 2, c->in[8].whole * channels) && have(c, 3, 4, c->lines) &&
           have(c, 5, 6, c->lines * channels) && have(c, 7, 7, all);
}

static int group_norm_backward(Call *c, size from, size to) {
    struct groups v = groups_of(c, 1, 8, from, to);
    v.g = c->in[0].data, v.x = c->in[1].data, v.w = c->in[2].data, v.mean = c->in[3].data, v.rstd = c->in[4].data;
    v.sum = c->in[5].data, v.with_x = c->in[6].data, v.out = c->in[7].data;
    normalize_groups_backward(&v);
    return 1;
}

static int group_norm_weights_plan(Call *c) {
    if (!grouped(c, 0, 6) || c->in[0].shape[2] != 1) return 0;
    const size groups = c->lines, channels = c->in[6].whole * c->in[0].shape[1];
    c->lines = channels, c->each = groups / c->in[6].whole;
    return have(c, 1, 1, c->in[0].count) && have(c, 2, 3, groups) && have(c, 4, 5, channels);
}

static int group_norm_weights(Call *c, size from, size to) {
    struct groups v = groups_of(c, 0, 6, from, to);
    v.sum = c->in[0].data, v.with_x = c->in[1].data, v.mean = c->in[2].data, v.rstd = c->in[3].data;
    weights_backward(&v, c->each, c->in[4].data, c->in[5].data);
    return 1;
}

const Kernel group_norm_kernels[] = {
    {"group_norm", "hr?r?xHRRi", group_norm_plan, group_norm,
     "group_norm(x [samples, channels, ...], weight, bias, eps, out, means, rstds, groups of a sample)"},
    {"group_norm_backward", "fff?ffFFF?i", group_norm_backward_plan, group_norm_backward,
     "group_norm_backward(g, x, weight, means, rstds, sums of g, sums of g x, dx, groups of a sample)"},
    {"group_norm_weights", "ffffF?F?i", group_norm_weights_plan, group_norm_weights,
     "group_norm_weights(sums of g [groups, channels of a group, 1], sums of g x, means, rstds, dw, db, groups of a sample)"},
    {0},
};
