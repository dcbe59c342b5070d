/* A matrix product for one kind of vector registers; included once for each, with TARGET, LANES_, ROWS_, NAME() and FUSED()
   defined.

   Each element of a tile is one chain of fused multiply-adds in the order of k, whatever the tile's size. */

typedef float NAME(vector) __attribute__((vector_size(4 * LANES_), aligned(4)));
#define VECTOR NAME(vector)
#define PANEL (2 * LANES_)

/* `count` rows of a tile: c[r][0 .. columns) (+)= sum over k of a[r][k] * panel[k][..]. */
TARGET INLINE void NAME(rows)(int count, size k, const float *a, size a_row, size a_column, const float *panel, float *c, size c_row,
                       size columns, int add) {
    VECTOR sum[ROWS_][2];
    UNROLL(16)
    for (int r = 0; r < count; r++) sum[r][0] = sum[r][1] = (VECTOR){0};
    for (size p = 0; p < k; p++, panel += PANEL) {
        const VECTOR b0 = *(const VECTOR *)panel, b1 = *(const VECTOR *)(panel + LANES_);
    UNROLL(16)
        for (int r = 0; r < count; r++) {
            const VECTOR x = a[r * a_row + p * a_column] - (VECTOR){0};
            sum[r][0] = FUSED(x, b0, sum[r][0]);
            sum[r][1] = FUSED(x, b1, sum[r][1]);
        }
    }
    UNROLL(16)
    for (int r = 0; r < count; r++, c += c_row) {
        if (columns == PANEL) {
            VECTOR *to = (VECTOR *)c, *more = (VECTOR *)(c + LANES_);
            *to = add ? *to + sum[r][0] : sum[r][0];
            *more = add ? *more + sum[r][1] : sum[r][1];
        } else {
            float kept[PANEL];
            memcpy(kept, sum[r], sizeof kept);
            for (size j = 0; j < columns; j++) c[j] = add ? c[j] + kept[j] : kept[j];
        }
    }
}

#define CASE(n) case n: NAME(rows)(n, k, a, a_row, a_column, panel, c, c_row, columns, add); break;
TARGET static void NAME(tile)(int count, size k, const float *a, size a_row, size a_column, const float *panel, float *c, size c_row,
                       size columns, int add) {
    switch (count) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if ROWS_ > 6
        CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
    }
}
#undef CASE

/* The columns of b in panels of PANEL, each in the order of k; the last is filled up with zeros. */
TARGET static void NAME(pack)(const float *b, size b_row, size b_column, size k, size n, float *panels) {
    for (size j = 0; j < n; j += PANEL, panels += k * PANEL) {
        size m = n - j < PANEL ? n - j : PANEL;
        if (b_column == 1) {
            for (size p = 0; p < k; p++) {
                float *to = panels + p * PANEL;
                memcpy(to, b + p * b_row + j, m * sizeof(float));
                for (size i = m; i < PANEL; i++) to[i] = 0;
            }
            continue;
        }
        for (size i = 0; i < PANEL; i++) {
            const float *from = b + (j + i) * b_column;
            if (i < m) for (size p = 0; p < k; p++) panels[p * PANEL + i] = from[p * b_row];
            else for (size p = 0; p < k; p++) panels[p * PANEL + i] = 0;
        }
    }
}

/* One block of k; `panels` has room for k rows of b, each filled up to whole panels. */
TARGET static void NAME(block)(const float *a, size a_row, size a_column, const float *b, size b_row, size b_column, size m, size k,
                        size n, float *c, size c_row, float *panels, int add) {
    NAME(pack)(b, b_row, b_column, k, n, panels);
    for (size top = 0; top < m; top += 10 * ROWS_) {
        size end = m < top + 10 * ROWS_ ? m : top + 10 * ROWS_;
        for (size j = 0; j < n; j += PANEL)
            for (size i = top; i < end; i += ROWS_)
                NAME(tile)((int)(end - i < ROWS_ ? end - i : ROWS_), k, a + i * a_row, a_row, a_column, panels + j * k,
                           c + i * c_row + j, c_row, n - j < PANEL ? n - j : PANEL, add);
    }
}

#undef VECTOR
#undef PANEL
#undef TARGET
#undef FUSED
#undef LANES_
#undef ROWS_
#undef NAME
