/* Products of matrices of 64-bit integers, which wrap around. */
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

const Kernel whole_kernels[] = {
    {"whole_product", "ll", product_plan, whole_product, "whole_product(a, b): of matrices of int64, or of two batches of them"},
    {0},
};
