/* Products of matrices of 64-bit integers and sums of whole numbers, which wrap around. */
#include "kernels.h"

#define ROWS 4
#define COLUMNS 32 /* a tile of sums that registers hold */

/* A tile of `rows` by `width` sums of k products; the first factor's rows lie k apart, the others n. */
INLINE void tile(const uint64_t *a, const uint64_t *b, uint64_t *out, size k, size n, const int rows, const int width) {
    uint64_t sums[ROWS][COLUMNS] = {{0}};
    for (size i = 0; i < k; i++, b += n)
        for (int r = 0; r < rows; r++) {
            const uint64_t factor = a[r * k + i];
            for (int c = 0; c < width; c++) sums[r][c] += factor * b[c];
        }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < width; c++) out[r * n + c] = sums[r][c];
}

WIDE static void tiles(const uint64_t *a, const uint64_t *b, uint64_t *out, size k, size n, int rows, int width) {
    if (rows == ROWS && width == COLUMNS) tile(a, b, out, k, n, ROWS, COLUMNS);
    else if (rows == ROWS && width >= 8) tile(a, b, out, k, n, ROWS, 8);
    else if (rows == ROWS) tile(a, b, out, k, n, ROWS, width);
    else if (width == COLUMNS) tile(a, b, out, k, n, rows, COLUMNS);
    else tile(a, b, out, k, n, rows, width);
}

/* whole_product(a, b): batches of matrices of one size, or two matrices. */
static int product_plan(Call *c) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    const int d = a->ndim - 2;
    if ((d != 0 && d != 1) || b->ndim != a->ndim || a->shape[d + 1] != b->shape[d] || (d && a->shape[0] != b->shape[0])) return 0;
    shape_as(result(c, 0), a);
    c->out[0].shape[d + 1] = b->shape[d + 1];
    c->lines = (d ? a->shape[0] : 1) * a->shape[d];
    c->each = times(a->shape[d + 1], b->shape[d + 1]);
    return 1;
}

static int whole_product(Call *c, size from, size to) {
    const int d = c->in[0].ndim - 2;
    const size m = c->in[0].shape[d], k = c->in[0].shape[d + 1], n = c->in[1].shape[d + 1];
    const uint64_t *a = c->in[0].data, *b = c->in[1].data;
    uint64_t *out = c->out[0].data;
    for (size row = from, rows; row < to; row += rows) {
        rows = m - row % m < to - row ? m - row % m : to - row;
        rows = rows < ROWS ? rows : ROWS;
        const uint64_t *second = b + row / m * k * n;
        for (size at = 0, width; at < n; at += width) {
            const size left = n - at;
            width = left >= COLUMNS ? COLUMNS : left >= 8 && rows == ROWS ? 8 : left;
            tiles(a + row * k, second + at, out + row * n + at, k, n, (int)rows, (int)width);
            if (ends(c, rows * width * k)) return 0;
        }
    }
    return 1;
}

/* whole_sums(x, axis, signed) */
static int sums_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->kind != INT64 && (!IS_SHORT(x->kind) || x->item > 4 || (x->item > 1 && !c->in[2].whole))) return 0;
    return along_axis(c, NEW_INT64);
}

#define TOGETHER 64
#define WHOLE_SUMS(T, name)                                                                          \
    WIDE static void name##_rows(const T *x, size apart, int64_t *out, size rows, size n) {          \
        for (size row = 0; row < rows; row++, x += apart) {                                          \
            uint64_t total = 0;                                                                      \
            for (size i = 0; i < n; i++) total += (uint64_t)(int64_t)x[i];                           \
            out[row] = (int64_t)total;                                                               \
        }                                                                                            \
    }                                                                                                \
    WIDE static void name##_columns(const T *x, size step, int64_t *out, size n, size inner) {       \
        for (size first = 0, m; first < inner; first += m) {                                         \
            uint64_t totals[TOGETHER] = {0};                                                         \
            m = inner - first < TOGETHER ? inner - first : TOGETHER;                                 \
            for (size i = 0; i < n; i++) {                                                           \
                const T *from = x + i * step + first;                                                \
                if (m == TOGETHER)                                                                   \
                    for (size k = 0; k < TOGETHER; k++) totals[k] += (uint64_t)(int64_t)from[k];     \
                else                                                                                 \
                    for (size k = 0; k < m; k++) totals[k] += (uint64_t)(int64_t)from[k];            \
            }                                                                                        \
            memcpy(out + first, totals, m * sizeof *totals);                                         \
        }                                                                                            \
    }
WHOLE_SUMS(int64_t, longs)
WHOLE_SUMS(int32_t, words)
WHOLE_SUMS(int16_t, shorts)
WHOLE_SUMS(int8_t, bytes)
WHOLE_SUMS(uint8_t, ones)

static int whole_sums(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size inner = c->in[1].count, n = c->each / inner, step = x->strides[c->in[1].whole] / x->item;
    Ranks ranks;
    ranks_of(x, (int)c->in[1].whole, -1, &ranks);
    for (size line = from, m, apart; line < to && !c->ended; line += m) {
        const char *at = (const char *)x->data + line_at(&ranks, line, &m, &apart);
        int64_t *out = (int64_t *)c->out[0].data + line * inner;
        m = m + 1 < to - line ? m + 1 : to - line;
#define ADDED(T, name)                                                                               \
    if (inner == 1) name##_rows((const T *)at, apart / x->item, out, m, n);                          \
    else for (size o = 0; o < m && !ends(c, c->each); o++) name##_columns((const T *)(at + o * apart), step, out + o * inner, n, inner)
        if (x->kind == INT64) {
            ADDED(int64_t, longs);
        } else if (x->item == 4) {
            ADDED(int32_t, words);
        } else if (x->item == 2) {
            ADDED(int16_t, shorts);
        } else if (c->in[2].whole) {
            ADDED(int8_t, bytes);
        } else {
            ADDED(uint8_t, ones);
        }
    }
    return 1;
}

const Kernel whole_kernels[] = {
    {"whole_sums", "eib", sums_plan, whole_sums, "whole_sums(x, axis, signed): sums of whole numbers along an axis"},
    {"whole_product", "ll", product_plan, whole_product, "whole_product(a, b): of matrices of int64, or of two batches of them"},
    {0},
};
