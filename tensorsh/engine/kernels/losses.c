/* The loss of classes given their log-probabilities, and its gradient. */
#include "conversions.h"

#define LEVELS 8

/* The logarithm of how many additions spill into the next level. */
static int power_of(size rows) {
    int bits = 0;
    while (((size)1 << bits) < rows) bits++;
    return bits / LEVELS > 4 ? bits / LEVELS : 4;
}

/* Minus the sum of x[row, class of the row], in the order of PyTorch's kernel, a cascade of eight levels; 0 where a class is
   not below `width`. */
#define NLL(T, A, name, READ, ROUND, WRITE)                                                 \
    static int name(Call *c, size rows, size width) {                                       \
        const T *x = c->in[0].data;                                                         \
        A sums[LEVELS] = {0}, total = 0;                                                    \
        const int power = power_of(rows);                                                   \
        for (size row = 0; row < rows; row++) {                                             \
            const size place = place_at((const int64_t *)c->in[1].data + row);              \
            if (OUTSIDE(place, width)) return 0;                                            \
            sums[0] = ROUND(sums[0] - READ(x[row * width + place]));                        \
            for (int level = 0; level + 1 < LEVELS; level++) {                              \
                if (row & ((((size)1 << power) - 1) << (level * power))) break;             \
                sums[level + 1] = ROUND(sums[level + 1] + sums[level]);                     \
                sums[level] = 0;                                                            \
                if (ends(c, (size)1 << power)) return 0;                                    \
            }                                                                               \
        }                                                                                   \
        for (int level = 0; level < LEVELS; level++) total = ROUND(total + sums[level]);    \
        *(T *)c->out[0].data = WRITE(total / ROUND((A)(c->in[2].whole ? rows : 1)));        \
        return 1;                                                                           \
    }
/* A half type's sums are rounded to it at each step. */
#define HALF_TYPE(brain, type)                                                              \
    static float of_##type(uint16_t x) {                                                    \
        float found;                                                                        \
        return halves_to_floats(brain, &x, &found, 1), found;                               \
    }                                                                                       \
    static uint16_t as_##type(float x) {                                                    \
        uint16_t found;                                                                     \
        return floats_to_halves(brain, &x, &found, 1), found;                               \
    }                                                                                       \
    static float rounded_##type(float x) { return of_##type(as_##type(x)); }                \
    NLL(uint16_t, float, nll_##type, of_##type, rounded_##type, as_##type)
HALF_TYPE(0, half)
HALF_TYPE(1, brain)
NLL(float, float, nll_float, , , )
NLL(double, double, nll_double, , , )

/* Whether there are classes for so many rows. */
static int classified(const Argument *classes, size rows) { return classes->ndim == 1 && classes->count == rows; }

static int nll_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (IS_SHORT(x->kind) || x->kind == INT64 || x->kind == UINT32) return 0;
    if (x->ndim != 2 || x->count == 0 || !classified(&c->in[1], x->shape[0])) return 0;
    result(c, 0);
    c->lines = 1, c->each = x->shape[0];
    return 1;
}

static int nll(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    return (x->kind == FLOAT32 ? nll_float : x->kind == FLOAT64 ? nll_double : x->kind == HALF ? nll_half : nll_brain)(c, x->shape[0], x->shape[1]);
}

static int nll_backward_plan(Call *c) {
    const Argument *shape = &c->in[2];
    if (c->in[0].count != 1 || shape->ndim != 2 || shape->shape[0] < 1 || shape->shape[1] < 1) return 0;
    if (!classified(&c->in[1], shape->shape[0])) return 0;
    shape_as(result(c, 0), shape);
    c->lines = shape->shape[0], c->each = shape->shape[1];
    return 1;
}

/* Zeros of (rows, width), but minus the gradient's share at each row's class. */
#define SHARES(T, name)                                                                      \
    static int name(const Call *c, size from, size to) {                                     \
        const int64_t *classes = c->in[1].data;                                              \
        const size width = c->in[2].shape[1];                                                \
        const T share = -(*(const T *)c->in[0].data / (T)c->in[2].shape[0]);                 \
        T *out = (T *)c->out[0].data + from * width;                                         \
        memset(out, 0, (to - from) * width * sizeof *out);                                   \
        for (size row = from; row < to; row++, out += width) {                               \
            const size place = place_at(classes + row);                                      \
            if (OUTSIDE(place, width)) return 0;                                             \
            out[place] = share;                                                              \
        }                                                                                    \
        return 1;                                                                            \
    }
SHARES(float, shares_float)
SHARES(double, shares_double)

static int nll_backward(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? shares_float : shares_double)(c, from, to);
}

/* nll_each(x, classes, weight or None, ignored, mean, losses, shares, safe): x (n, classes, places), a class for each of n * places. Their
   losses and shares, of which the ignored ones' are 0 and -0, and the classes, 0 for these; the sum of all, or their mean, both by
   the cascade of PyTorch's kernel. */
static int nll_each_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim != 3 || x->count == 0 || !of_one_kind(c, 2, 2) || !of_one_kind(c, 5, 6) || !have(c, 2, 2, x->shape[1])) return 0;
    const size all = x->shape[0] * x->shape[2];
    if (c->in[1].count != all || !have(c, 5, 7, all)) return 0;
    result(c, 0);
    c->lines = 1, c->each = all;
    return 1;
}

#define NLL_EACH(T, name)                                                                    \
    static void name##_spilled(T *sums, size row, int power) {                               \
        for (int level = 0; level + 1 < LEVELS; level++) {                                   \
            if (row & ((((size)1 << power) - 1) << (level * power))) break;                  \
            sums[level + 1] += sums[level];                                                  \
            sums[level] = 0;                                                                 \
        }                                                                                    \
    }                                                                                        \
    /* The sum of the shares that are counted. */                                            \
    static T name##_weight(const T *shares, size all) {                                      \
        T sums[LEVELS] = {0}, total = 0;                                                     \
        const int power = power_of(all);                                                     \
        for (size row = 0; row < all; row++) {                                               \
            if (shares[row] == 0 && signbit(shares[row])) continue;                          \
            sums[0] += shares[row];                                                          \
            name##_spilled(sums, row, power);                                                \
        }                                                                                    \
        for (int level = 0; level < LEVELS; level++) total += sums[level];                   \
        return total;                                                                        \
    }                                                                                        \
    static int name(Call *c) {                                                               \
        const Argument *x = &c->in[0];                                                       \
        const size classes = x->shape[1], places = x->shape[2], all = c->each;               \
        const T *weight = c->in[2].data, *from = x->data;                                    \
        T *losses = c->in[5].data, *shares = c->in[6].data;                                  \
        int64_t *safe = c->in[7].data;                                                       \
        T sums[LEVELS] = {0}, total = 0;                                                     \
        const int power = power_of(all);                                                     \
        size counted = 0; /* what shares of 1 add up to, while no sum of them is rounded */  \
        for (size row = 0, place = 0; row < all; row++, place++) {                           \
            if (place == places) place = 0, from += classes * places;                        \
            const size own = place_at((const int64_t *)c->in[1].data + row);                 \
            if (own == c->in[3].whole) {                                                     \
                losses[row] = 0, shares[row] = (T)-0.0, safe[row] = 0;                       \
                continue;                                                                    \
            }                                                                                \
            if (OUTSIDE(own, classes) || (row % 1024 == 0 && ends(c, 1024))) return 0;       \
            const T share = weight ? weight[own] : 1, loss = -from[own * places + place] * share; \
            losses[row] = loss, shares[row] = share, safe[row] = own;                        \
            counted++;                                                                       \
            sums[0] += loss;                                                                 \
            name##_spilled(sums, row, power);                                                \
        }                                                                                    \
        for (int level = 0; level < LEVELS; level++) total += sums[level];                   \
        const int exact = !weight && all < 1 << 24;                                          \
        *(T *)c->out[0].data = !c->in[4].whole ? total : total / (exact ? (T)counted : name##_weight(shares, all)); \
        return 1;                                                                            \
    }
NLL_EACH(float, nll_each_float)
NLL_EACH(double, nll_each_double)

static int nll_each(Call *c, size from, size to) {
    (void)from, (void)to;
    return (c->in[0].kind == FLOAT32 ? nll_each_float : nll_each_double)(c);
}

/* nll_spread(g, classes, shape, shares, mean): zeros of (n, classes, places), but minus g times the share at each class; g is one, or one
   for each. */
static int nll_spread_plan(Call *c) {
    const Argument *shape = &c->in[2];
    if (shape->ndim != 3 || !of_one_kind(c, 3, 3) || shape->shape[0] < 1 || shape->shape[1] < 1 || shape->shape[2] < 1) return 0;
    const size all = times(shape->shape[0], shape->shape[2]);
    if (c->in[1].count != all || c->in[3].count != all || (c->in[0].count != 1 && c->in[0].count != all)) return 0;
    shape_as(result(c, 0), shape);
    c->lines = shape->shape[0], c->each = times(shape->shape[1], shape->shape[2]);
    return 1;
}

#define NLL_SPREAD(T, name, loss)                                                             \
    static int name(const Call *c, size from, size to) {                                     \
        const size places = c->in[2].shape[2], step = c->in[0].count > 1;                    \
        const T *g = c->in[0].data, *shares = c->in[3].data;                                 \
        T *out = (T *)c->out[0].data + from * c->each;                                       \
        const T by = c->in[4].whole ? loss##_weight(shares, c->in[3].count) : 1;             \
        memset(out, 0, (to - from) * c->each * sizeof *out);                                 \
        for (size n = from; n < to; n++, out += c->each)                                     \
            for (size i = n * places, place = 0; place < places; place++, i++) {             \
                const size own = place_at((const int64_t *)c->in[1].data + i);               \
                if (OUTSIDE(own, c->in[2].shape[1])) return 0;                               \
                if (shares[i] != 0 || !signbit(shares[i])) out[own * places + place] = -(g[i * step] / by) * shares[i]; \
            }                                                                                \
        return 1;                                                                            \
    }
NLL_SPREAD(float, nll_spread_float, nll_each_float)
NLL_SPREAD(double, nll_spread_double, nll_each_double)

static int nll_spread(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? nll_spread_float : nll_spread_double)(c, from, to);
}

/* multilabel_margin(x, classes): of each row, the sum over the classes listed, up to the first negative number, and those that are
   not, of max(0, 1 - (x[listed] - x[other])); how often each element counts in it, positive and negative. */
static int multilabel_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim != 2 || x->count == 0 || !has_shape(&c->in[1], 2, x->shape)) return 0;
    add_dimension(result(c, 0), x->shape[0]);
    shape_as(result(c, 0), x);
    c->lines = x->shape[0], c->each = times(x->shape[1], 8);
    c->room = x->shape[1];
    return 1;
}

#define MULTILABEL(T, name)                                                                  \
    static int name(Call *c, size from, size to) {                                           \
        const size n = c->in[0].shape[1];                                                    \
        char *listed = c->scratch;                                                           \
        for (size row = from; row < to; row++) {                                             \
            const T *x = (const T *)c->in[0].data + row * n;                                 \
            const int64_t *classes = (const int64_t *)c->in[1].data + row * n;               \
            T *slope = (T *)c->out[1].data + row * n, total = 0;                             \
            memset(listed, 0, n);                                                            \
            memset(slope, 0, n * sizeof *slope);                                             \
            for (size i = 0, place; i < n && (place = place_at(classes + i)) >= 0; i++) {    \
                if (OUTSIDE(place, n)) return 0;                                             \
                listed[place] = 1;                                                           \
            }                                                                                \
            for (size i = 0, place; i < n && (place = place_at(classes + i)) >= 0; i++) {    \
                if (OUTSIDE(place, n) || ends(c, n)) return 0;                               \
                const T gap = 1 - x[place];                                                  \
                T count = 0;                                                                 \
                for (size k = 0; k < n; k++) {                                               \
                    const T z = gap + x[k];                                                  \
                    const int counts = !listed[k] && z > 0;                                  \
                    total += counts ? z : 0;                                                 \
                    slope[k] += counts ? (T)1 : 0, count += counts ? (T)1 : 0;               \
                }                                                                            \
                slope[place] -= count;                                                       \
            }                                                                                \
            ((T *)c->out[0].data)[row] = total;                                              \
        }                                                                                    \
        return 1;                                                                            \
    }
MULTILABEL(float, multilabel_float)
MULTILABEL(double, multilabel_double)

static int multilabel_margin(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? multilabel_float : multilabel_double)(c, from, to);
}

/* multi_margin(x, classes, weight or None, margin, squared): the sums of rows, and their slopes. */
static int margin_plan(Call *c) {
    const Argument *x = &c->in[0], *weight = &c->in[2];
    if (x->ndim != 2 || x->count == 0 || c->in[1].count != x->shape[0]) return 0;
    if (weight->data != NULL && (weight->dtype != x->dtype || weight->count != x->shape[1])) return 0;
    add_dimension(result(c, 0), x->shape[0]);
    shape_as(result(c, 0), x);
    c->lines = x->shape[0], c->each = times(4, x->shape[1]);
    return 1;
}

#define MARGIN(T, name)                                                                      \
    static int name(Call *c, size row) {                                                     \
        const size n = c->in[0].shape[1], own = place_at((const int64_t *)c->in[1].data + row); \
        const T *x = (const T *)c->in[0].data + row * n, *weight = c->in[2].data;            \
        T *slope = (T *)c->out[1].data + row * n, total = 0, down = 0;                       \
        if (OUTSIDE(own, n)) return 0;                                                       \
        const T gap = (T)c->in[3].number - x[own], factor = weight ? weight[own] : 1;        \
        for (size k = 0; k < n; k++) {                                                       \
            const T z = gap + x[k];                                                          \
            const int counts = k != own && z > 0;                                            \
            const T high = c->in[4].whole ? z * z : z, steep = c->in[4].whole ? 2 * z : 1;   \
            total += counts ? high * factor : 0;                                             \
            slope[k] = counts ? steep * factor : 0;                                          \
            down += slope[k];                                                                \
        }                                                                                    \
        slope[own] = 0 - down;                                                               \
        ((T *)c->out[0].data)[row] = total;                                                  \
        return 1;                                                                            \
    }
MARGIN(float, margin_float)
MARGIN(double, margin_double)

static int multi_margin(Call *c, size from, size to) {
    for (size row = from; row < to; row++)
        if (!(c->in[0].kind == FLOAT32 ? margin_float : margin_double)(c, row)) return 0;
    return 1;
}

const Kernel losses_kernels[] = {
    {"multi_margin", "r~lr?xb", margin_plan, multi_margin, "multi_margin(x, classes, weight, margin, squared): the sums of rows, and their slopes"},
    {"nll", "a~lb", nll_plan, nll, "nll(x, classes, mean): minus the sum, or the mean, of the log-probabilities of the classes"},
    {"multilabel_margin", "r~l", multilabel_plan, multilabel_margin, "multilabel_margin(x, classes): the sums of rows, and their slopes"},
    {"nll_each", "r~l~r~?ibRRL", nll_each_plan, nll_each, "nll_each(x, classes, weight, ignored, mean, losses, shares, safe): the sum or the mean"},
    {"nll_spread", "r~l~tr~b", nll_spread_plan, nll_spread, "nll_spread(g, classes, shape of x, shares, mean)"},
    {"nll_backward", "rlt", nll_backward_plan, nll_backward, "nll_backward(g, classes, shape of x)"},
    {0},
};
