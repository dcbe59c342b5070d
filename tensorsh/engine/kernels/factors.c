/* Decompositions of batches of small real matrices: LU with interchanges of rows, Cholesky's, QR as Householder reflections. A
   matrix that an algorithm cannot handle gives None, and LAPACK says what is wrong with it. */
#include "kernels.h"

enum { SMALL = 32, MOST = 1 << 20, REFLECTED = 128, BLOCK = 16 }; /* rows up to which a matrix is taken as a whole; bytes of the largest, beyond which BLAS is faster */

static int square_plan(Call *c) {
    const Argument *a = &c->in[0];
    if (a->ndim < 2 || a->count == 0) return 0;
    const size n = a->shape[a->ndim - 1];
    if (a->shape[a->ndim - 2] != n || times(times(n, n), a->item) > MOST) return 0;
    shape_as(result(c, 0), a);
    c->lines = a->count / (n * n), c->each = n * n * n;
    if (n > SMALL) c->room = (n + 2 * BLOCK) * ((n + BLOCK - 1) / BLOCK * BLOCK) * a->item + 64;
    return 1;
}

/* Larger matrices are decomposed a block of columns at a time. Its rows are turned, `panel`, so that a column's elements lie side by side;
   what the block leaves of the others is found row by row, in whole vectors, less the sums of the block's products.
   A column's largest is found by its bits; one that is not finite, or whose inverse is not, is for LAPACK. */
#define BLOCKS(T, Bits, name, fma, root, infinite)                                                                 \
    INLINE void name##_less(T *row, const T *given, const T *tile, size blocks) {                                  \
        T factors[BLOCK];                                                                                          \
        memcpy(factors, given, sizeof factors);                                                                    \
        for (; blocks--; tile += BLOCK * BLOCK, row += BLOCK) {                                                    \
            INDEPENDENT                                                                                            \
            for (int j = 0; j < BLOCK; j++) {                                                                      \
                T sum = factors[0] * tile[j];                                                                      \
                UNROLL(16) for (int k = 1; k < BLOCK; k++) sum = fma(factors[k], tile[k * BLOCK + j], sum);        \
                row[j] -= sum;                                                                                     \
            }                                                                                                      \
        }                                                                                                          \
    }                                                                                                              \
    INLINE void name##_in_tiles(const T *from, size step, T *tile, size blocks) {                                  \
        for (; blocks--; from += BLOCK, tile += BLOCK * BLOCK)                                                     \
            for (int k = 0; k < BLOCK; k++) memcpy(tile + k * BLOCK, from + k * step, BLOCK * sizeof *tile);       \
    }                                                                                                              \
    INLINE void name##_turned(T *rows, size step, T *panel, size count, size width, int back) {                    \
        for (size r = 0; r < count; r++)                                                                           \
            for (size k = 0; k < width; k++) {                                                                     \
                if (back) rows[r * step + k] = panel[k * step + r];                                                \
                else panel[k * step + r] = rows[r * step + k];                                                     \
            }                                                                                                      \
    }                                                                                                              \
    INLINE size name##_largest(const T *column, size n) {                                                          \
        Bits most = 0, bits;                                                                                       \
        typedef Bits __attribute__((may_alias)) Aliased;                                                           \
        const Aliased *all = (const Aliased *)column;                                                              \
        const Bits amount = (Bits)(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1);                                   \
        for (size i = 0; i < n; i++) bits = all[i] & amount, most = bits > most ? bits : most;                  \
        size best = 0;                                                                                             \
        while ((all[best] & amount) != most) best++;                                                            \
        return most < infinite ? best : -1;                                                                        \
    }                                                                                                              \
    WIDE static int name##_in_lu(T *a, int32_t *pivots, size n, size step, T *panel) {                             \
        for (size at = 0; at < n; at += BLOCK) {                                                                   \
            const size width = n - at < BLOCK ? n - at : BLOCK, rows = n - at;                                     \
            T *block = a + at * (step + 1);                                                                        \
            name##_turned(block, step, panel, rows, width, 0);                                                     \
            for (size k = 0; k < width; k++) {                                                                     \
                T *column = panel + k * step;                                                                      \
                const size best = k + name##_largest(column + k, rows - k);                                        \
                if (best < k) return 0;                                                                            \
                pivots[at + k] = (int32_t)(at + best) + 1;                                                         \
                const T pivot = column[best], inverse = 1 / pivot;                                                 \
                if (pivot == 0) continue; /* so are all below it */                                                \
                if (!(inverse - inverse == 0)) return 0;                                                           \
                for (size other = 0; other < width; other++) {                                                     \
                    const T kept = panel[other * step + k];                                                        \
                    panel[other * step + k] = panel[other * step + best], panel[other * step + best] = kept;       \
                }                                                                                                  \
                for (size i = k + 1; i < rows; i++) column[i] *= inverse;                                          \
                for (size other = k + 1; other < width; other++) {                                                 \
                    T *to = panel + other * step;                                                                  \
                    const T factor = to[k];                                                                        \
                    INDEPENDENT                                                                                    \
                    for (size i = k + 1; i < rows; i++) to[i] = fma(-column[i], factor, to[i]);                    \
                }                                                                                                  \
            }                                                                                                      \
            for (size k = 0; k < width; k++) {                                                                     \
                T *one = a + (at + k) * step, *other = a + (pivots[at + k] - 1) * step;                            \
                INDEPENDENT                                                                                        \
                for (size j = 0; one != other && j < step; j++) {                                                  \
                    const T kept = one[j];                                                                         \
                    one[j] = other[j], other[j] = kept;                                                            \
                }                                                                                                  \
            }                                                                                                      \
            name##_turned(block, step, panel, rows, width, 1);                                                     \
            const size blocks = (step - at) / BLOCK - 1;                                                           \
            T *right = block + BLOCK;                                                                              \
            for (size k = 1; blocks && k < BLOCK; k++)                                                             \
                for (size before = 0; before < k; before++) {                                                      \
                    const T factor = -block[k * step + before], *from = right + before * step;                     \
                    T *to = right + k * step;                                                                      \
                    INDEPENDENT                                                                                    \
                    for (size j = 0; j < blocks * BLOCK; j++) to[j] = fma(factor, from[j], to[j]);                 \
                }                                                                                                  \
            name##_in_tiles(right, step, panel, blocks);                                                           \
            for (size i = BLOCK; i < rows; i++) name##_less(right + i * step, block + i * step, panel, blocks);    \
        }                                                                                                          \
        return 1;                                                                                                  \
    }                                                                                                              \
    WIDE static int name##_in_cholesky(T *a, size n, size step, T *panel) {                                        \
        T *tiles = panel + BLOCK * step;                                                                           \
        for (size at = 0; at < n; at += BLOCK) {                                                                   \
            const size width = n - at < BLOCK ? n - at : BLOCK, rows = n - at;                                     \
            T *block = a + at * (step + 1);                                                                        \
            name##_turned(block, step, panel, rows, width, 0);                                                     \
            for (size k = 0; k < width; k++) {                                                                     \
                T *to = panel + k * step, *sums = tiles;                                                           \
                memset(sums, 0, rows * sizeof *sums);                                                              \
                for (size before = 0; before < k; before++) {                                                      \
                    const T *column = panel + before * step, factor = column[k];                                   \
                    INDEPENDENT                                                                                    \
                    for (size i = k; i < rows; i++) sums[i] = fma(column[i], factor, sums[i]);                     \
                }                                                                                                  \
                for (size i = k; i < rows; i++) to[i] -= sums[i];                                                  \
                if (!(to[k] > 0)) return 0;                                                                        \
                const T pivot = root(to[k]), inverse = 1 / pivot;                                                  \
                for (size i = k + 1; i < rows; i++) to[i] *= inverse;                                              \
                to[k] = pivot;                                                                                     \
            }                                                                                                      \
            name##_turned(block, step, panel, rows, width, 1);                                                     \
            name##_in_tiles(panel + BLOCK, step, tiles, (step - at) / BLOCK - 1);                                  \
            for (size i = BLOCK; i < rows; i++) name##_less(block + i * step + BLOCK, block + i * step, tiles, i / BLOCK);\
        }                                                                                                          \
        return 1;                                                                                                  \
    }                                                                                                              \
    static int name(const T *given, T *out, int32_t *pivots, size n, void *room) {                                 \
        const size step = (n + BLOCK - 1) / BLOCK * BLOCK;                                                         \
        T *a = (T *)(((uintptr_t)room + 63) & ~(uintptr_t)63), *panel = a + n * step;                              \
        for (size i = 0; i < n; i++) {                                                                             \
            memcpy(a + i * step, given + i * n, n * sizeof *a);                                                    \
            memset(a + i * step + n, 0, (step - n) * sizeof *a);                                                   \
        }                                                                                                          \
        if (!(pivots ? name##_in_lu(a, pivots, n, step, panel) : name##_in_cholesky(a, n, step, panel))) return 0; \
        for (size i = 0; i < n; i++) {                                                                             \
            const size kept = pivots ? n : i + 1;                                                                  \
            memcpy(out + i * n, a + i * step, kept * sizeof *a);                                                   \
            memset(out + i * n + kept, 0, (n - kept) * sizeof *a);                                                 \
        }                                                                                                          \
        return 1;                                                                                                  \
    }
BLOCKS(float, int32_t, blocks_of_floats, __builtin_fmaf, sqrtf, 0x7f800000)
BLOCKS(double, int64_t, blocks_of_doubles, __builtin_fma, sqrt, 0x7ff0000000000000)

/* cholesky_factored(a): of the lower triangles. */
#define CHOLESKY(T, name, root)                                                              \
    static int name(const T *a, T *out, size n) {                                            \
        for (size i = 0; i < n; i++, a += n) {                                               \
            T *row = out + i * n;                                                            \
            for (size j = 0; j <= i; j++) {                                                  \
                const T *other = out + j * n;                                                \
                T sum = 0;                                                                   \
                for (size k = 0; k < j; k++) sum += row[k] * other[k];                       \
                const T left = a[j] - sum;                                                   \
                if (j < i) row[j] = left * (1 / other[j]);                                   \
                else if (left > 0) row[j] = root(left);                                      \
                else return 0;                                                               \
            }                                                                                \
            for (size j = i + 1; j < n; j++) row[j] = 0;                                     \
        }                                                                                    \
        return 1;                                                                            \
    }
CHOLESKY(float, cholesky_of_floats, sqrtf)
CHOLESKY(double, cholesky_of_doubles, sqrt)

static int cholesky_factored(Call *c, size from, size to) {
    const Argument *a = &c->in[0];
    const size n = a->shape[a->ndim - 1], one = n * n;
    for (size at = from * one; at < to * one; at += one) {
        if (n > SMALL) {
            if (!(a->kind == FLOAT32 ? blocks_of_floats((const float *)a->data + at, (float *)c->out[0].data + at, NULL, n, c->scratch)
                                     : blocks_of_doubles((const double *)a->data + at, (double *)c->out[0].data + at, NULL, n, c->scratch)))
                return 0;
        } else if (!(a->kind == FLOAT32 ? cholesky_of_floats((const float *)a->data + at, (float *)c->out[0].data + at, n)
                                 : cholesky_of_doubles((const double *)a->data + at, (double *)c->out[0].data + at, n)))
            return 0;
    }
    return 1;
}

/* lu_factored(a, pivots): both in one matrix; rows are counted from 1. */
static int lu_factored_plan(Call *c) {
    const Argument *a = &c->in[0], *pivots = &c->in[1];
    if (!square_plan(c) || pivots->item != 4 || pivots->ndim != a->ndim - 1) return 0;
    for (int k = 0; k < pivots->ndim; k++)
        if (pivots->shape[k] != a->shape[k]) return 0;
    return 1;
}

/* As Intel's library computes them, to the last bit of up to sixteen rows: products are subtracted before they are rounded, so that a
   matrix that is singular but for rounding has no pivot of zero; in one of up to four rows the last pivot divides. */
#define LU(T, name, size_of, fused)                                                          \
    WIDE static int name(const T *a, T *lu, int32_t *pivots, size n) {                            \
        memcpy(lu, a, n * n * sizeof *a);                                                    \
        for (size k = 0; k < n; k++) {                                                       \
            size best = k;                                                                   \
            for (size i = k + 1; i < n; i++)                                                 \
                if (size_of(lu[i * n + k]) > size_of(lu[best * n + k])) best = i;            \
            pivots[k] = (int32_t)best + 1;                                                   \
            if (lu[best * n + k] == 0) continue; /* so are all below it */                   \
            if (!(size_of(lu[best * n + k]) > 0)) return 0;                                  \
            T *one = lu + k * n, *other = lu + best * n;                                     \
            for (size j = 0; best != k && j < n; j++) {                                      \
                const T kept = one[j];                                                       \
                one[j] = other[j], other[j] = kept;                                          \
            }                                                                                \
            const T inverse = 1 / one[k];                                                    \
            for (size i = k + 1; i < n; i++) {                                               \
                T *row = lu + i * n;                                                         \
                const T factor = row[k] = n <= 4 && k == n - 2 ? row[k] / one[k] : row[k] * inverse; \
                for (size j = k + 1; j < n; j++) row[j] = fused(-factor, one[j], row[j]);    \
            }                                                                                \
        }                                                                                    \
        return 1;                                                                            \
    }
LU(float, lu_of_floats, fabsf, fmaf)
LU(double, lu_of_doubles, fabs, fma)

static int lu_factored(Call *c, size from, size to) {
    const Argument *a = &c->in[0];
    const size n = a->shape[a->ndim - 1], one = n * n;
    for (size m = from; m < to; m++) {
        int32_t *pivots = (int32_t *)c->in[1].data + m * n;
        if (n > SMALL) {
            if (!(a->kind == FLOAT32 ? blocks_of_floats((const float *)a->data + m * one, (float *)c->out[0].data + m * one, pivots, n, c->scratch)
                                     : blocks_of_doubles((const double *)a->data + m * one, (double *)c->out[0].data + m * one, pivots, n, c->scratch)))
                return 0;
        } else if (!(a->kind == FLOAT32 ? lu_of_floats((const float *)a->data + m * one, (float *)c->out[0].data + m * one, pivots, n)
                                 : lu_of_doubles((const double *)a->data + m * one, (double *)c->out[0].data + m * one, pivots, n)))
            return 0;
    }
    return 1;
}

/* qr_factored(a): the vectors of the reflections below the diagonal, R above, and the reflections' factors. */
static int qr_factored_plan(Call *c) {
    const Argument *a = &c->in[0];
    if (a->ndim < 2 || a->count == 0) return 0;
    const size m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    if (m > REFLECTED || n > REFLECTED) return 0;
    shape_as(result(c, 0), a);
    Argument *tau = result(c, 0);
    shape_as(tau, a);
    tau->ndim--;
    tau->shape[tau->ndim - 1] = m < n ? m : n;
    c->lines = a->count / (m * n), c->each = m * n * n, c->room = (m * n + 2 * n) * (size)sizeof(double);
    return 1;
}

/* In double; squares are added up as fractions of the largest, which no number is too large or too small for. `sums` has
   room for a number of each column. */
WIDE static int reflect(double *restrict h, double *tau, double *restrict sums, size m, size n) {
    for (size k = 0; k < n && k < m; k++) {
        double *column = h + k * (n + 1), largest = 0, squares = 0;
        for (size i = 1; i < m - k; i++) {
            const double one = fabs(column[i * n]);
            if (!(one < INFINITY)) return 0;
            if (one > largest) largest = one;
        }
        tau[k] = 0;
        if (largest == 0) continue;
        const double first = column[0];
        if (!(fabs(first) < INFINITY)) return 0;
        if (fabs(first) > largest) largest = fabs(first);
        for (size i = 0; i < m - k; i++) {
            const double part = column[i * n] / largest;
            squares += part * part;
        }
        const double norm = sqrt(squares) * largest, beta = first < 0 ? norm : -norm, inverse = 1 / (first - beta);
        if (!(norm < INFINITY && fabs(inverse) < INFINITY)) return 0;
        tau[k] = (beta - first) / beta;
        for (size i = 1; i < m - k; i++) column[i * n] *= inverse;
        column[0] = beta;
        for (size j = 1; j < n - k; j++) sums[j] = column[j];
        for (size i = 1; i < m - k; i++) {
            const double factor = column[i * n], *row = column + i * n;
            for (size j = 1; j < n - k; j++) sums[j] += factor * row[j];
        }
        for (size j = 1; j < n - k; j++) sums[j] *= tau[k], column[j] -= sums[j];
        for (size i = 1; i < m - k; i++) {
            double *row = column + i * n;
            const double factor = row[0];
            for (size j = 1; j < n - k; j++) row[j] -= factor * sums[j];
        }
    }
    return 1;
}

static int qr_of_doubles(const double *a, double *h, double *tau, double *room, size m, size n) {
    memcpy(h, a, m * n * sizeof *a);
    return reflect(h, tau, room, m, n);
}

static int qr_of_floats(const float *a, float *h, float *tau, double *room, size m, size n) {
    double *wide = room + 2 * n, *factors = room + n;
    for (size i = 0; i < m * n; i++) wide[i] = a[i];
    if (!reflect(wide, factors, room, m, n)) return 0;
    for (size i = 0; i < m * n; i++) h[i] = (float)wide[i];
    for (size i = 0; i < m && i < n; i++) tau[i] = (float)factors[i];
    return 1;
}

static int qr_factored(Call *c, size from, size to) {
    const Argument *a = &c->in[0];
    const size m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = m < n ? m : n;
    for (size at = from; at < to; at++) {
        if (!(a->kind == FLOAT32
                  ? qr_of_floats((const float *)a->data + at * m * n, (float *)c->out[0].data + at * m * n, (float *)c->out[1].data + at * k, c->scratch, m, n)
                  : qr_of_doubles((const double *)a->data + at * m * n, (double *)c->out[0].data + at * m * n, (double *)c->out[1].data + at * k, c->scratch, m, n)))
            return 0;
    }
    return 1;
}

const Kernel factor_kernels[] = {
    {"cholesky_factored", "r", square_plan, cholesky_factored, "cholesky_factored(a): Cholesky's factors of small matrices"},
    {"lu_factored", "rA", lu_factored_plan, lu_factored, "lu_factored(a, pivots): LU decompositions of small matrices, in one; writes the pivots"},
    {"qr_factored", "r", qr_factored_plan, qr_factored, "qr_factored(a): reflections and R of small matrices, and the reflections' factors"},
    {0},
};
