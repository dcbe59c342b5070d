/* Fourier transforms of the lines of an array along any of its dimensions, several lines at a time in the lanes of vectors, and the
   second halves of real signals' transforms. */
#include "fourier_steps.h"

typedef float vectors __attribute__((vector_size(32)));
typedef double wide_vectors __attribute__((vector_size(32)));
STEPS(vectors, float, singles)
STEPS(wide_vectors, double, doubles)
STEPS(float, float, single)
STEPS(double, double, lone)

/* Complex numbers to such; real ones to the first half, or the whole, of their transform; such a half to real ones. */
enum { COMPLEX, HALF_OF_REAL, WHOLE_OF_REAL, TO_REAL };
#define MOST_LANES 8

/* Some lines: where each begins, counted in numbers, complex ones as one. */
typedef struct {
    int count;
    size in[MOST_LANES], out[MOST_LANES];
} Lines;

/* What is done to a line. `packed`: a real one is transformed as half as many complex numbers, see `turns` in the table; `plane`: real
   numbers stand as complex ones, and zeros lose their sign; `negative`: the element whose imaginary part, where it is zero, is a negative
   sum in the library's ways: of six numbers where no two parts cancel, of ten where they do, otherwise always. */
typedef struct {
    Steps steps;
    int kind, backward, packed, plane, negative;
    size n, step_in, step_out, turns, room, end_in, end_out;
    double early, halfway, late;
} Way;

/* Two vectors shuffled: the first and the second halves of both by turns, the even and the odd ones of both. */
#ifdef __clang__
#define SHUFFLED(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif
typedef int32_t vector_mask __attribute__((vector_size(32)));
typedef int64_t wide_mask __attribute__((vector_size(32)));
#define EIGHT(which, ...) INLINE void singles_##which(vectors *a, const vectors *b, const vectors *c) { *a = SHUFFLED(vector_mask, *b, *c, __VA_ARGS__); }
EIGHT(lows, 0, 8, 1, 9, 2, 10, 3, 11)
EIGHT(highs, 4, 12, 5, 13, 6, 14, 7, 15)
EIGHT(evens, 0, 2, 4, 6, 8, 10, 12, 14)
EIGHT(odds, 1, 3, 5, 7, 9, 11, 13, 15)
#define FOUR(which, ...) INLINE void doubles_##which(wide_vectors *a, const wide_vectors *b, const wide_vectors *c) { *a = SHUFFLED(wide_mask, *b, *c, __VA_ARGS__); }
FOUR(lows, 0, 4, 1, 5)
FOUR(highs, 2, 6, 3, 7)
FOUR(evens, 0, 2, 4, 6)
FOUR(odds, 1, 3, 5, 7)

/* Numbers of several lines, each of which stands in one piece, into lanes and out of them: `second` has those at odd places, where there
   is one. Blocks that would reach over the end go back from it; a line shorter than a block is read, and written, with the beginning of the
   next one, which is written later: not where that is beyond `end`, or `in` is `out`. */
#define ROWS(T, R, name)                                                                                              \
    INLINE void name##_turned(T *rows) {                                                                              \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        T made[LANES];                                                                                                \
        UNROLL(4) for (int step = 1; step < LANES; step *= 2) {                                                       \
            UNROLL(8) for (int l = 0; l < LANES / 2; l++) {                                                           \
                name##_lows(&made[2 * l], &rows[l], &rows[l + LANES / 2]);                                            \
                name##_highs(&made[2 * l + 1], &rows[l], &rows[l + LANES / 2]);                                       \
            }                                                                                                         \
            UNROLL(8) for (int l = 0; l < LANES; l++) rows[l] = made[l];                                              \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE int name##_rows_in(T *first, T *second, const R *in, const size *at, size have, size end) {                \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const size each = second ? 2 : 1, block = LANES / each;                                                       \
        for (int l = 0; have < block && l < LANES; l++)                                                               \
            if (at[l] + LANES > end) return 0;                                                                        \
        for (size k = 0; k < have; k += block) {                                                                      \
            T rows[LANES];                                                                                            \
            if (k > have - block && have >= block) k = have - block;                                                  \
            UNROLL(8) for (int l = 0; l < LANES; l++) memcpy(&rows[l], in + at[l] + each * k, sizeof *rows);          \
            name##_turned(rows);                                                                                      \
            if (have < block)                                                                                         \
                for (size b = 0; b < have; b++) {                                                                     \
                    first[b] = rows[each * b];                                                                        \
                    if (second) second[b] = rows[2 * b + 1];                                                          \
                }                                                                                                     \
            else if (second) {                                                                                        \
                UNROLL(8) for (int b = 0; b < LANES / 2; b++) first[k + b] = rows[2 * b], second[k + b] = rows[2 * b + 1]; \
            } else                                                                                                    \
                UNROLL(8) for (int b = 0; b < LANES; b++) first[k + b] = rows[b];                                     \
        }                                                                                                             \
        return 1;                                                                                                     \
    }                                                                                                                 \
    INLINE int name##_rows_out(const T *first, const T *second, R *out, const size *at, int lines, size have, size end) { \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const size each = second ? 2 : 1, block = LANES / each;                                                       \
        for (int l = 0; have < block && l < lines; l++)                                                               \
            if (at[l] + LANES > end) return 0;                                                                        \
        for (size k = 0; k < have; k += block) {                                                                      \
            T rows[LANES];                                                                                            \
            if (k > have - block && have >= block) k = have - block;                                                  \
            if (have < block)                                                                                         \
                for (size b = 0; b < block; b++) {                                                                    \
                    rows[each * b] = first[b < have ? b : 0];                                                         \
                    if (second) rows[2 * b + 1] = second[b < have ? b : 0];                                           \
                }                                                                                                     \
            else if (second) {                                                                                        \
                UNROLL(8) for (int b = 0; b < LANES / 2; b++) rows[2 * b] = first[k + b], rows[2 * b + 1] = second[k + b]; \
            } else                                                                                                    \
                UNROLL(8) for (int b = 0; b < LANES; b++) rows[b] = first[k + b];                                     \
            name##_turned(rows);                                                                                      \
            UNROLL(8) for (int l = 0; l < LANES; l++)                                                                 \
                if (l < lines) memcpy(out + at[l] + each * k, &rows[l], sizeof *rows);                                \
        }                                                                                                             \
        return 1;                                                                                                     \
    }                                                                                                                 \
    /* Of lines that stand side by side. */                                                                           \
    INLINE void name##_columns_in(T *first, T *second, const R *in, size step, size have) {                           \
        for (size k = 0; k < have; k++, in += step) {                                                                 \
            T both[2];                                                                                                \
            memcpy(both, in, sizeof *both * (second ? 2 : 1));                                                        \
            if (second) name##_evens(&first[k], &both[0], &both[1]), name##_odds(&second[k], &both[0], &both[1]);     \
            else first[k] = both[0];                                                                                  \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void name##_columns_out(const T *first, const T *second, R *out, size step, size have) {                   \
        for (size k = 0; k < have; k++, out += step) {                                                                \
            T both[2] = {first[k], first[k]};                                                                         \
            if (second) name##_lows(&both[0], &first[k], &second[k]), name##_highs(&both[1], &first[k], &second[k]);  \
            memcpy(out, both, sizeof *both * (second ? 2 : 1));                                                       \
        }                                                                                                             \
    }
ROWS(vectors, float, singles)
ROWS(wide_vectors, double, doubles)
/* Of one line alone. */
#define ROW(R, name)                                                                                                  \
    INLINE int name##_rows_in(R *first, R *second, const R *in, const size *at, size have, size end) {                \
        if (at[0] + have > end) return 0;                                                                             \
        in += at[0];                                                                                                  \
        if (second)                                                                                                   \
            for (size k = 0; k < have; k++) first[k] = in[2 * k], second[k] = in[2 * k + 1];                          \
        else                                                                                                          \
            memcpy(first, in, have * sizeof *in);                                                                     \
        return 1;                                                                                                     \
    }                                                                                                                 \
    INLINE int name##_rows_out(const R *first, const R *second, R *out, const size *at, int lines, size have, size end) { \
        if (at[lines - 1] + have > end) return 0;                                                                     \
        out += at[lines - 1];                                                                                         \
        if (second)                                                                                                   \
            for (size k = 0; k < have; k++) out[2 * k] = first[k], out[2 * k + 1] = second[k];                        \
        else                                                                                                          \
            memcpy(out, first, have * sizeof *out);                                                                   \
        return 1;                                                                                                     \
    }                                                                                                                 \
    INLINE void name##_columns_in(R *first, R *second, const R *in, size step, size have) {                           \
        for (size k = 0; k < have; k++, in += step) {                                                                 \
            first[k] = in[0];                                                                                         \
            if (second) second[k] = in[1];                                                                            \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void name##_columns_out(const R *first, const R *second, R *out, size step, size have) {                   \
        for (size k = 0; k < have; k++, out += step) {                                                                \
            out[0] = first[k];                                                                                        \
            if (second) out[1] = second[k];                                                                           \
        }                                                                                                             \
    }
ROW(float, single)
ROW(double, lone)

#define LINES(T, R, name)                                                                                             \
    /* Numbers into lanes and out of them, `second`: the imaginary parts; `width`: of how many such numbers one has parts. */ \
    INLINE void name##_in(const Way *way, const Lines *lines, const R *in, T *first, T *second, size have, size width) { \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const size step = width * way->step_in;                                                                       \
        size at[LANES], adjacent = !way->packed || way->kind == TO_REAL;                                              \
        for (int l = 0; l < LANES; l++) {                                                                             \
            at[l] = width * lines->in[l < lines->count ? l : 0];                                                      \
            adjacent &= at[l] == at[0] + width * l;                                                                   \
        }                                                                                                             \
        if (way->step_in == 1 && !way->plane) {                                                                       \
            if (second && name##_rows_in(first, second, in, at, have, way->end_in)) return;                                        \
            if (!second && name##_rows_in(first, NULL, in, at, have, way->end_in)) return;                                         \
        } else if (adjacent && !way->plane) {                                                                         \
            if (second) name##_columns_in(first, second, in + at[0], step, have);                                     \
            else name##_columns_in(first, NULL, in + at[0], step, have);                                              \
            return;                                                                                                   \
        }                                                                                                             \
        const size other = width == 2 ? 1 : step, next = width == 2 || !second ? step : 2 * step;                     \
        for (size k = 0; k < have; k++)                                                                               \
            for (int l = 0; l < LANES; l++) {                                                                         \
                const R *from = in + at[l] + k * next;                                                                \
                ((R *)&first[k])[l] = from[0];                                                                        \
                if (second) ((R *)&second[k])[l] = from[other];                                                       \
            }                                                                                                         \
    }                                                                                                                 \
    INLINE void name##_out(const Way *way, const Lines *lines, R *out, const T *first, const T *second, size have, size width) { \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const size step = width * way->step_out;                                                                      \
        size at[LANES], adjacent = lines->count == LANES && (width == 2 || !second);                                  \
        for (int l = 0; l < lines->count; l++) {                                                                      \
            at[l] = width * lines->out[l];                                                                            \
            adjacent &= at[l] == at[0] + width * l;                                                                   \
        }                                                                                                             \
        if (way->step_out == 1) {                                                                                     \
            if (second && name##_rows_out(first, second, out, at, lines->count, have, way->end_out)) return;                        \
            if (!second && name##_rows_out(first, NULL, out, at, lines->count, have, way->end_out)) return;                         \
        } else if (adjacent) {                                                                                        \
            if (second) name##_columns_out(first, second, out + at[0], step, have);                                   \
            else name##_columns_out(first, NULL, out + at[0], step, have);                                            \
            return;                                                                                                   \
        }                                                                                                             \
        const size other = width == 2 ? 1 : step, next = width == 2 || !second ? step : 2 * step;                     \
        for (size k = 0; k < have; k++)                                                                               \
            for (int l = 0; l < lines->count; l++) {                                                                  \
                R *to = out + at[l] + k * next;                                                                       \
                to[0] = ((const R *)&first[k])[l];                                                                    \
                if (second) to[other] = ((const R *)&second[k])[l];                                                   \
            }                                                                                                         \
    }                                                                                                                 \
    INLINE void name##_lines(const Way *way, const Lines *lines, const R *table, const R *in, R *out, T *room) {      \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const size n = way->n, m = way->steps.n, half = n / 2 + 1;                                                    \
        const int real = way->kind == HALF_OF_REAL || way->kind == WHOLE_OF_REAL, to_real = way->kind == TO_REAL;     \
        const int turned = way->backward || to_real; /* real and imaginary parts change places, before and after */   \
        T *re = room, *im = re + way->room, *x = im + way->room, *y = x + way->room;                                  \
        T *const kept[2] = {re, im};                                                                                  \
        const R *const turns = table + way->turns;                                                                    \
        if (real) {                                                                                                   \
            name##_in(way, lines, in, re, way->packed ? im : NULL, m, way->plane ? 2 : 1);                            \
            for (size k = 0; !way->packed && k < n; k++) im[k] = EACH(T, (R)0);                                       \
        } else {                                                                                                      \
            name##_in(way, lines, in, re, im, to_real ? half : n, 2);                                                 \
            if (to_real && way->packed) name##_paired(m, turns, re, im);                                              \
            else if (to_real) {                                                                                       \
                for (size k = half; k < n; k++) re[k] = re[n - k], im[k] = -im[n - k];                                \
                im[0] = EACH(T, (R)0);                                                                                \
                if (n % 2 == 0) im[n / 2] = EACH(T, (R)0);                                                            \
            }                                                                                                         \
        }                                                                                                             \
        if (turned) re = kept[1], im = kept[0];                                                                       \
        if (name##_transform(&way->steps, table, (R)way->early, (R)way->halfway, re, im, x, y)) x = re, y = im;       \
        if (real && way->packed) name##_halved(m, turns, x, y);                                                       \
        for (int l = 0, k = way->negative; k && l < lines->count; l++) {                                              \
            R *zero = (R *)&y[k] + l;                                                                                 \
            const R *of = (const R *)re + l; /* the signal */                                                         \
            if (*zero != 0 || (n == 6 && of[2 * LANES] != of[4 * LANES])) continue;                                   \
            if (n == 10 && of[2 * LANES] == of[8 * LANES] && of[4 * LANES] == of[6 * LANES]) continue;                \
            *zero = -(R)0;                                                                                            \
        }                                                                                                             \
        T *const first = turned ? y : x, *const second = turned ? x : y;                                              \
        const T late = EACH(T, (R)way->late), zero = EACH(T, (R)0);                                                   \
        const size made = real ? half : m;                                                                            \
        for (size k = 0; way->late != 1 && k < made; k++) first[k] *= late, second[k] *= late;                        \
        for (size k = 0; way->plane && k < made; k++) first[k] += zero, second[k] += zero;                            \
        if (way->kind == WHOLE_OF_REAL)                                                                               \
            for (size k = half; k < n; k++) {                                                                         \
                first[k] = first[n - k], second[k] = -second[n - k];                                                  \
                if (way->plane) second[k] += zero;                                                                    \
            }                                                                                                         \
        name##_out(way, lines, out, first, to_real && !way->packed ? NULL : second, real && way->kind == HALF_OF_REAL ? half : \
                   real ? n : m, to_real ? 1 : 2);                                                                    \
    }
LINES(vectors, float, singles)
LINES(wide_vectors, double, doubles)
LINES(float, float, single)
LINES(double, double, lone)

#define WORK(name) WIDE static void name##_work(const Way *way, const Lines *lines, const void *table, const void *in, void *out, void *room)
WORK(singles) { singles_lines(way, lines, table, in, out, room); }
WORK(doubles) { doubles_lines(way, lines, table, in, out, room); }
WORK(single) { single_lines(way, lines, table, in, out, room); }
WORK(lone) { lone_lines(way, lines, table, in, out, room); }

/* fourier(x, table, factors, axis, n, kind, forward, order, place, scale, last, alone, plane=0, plane_order=0): `last`: the results'
   dimension comes behind the others; `alone`: x is real, and transformed along this dimension only; `plane`: x is the half of so many real numbers' transforms, along its last dimension, so that the first
   line there, and of an even number the last, are real themselves. */
enum { X, TABLE, FACTORS, AXIS, LENGTH, KIND, FORWARD, ORDER, PLACE, SCALE, LAST, ALONE, PLANE, PLANE_ORDER };
static const int NEGATIVE[SHORT] = {[3] = 1, [5] = 1, [6] = 1, [8] = 1, [10] = 4, [12] = 5};
#define LONGEST (1 << 12)

static int way_of(const Call *c, Way *way, size *table) {
    const Argument *factors = &c->in[FACTORS];
    const size n = c->in[LENGTH].whole, kind = c->in[KIND].whole;
    if (n < 1 || n > LONGEST || kind < COMPLEX || kind > TO_REAL || factors->ndim > SHORT) return 0;
    const int packed = kind != COMPLEX && n >= SHORT && n % 2 == 0;
    const double scale = c->in[SCALE].number;
    *way = (Way){.kind = (int)kind, .backward = !c->in[FORWARD].whole, .packed = packed, .n = n};
    Steps *steps = &way->steps;
    *steps = (Steps){.n = (int)(packed ? n / 2 : n), .count = factors->ndim, .order = (int)(c->in[ORDER].whole & 31)};
    const int passes = steps->count > 1 && (steps->n >= SHORT || steps->n == 9);
    size l1 = 1, used = 0;
    for (int k = 0; k < steps->count; k++) {
        const size p = factors->shape[k];
        if (p < 2 || p >= LARGEST || (p % 2 == 0 && p != 2 && p != 4 && p != 8) || steps->n % (l1 * p)) return 0;
        steps->factors[k] = (int)p;
        used += 2 * p;
        if (passes) used += 2 * (p - 1) * (steps->n / (l1 * p) - 1);
        l1 *= p;
    }
    if (l1 != steps->n) return 0;
    if (steps->count > 1 && !passes && (steps->count > 2 || steps->factors[0] > 4 || steps->factors[1] > 8)) return 0;
    way->turns = used;
    way->room = (kind == WHOLE_OF_REAL ? n : steps->n) + 1;
    *table = used + (packed ? n / 2 + 1 : 0);
    if (c->in[ALONE].whole && n < SHORT && (kind == HALF_OF_REAL || kind == WHOLE_OF_REAL)) way->negative = NEGATIVE[n];
    way->early = way->halfway = way->late = 1;
    *(c->in[PLACE].whole == EARLY ? &way->early : c->in[PLACE].whole == BETWEEN ? &way->halfway : &way->late) = scale;
    return 1;
}

static int planned(Call *c, int within) {
    const Argument *x = &c->in[X], *table = &c->in[TABLE];
    const size plane = c->in[PLANE].whole;
    Axis around;
    Way way;
    size used;
    if (x->count == 0 || !around_axis(x, c->in[AXIS].whole, &around) || !way_of(c, &way, &used) || table->count != used) return 0;
    const int single = table->kind == FLOAT32, real = way.kind == HALF_OF_REAL || way.kind == WHOLE_OF_REAL;
    if (real ? x->kind != table->kind : x->kind != PLAIN || x->item != (single ? 8 : 16)) return 0;
    if (around.n != (way.kind == TO_REAL ? way.n / 2 + 1 : way.n)) return 0;
    if (plane && (way.kind != COMPLEX || way.backward || c->in[LAST].whole || around.inner == 1 || plane < 1 || x->shape[x->ndim - 1] != plane / 2 + 1)) return 0;
    c->lines = around.outer * around.inner, c->each = way.n * 8 * (way.steps.count + 2);
    c->room = 4 * way.room * sizeof(vectors) + 64;
    if (within) {
        c->answer = X;
        return way.kind == COMPLEX && !c->in[LAST].whole;
    }
    Argument *made;
    if (way.kind == COMPLEX) made = result(c, X);
    else if (way.kind == TO_REAL) made = result(c, TABLE);
    else made = result(c, single ? NEW_COMPLEX64 : NEW_COMPLEX128);
    const size n = way.kind == HALF_OF_REAL ? way.n / 2 + 1 : way.n;
    shape_as(made, x);
    made->shape[around.axis] = n;
    if (c->in[LAST].whole) {
        for (int k = (int)around.axis; k + 1 < x->ndim; k++) made->shape[k] = x->shape[k + 1];
        made->shape[x->ndim - 1] = n;
    }
    return 1;
}

static int fourier_plan(Call *c) { return planned(c, 0); }
static int within_plan(Call *c) { return planned(c, 1); }

/* A full tile, or the last one, in which few lines are transformed one by one: the numbers are the same. */
static void transform(const Call *c, const Way *way, Lines *lines) {
    void *room = (void *)(((uintptr_t)c->scratch + 63) / 64 * 64), *out = c->outs ? c->out[0].data : c->in[X].data;
    const void *table = c->in[TABLE].data, *in = c->in[X].data;
    const int single = c->in[TABLE].kind == FLOAT32;
    if (lines->count > (single ? 2 : 1)) (single ? singles_work : doubles_work)(way, lines, table, in, out, room);
    else
        for (int l = 0; l < lines->count; l++) {
            const Lines one = {1, {lines->in[l]}, {lines->out[l]}};
            (single ? single_work : lone_work)(way, &one, table, in, out, room);
        }
    lines->count = 0;
}

static int fourier(Call *c, size from, size to) {
    const size plane = c->in[PLANE].whole, have = plane / 2 + 1;
    const int lanes = c->in[TABLE].kind == FLOAT32 ? MOST_LANES : MOST_LANES / 2, last = (int)c->in[LAST].whole;
    Axis around;
    Way ways[2];
    Lines lines[2]; /* planes by themselves */
    size used;
    lines[0].count = lines[1].count = 0;
    if (!around_axis(&c->in[X], c->in[AXIS].whole, &around) || !way_of(c, &ways[0], &used)) return 0;
    const size n = ways[0].kind == HALF_OF_REAL ? ways[0].n / 2 + 1 : ways[0].n, inner = around.inner;
    ways[0].step_in = inner, ways[0].step_out = last ? 1 : inner;
    ways[0].end_in = c->in[X].count * (ways[0].kind == HALF_OF_REAL || ways[0].kind == WHOLE_OF_REAL ? 1 : 2);
    ways[0].end_out = c->outs ? c->out[0].count * (ways[0].kind == TO_REAL ? 1 : 2) : 0;
    ways[1] = ways[0];
    ways[1].kind = WHOLE_OF_REAL, ways[1].plane = 1, ways[1].negative = 0, ways[1].steps.order = (int)(c->in[PLANE_ORDER].whole & 31);
    ways[1].early = ways[1].halfway = 1, ways[1].late = c->in[SCALE].number;
    for (size line = from, outer = from / inner, i = from % inner; line < to; line++) {
        const size along = plane ? i % have : 1;
        const int which = plane && (along == 0 || (plane % 2 == 0 && along == have - 1));
        Lines *now = &lines[which];
        now->in[now->count] = outer * around.n * inner + i;
        now->out[now->count++] = last ? line * n : outer * n * inner + i;
        if (now->count == lanes) transform(c, &ways[which], now);
        if (++i == inner) i = 0, outer++;
    }
    transform(c, &ways[0], &lines[0]);
    transform(c, &ways[1], &lines[1]);
    return 1;
}

/* mirrored(half, n, axes, conjugate, positive): the whole transform of n real numbers, whose second half is the first one's conjugate;
   along the axes the places are turned round as well. `conjugate`: its conjugate; `positive`: zeros lose their sign. */
static int mirrored_plan(Call *c) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole;
    size all;
    if (half->kind != PLAIN || (half->item != 8 && half->item != 16)) return 0;
    if (half->ndim < 1 || half->count == 0 || n < 1 || half->shape[half->ndim - 1] != n / 2 + 1) return 0;
    for (int k = 0; k < axes->ndim; k++)
        if (axes->shape[k] < 0 || axes->shape[k] >= half->ndim - 1) return 0;
    const size rows = half->count / (n / 2 + 1);
    if (__builtin_mul_overflow(rows, 2 * n, &all)) return 0;
    Argument *out = result(c, 0);
    shape_as(out, half);
    out->shape[half->ndim - 1] = n;
    c->lines = rows, c->each = 2 * n;
    return 1;
}

#define MIRRORED(T, name)                                                                                             \
    static void name(const T *first, const T *other, T *out, size n, int conjugate, int positive) {                   \
        const size have = n / 2 + 1;                                                                                  \
        const T sign = conjugate ? -1 : 1, zero = positive ? 0 : -(T)0; /* x + -0 is x */                             \
        for (size k = 0; k < have; k++) out[2 * k] = first[2 * k] + zero, out[2 * k + 1] = sign * first[2 * k + 1] + zero; \
        for (size k = have; k < n; k++) out[2 * k] = other[2 * (n - k)] + zero, out[2 * k + 1] = zero - sign * other[2 * (n - k) + 1]; \
    }
MIRRORED(float, mirrored_floats)
MIRRORED(double, mirrored_doubles)

static int mirrored(Call *c, size from, size to) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole, have = 2 * (n / 2 + 1);
    const int conjugate = (int)c->in[3].whole, positive = (int)c->in[4].whole;
    for (size row = from; row < to; row++) {
        size other = row, step = 1, left = row;
        for (int d = half->ndim - 2; d >= 0; d--) {
            const size many = half->shape[d], at = left % many;
            for (int k = 0; k < axes->ndim; k++)
                if (axes->shape[k] == d && at) other += (many - 2 * at) * step;
            left /= many, step *= many;
        }
        if (half->item == 8) {
            const float *x = half->data;
            mirrored_floats(x + row * have, x + other * have, (float *)c->out[0].data + row * 2 * n, n, conjugate, positive);
        } else {
            const double *x = half->data;
            mirrored_doubles(x + row * have, x + other * have, (double *)c->out[0].data + row * 2 * n, n, conjugate, positive);
        }
    }
    return 1;
}

const Kernel fourier_kernels[] = {
    {"mirrored", "aitbb", mirrored_plan, mirrored, "mirrored(half, n, axes, conjugate, positive): a whole transform from its half"},
    {"fourier", "artiiibiixbb|ii", fourier_plan, fourier,
     "fourier(x, table, factors, axis, n, kind, forward, order, place, scale, last, alone, plane=0, plane_order=0)"},
    {"fourier_within", "Artiiibiixbb|ii", within_plan, fourier, "fourier_within(x, ...): complex numbers in their own place, with fourier's arguments"},
    {0},
};
