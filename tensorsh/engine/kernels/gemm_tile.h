/* A matrix product for one kind of vector registers; included once for each, with TARGET, LANES_, ROWS_, NAME() and FUSED()
   defined.

   Each element of a tile is one chain of fused multiply-adds in the order of k, whatever the tile's size. */

typedef float NAME(vector) __attribute__((vector_size(4 * LANES_), aligned(4)));
#define VECTOR NAME(vector)
#define PANEL (2 * LANES_)

/* The first columns of a tile's rows. */
TARGET __attribute__((noinline)) static void NAME(part)(int count, const float *kept, float *c, size c_row, size columns, const float *more,
                                                 size more_row) {
    for (int r = 0; r < count; r++, c += c_row, kept += PANEL, more += more_row)
        for (size j = 0; j < columns; j++) c[j] = more ? more[j] + kept[j] : kept[j];
}

/* `count` rows of a tile: c[r][0 .. columns) = sum over k of a[r][k] * panel[k][..], whose rows are `step` apart, and of `more` where there
   is some. */
TARGET INLINE void NAME(rows)(int count, size k, const float *a, size a_row, size a_column, const float *panel, size step, float *c,
                       size c_row, size columns, const float *more, size more_row) {
    VECTOR sum[ROWS_][2];
    UNROLL(16)
    for (int r = 0; r < count; r++) sum[r][0] = sum[r][1] = (VECTOR){0};
    for (size p = 0; p < k; p++, panel += step) {
        const VECTOR b0 = *(const VECTOR *)panel, b1 = *(const VECTOR *)(panel + LANES_);
    UNROLL(16)
        for (int r = 0; r < count; r++) {
            const VECTOR x = a[r * a_row + p * a_column] - (VECTOR){0};
            sum[r][0] = FUSED(x, b0, sum[r][0]);
            sum[r][1] = FUSED(x, b1, sum[r][1]);
        }
    }
    if (columns < PANEL) {
        VECTOR kept[ROWS_][2];
        UNROLL(16)
        for (int r = 0; r < count; r++) kept[r][0] = sum[r][0], kept[r][1] = sum[r][1];
        NAME(part)(count, (const float *)kept, c, c_row, columns, more, more_row);
        return;
    }
    UNROLL(16)
    for (int r = 0; r < count; r++, c += c_row, more += more_row) {
        *(VECTOR *)c = more ? *(const VECTOR *)more + sum[r][0] : sum[r][0];
        *(VECTOR *)(c + LANES_) = more ? *(const VECTOR *)(more + LANES_) + sum[r][1] : sum[r][1];
    }
}

#define CASE(n) case n: NAME(rows)(n, k, a, a_row, a_column, panel, step, c, c_row, columns, more, more_row); break;
TARGET static void NAME(tile)(int count, size k, const float *a, size a_row, size a_column, const float *panel, size step, float *c,
                       size c_row, size columns, const float *more, size more_row) {
    switch (count) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5)
#if ROWS_ > 6
        CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11)
#endif
    }
}
#undef CASE

/* The columns of b in panels of PANEL, each in the order of k; the last is filled up with zeros. */
TARGET static void NAME(pack)(const float *b, size b_row, size b_column, size k, size n, float *panels) {
    for (size j = 0; j < n; j += PANEL, panels += k * PANEL) {
        const size m = n - j < PANEL ? n - j : PANEL;
        const float *from = b + j * b_column;
        size p = 0, i = 0;
        if (b_column == 1) {
            for (; m == PANEL && p < k; p++) memcpy(panels + p * PANEL, from + p * b_row, PANEL * sizeof(float));
            for (; p < k; p++) {
                float *to = panels + p * PANEL;
                memcpy(to, from + p * b_row, m * sizeof(float));
                for (i = m; i < PANEL; i++) to[i] = 0;
            }
            continue;
        }
        for (; b_row == 1 && i + 4 <= m; i += 4) {
            const float *lines = from + i * b_column;
            for (p = 0; p + 4 <= k; p += 4) turn_four(lines + p, b_column, panels + p * PANEL + i, PANEL, NULL);
            for (; p < k; p++)
                for (size l = 0; l < 4; l++) panels[p * PANEL + i + l] = lines[l * b_column + p];
        }
        for (; i < PANEL; i++)
            for (p = 0; p < k; p++) panels[p * PANEL + i] = i < m ? from[i * b_column + p * b_row] : 0;
    }
}

/* Rows of a in strips of ROWS_, each in the order of k: what a tile reads of them lies side by side. */
TARGET static void NAME(strips)(const float *a, size a_row, size a_column, size m, size k, float *to) {
    for (size i = 0; i + ROWS_ <= m; i += ROWS_, a += ROWS_ * a_row, to += k * ROWS_) {
        if (a_row == 1) {
            for (size p = 0; p < k; p++) memcpy(to + p * ROWS_, a + p * a_column, ROWS_ * sizeof(float));
            continue;
        }
        size r = 0;
        for (; r + 4 <= ROWS_; r += 4) {
            size p = 0;
            for (; p + 4 <= k; p += 4) turn_four(a + r * a_row + p, a_row, to + p * ROWS_ + r, ROWS_, NULL);
            for (; p < k; p++)
                for (size l = r; l < r + 4; l++) to[p * ROWS_ + l] = a[l * a_row + p];
        }
        for (; r < ROWS_; r++)
            for (size p = 0; p < k; p++) to[p * ROWS_ + r] = a[r * a_row + p];
    }
}

/* One block of k. `room`: for k rows of b, each filled up to whole panels, and behind these for CHUNK rows of a. Few rows of a read b where
   it lies. Columns of a are laid in strips, and rows where they are far apart. `more`: what is added, whose rows are `more_row` apart. */
TARGET static void NAME(block)(Call *call, struct matrix a, struct matrix b, size m, size k, size n, float *c, size c_row, float *room,
                        const float *more, size more_row) {
    const size whole = b.column == 1 && m <= FEW_TILES * ROWS_ ? n / PANEL * PANEL : 0; /* columns that lie as panels do */
    const int laid = a.row == 1 ? n > PANEL : n >= WORTH_STRIPS && a.row >= FAR_APART;
    float *const strips = room + (n - whole + PANEL - 1) / PANEL * PANEL * k;
    if (whole < n) NAME(pack)(b.data + whole * b.column, b.row, b.column, k, n - whole, room);
    for (size top = 0; top < m && !(top && ends(call, CHUNK * k * n)); top += CHUNK) {
        const size end = m < top + CHUNK ? m : top + CHUNK;
        if (laid) NAME(strips)(a.data + top * a.row, a.row, a.column, end - top, k, strips);
        for (size j = 0; j < n; j += PANEL) {
            const size columns = n - j < PANEL ? n - j : PANEL, step = j < whole ? b.row : PANEL;
            const float *panel = j < whole ? b.data + j : room + (j - whole) * k;
            size i = top;
#define PLACE panel, step, c + i * c_row + j, c_row, columns, more ? more + i * more_row + j : NULL, more_row
            for (; i + ROWS_ <= end; i += ROWS_) {
                if (laid) NAME(rows)(ROWS_, k, strips + (i - top) * k, 1, ROWS_, PLACE);
                else NAME(rows)(ROWS_, k, a.data + i * a.row, a.row, a.column, PLACE);
            }
            if (i < end) NAME(tile)((int)(end - i), k, a.data + i * a.row, a.row, a.column, PLACE);
#undef PLACE
        }
    }
}

#undef VECTOR
#undef PANEL
#undef TARGET
#undef FUSED
#undef LANES_
#undef ROWS_
#undef NAME
