/* Elements that a mask chooses, from two arrays, or of one array where it is true; classes as vectors. */
#include "kernels.h"

static int is_movable(const Argument *x) {
    return x->item == 1 || x->item == 2 || x->item == 4 || x->item == 8;
}

/* choose(mask, x, y): x or y have the mask's shape, or are one element for all. */
static int choose_plan(Call *c) {
    const Argument *mask = &c->in[0];
    if (mask->item != 1 || c->in[1].dtype != c->in[2].dtype || !is_movable(&c->in[1])) return 0;
    for (int k = 1; k < 3; k++)
        if (c->in[k].ndim && !has_shape(&c->in[k], mask->ndim, mask->shape)) return 0;
    shape_as(result(c, 1), mask);
    c->lines = mask->count, c->each = 1;
    return 1;
}

#define CHOOSE(T, name)                                                                                        \
    WIDE static void name(const uint8_t *mask, const T *x, const T *y, T *out, size n, int many_x, int many_y) { \
        if (many_x && many_y) {                                                                                \
            INDEPENDENT                                                                                        \
            for (size i = 0; i < n; i++) out[i] = mask[i] ? x[i] : y[i];                                       \
        } else if (many_x) {                                                                                   \
            const T other = *y;                                                                                \
            INDEPENDENT                                                                                        \
            for (size i = 0; i < n; i++) out[i] = mask[i] ? x[i] : other;                                      \
        } else if (many_y) {                                                                                   \
            const T one = *x;                                                                                  \
            INDEPENDENT                                                                                        \
            for (size i = 0; i < n; i++) {                                                                     \
                const T other = y[i];                                                                          \
                out[i] = mask[i] ? one : other;                                                                \
            }                                                                                                  \
        } else {                                                                                               \
            const T one = *x, other = *y;                                                                      \
            INDEPENDENT                                                                                        \
            for (size i = 0; i < n; i++) out[i] = mask[i] ? one : other;                                       \
        }                                                                                                      \
    }
CHOOSE(uint8_t, choose_bytes)
CHOOSE(uint16_t, choose_shorts)
CHOOSE(uint32_t, choose_words)
CHOOSE(uint64_t, choose_doubles)

static int choose(Call *c, size from, size to) {
    const int many_x = c->in[1].ndim > 0, many_y = c->in[2].ndim > 0;
    const uint8_t *mask = (const uint8_t *)c->in[0].data + from;
#define PART(T, name) name(mask, (const T *)c->in[1].data + many_x * from, (const T *)c->in[2].data + many_y * from, \
                           (T *)c->out[0].data + from, to - from, many_x, many_y)
    switch (c->in[1].item) {
        case 1: PART(uint8_t, choose_bytes); break;
        case 2: PART(uint16_t, choose_shorts); break;
        case 4: PART(uint32_t, choose_words); break;
        default: PART(uint64_t, choose_doubles);
    }
    return 1;
}

/* refilled(x, mask, source): x with the elements of a source, one after the other, where the mask is true. */
static int refilled_plan(Call *c) {
    const Argument *x = &c->in[0], *mask = &c->in[1], *source = &c->in[2];
    if (mask->item != 1 || !is_movable(x) || x->dtype != source->dtype || !has_shape(mask, x->ndim, x->shape)) return 0;
    shape_as(result(c, 0), x);
    return source->count > 0 && x->count < LONG_PIECE;
}
#define REFILL(T, name)                                                                                        \
    static void name(const T *x, const uint8_t *mask, const T *source, size many, T *out, size n) {            \
        size at = 0;                                                                                           \
        for (size i = 0; i < n; i++) {                                                                         \
            const int taken = mask[i] != 0;                                                                    \
            const T other = source[at], own = x[i];                                                            \
            out[i] = taken ? other : own;                                                                      \
            at += taken & (at + 1 < many);                                                                     \
        }                                                                                                      \
    }
REFILL(uint8_t, refill_bytes)
REFILL(uint16_t, refill_shorts)
REFILL(uint32_t, refill_words)
REFILL(uint64_t, refill_doubles)
static int refilled(Call *c, size from, size to) {
    (void)from, (void)to;
    const void *x = c->in[0].data, *mask = c->in[1].data, *source = c->in[2].data;
    const size many = c->in[2].count, n = c->in[0].count;
    switch (c->in[0].item) {
        case 1: refill_bytes(x, mask, source, many, c->out[0].data, n); break;
        case 2: refill_shorts(x, mask, source, many, c->out[0].data, n); break;
        case 4: refill_words(x, mask, source, many, c->out[0].data, n); break;
        default: refill_doubles(x, mask, source, many, c->out[0].data, n);
    }
    return 1;
}

/* limited(x, low, high): whole numbers not below the one nor above the other, which counts where they cross. */
static int limited_plan(Call *c) {
    shape_as(result(c, 0), &c->in[0]);
    c->lines = c->in[0].count, c->each = 1;
    return 1;
}
WIDE static void limited_flat(const int64_t *x, int64_t low, int64_t high, int64_t *out, size n) {
    INDEPENDENT
    for (size i = 0; i < n; i++) {
        const int64_t at_least = x[i] < low ? low : x[i];
        out[i] = at_least > high ? high : at_least;
    }
}
static int limited(Call *c, size from, size to) {
    limited_flat((const int64_t *)c->in[0].data + from, c->in[1].whole, c->in[2].whole, (int64_t *)c->out[0].data + from, to - from);
    return 1;
}

/* masked(x, mask): the elements of x, or its rows where the mask has fewer dimensions; longer ones are numpy's. */
static int masked_plan(Call *c) {
    const Argument *x = &c->in[0], *mask = &c->in[1];
    if (mask->item != 1 || mask->ndim < 1 || mask->ndim > x->ndim || x->count > LONG_WORK || mask->count > LONG_WORK) return 0;
    for (int k = 0; k < mask->ndim; k++)
        if (mask->shape[k] != x->shape[k]) return 0;
    Argument *out = result(c, 0);
    out->ndim = x->ndim - mask->ndim + 1;
    for (int k = 1; k < out->ndim; k++) out->shape[k] = x->shape[k + mask->ndim - 1];
    size chosen = 0;
    for (size i = 0; i < mask->count; i++) chosen += ((const uint8_t *)mask->data)[i] != 0;
    out->shape[0] = chosen;
    return 1;
}

/* As many as the plan has counted: a mask that has changed since gives None. */
static int masked(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0], *mask = &c->in[1];
    const uint8_t *chosen = mask->data;
    const size bytes = mask->count ? x->count / mask->count * x->item : 0, room = c->out[0].shape[0];
    const char *row = x->data;
    char *out = c->out[0].data;
    size found = 0;
    for (size i = 0; i < mask->count; i++, row += bytes) {
        if (!chosen[i]) continue;
        if (found == room) return 0;
        if (bytes == 4) memcpy(out, row, 4);
        else if (bytes == 8) memcpy(out, row, 8);
        else memcpy(out, row, bytes);
        out += bytes;
        found++;
    }
    return found == room;
}

/* one_hot(x, classes): vectors with a one at the place that each element names; -1: as many classes as there must be. */
static int one_hot_plan(Call *c) {
    const Argument *x = &c->in[0];
    const int64_t *names = x->data;
    int64_t most = -1;
    size all, classes = c->in[1].whole;
    if (x->count == 0 || x->count > LONG_WORK || x->ndim >= DIMS) return 0;
    for (size i = 0; i < x->count; i++) {
        const int64_t name = place_at(names + i);
        if (name < 0) return 0;
        if (name > most) most = name;
    }
    if (most > LONG_WORK) return 0;
    if (classes == -1) classes = most + 1;
    if (classes <= most || __builtin_mul_overflow(classes, x->count, &all) || all > 8 * LONG_WORK) return 0;
    Argument *out = result(c, 0);
    shape_as(out, x);
    add_dimension(out, classes);
    return 1;
}

static int one_hot(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    const size classes = c->out[0].shape[x->ndim];
    int64_t *row = c->out[0].data;
    memset(row, 0, c->out[0].count * sizeof *row);
    for (size i = 0; i < x->count; i++, row += classes) {
        const size name = place_at((const int64_t *)x->data + i);
        if (OUTSIDE(name, classes)) return 0;
        row[name] = 1;
    }
    return 1;
}

const Kernel choices_kernels[] = {
    {"choose", "aaa", choose_plan, choose, "choose(mask, x, y): elements of x where the mask is true, of y elsewhere"},
    {"refilled", "aaa", refilled_plan, refilled, "refilled(x, mask, source): x with elements of a source where the mask is true"},
    {"limited", "lii", limited_plan, limited, "limited(x, low, high)"},
    {"masked", "aa", masked_plan, masked, "masked(x, mask): elements or rows of x where the mask is true"},
    {"one_hot", "li", one_hot_plan, one_hot, "one_hot(x, classes)"},
    {0},
};
