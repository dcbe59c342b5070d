/* Squares of distances from the mean, in double. Roots of sums of squares, as PyTorch adds them: lines in lanes, which are added in order, then what is left over, the last three
   numbers of float32 each rounded once; columns from the first to the last. */
#include "kernels.h"
#include <math.h>

#define ROOTS(T, L, name, root, once)                                                                           \
    typedef T name##_lanes __attribute__((vector_size(L * sizeof(T)), aligned(sizeof(T))));                     \
    INLINE T name##_ended(const T *x, size n, const name##_lanes *sums) {                                       \
        const size full = n / L * L, apart = full + (n - full) / 4 * 4;                                         \
        T lanes[L], total = 0;                                                                                  \
        *(name##_lanes *)lanes = *sums;                                                                         \
        for (int k = 0; full && k < L; k++) total = k ? total + lanes[k] : lanes[k];                            \
        for (size i = full; i < apart; i++) total += x[i] * x[i];                                               \
        for (size i = apart; i < n; i++) total = once;                                                          \
        return root(total);                                                                                     \
    }                                                                                                           \
    /* Some lines, whose sums do not wait for each other. */                                                    \
    INLINE void name##_of_lines(const T *x, size n, T *out, const int many) {                                   \
        name##_lanes sums[4] = {{0}};                                                                           \
        for (size i = 0; i + L <= n; i += L)                                                                    \
            for (int r = 0; r < many; r++) {                                                                    \
                const name##_lanes square = *(const name##_lanes *)(x + r * n + i) * *(const name##_lanes *)(x + r * n + i); \
                sums[r] = i ? sums[r] + square : square;                                                        \
            }                                                                                                   \
        for (int r = 0; r < many; r++) out[r] = name##_ended(x + r * n, n, &sums[r]);                           \
    }                                                                                                           \
    WIDE static void name(const T *x, T *out, size outer, size n, size inner, int lines) {                      \
        size o = 0;                                                                                             \
        for (; lines && o + 4 <= outer; o += 4, x += 4 * n, out += 4) name##_of_lines(x, n, out, 4);            \
        for (; o < outer; o++, x += n * inner, out += inner) {                                                  \
            if (lines) {                                                                                        \
                name##_of_lines(x, n, out, 1);                                                                  \
                continue;                                                                                       \
            }                                                                                                   \
            for (size k = 0; k < inner; k++) out[k] = x[k] * x[k];                                              \
            for (size i = 1; i < n; i++)                                                                        \
                for (size k = 0; k < inner; k++) out[k] += x[i * inner + k] * x[i * inner + k];                 \
            for (size k = 0; k < inner; k++) out[k] = root(out[k]);                                             \
        }                                                                                                       \
    }

ROOTS(float, 8, float_roots, sqrtf, (float)((double)x[i] * x[i] + total))
ROOTS(double, 4, double_roots, sqrt, x[i] * x[i] + total)

static int roots_plan(Call *c) {
    const Argument *x = &c->in[0];
    const int keeps = c->in[2].whole != 0;
    Axis axis = {-1, 1, x->count, 1};
    if (c->given == 2 || (c->in[1].data && !around_axis(x, c->in[1].whole, &axis)) || x->count == 0 || axis.n < 2) return 0;
    Argument *out = result(c, 0);
    for (int k = 0; k < x->ndim; k++) {
        if (axis.axis >= 0 && k != axis.axis) add_dimension(out, x->shape[k]);
        else if (keeps) add_dimension(out, 1);
    }
    c->in[1].count = axis.inner;
    c->in[2].whole = axis.axis < 0 || axis.axis == x->ndim - 1;
    c->lines = axis.outer, c->each = axis.n * axis.inner, c->apart = 1;
    return c->each <= LONG_PIECE; /* of a longer one numpy's steps, between which signals are seen to */
}

static int roots(Call *c, size from, size to) {
    const size inner = c->in[1].count, n = c->each / inner, at = from * c->each, made = from * inner;
    const int lines = (int)c->in[2].whole;
    const void *x = c->in[0].data;
    void *out = c->out[0].data;
    if (c->in[0].kind == FLOAT32) float_roots((const float *)x + at, (float *)out + made, to - from, n, inner, lines);
    else double_roots((const double *)x + at, (double *)out + made, to - from, n, inner, lines);
    return 1;
}

/* sum_in_sequence(x): from the first element to the last. */
static int sequence_plan(Call *c) {
    if (c->in[0].count == 0) return 0;
    result(c, 0);
    c->lines = 1, c->each = c->in[0].count;
    return 1;
}

enum { PIECE = 1 << 16 };
#define IN_SEQUENCE(T, name)                                                                                    \
    static T name(Call *c, const T *x, size n) {                                                                \
        T total = x[0];                                                                                         \
        for (size i = 1; i < n; i++) {                                                                          \
            total += x[i];                                                                                      \
            if (i % PIECE == 0 && ends(c, PIECE)) break;                                                        \
        }                                                                                                       \
        return total;                                                                                           \
    }
IN_SEQUENCE(float, float_sequence)
IN_SEQUENCE(double, double_sequence)

static int sum_in_sequence(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    if (x->kind == FLOAT32) *(float *)c->out[0].data = float_sequence(c, x->data, x->count);
    else *(double *)c->out[0].data = double_sequence(c, x->data, x->count);
    return 1;
}

/* spreads(x, out): the sum of the squares of what a row's elements are away from their mean, in double: sixteen lanes, which are
   folded in halves; what the rounded mean is off is taken off again. */
enum { SIXTEEN = 16 };
static int spreads_plan(Call *c) {
    const Argument *x = &c->in[0], *out = &c->in[1];
    if (x->ndim != 2 || out->ndim != 1 || out->count != x->shape[0] || x->count == 0) return 0;
    c->answer = 1;
    c->lines = x->shape[0], c->each = x->shape[1];
    return 1;
}

WIDE static void add_lanes(const float *x, size n, double *lanes) {
    double sums[SIXTEEN];
    size i = 0;
    memcpy(sums, lanes, sizeof sums);
    for (; i + SIXTEEN <= n; i += SIXTEEN)
        for (int k = 0; k < SIXTEEN; k++) sums[k] += x[i + k];
    memcpy(lanes, sums, sizeof sums);
    for (int k = 0; i + k < n; k++) lanes[k] += x[i + k];
}

WIDE static void add_squares(const float *x, size n, double mean, double *lanes, double *squares) {
    double sums[SIXTEEN], more[SIXTEEN];
    size i = 0;
    memcpy(sums, lanes, sizeof sums);
    memcpy(more, squares, sizeof more);
    for (; i + SIXTEEN <= n; i += SIXTEEN)
        for (int k = 0; k < SIXTEEN; k++) {
            const double away = x[i + k] - mean;
            sums[k] += away, more[k] += away * away;
        }
    memcpy(lanes, sums, sizeof sums);
    memcpy(squares, more, sizeof more);
    for (int k = 0; i + k < n; k++) {
        const double away = x[i + k] - mean;
        lanes[k] += away, squares[k] += away * away;
    }
}

static double all_lanes(double *lanes) {
    for (int half = SIXTEEN / 2; half; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

static double spread_of_line(Call *c, const float *x, size n, double *middle) {
    double lanes[SIXTEEN] = {0}, squares[SIXTEEN] = {0};
    for (size at = 0; at < n && !ends(c, PIECE); at += PIECE) add_lanes(x + at, n - at < PIECE ? n - at : PIECE, lanes);
    const double mean = *middle = all_lanes(lanes) / (double)n;
    memset(lanes, 0, sizeof lanes);
    for (size at = 0; at < n && !ends(c, PIECE); at += PIECE) add_squares(x + at, n - at < PIECE ? n - at : PIECE, mean, lanes, squares);
    const double off = all_lanes(lanes);
    return all_lanes(squares) - off * off / (double)n;
}

static int spreads(Call *c, size from, size to) {
    const size n = c->each;
    double mean;
    for (size row = from; row < to; row++)
        ((double *)c->in[1].data)[row] = spread_of_line(c, (const float *)c->in[0].data + row * n, n, &mean);
    return 1;
}

/* variances(x, axis, keepdim, root, mean): of all elements, or along an axis of two at least, in double and rounded; or their roots; and
   the means, where none of the variances is beyond all numbers. */
static int variances_plan(Call *c) {
    const Argument *x = &c->in[0];
    Axis axis = {-1, 1, x->count, 1};
    if ((c->in[1].data && !around_axis(x, c->in[1].whole, &axis)) || x->count == 0 || axis.n < 2) return 0;
    for (int k = 0; k < 1 + (c->in[4].whole != 0); k++) {
        Argument *out = result(c, 0);
        for (int d = 0; d < x->ndim; d++) {
            if (axis.axis >= 0 && d != axis.axis) add_dimension(out, x->shape[d]);
            else if (c->in[2].whole) add_dimension(out, 1);
        }
    }
    c->in[1].count = axis.inner;
    c->lines = axis.outer, c->each = axis.n * axis.inner;
    return 1;
}

/* Of some columns, which lie side by side. */
WIDE static void spreads_of_columns(const float *x, size n, size step, size columns, double *means, double *squares) {
    for (size k = 0; k < columns; k++) means[k] = squares[k] = 0;
    for (size i = 0; i < n; i++)
        for (size k = 0; k < columns; k++) means[k] += x[i * step + k];
    for (size k = 0; k < columns; k++) means[k] /= (double)n;
    for (size i = 0; i < n; i++)
        for (size k = 0; k < columns; k++) squares[k] += (x[i * step + k] - means[k]) * (x[i * step + k] - means[k]);
}

static int variances(Call *c, size from, size to) {
    const size inner = c->in[1].count, n = c->each / inner;
    const int root = c->in[3].whole != 0, both = c->in[4].whole != 0;
    double means[64], squares[64];
    for (size o = from; o < to; o++)
        for (size first = 0; first < inner && !ends(c, n * 64); first += 64) {
            const size columns = inner - first < 64 ? inner - first : 64;
            const float *x = (const float *)c->in[0].data + o * c->each + first;
            if (inner == 1) squares[0] = spread_of_line(c, x, n, &means[0]);
            else spreads_of_columns(x, n, inner, columns, means, squares);
            for (size k = 0; k < columns; k++) {
                const double found = squares[k] / (double)(n - 1);
                if (both && !(found <= HUGE_VAL && found < HUGE_VAL)) return 0;
                ((float *)c->out[0].data)[o * inner + first + k] = (float)(root ? sqrt(found) : found);
                if (both) ((float *)c->out[1].data)[o * inner + first + k] = (float)means[k];
            }
        }
    return 1;
}

#define SQUARES(T, V, name)                                                                                     \
    /* Squares: eight (four) lanes, the lanes in order, then the rest, of which the last three round once each. */ \
    WIDE static T name##_squares(const T *x, size n) {                                                          \
        T lanes[V] = {0}, total = 0;                                                                            \
        size i = 0;                                                                                             \
        for (; i + V <= n; i += V)                                                                              \
            for (int k = 0; k < V; k++) lanes[k] += x[i + k] * x[i + k];                                        \
        for (int k = 0; k < V; k++) total += lanes[k];                                                          \
        for (size end = i + (n - i) / 4 * 4; i < end; i++) total += x[i] * x[i];                                \
        for (; i < n; i++) total = (T)((double)x[i] * x[i] + total);                                            \
        return total;                                                                                           \
    }                                                                                                           \
    INLINE void name##_squares_of(const char *x, size n, size step, size m, size side, T *totals) {             \
        T sums[8] = {0};                                                                                        \
        for (size i = 0; i < n; i++, x += step)                                                                 \
            for (size k = 0; k < m; k++) {                                                                      \
                const T v = *(const T *)(x + k * side);                                                         \
                sums[k] += v * v;                                                                               \
            }                                                                                                   \
        for (size k = 0; k < m; k++) totals[k] = sums[k];                                                       \
    }                                                                                                           \
    /* Squares from the first to the last, of eight lines that lie `side` apart. */                             \
    WIDE static void name##_squares_in_order(const char *x, size n, size step, size lines, size side, T *out) { \
        for (size line = 0; line < lines; line += 8) {                                                          \
            T totals[8] = {0};                                                                                  \
            const size m = lines - line < 8 ? lines - line : 8;                                                 \
            if (m == 8) name##_squares_of(x + line * side, n, step, 8, side, totals);                           \
            else if (m == 1) name##_squares_of(x + line * side, n, step, 1, side, totals);                      \
            else name##_squares_of(x + line * side, n, step, m, side, totals);                                  \
            for (size k = 0; k < m; k++) out[line + k] = totals[k];                                             \
        }                                                                                                       \
    }
SQUARES(float, 8, floats)
SQUARES(double, 4, doubles)

/* square_sums(x, in_order): of the rows of a matrix in any steps; of rows that lie side by side in lanes, unless `in_order`. */
static int squares_plan(Call *c) {
    const Argument *x = &c->in[0];
    if ((x->kind != FLOAT32 && x->kind != FLOAT64) || x->ndim != 2 || x->count == 0 || x->shape[1] > LONG_PIECE) return 0;
    if (!c->in[1].whole && x->shape[1] > 1 && x->strides[1] != x->item) return 0;
    add_dimension(result(c, 0), x->shape[0]);
    c->lines = x->shape[0], c->each = x->shape[1];
    return 1;
}

static int square_sums(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size n = x->shape[1], side = x->strides[0], step = x->strides[1];
    const char *at = (const char *)x->data + from * side;
    if (c->in[1].whole && x->kind == FLOAT32) floats_squares_in_order(at, n, step, to - from, side, (float *)c->out[0].data + from);
    else if (c->in[1].whole) doubles_squares_in_order(at, n, step, to - from, side, (double *)c->out[0].data + from);
    else
        for (size i = from; i < to; i++, at += side) {
            if (x->kind == FLOAT32) ((float *)c->out[0].data)[i] = floats_squares((const float *)at, n);
            else ((double *)c->out[0].data)[i] = doubles_squares((const double *)at, n);
        }
    return 1;
}

const Kernel squares_kernels[] = {
    {"square_sums", "eb", squares_plan, square_sums, "square_sums(x, in_order): of the squares of rows"},
    {"spreads", "fD", spreads_plan, spreads, "spreads(x, out): of each row, the squares of what its elements are away from their mean, added"},
    {"variances", "fi?bbb", variances_plan, variances, "variances(x, axis, keepdim, root, mean): or their roots; and the means"},
    {"sum_in_sequence", "r", sequence_plan, sum_in_sequence, "sum_in_sequence(x): the sum of all elements, from the first to the last"},
    {"roots_of_squares", "r|i?b", roots_plan, roots, "roots_of_squares(x, axis=None, keepdims=False)"},
    {0},
};
