/* Distances between rows, in the norms of p = 0 (how many elements differ), 1, 2 and infinity, summed up as PyTorch's are: in as many lanes as 64 bytes hold,
   which are then folded in halves; rows shorter than that one number after the other. */
#include "kernels.h"

typedef enum { SUM, SQUARES, LARGEST, COUNT, NORMS } Norm;

/* Half of them: what is longer than a register, compilers take to memory and back. */
typedef float floats __attribute__((vector_size(32), aligned(4)));
typedef double doubles __attribute__((vector_size(32), aligned(8)));
typedef int32_t float_bits __attribute__((vector_size(32), aligned(4)));
typedef int64_t double_bits __attribute__((vector_size(32), aligned(8)));
typedef float few_floats __attribute__((vector_size(16)));
typedef double few_doubles __attribute__((vector_size(16)));
typedef int32_t few_float_bits __attribute__((vector_size(16)));
typedef int64_t few_double_bits __attribute__((vector_size(16)));

#define LANES_OF(T) ((size)(64 / sizeof(T)))

/* A maximum is NaN where one of the two is. */
#define ROWS(T, V, B, Q, C, I, name, size_of, root)                                                                                                            \
    INLINE void name##_part(const T *a, const T *b, Norm norm, V *out) {                                                                              \
        const V d = *(const V *)a - *(const V *)b;                                                                                                    \
        *out = norm == SQUARES ? d * d : norm == COUNT ? (V)((B)(d != 0) & (B)((V){0} + 1)) : (V)((B)d & ~(B)(-(V){0}));                                                                                   \
    }                                                                                                                                                 \
    INLINE void name##_join(V *all, const V *one, Norm norm) {                                                                                        \
        if (norm != LARGEST) {                                                                                                                        \
            *all += *one;                                                                                                                             \
        } else {                                                                                                                                      \
            const B first = (B)*all > (B)*one; /* none has a sign: NaN is the largest as bits */                                                       \
            *all = (V)((first & (B)*all) | (~first & (B)*one));                                                                                       \
        }                                                                                                                                             \
    }                                                                                                                                                 \
    INLINE void name##_next(V *all, const T *a, const T *b, const B *kept, Norm norm) {                                                               \
        V one;                                                                                                                                        \
        name##_part(a, b, norm, &one);                                                                                                                \
        if (kept) one = (V)((B)one & *kept);                                                                                                          \
        name##_join(all, &one, norm);                                                                                                                 \
    }                                                                                                                                                 \
    INLINE T name##_short(const T *a, const T *b, size n, Norm norm) {                                                                                \
        T total = 0;                                                                                                                                  \
        for (size k = 0; k < n; k++) {                                                                                                                \
            const T d = size_of(a[k] - b[k]), one = norm == SQUARES ? d * d : norm == COUNT ? d != 0 : d;                                                                      \
            total = k == 0 ? one : norm == LARGEST ? (total > one || total != total ? total : one) : total + one;                                     \
        }                                                                                                                                             \
        return norm == SQUARES ? root(total) : total;                                                                                                 \
    }                                                                                                                                                 \
    INLINE T name##_norm(const T *a, const T *b, size n, int beyond, const B *kept, Norm norm) {                                                      \
        enum { LANES = (int)LANES_OF(T), HALF = LANES / 2 };                                                                                          \
        if (n < LANES) return name##_short(a, b, n, norm);                                                                                            \
        V low, high;                                                                                                                                  \
        name##_part(a, b, norm, &low), name##_part(a + HALF, b + HALF, norm, &high);                                                                  \
        size i = LANES;                                                                                                                               \
        for (; i + LANES <= n; i += LANES) {                                                                                                          \
            name##_next(&low, a + i, b + i, NULL, norm);                                                                                              \
            name##_next(&high, a + i + HALF, b + i + HALF, NULL, norm);                                                                               \
        }                                                                                                                                             \
        if (i < n) { /* what is left over goes to the first lanes, zeros to the others */                                                             \
            T rest[LANES] = {0}, other[LANES] = {0};                                                                                                  \
            if (!beyond) memcpy(rest, a + i, (n - i) * sizeof *a), memcpy(other, b + i, (n - i) * sizeof *b);                                         \
            const T *x = beyond ? a + i : rest, *y = beyond ? b + i : other;                                                                          \
            name##_next(&low, x, y, &kept[0], norm);                                                                                                  \
            name##_next(&high, x + HALF, y + HALF, &kept[1], norm);                                                                                   \
        }                                                                                                                                             \
        name##_join(&low, &high, norm);                                                                                                               \
        Q first, second;                                                                                                                              \
        C one, other;                                                                                                                                 \
        memcpy(&first, &low, sizeof first), memcpy(&second, (const char *)&low + sizeof first, sizeof second);                                        \
        memcpy(&one, &first, sizeof one), memcpy(&other, &second, sizeof other);                                                                      \
        first += second;                                                                                                                              \
        T total = HALF == 4 ? first[0] + first[1] : (first[0] + first[2 % (HALF / 2)]) + (first[1] + first[3 % (HALF / 2)]);                          \
        if (norm == LARGEST) {                                                                                                                        \
            one = (one & (C)(one > other)) | (other & (C)(one <= other));                                                                             \
            I most = one[0];                                                                                                                          \
            for (int k = 1; k < HALF / 2; k++) most = one[k] > most ? one[k] : most;                                                                  \
            memcpy(&total, &most, sizeof total);                                                                                                      \
        }                                                                                                                                             \
        return norm == SQUARES ? root(total) : total;                                                                                                 \
    }                                                                                                                                                 \
    /* `last`: whether nothing lies behind x, so that it is not read beyond its end; behind y lie its own rows alone. */                              \
    WIDE static void name(const T *x, const T *y, T *out, size rows, size n, Norm norm, int last) {                                                   \
        const size safe = last ? 0 : rows - (LANES_OF(T) + n - 1) / n;                                                                                \
        B kept[2];                                                                                                                                    \
        for (size k = 0; k < LANES_OF(T); k++) kept[k / (LANES_OF(T) / 2)][k % (LANES_OF(T) / 2)] = k < n % LANES_OF(T) ? -1 : 0;                     \
        if (norm == SUM)                                                                                                                              \
            for (size j = 0; j < rows; j++) out[j] = name##_norm(x, y + j * n, n, j < safe, kept, SUM);                                                       \
        else if (norm == SQUARES)                                                                                                                     \
            for (size j = 0; j < rows; j++) out[j] = name##_norm(x, y + j * n, n, j < safe, kept, SQUARES);                                                   \
        else if (norm == COUNT)                                                                                                                               \
            for (size j = 0; j < rows; j++) out[j] = name##_norm(x, y + j * n, n, j < safe, kept, COUNT);                                                    \
        else                                                                                                                                          \
            for (size j = 0; j < rows; j++) out[j] = name##_norm(x, y + j * n, n, j < safe, kept, LARGEST);                                                           \
    }
ROWS(float, floats, float_bits, few_floats, few_float_bits, int32_t, norms_of_floats, fabsf, sqrtf)
ROWS(double, doubles, double_bits, few_doubles, few_double_bits, int64_t, norms_of_doubles, fabs, sqrt)

/* The distances of one row from some others. */
static void norms(const Call *c, size row, size other, size at, size rows, size n, Norm norm) {
    const size behind = c->in[0].count - (row + 1) * n; /* elements of x */
    const Argument *x = &c->in[0], *y = c->in[1].data ? &c->in[1] : x;
    if (x->kind == FLOAT32)
        norms_of_floats((const float *)x->data + row * n, (const float *)y->data + other * n, (float *)c->out[0].data + at, rows, n, norm, behind < LANES_OF(float));
    else
        norms_of_doubles((const double *)x->data + row * n, (const double *)y->data + other * n, (double *)c->out[0].data + at, rows, n, norm, behind < LANES_OF(double));
}

/* distances(x, y, norm): each row of the matrices x with each of those of y; without y, the pairs of rows of x. */
static int distances_plan(Call *c) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    if (x->ndim < 2 || x->count == 0 || c->in[2].whole < 0 || c->in[2].whole >= NORMS) return 0;
    const size n = x->shape[x->ndim - 1], rows = x->shape[x->ndim - 2];
    Argument *out = result(c, 0);
    if (y->data == NULL) {
        size pairs;
        if (x->ndim != 2 || rows < 2 || __builtin_mul_overflow(rows, rows - 1, &pairs)) return 0;
        add_dimension(out, pairs / 2);
        c->lines = rows - 1, c->each = times(rows, n);
        return 1;
    }
    if (y->dtype != x->dtype || y->count == 0 || y->ndim != x->ndim || y->shape[y->ndim - 1] != n) return 0;
    for (int k = 0; k < x->ndim - 2; k++)
        if (x->shape[k] != y->shape[k]) return 0;
    shape_as(out, x);
    out->shape[x->ndim - 1] = y->shape[y->ndim - 2];
    c->lines = x->count / n, c->each = times(y->shape[y->ndim - 2], n);
    return 1;
}

static int distances(Call *c, size from, size to) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    const size n = x->shape[x->ndim - 1], rows = x->shape[x->ndim - 2];
    const Norm norm = (Norm)c->in[2].whole;
    for (size i = from; i < to; i++) {
        if (y->data == NULL) {
            norms(c, i, i + 1, i * (2 * rows - i - 1) / 2, rows - 1 - i, n, norm);
        } else {
            const size others = y->shape[y->ndim - 2];
            norms(c, i, i / rows * others, i * others, others, n, norm);
        }
        if (ends(c, c->each)) break;
    }
    return 1;
}

/* distances_back(g, x, y, distances, norm): the gradient of distances between the rows of two matrices, or of the pairs of rows of one, pair by pair. */
static int distances_back_plan(Call *c) {
    const Argument *g = &c->in[0], *x = &c->in[1], *y = &c->in[2], *d = &c->in[3];
    size pairs;
    if (x->ndim != 2 || x->count == 0 || g->dtype != x->dtype || d->dtype != x->dtype || c->in[4].whole < 0 || c->in[4].whole >= COUNT) return 0;
    const size others = y->data ? y->shape[0] : x->shape[0] - 1;
    if (y->data && (y->ndim != 2 || y->count == 0 || y->dtype != x->dtype || y->shape[1] != x->shape[1])) return 0;
    if (__builtin_mul_overflow(x->shape[0], others, &pairs)) return 0;
    pairs = y->data ? pairs : pairs / 2;
    if (!have(c, 0, 0, pairs) || !have(c, 3, 3, pairs)) return 0;
    shape_as(result(c, 1), x);
    if (y->data) shape_as(result(c, 1), y);
    c->lines = 1, c->each = times(pairs, x->shape[1]);
    return 1;
}

#define BACK(T, name, size_of)                                                           \
    WIDE static void name(T g, T distance, const T *a, const T *b, T *to_a, T *to_b, size n, Norm norm) { \
        if (distance == 0) {                                                             \
            for (size k = 0; k < n; k++) to_a[k] += 0, to_b[k] -= 0;                     \
            return;                                                                      \
        }                                                                                \
        if (norm == SQUARES) {                                                           \
            INDEPENDENT                                                                  \
            for (size k = 0; k < n; k++) {                                               \
                const T part = g * (a[k] - b[k]) / distance;                             \
                to_a[k] += part;                                                         \
                to_b[k] -= part;                                                         \
            }                                                                            \
            return;                                                                      \
        }                                                                                \
        INDEPENDENT                                                                      \
        for (size k = 0; k < n; k++) { /* the sign of a difference; of maxima, where it is the largest */ \
            const T d = a[k] - b[k], sign = d != d ? d : (T)((d > 0) - (d < 0));         \
            const T part = g * (norm == SUM || size_of(d) == distance ? sign : distance != distance ? distance : 0); \
            to_a[k] += part;                                                             \
            to_b[k] -= part;                                                             \
        }                                                                                \
    }                                                                                    \
    static void name##_all(Call *c) {                                                    \
        const T *g = c->in[0].data, *x = c->in[1].data, *y = c->in[2].data, *d = c->in[3].data; \
        T *out = c->out[0].data, *others = y ? c->out[1].data : out;                     \
        const size rows = c->in[1].shape[0], n = c->in[1].shape[1], end = y ? c->in[2].shape[0] : rows; \
        memset(out, 0, (size_t)(rows * n) * sizeof *out);                                \
        if (y) memset(others, 0, (size_t)(end * n) * sizeof *out);                       \
        for (size i = 0; i < rows; i++) {                                                \
            for (size j = y ? 0 : i + 1; j < end; j++)                                   \
                name(*g++, *d++, x + i * n, (y ? y : x) + j * n, out + i * n, others + j * n, n, (Norm)c->in[4].whole); \
            if (ends(c, end * n)) break;                                                 \
        }                                                                                \
    }
BACK(float, back_of_floats, fabsf)
BACK(double, back_of_doubles, fabs)

static int distances_back(Call *c, size from, size to) {
    (void)from, (void)to;
    if (c->in[1].kind == FLOAT32) back_of_floats_all(c);
    else back_of_doubles_all(c);
    return 1;
}

const Kernel distance_kernels[] = {
    {"distances", "rr?i", distances_plan, distances, "distances(x, y, norm): of rows of matrices, or of all pairs of rows; norm: 0 sum, 1 Euclidean, 2 largest, 3 how many differ"},
    {"distances_back", "rrr?ri", distances_back_plan, distances_back, "distances_back(g, x, y, distances, norm): the gradient of distances between rows, or of pairs"},
    {0},
};
