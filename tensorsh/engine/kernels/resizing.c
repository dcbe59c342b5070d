/* Images resized by weighted sums of two or four rows and columns, with PyTorch's roundings: between two, the four corners each have
   the product of their weights; of four, sums along a row are summed over rows. Steps are fused as its compiler fuses them. */
#include "vector_math.h"

#define MOST_TAPS 4

/* A row's elements under the taps of each column, one tap's after the other's. */
static void taken(const float *row, const int32_t *columns, size across, int taps, float *to) {
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
    const int64_t *row_numbers = rows->data, *column_numbers = c->in[4].data;
    const float *row_weights = c->in[3].data, *column_weights = c->in[5].data;
    int32_t *columns = c->scratch;
    float *elements = (float *)(columns + taps * across), *kept = elements + taps * across;
    for (size j = 0; j < taps * across; j++) {
        const size column = place_at(column_numbers + j);
        if (OUTSIDE(column, width)) return 0;
        columns[j] = (int32_t)column;
    }
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

const Kernel resizing_kernels[] = {
    {"resize", "fFlflf", resize_plan, resize, "resize(x, out, rows, row_weights, columns, column_weights)"},
    {0},
};
