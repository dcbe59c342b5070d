/* Images resized. By weighted sums of two or four rows and columns, with PyTorch's roundings: between two, the four corners each have
   the product of their weights; of four, sums along a row are summed over rows. Steps are fused as its compiler fuses them. By the
   nearest row and column, and the gradient of that, which sums what came of each element row by row, as PyTorch does. */
#include "vector_math.h"

#define MOST_TAPS 4

/* A row's elements under the taps of each column, one tap's after the other's. */
static void taken(const float *row, const int32_t *columns, size across, int taps, float *to) {
    UNROLL(4)
    for (size j = 0; j < taps * across; j++) to[j] = row[columns[j]];
}

/* made = the corners' sum, for the taken elements of two rows. */
WIDE static void corners(const float *upper, const float *lower, float a, float b, const float *weights, size across, float *made) {
    INDEPENDENT
    for (size j = 0; j < across; j++) {
        const float u = weights[j], v = weights[across + j];
        float sum = FMAF(upper[j], a * u, upper[across + j] * (a * v));
        sum = FMAF(lower[j], b * u, sum);
        made[j] = FMAF(lower[across + j], b * v, sum);
    }
}

WIDE static void along(const float *taps, const float *weights, size across, float *made) {
    INDEPENDENT
    for (size j = 0; j < across; j++) {
        float sum = FMAF(taps[j], weights[j], taps[across + j] * weights[across + j]);
        sum = FMAF(taps[2 * across + j], weights[2 * across + j], sum);
        made[j] = FMAF(taps[3 * across + j], weights[3 * across + j], sum);
    }
}

WIDE static void over(const float *const *rows, const float *w, size across, float *made) {
    const float *first = rows[0], *second = rows[1], *third = rows[2], *fourth = rows[3];
    INDEPENDENT
    for (size j = 0; j < across; j++) {
        float sum = FMAF(first[j], w[0], second[j] * w[1]);
        sum = FMAF(third[j], w[2], sum);
        made[j] = FMAF(fourth[j], w[3], sum);
    }
}

/* The numbers of an image's columns, checked once. */
static int checked_columns(const Argument *numbers, size width, int32_t *columns) {
    for (size j = 0; j < numbers->count; j++) {
        const size column = place_at((const int64_t *)numbers->data + j);
        if (OUTSIDE(column, width)) return 0;
        columns[j] = (int32_t)column;
    }
    return 1;
}

/* resize(x, out, rows, row_weights, columns, column_weights): x (planes, H, W), out (planes, h, w), rows and their weights
   (T, h), columns and theirs (T, w). */
static int resize_plan(Call *c) {
    const Argument *x = &c->in[0], *out = &c->in[1], *rows = &c->in[2], *columns = &c->in[4];
    if (x->ndim != 3 || out->ndim != 3 || rows->ndim != 2 || columns->ndim != 2 || x->count == 0 || out->count == 0) return 0;
    const size taps = rows->shape[0];
    if ((taps != 2 && taps != 4) || columns->shape[0] != taps || out->shape[0] != x->shape[0] || x->shape[2] > INT32_MAX) return 0;
    if (rows->shape[1] != out->shape[1] || columns->shape[1] != out->shape[2]) return 0;
    if (!has_shape(&c->in[3], 2, rows->shape) || !has_shape(&c->in[5], 2, columns->shape)) return 0;
    c->answer = 1;
    c->lines = out->shape[0], c->each = times(out->count / out->shape[0], taps);
    /* the columns, checked once; the elements that they take of a row; for each of the last rows what was made of it */
    c->room = times(taps * out->shape[2], sizeof(int32_t) + 2 * taps * sizeof(float));
    return c->room < PTRDIFF_MAX;
}

static int resize(Call *c, size from, size to) {
    const Argument *x = &c->in[0], *rows = &c->in[2];
    const size height = x->shape[1], width = x->shape[2], down = c->in[1].shape[1], across = c->in[1].shape[2], taps = rows->shape[0];
    const size line = taps == 2 ? taps * across : across;
    const int64_t *row_numbers = rows->data;
    const float *row_weights = c->in[3].data, *column_weights = c->in[5].data;
    int32_t *columns = c->scratch;
    float *elements = (float *)(columns + taps * across), *kept = elements + taps * across;
    if (!checked_columns(&c->in[4], width, columns)) return 0;
    for (size plane = from; plane < to; plane++) {
        const float *image = (const float *)x->data + plane * height * width;
        float *made = (float *)c->in[1].data + plane * down * across;
        size numbers[MOST_TAPS] = {-1, -1, -1, -1}; /* of the rows that are kept, each where its number leaves it */
        for (size i = 0; i < down && !ends(c, taps * across); i++, made += across) {
            const float *parts[MOST_TAPS];
            float weights[MOST_TAPS];
            for (size t = 0; t < taps; t++) {
                const size row = place_at(row_numbers + t * down + i);
                if (OUTSIDE(row, height)) return 0;
                const size slot = row % taps;
                float *to_row = kept + slot * line;
                if (numbers[slot] != row) {
                    taken(image + row * width, columns, across, (int)taps, taps == 2 ? to_row : elements);
                    if (taps == 4) along(elements, column_weights, across, to_row);
                    numbers[slot] = row;
                }
                parts[t] = to_row, weights[t] = row_weights[t * down + i];
            }
            if (taps == 2) corners(parts[0], parts[1], weights[0], weights[1], column_weights, across, made);
            else over(parts, weights, across, made);
        }
    }
    return 1;
}

/* nearest(x, out, rows, columns): x (planes, H, W), out (planes, h, w), the number of a row for each of h, of a column for each of w.
   `spread` tells which of the two arrays has h rows of w. */
static int nearest_shapes(Call *c, const Argument *image, const Argument *spread) {
    const Argument *rows = &c->in[2], *columns = &c->in[3];
    if (image->ndim != 3 || spread->ndim != 3 || image->dtype != spread->dtype || image->count == 0 || spread->count == 0) return 0;
    if (image->shape[0] != spread->shape[0] || image->shape[2] > INT32_MAX || spread->shape[2] > INT32_MAX) return 0;
    if (!has_shape(rows, 1, spread->shape + 1) || !has_shape(columns, 1, spread->shape + 2)) return 0;
    c->answer = 1;
    c->lines = spread->shape[0], c->each = image->count / c->lines + spread->count / c->lines;
    return 1;
}
static int nearest_plan(Call *c) {
    const size item = c->in[0].item;
    if (!nearest_shapes(c, &c->in[0], &c->in[1]) || item == 0) return 0;
    c->room = c->in[3].count * (size)sizeof(int32_t);
    return 1;
}

#define NEAREST(T, name)                                                                           \
    WIDE static void name(const void *from, const int32_t *columns, size across, void *to) {       \
        INDEPENDENT                                                                                \
        for (size j = 0; j < across; j++) ((T *)to)[j] = ((const T *)from)[columns[j]];            \
    }
NEAREST(uint8_t, nearest_bytes)
NEAREST(uint16_t, nearest_shorts)
NEAREST(uint32_t, nearest_words)
NEAREST(uint64_t, nearest_longs)
/* Elements of any size, such as all channels of a place. */
WIDE static void nearest_pieces(const char *from, const int32_t *columns, size across, size item, char *to) {
    for (size j = 0; j < across; j++, to += item) copy_piece(from + columns[j] * item, to, item);
}

static int nearest(Call *c, size from, size to) {
    const Argument *x = &c->in[0], *out = &c->in[1];
    const size height = x->shape[1], line = x->shape[2] * x->item, down = out->shape[1], across = out->shape[2], made = across * x->item;
    int32_t *columns = c->scratch;
    if (!checked_columns(&c->in[3], x->shape[2], columns)) return 0;
    for (size plane = from; plane < to; plane++) {
        const char *image = (const char *)x->data + plane * height * line;
        char *row_made = (char *)out->data + plane * down * made;
        size before = -1;
        for (size i = 0; i < down && !ends(c, across); i++, row_made += made) {
            const size row = place_at((const int64_t *)c->in[2].data + i);
            if (OUTSIDE(row, height)) return 0;
            if (row == before) memcpy(row_made, row_made - made, made);
            else if (x->item == 1) nearest_bytes(image + row * line, columns, across, row_made);
            else if (x->item == 2) nearest_shorts(image + row * line, columns, across, row_made);
            else if (x->item == 4) nearest_words(image + row * line, columns, across, row_made);
            else if (x->item == 8) nearest_longs(image + row * line, columns, across, row_made);
            else nearest_pieces(image + row * line, columns, across, x->item, row_made);
            before = row;
        }
    }
    return 1;
}

/* nearest_sums(g, out, rows, columns): g (planes, h, w), out (planes, H, W); the columns' numbers ascend. */
static int nearest_sums_plan(Call *c) {
    if (!nearest_shapes(c, &c->in[1], &c->in[0])) return 0;
    c->room = times(c->in[1].shape[2] + 1, sizeof(int32_t));
    return 1;
}

#define NEAREST_SUMS(T, name)                                                                      \
    WIDE static void name##_pairs(const T *from, size n, T *to) {                                  \
        INDEPENDENT                                                                                \
        for (size k = 0; k < n; k++) to[k] = to[k] + from[2 * k] + from[2 * k + 1];                \
    }                                                                                              \
    static int name(Call *c, size from, size to) {                                                 \
        const Argument *g = &c->in[0], *out = &c->in[1];                                           \
        const size down = g->shape[1], across = g->shape[2], height = out->shape[1], width = out->shape[2]; \
        int32_t *starts = c->scratch;                                                              \
        int pairs = across == 2 * width;                                                           \
        size j = 0;                                                                                \
        for (size k = 0; k < width; k++) {                                                         \
            starts[k] = (int32_t)j;                                                                \
            while (j < across && place_at((const int64_t *)c->in[3].data + j) == k) j++;           \
            pairs &= j == 2 * k + 2;                                                               \
        }                                                                                          \
        if (j != across) return 0;                                                                 \
        starts[width] = (int32_t)j;                                                                \
        for (size plane = from; plane < to; plane++) {                                             \
            const T *row = (const T *)g->data + plane * down * across;                             \
            T *made = (T *)out->data + plane * height * width;                                     \
            memset(made, 0, height * width * sizeof *made);                                        \
            for (size i = 0; i < down && !ends(c, across); i++, row += across) {                   \
                const size k = place_at((const int64_t *)c->in[2].data + i);                       \
                if (OUTSIDE(k, height)) return 0;                                                  \
                T *sums = made + k * width;                                                        \
                if (pairs) name##_pairs(row, width, sums);                                         \
                else                                                                               \
                    for (size m = 0; m < width; m++) {                                             \
                        T total = sums[m];                                                         \
                        for (size at = starts[m]; at < starts[m + 1]; at++) total += row[at];      \
                        sums[m] = total;                                                           \
                    }                                                                              \
            }                                                                                      \
        }                                                                                          \
        return 1;                                                                                  \
    }
NEAREST_SUMS(float, nearest_sums_of_singles)
NEAREST_SUMS(double, nearest_sums_of_doubles)
static int nearest_sums(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? nearest_sums_of_singles : nearest_sums_of_doubles)(c, from, to);
}

/* weigh(x, out, places, weights, in_turn): sums along an axis: x (outer, n, inner), out (outer, m, inner), for each of m so many places
   and weights (taps, m). The second product is rounded by itself and the first fused with it, unless they come in turn; all others are
   fused. */
static int weigh_plan(Call *c) {
    const Argument *x = &c->in[0], *out = &c->in[1], *places = &c->in[2];
    if (x->ndim != 3 || out->ndim != 3 || places->ndim != 2 || x->count == 0 || out->count == 0 || places->count == 0) return 0;
    if (x->shape[0] != out->shape[0] || x->shape[2] != out->shape[2] || places->shape[1] != out->shape[1]) return 0;
    if (!of_one_kind(c, 1, 1) || !of_one_kind(c, 3, 3) || !has_shape(&c->in[3], 2, places->shape) || x->shape[1] > INT32_MAX) return 0;
    c->answer = 1;
    c->lines = x->shape[0], c->each = times(out->count / c->lines, places->shape[0]);
    c->room = x->shape[2] == 1 ? times(places->count, sizeof(int32_t)) : 0;
    return c->room < PTRDIFF_MAX;
}

#define WEIGH(T, name, FUSED)                                                                      \
    /* Rows, each times a weight, added up. */                                                     \
    WIDE static void name##_rows(const T *first, T by, const T *second, T with, size n, T *made) { \
        INDEPENDENT                                                                                \
        for (size k = 0; k < n; k++) made[k] = FUSED(first[k], by, second[k] * with);              \
    }                                                                                              \
    WIDE static void name##_more(const T *row, T by, size n, T *made) {                            \
        INDEPENDENT                                                                                \
        for (size k = 0; k < n; k++) made[k] = FUSED(row[k], by, made[k]);                         \
    }                                                                                              \
    WIDE static void name##_only(const T *row, T by, size n, T *made) {                            \
        INDEPENDENT                                                                                \
        for (size k = 0; k < n; k++) made[k] = row[k] * by;                                        \
    }                                                                                              \
    /* Elements of a row, by the places of each tap. */                                            \
    WIDE static void name##_pair(const T *row, const int32_t *first, const T *by, const int32_t *second, const T *with, size m, T *made) { \
        for (size j = 0; j < m; j++) made[j] = FUSED(row[first[j]], by[j], row[second[j]] * with[j]); \
    }                                                                                              \
    WIDE static void name##_next(const T *row, const int32_t *at, const T *by, size m, int fused, T *made) { \
        if (fused)                                                                                 \
            for (size j = 0; j < m; j++) made[j] = FUSED(row[at[j]], by[j], made[j]);              \
        else                                                                                       \
            for (size j = 0; j < m; j++) made[j] = row[at[j]] * by[j];                             \
    }                                                                                              \
    static int name(Call *c, size from, size to) {                                                 \
        const size n = c->in[0].shape[1], m = c->in[1].shape[1], inner = c->in[0].shape[2], taps = c->in[2].shape[0]; \
        const int64_t *places = c->in[2].data;                                                     \
        const T *weights = c->in[3].data;                                                          \
        const size one = c->in[4].whole || taps == 1 ? 0 : 1; /* the tap whose product is rounded */ \
        int32_t *columns = c->scratch;                                                             \
        if (inner == 1 && !checked_columns(&c->in[2], n, columns)) return 0;                       \
        for (size line = from; line < to; line++) {                                                \
            const T *x = (const T *)c->in[0].data + line * n * inner;                              \
            T *out = (T *)c->in[1].data + line * m * inner;                                        \
            if (inner == 1) {                                                                      \
                if (ends(c, m * taps)) return 1;                                                   \
                if (one) name##_pair(x, columns, weights, columns + m, weights + m, m, out);       \
                else name##_next(x, columns, weights, m, 0, out);                                  \
                for (size t = 1 + one; t < taps; t++) name##_next(x, columns + t * m, weights + t * m, m, 1, out); \
                continue;                                                                          \
            }                                                                                      \
            for (size i = 0; i < m && !ends(c, taps * inner); i++, out += inner) {                 \
                const T *first = NULL;                                                             \
                for (size t = 0; t < taps; t++) {                                                  \
                    const size place = place_at(places + t * m + i);                               \
                    if (OUTSIDE(place, n)) return 0;                                               \
                    const T *row = x + place * inner;                                              \
                    if (one && t == 0) first = row;                                                \
                    else if (one && t == 1) name##_rows(first, weights[i], row, weights[m + i], inner, out); \
                    else if (t == 0) name##_only(row, weights[i], inner, out);                     \
                    else name##_more(row, weights[t * m + i], inner, out);                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return 1;                                                                                  \
    }
WEIGH(float, weigh_singles, FMAF)
WEIGH(double, weigh_doubles, __builtin_fma)
static int weigh(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? weigh_singles : weigh_doubles)(c, from, to);
}

const Kernel resizing_kernels[] = {
    {"weigh", "rRl~r~b", weigh_plan, weigh, "weigh(x, out, places, weights, in_turn): weighted sums along an axis"},
    {"nearest", "aAll", nearest_plan, nearest, "nearest(x, out, rows, columns)"},
    {"nearest_sums", "rRll", nearest_sums_plan, nearest_sums, "nearest_sums(g, out, rows, columns)"},
    {"resize", "fFlflf", resize_plan, resize, "resize(x, out, rows, row_weights, columns, column_weights)"},
    {0},
};
