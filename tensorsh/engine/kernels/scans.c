/* Running sums, products and extremes along an axis, and whole products, in PyTorch's order. Sums and products are carried
   in double, those of half types in float32, and each is rounded. */
#include "conversions.h"

#define TOGETHER 4 /* rows at a time: each addition waits for the one before it in its row */
#define COLUMNS 256

/* Rows that are gone through from one end to the other; `each`: the head of a loop over i. Elements are T, what is carried is of
   type A; integers wrap around. */
#define ROWS(T, A, name, first, operation, each)                                                           \
    static void name(const T *x, T *out, size rows, size n) {                                              \
        for (; rows >= TOGETHER; rows -= TOGETHER, x += TOGETHER * n, out += TOGETHER * n) {               \
            A carried[TOGETHER] = {first, first, first, first};                                            \
            each                                                                                           \
                for (int k = 0; k < TOGETHER; k++) {                                                       \
                    carried[k] = carried[k] operation (A)x[k * n + i];                                     \
                    out[k * n + i] = (T)carried[k];                                                        \
                }                                                                                          \
        }                                                                                                  \
        for (; rows; rows--, x += n, out += n) {                                                           \
            A carried = first;                                                                             \
            each out[i] = (T)(carried = carried operation (A)x[i]);                                        \
        }                                                                                                  \
    }

#define SCAN_OF(T, A, name, first, operation)                                                              \
    ROWS(T, A, name##_rows, first, operation, for (size i = 0; i < n; i++))                                \
    ROWS(T, A, name##_backwards, first, operation, for (size i = n - 1; i >= 0; i--))                      \
    WIDE static void name##_columns(const T *x, T *out, size outer, size n, size inner, int reverse) {     \
        A carried[COLUMNS];                                                                                \
        for (; outer; outer--, x += n * inner, out += n * inner)                                           \
            for (size left = 0; left < inner; left += COLUMNS) {                                           \
                const size m = inner - left < COLUMNS ? inner - left : COLUMNS;                            \
                for (size c = 0; c < m; c++) carried[c] = first;                                           \
                for (size i = 0; i < n; i++) {                                                             \
                    const size at = (reverse ? n - 1 - i : i) * inner + left;                              \
                    INDEPENDENT                                                                            \
                    for (size c = 0; c < m; c++) {                                                         \
                        carried[c] = carried[c] operation (A)x[at + c];                                    \
                        out[at + c] = (T)carried[c];                                                       \
                    }                                                                                      \
                }                                                                                          \
            }                                                                                              \
    }                                                                                                      \
    static void name##_all(const Call *c, size from, size to) {                                            \
        const size line = c->each, inner = c->in[1].count, n = line / inner;                               \
        const int reverse = c->in[2].whole != 0;                                                           \
        const T *x = (const T *)c->in[0].data + from * line;                                               \
        T *out = (T *)c->out[0].data + from * line;                                                        \
        if (inner > 1) name##_columns(x, out, to - from, n, inner, reverse);                               \
        else if (reverse) name##_backwards(x, out, to - from, n);                                          \
        else name##_rows(x, out, to - from, n);                                                            \
    }
#define SCAN(name, first, operation)                                                                       \
    SCAN_OF(float, double, name##_of_floats, first, operation)                                             \
    SCAN_OF(float, float, name##_of_singles, first, operation)                                             \
    SCAN_OF(double, double, name##_of_doubles, first, operation)                                           \
    SCAN_OF(int64_t, uint64_t, name##_of_longs, first, operation)                                          \
    static int name(Call *c, size from, size to) {                                                         \
        if (c->in[3].whole) name##_of_singles_all(c, from, to);                                            \
        else if (c->in[0].kind == FLOAT32) name##_of_floats_all(c, from, to);                              \
        else if (c->in[0].kind == FLOAT64) name##_of_doubles_all(c, from, to);                             \
        else name##_of_longs_all(c, from, to);                                                             \
        return 1;                                                                                          \
    }

/* A new array like the first argument; the work around an axis, the last one where none is given. */
static int scan_plan(Call *c) {
    Axis axis;
    const Argument *x = &c->in[0];
    if (!around_axis(x, c->given > 1 ? c->in[1].whole : -1, &axis) || x->count == 0) return 0;
    shape_as(result(c, 0), x);
    c->in[1].count = axis.inner;
    c->in[2].whole = c->given > 2 && c->in[2].whole;
    c->lines = axis.outer, c->each = axis.n * axis.inner;
    return 1;
}

SCAN(running_sums, 0, +)
SCAN(running_products, 1, *)

static int running_plan(Call *c) {
    const Kind kind = c->in[0].kind;
    c->in[3].whole = c->given > 3 && c->in[3].whole;
    return (kind == FLOAT32 || (!c->in[3].whole && (kind == FLOAT64 || kind == INT64))) && scan_plan(c);
}

/* The largest or smallest so far and where it stands: the last place among equals; NaN stays, and is renewed. */
#define EXTREME(T, name, beats)                                                                            \
    WIDE static void name(const T *x, T *out, int64_t *places, size outer, size n, size inner) {           \
        for (; outer; outer--, x += n * inner, out += n * inner, places += n * inner) {                    \
            if (inner == 1) {                                                                              \
                T best = x[0];                                                                             \
                size place = 0;                                                                            \
                for (size i = 0; i < n; i++) {                                                             \
                    const int renewed = (x[i] != x[i]) | ((best == best) & (x[i] beats best));             \
                    best = renewed ? x[i] : best;                                                          \
                    place = renewed ? i : place;                                                           \
                    out[i] = best, places[i] = place;                                                      \
                }                                                                                          \
                continue;                                                                                  \
            }                                                                                              \
            memcpy(out, x, inner * sizeof *x);                                                             \
            memset(places, 0, inner * sizeof *places);                                                     \
            for (size i = 1; i < n; i++) {                                                                 \
                const T *from = x + i * inner, *before = out + (i - 1) * inner;                            \
                const int64_t *stood = places + (i - 1) * inner;                                           \
                T *to = out + i * inner;                                                                   \
                int64_t *where = places + i * inner;                                                       \
                INDEPENDENT                                                                                \
                for (size c = 0; c < inner; c++) {                                                         \
                    const T best = before[c];                                                              \
                    const int renewed = (from[c] != from[c]) | ((best == best) & (from[c] beats best));    \
                    to[c] = renewed ? from[c] : best;                                                      \
                    where[c] = renewed ? i : stood[c];                                                     \
                }                                                                                          \
            }                                                                                              \
        }                                                                                                  \
    }
EXTREME(float, largest_floats, >=)
EXTREME(double, largest_doubles, >=)
EXTREME(int64_t, largest_longs, >=)
EXTREME(float, smallest_floats, <=)
EXTREME(double, smallest_doubles, <=)
EXTREME(int64_t, smallest_longs, <=)

static int extreme_plan(Call *c) {
    if (c->in[0].kind != FLOAT32 && c->in[0].kind != FLOAT64 && c->in[0].kind != INT64) return 0;
    if (!scan_plan(c)) return 0;
    shape_as(result(c, NEW_INT64), &c->in[0]);
    return 1;
}

#define RUNNING(name, which)                                                                               \
    static int name(Call *c, size from, size to) {                                                         \
        const Argument *x = &c->in[0];                                                                     \
        const size line = c->each, inner = c->in[1].count, n = line / inner, at = from * line;            \
        const char *given = (const char *)x->data + at * x->item;                                          \
        char *made = (char *)c->out[0].data + at * x->item;                                                \
        int64_t *places = (int64_t *)c->out[1].data + at;                                                  \
        if (x->kind == FLOAT32) which##_floats((const float *)given, (float *)made, places, to - from, n, inner); \
        else if (x->kind == FLOAT64) which##_doubles((const double *)given, (double *)made, places, to - from, n, inner); \
        else which##_longs((const int64_t *)given, (int64_t *)made, places, to - from, n, inner);          \
        return 1;                                                                                          \
    }
RUNNING(running_maxima, largest)
RUNNING(running_minima, smallest)

/* Products: those of contiguous lines in four vectors of V, which are multiplied together, then their lanes, then what the
   vectors left over; those of columns one element after the other. */
#define PRODUCTS(T, V, name)                                                                               \
    typedef T name##_vector __attribute__((vector_size(V * sizeof(T)), aligned(sizeof(T)), may_alias));    \
    WIDE static T name##_line(const T *x, size n) {                                                        \
        T total = 1;                                                                                       \
        size i = 0;                                                                                        \
        if (n >= 4 * V) {                                                                                  \
            const name##_vector *from = (const name##_vector *)x;                                          \
            name##_vector a = from[0], b = from[1], c = from[2], d = from[3]; /* these stay in registers */\
            for (i = 4 * V; i + 4 * V <= n; i += 4 * V) from += 4, a *= from[0], b *= from[1], c *= from[2], d *= from[3];\
            const name##_vector all = (a * b) * (c * d);                                                   \
            for (int k = 0; k < V; k++) total *= all[k];                                                   \
        }                                                                                                  \
        for (; i < n; i++) total *= x[i];                                                                  \
        return total;                                                                                      \
    }                                                                                                      \
    WIDE static void name##_all(const T *x, T *out, size outer, size n, size inner) {                      \
        for (size o = 0; o < outer; o++, x += n * inner, out += inner) {                                   \
            if (inner == 1) {                                                                              \
                *out = name##_line(x, n);                                                                  \
                continue;                                                                                  \
            }                                                                                              \
            memcpy(out, x, inner * sizeof *x);                                                             \
            for (size i = 1; i < n; i++) {                                                                 \
                INDEPENDENT                                                                                \
                for (size c = 0; c < inner; c++) out[c] *= x[i * inner + c];                               \
            }                                                                                              \
        }                                                                                                  \
    }
PRODUCTS(float, 8, float_products)
PRODUCTS(double, 4, double_products)

/* Products of a half type: each is rounded to it. */
INLINE void multiplied_halves(int brain, float *carried, const uint16_t *x, size n) {
    float next[COLUMNS];
    uint16_t rounded[COLUMNS];
    halves_to_floats(brain, x, next, n);
    for (size i = 0; i < n; i++) next[i] *= carried[i];
    floats_to_halves(brain, next, rounded, n);
    halves_to_floats(brain, rounded, carried, n);
}
#define HALF_LANES 16
#define HALF_ROWS 16 /* rows at a time: each product waits for the one before it in its row */
static void half_rows(int brain, const uint16_t *x, uint16_t *out, size rows, size n) {
    uint16_t chain[5 * HALF_LANES * HALF_ROWS];
    float lanes[4 * HALF_LANES];
    for (; rows; rows -= HALF_ROWS < rows ? HALF_ROWS : rows, x += HALF_ROWS * n, out += HALF_ROWS) {
        const size some = rows < HALF_ROWS ? rows : HALF_ROWS;
        size length = 0;
        for (size r = 0; r < some; r++) {
            const uint16_t *from = x + r * n;
            uint16_t rounded[4 * HALF_LANES];
            size i = 0;
            length = 0;
            if (n >= 4 * HALF_LANES) {
                halves_to_floats(brain, from, lanes, 4 * HALF_LANES);
                for (i = 4 * HALF_LANES; i + 4 * HALF_LANES <= n; i += 4 * HALF_LANES) multiplied_halves(brain, lanes, from + i, 4 * HALF_LANES);
                for (int left = 2; left; left--) { /* the first vector by the second, the third by the fourth, and both */
                    for (int k = 1; k < 2 * left; k += 2) {
                        const int first = left == 2 ? k - 1 : 0, other = left == 2 ? k : 2;
                        floats_to_halves(brain, lanes + other * HALF_LANES, rounded, HALF_LANES);
                        multiplied_halves(brain, lanes + first * HALF_LANES, rounded, HALF_LANES);
                    }
                }
                floats_to_halves(brain, lanes, rounded, HALF_LANES);
                for (; length < HALF_LANES; length++) chain[length * HALF_ROWS + r] = rounded[length];
            }
            for (; i < n; i++, length++) chain[length * HALF_ROWS + r] = from[i];
        }
        halves_to_floats(brain, chain, lanes, some);
        for (size k = 1; k < length; k++) multiplied_halves(brain, lanes, chain + k * HALF_ROWS, some);
        floats_to_halves(brain, lanes, out, some);
    }
}
static void half_products(int brain, const uint16_t *x, uint16_t *out, size outer, size n, size inner) {
    float carried[COLUMNS];
    if (inner == 1) {
        half_rows(brain, x, out, outer, n);
        return;
    }
    for (; outer; outer--, x += n * inner, out += inner)
        for (size left = 0; left < inner; left += COLUMNS) {
            const size m = inner - left < COLUMNS ? inner - left : COLUMNS;
            halves_to_floats(brain, x + left, carried, m);
            for (size i = 1; i < n; i++) multiplied_halves(brain, carried, x + i * inner + left, m);
            floats_to_halves(brain, carried, out + left, m);
        }
}

/* product_along(x, axis): along an axis, which is gone. */
static int product_plan(Call *c) {
    Axis axis;
    const Argument *x = &c->in[0];
    if (x->kind != FLOAT32 && x->kind != FLOAT64 && x->kind != HALF && x->kind != BRAIN) return 0;
    if (!around_axis(x, c->in[1].whole, &axis) || x->count == 0) return 0;
    Argument *out = result(c, 0);
    for (int k = 0; k < x->ndim; k++)
        if (k != axis.axis) add_dimension(out, x->shape[k]);
    c->in[1].count = axis.inner;
    c->lines = axis.outer, c->each = axis.n * axis.inner;
    return 1;
}

static int product_along(Call *c, size from, size to) {
    const size inner = c->in[1].count, n = c->each / inner, at = from * c->each, made = from * inner;
    if (c->in[0].kind == FLOAT32) float_products_all((const float *)c->in[0].data + at, (float *)c->out[0].data + made, to - from, n, inner);
    else if (c->in[0].kind == FLOAT64) double_products_all((const double *)c->in[0].data + at, (double *)c->out[0].data + made, to - from, n, inner);
    else half_products(c->in[0].kind == BRAIN, (const uint16_t *)c->in[0].data + at, (uint16_t *)c->out[0].data + made, to - from, n, inner);
    return 1;
}

const Kernel scan_kernels[] = {
    {"running_sums", "a|ibb", running_plan, running_sums, "running_sums(x, axis=-1, reverse=False, single=False): carried in float32"},
    {"running_products", "a|ibb", running_plan, running_products, "running_products(x, axis=-1, reverse=False, single=False)"},
    {"running_maxima", "ai", extreme_plan, running_maxima, "running_maxima(x, axis): and their places"},
    {"running_minima", "ai", extreme_plan, running_minima, "running_minima(x, axis): and their places"},
    {"product_along", "ai", product_plan, product_along, "product_along(x, axis)"},
    {0},
};
