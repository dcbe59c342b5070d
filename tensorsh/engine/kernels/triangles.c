/* Triangular systems, LU decompositions of small matrices and their parts, products of Householder reflections: batches of
   real matrices. Systems are solved as PyTorch's library solves small ones: a sum of products, in order, is subtracted, and
   what is left is multiplied by the inverse of the diagonal's element; with one right side it is subtracted product by product
   and divided. */
#include "kernels.h"

enum { UPPER = 1, UNIT = 2, TURNED = 4, IN_ROWS = 8 }; /* how a system is to be read: `A` transposed; ``X A = B`` */
enum { COLUMNS = 64, WIDEST = 48, FEW = 24, SMALL = 32, ROWS = 8, MOST = 512 }; /* columns of reflections, right sides at a time, or few; rows of a system from which on columns are counted beforehand, and above which blocks are faster; rows that are solved side by side */

static size product_of(const Argument *x, int dimensions) {
    size found = 1;
    for (int k = 0; k < dimensions; k++) found *= x->shape[k];
    return found;
}

/* Whether x is a batch of matrices as `of` is, which has so many dimensions in front of its matrix or row. */
static int batched_as(const Argument *x, int own, const Argument *of, int others) {
    return x->ndim >= own && of->ndim >= others && x->ndim - own == of->ndim - others &&
           memcmp(x->shape, of->shape, (x->ndim - own) * sizeof *x->shape) == 0;
}

/* Systems. Element (i, j) of A stands at a[i * row + j * column]; X has columns `side` of which are solved at a time. Products are
   subtracted before they are rounded, those with what was found first first, as Intel's library does it. */
#define SYSTEMS(T, name, fma)                                                                                                  \
    INLINE void name##_rows(const T *a, size row, size column, T *x, size n, const size k, size width, int upper, int unit, size zeros) {\
        const size way = upper ? -1 : 1, first = upper ? n - 1 : 0;                                                            \
        for (size step = 0, i = first; step < n; step += 2, i += 2 * way) { /* two rows at a time, which share what they read */ \
            const size next = step + 1 < n ? way : 0;                                                                          \
            T *to = x + i * width, *too = to + next * width, left[WIDEST], below[WIDEST];                                      \
            const T *factors = a + i * row + first * column, *others = factors + next * row, *from = x + first * width;        \
            const T inverse = unit ? 1 : 1 / a[i * (row + column)], other = unit ? 1 : 1 / a[(i + next) * (row + column)];     \
            for (size c = 0; c < k; c++) left[c] = to[c], below[c] = too[c];                                                   \
            const size start = zeros < step ? zeros : step;                                                                    \
            factors += start * way * column, others += start * way * column, from += start * way * width;                      \
            for (size before = start; before < step; before++, from += way * width) {                                          \
                const T factor = -*factors, second = -*others;                                                                 \
                factors += way * column, others += way * column;                                                               \
                INDEPENDENT                                                                                                    \
                for (size c = 0; c < k; c++) left[c] = fma(factor, from[c], left[c]), below[c] = fma(second, from[c], below[c]); \
            }                                                                                                                  \
            const T last = -*others;                                                                                           \
            for (size c = 0; c < k; c++) to[c] = left[c] *= inverse;                                                           \
            if (next)                                                                                                          \
                for (size c = 0; c < k; c++) too[c] = fma(last, left[c], below[c]) * other;                                    \
        }                                                                                                                      \
    }                                                                                                                          \
    WIDE static void name##_columns(const T *a, size row, size column, T *x, size n, size k, size width, int upper, int unit) {\
        size zeros = 0; /* rows of zeros that are solved first: their products are nothing */                                  \
        for (int all = 1; all && zeros < n; zeros += all)                                                                      \
            for (size c = 0; c < k; c++) all &= x[(upper ? n - 1 - zeros : zeros) * width + c] == 0;                           \
        if (n <= SMALL) {                                                                                                      \
            name##_rows(a, row, column, x, n, k, width, upper, unit, zeros);                                                   \
        } else { /* near to each other, and where vectors are read whole */                                                    \
            T near[MOST * WIDEST] __attribute__((aligned(64)));                                                                \
            const size wide = k > FEW ? WIDEST : FEW;                                                                          \
            for (size i = 0; i < n; i++)                                                                                       \
                for (size c = 0; c < wide; c++) near[i * wide + c] = c < k ? x[i * width + c] : 0;                             \
            if (wide == WIDEST) name##_rows(a, row, column, near, n, WIDEST, WIDEST, upper, unit, zeros);                      \
            else name##_rows(a, row, column, near, n, FEW, FEW, upper, unit, zeros);                                           \
            for (size i = 0; i < n; i++) memcpy(x + i * width, near + i * wide, k * sizeof *x);                                \
        }                                                                                                                      \
    }                                                                                                                          \
    /* One right side: so many rows from row `step` on, counted from the first that is solved, side by side. */                \
    INLINE void name##_beside(const T *a, size row, size column, T *x, size n, size step_of, int upper, int unit, int alone, size step, const size rows) {\
        const size way = upper ? -1 : 1, start = upper ? n - 1 : 0, first = start + way * step;                                \
        const T *factors = a + first * row + start * column;                                                                   \
        T left[ROWS];                                                                                                          \
        for (size r = 0; r < rows; r++) left[r] = x[(first + way * r) * step_of];                                              \
        for (size before = 0; before < step; before++, factors += way * column) {                                              \
            const T found = x[(start + way * before) * step_of];                                                               \
            for (size r = 0; r < rows; r++) left[r] = fma(-factors[way * r * row], found, left[r]);                            \
        }                                                                                                                      \
        for (size r = 0; r < rows; r++) {                                                                                      \
            const T *own = factors + way * r * row, diagonal = own[way * r * column];                                          \
            for (size s = 0; s < r; s++) left[r] = fma(-own[way * s * column], left[s], left[r]);                              \
            left[r] = unit ? left[r] : alone ? left[r] / diagonal : left[r] * (1 / diagonal);                                  \
            x[(first + way * r) * step_of] = left[r];                                                                          \
        }                                                                                                                      \
    }                                                                                                                          \
    WIDE static void name##_one(const T *a, size row, size column, T *x, size n, size step_of, int upper, int unit, int alone) {\
        size step = 0;                                                                                                         \
        for (; step + ROWS <= n; step += ROWS) name##_beside(a, row, column, x, n, step_of, upper, unit, alone, step, ROWS);   \
        for (; step < n; step++) name##_beside(a, row, column, x, n, step_of, upper, unit, alone, step, 1);                    \
    }                                                                                                                          \
    static int name(Call *c, const T *a, T *x, size n, size k, int how, int alone) {                                       \
        int upper = (how & UPPER) != 0;                                                                                    \
        const int unit = (how & UNIT) != 0;                                                                                \
        const int turned = ((how & TURNED) != 0) != ((how & IN_ROWS) != 0); /* ``X A = B`` is ``A^T X^T = B^T`` */         \
        const size row = turned ? 1 : n, column = turned ? n : 1;                                                          \
        if (turned) upper = !upper;                                                                                        \
        for (size left = 0, width; left < k; left += width) {                                                              \
            width = k - left < WIDEST ? k - left : WIDEST;                                                                 \
            if (how & IN_ROWS) {                                                                                           \
                for (size r = 0; r < width; r++) name##_one(a, row, column, x + (left + r) * n, n, 1, upper, unit, alone); \
            } else if (width > 1) {                                                                                        \
                name##_columns(a, row, column, x + left, n, width, k, upper, unit);                                        \
            } else {                                                                                                       \
                name##_one(a, row, column, x + left, n, k, upper, unit, alone);                                            \
            }                                                                                                              \
            if (ends(c, times(n * n, width))) return 0;                                                                    \
        }                                                                                                                  \
        return 1;                                                                                                          \
    }
SYSTEMS(float, systems_of_floats, __builtin_fmaf)
SYSTEMS(double, systems_of_doubles, __builtin_fma)

/* substituted(a, b, how): b's shape is (..., n, k), or (..., k, n) for ``X A = B``. */
static int substituted_plan(Call *c) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    const size how = c->in[2].whole;
    if (a->dtype != b->dtype || !batched_as(a, 2, b, 2) || a->count == 0 || b->count == 0) return 0;
    const size n = a->shape[a->ndim - 1];
    if (n > MOST || a->shape[a->ndim - 2] != n || b->shape[b->ndim - (how & IN_ROWS ? 1 : 2)] != n) return 0;
    shape_as(result(c, 1), b);
    c->lines = product_of(b, b->ndim - 2);
    c->each = times(n, b->shape[b->ndim - 1] * b->shape[b->ndim - 2]);
    return 1;
}

static int substituted(Call *c, size from, size to) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    const int how = (int)c->in[2].whole;
    const size n = a->shape[a->ndim - 1], k = b->shape[b->ndim - (how & IN_ROWS ? 2 : 1)], bytes = b->item * n * k;
    memcpy((char *)c->out[0].data + from * bytes, (const char *)b->data + from * bytes, (to - from) * bytes);
    for (size m = from; m < to; m++) {
        const int done = a->kind == FLOAT32
            ? systems_of_floats(c, (const float *)a->data + m * n * n, (float *)c->out[0].data + m * n * k, n, k, how, k == 1)
            : systems_of_doubles(c, (const double *)a->data + m * n * n, (double *)c->out[0].data + m * n * k, n, k, how, k == 1);
        if (!done) return 1;
    }
    return 1;
}

/* lu_solved(lu, pivots, b, turned): pivots count rows from 1; one that names no row gives None. */
static int lu_solved_plan(Call *c) {
    const Argument *lu = &c->in[0], *pivots = &c->in[1], *b = &c->in[2];
    if (lu->dtype != b->dtype || pivots->item != 4 || !batched_as(lu, 2, b, 2) || !batched_as(pivots, 1, lu, 2)) return 0;
    if (lu->count == 0 || b->count == 0) return 0;
    const size n = lu->shape[lu->ndim - 1];
    if (n > MOST || lu->shape[lu->ndim - 2] != n || b->shape[b->ndim - 2] != n || pivots->shape[pivots->ndim - 1] != n) return 0;
    shape_as(result(c, 2), b);
    c->lines = product_of(b, b->ndim - 2);
    c->each = times(n, b->shape[b->ndim - 1] * n);
    return 1;
}

/* A row's number as it is read once, counted from 0. */
INLINE size row_at(const int32_t *pivot) { return (size)*(const volatile int32_t *)pivot - 1; }

static int interchange(char *x, const int32_t *pivots, size n, size bytes, int backwards) {
    for (size step = 0; step < n; step++) {
        const size i = backwards ? n - 1 - step : step, p = row_at(pivots + i);
        if (OUTSIDE(p, n)) return 0;
        char *one = x + i * bytes, *other = x + p * bytes, kept[64];
        for (size at = 0; p != i && at < bytes; at += sizeof kept) {
            const size some = bytes - at < (size)sizeof kept ? bytes - at : (size)sizeof kept;
            memcpy(kept, one + at, some);
            memcpy(one + at, other + at, some);
            memcpy(other + at, kept, some);
        }
    }
    return 1;
}

static int lu_solved(Call *c, size from, size to) {
    const Argument *lu = &c->in[0], *b = &c->in[2];
    const size n = lu->shape[lu->ndim - 1], k = b->shape[b->ndim - 1], bytes = b->item * n * k;
    const int turned = c->in[3].whole != 0;
    const int first = turned ? UPPER | TURNED : UNIT, second = turned ? UNIT | TURNED : UPPER;
    memcpy((char *)c->out[0].data + from * bytes, (const char *)b->data + from * bytes, (to - from) * bytes);
    for (size m = from; m < to; m++) {
        const int32_t *pivots = (const int32_t *)c->in[1].data + m * n;
        char *x = (char *)c->out[0].data + m * bytes;
        if (!turned && !interchange(x, pivots, n, k * b->item, 0)) return 0;
        if (lu->kind == FLOAT32) {
            const float *a = (const float *)lu->data + m * n * n;
            if (!systems_of_floats(c, a, (float *)x, n, k, first, k == 1) || !systems_of_floats(c, a, (float *)x, n, k, second, k == 1)) return 1;
        } else {
            const double *a = (const double *)lu->data + m * n * n;
            if (!systems_of_doubles(c, a, (double *)x, n, k, first, k == 1) || !systems_of_doubles(c, a, (double *)x, n, k, second, k == 1)) return 1;
        }
        if (turned && !interchange(x, pivots, n, k * b->item, 1)) return 0;
    }
    return 1;
}

/* lu_parts(lu): L with ones on its diagonal, (..., m, k), and U, (..., k, n). */
static int lu_parts_plan(Call *c) {
    const Argument *lu = &c->in[0];
    if (lu->ndim < 2 || lu->count == 0) return 0;
    const size m = lu->shape[lu->ndim - 2], n = lu->shape[lu->ndim - 1], k = m < n ? m : n;
    Argument *lower = result(c, 0), *upper = result(c, 0);
    shape_as(lower, lu), shape_as(upper, lu);
    lower->shape[lu->ndim - 1] = upper->shape[lu->ndim - 2] = k;
    c->lines = product_of(lu, lu->ndim - 2), c->each = m * n;
    return 1;
}

#define PARTS(T, name)                                                                                  \
    static void name(const T *lu, T *lower, T *upper, size m, size n, size k) {                         \
        for (size i = 0; i < m; i++, lu += n, lower += k) {                                             \
            const size below = i < k ? i : k;                                                           \
            memcpy(lower, lu, below * sizeof *lu);                                                      \
            memset(lower + below, 0, (k - below) * sizeof *lu);                                         \
            if (i >= k) continue;                                                                       \
            lower[i] = 1;                                                                               \
            memset(upper, 0, i * sizeof *lu);                                                           \
            memcpy(upper + i, lu + i, (n - i) * sizeof *lu);                                            \
            upper += n;                                                                                 \
        }                                                                                               \
    }
PARTS(float, parts_of_floats)
PARTS(double, parts_of_doubles)

static int lu_parts(Call *c, size from, size to) {
    const Argument *lu = &c->in[0];
    const size m = lu->shape[lu->ndim - 2], n = lu->shape[lu->ndim - 1], k = m < n ? m : n;
    for (size at = from; at < to; at++) {
#define PART_OF(T, name) name((const T *)lu->data + at * m * n, (T *)c->out[0].data + at * m * k, (T *)c->out[1].data + at * k * n, m, n, k)
        if (lu->kind == FLOAT32) PART_OF(float, parts_of_floats);
        else PART_OF(double, parts_of_doubles);
        if (ends(c, m * n)) break;
    }
    return 1;
}

/* interchanged(pivots, like, m): the permutation matrix of interchanges of rows, of the dtype of `like`. */
static int interchanged_plan(Call *c) {
    const Argument *pivots = &c->in[0];
    const size m = c->in[2].whole;
    size all;
    if (pivots->item != 4 || pivots->ndim < 1 || pivots->ndim >= DIMS - 1 || m < 1 || pivots->shape[pivots->ndim - 1] > m) return 0;
    if (__builtin_mul_overflow(m, m, &all) || times(times(all, 8), product_of(pivots, pivots->ndim - 1)) == PTRDIFF_MAX) return 0;
    Argument *out = result(c, 1);
    shape_as(out, pivots);
    out->shape[out->ndim - 1] = m;
    add_dimension(out, m);
    c->lines = product_of(pivots, pivots->ndim - 1), c->each = all, c->room = m * (size)sizeof(size);
    return c->lines > 0;
}

static int interchanged(Call *c, size from, size to) {
    const Argument *pivots = &c->in[0];
    const size m = c->in[2].whole, k = pivots->shape[pivots->ndim - 1], bytes = c->in[1].item;
    size *order = c->scratch;
    for (size at = from; at < to; at++) {
        char *out = (char *)c->out[0].data + at * m * m * bytes;
        for (size i = 0; i < m; i++) order[i] = i;
        for (size i = 0; i < k; i++) {
            const size p = row_at((const int32_t *)pivots->data + at * k + i), kept = order[i];
            if (OUTSIDE(p, m)) return 0;
            order[i] = order[p], order[p] = kept;
        }
        memset(out, 0, m * m * bytes);
        for (size i = 0; i < m; i++) {
            if (c->in[1].kind == FLOAT32) ((float *)out)[order[i] * m + i] = 1;
            else ((double *)out)[order[i] * m + i] = 1;
        }
        if (ends(c, m * m)) break;
    }
    return 1;
}

/* Columns that are held side by side for reflections, where there are so many left. */
static size near_each_other(size left) { return left > COLUMNS / 2 ? COLUMNS : left > COLUMNS / 16 ? COLUMNS / 2 : left; }

/* reflected(vectors, tau, x, forward): ``H1 H2 ... Hk x``, or the reflections in the other order; without x that of the unit
   matrix's first columns. The vectors stand below the diagonal, which counts as 1. */
static int reflected_plan(Call *c) {
    const Argument *v = &c->in[0], *tau = &c->in[1], *x = &c->in[2];
    if (v->ndim < 2 || tau->dtype != v->dtype || !batched_as(tau, 1, v, 2) || v->count == 0) return 0;
    const size m = v->shape[v->ndim - 2], k = tau->shape[tau->ndim - 1];
    if (k > v->shape[v->ndim - 1] || k > m) return 0;
    if (x->data == NULL) {
        x = v;
    } else if (x->dtype != v->dtype || !batched_as(x, 2, v, 2) || x->shape[x->ndim - 2] != m || x->count == 0) {
        return 0;
    }
    const size n = x->shape[x->ndim - 1];
    shape_as(result(c, 0), x);
    c->lines = product_of(v, v->ndim - 2), c->each = times(m * n, k + 1), c->room = m * (k + near_each_other(n)) * v->item + 64;
    return 1;
}

#define REFLECTIONS(T, name)                                                                                               \
    INLINE void name##_some(const T *v, T tau, T *x, size rows, size n, const size k) {                                    \
        T sums[COLUMNS];                                                                                                   \
        for (size c = 0; c < k; c++) sums[c] = x[c];                                                                       \
        for (size r = 1; r < rows; r++) {                                                                                  \
            const T factor = v[r], *from = x + r * n;                                                                      \
            INDEPENDENT                                                                                                    \
            for (size c = 0; c < k; c++) sums[c] += factor * from[c];                                                      \
        }                                                                                                                  \
        for (size c = 0; c < k; c++) sums[c] *= tau, x[c] -= sums[c];                                                      \
        for (size r = 1; r < rows; r++) {                                                                                  \
            const T factor = v[r];                                                                                         \
            T *to = x + r * n;                                                                                             \
            INDEPENDENT                                                                                                    \
            for (size c = 0; c < k; c++) to[c] -= factor * sums[c];                                                        \
        }                                                                                                                  \
    }                                                                                                                      \
    WIDE static void name##_columns(const T *v, T tau, T *x, size rows, size n, size k) {                                  \
        if (n == COLUMNS) name##_some(v, tau, x, rows, COLUMNS, COLUMNS);                                                  \
        else if (n == COLUMNS / 2) name##_some(v, tau, x, rows, COLUMNS / 2, COLUMNS / 2);                                 \
        else name##_some(v, tau, x, rows, n, k);                                                                           \
    }                                                                                                                      \
    static int name(Call *c, const T *v, const T *tau, const T *given, T *x, size m, size k, size stride, size n, int forward) { \
        T *near = (T *)(((uintptr_t)c->scratch + 63) & ~(uintptr_t)63), *vectors = near + m * near_each_other(n); /* one after the other */ \
        const int started = given == NULL && forward;                                                                      \
        for (size r = 0; r < m; r++)                                                                                       \
            for (size i = 0; i < k && i <= r; i++) vectors[i * m + r] = v[r * stride + i];                                 \
        for (size left = 0, some; left < n; left += some) {                                                                \
            const size wide = near_each_other(n - left);                                                                   \
            some = n - left < wide ? n - left : wide;                                                                      \
            for (size r = 0; r < m; r++) {                                                                                 \
                T *to = near + r * wide;                                                                                   \
                memset(to, 0, wide * sizeof *to);                                                                          \
                if (given) memcpy(to, given + r * n + left, some * sizeof *to);                                            \
                else if (r - left >= some)                                                                                 \
                    for (size j = 0; j < some; j++) to[j] = (T)-0.0; /* less 0 is -0 */                                    \
                else if (r >= left) {                                                                                      \
                    for (size j = 0; j < r - left; j++) to[j] = (T)-0.0;                                                   \
                    to[r - left] = 1;                                                                                      \
                }                                                                                                          \
            }                                                                                                              \
            for (size step = 0; step < k; step++) {                                                                        \
                const size i = forward ? k - 1 - step : step;                                                              \
                if (started && i >= left + some) continue;                                                                 \
                for (size r = i; started && i >= left && r < m; r++) near[r * wide + i - left] = r == i ? 1 : (T)-0.0; /* from here on */ \
                name##_columns(vectors + i * (m + 1), tau[i], near + i * wide, m - i, wide, some);                         \
                if (ends(c, (m - i) * wide)) return 0;                                                                     \
            }                                                                                                              \
            for (size r = 0; r < m; r++) memcpy(x + r * n + left, near + r * wide, some * sizeof *x);                      \
        }                                                                                                                  \
        return 1;                                                                                                          \
    }
REFLECTIONS(float, reflections_of_floats)
REFLECTIONS(double, reflections_of_doubles)

static int reflected(Call *c, size from, size to) {
    const Argument *v = &c->in[0], *out = &c->out[0];
    const size m = v->shape[v->ndim - 2], stride = v->shape[v->ndim - 1], k = c->in[1].shape[c->in[1].ndim - 1], n = out->shape[out->ndim - 1];
    for (size at = from; at < to; at++) {
#define REFLECT(T, name)                                                                                                   \
    name(c, (const T *)v->data + at * m * stride, (const T *)c->in[1].data + at * k,                                       \
         c->in[2].data ? (const T *)c->in[2].data + at * m * n : NULL, (T *)out->data + at * m * n, m, k, stride, n, c->in[3].whole != 0)
        if (!(v->kind == FLOAT32 ? REFLECT(float, reflections_of_floats) : REFLECT(double, reflections_of_doubles))) break;
    }
    return 1;
}

const Kernel triangle_kernels[] = {
    {"substituted", "rri", substituted_plan, substituted, "substituted(a, b, how): solutions of triangular systems; how: 1 upper, 2 ones on the diagonal, 4 a transposed, 8 X A = B"},
    {"lu_solved", "rarb", lu_solved_plan, lu_solved, "lu_solved(lu, pivots, b, turned): solutions by an LU decomposition; turned: of the transposed system"},
    {"lu_parts", "r", lu_parts_plan, lu_parts, "lu_parts(lu): L and U"},
    {"interchanged", "ari", interchanged_plan, interchanged, "interchanged(pivots, like, m): the permutation matrix of interchanges"},
    {"reflected", "rrr?b", reflected_plan, reflected, "reflected(vectors, tau, x, forward): a product of Householder reflections times x"},
    {0},
};
