/* Elements taken, written or added up at the places that an index tells: along one dimension, or whole rows.

   Elements are taken in row order, and so added: that is PyTorch's order on one thread. An index that leaves the bounds
   gives None before anything is written, and the caller finds out what is wrong with it. Each number is checked again
   where it is used; one that has left the bounds meanwhile ends the work. */
#include "conversions.h"
#include "kernels.h"
#include "vector_math.h"

/* Whether all numbers of an index are among 0 .. n - 1. */
WIDE static int within_longs(const int64_t *index, size count, size n) {
    int wrong = 0;
    for (size i = 0; i < count; i++) wrong |= index[i] < 0 || index[i] >= n;
    return !wrong;
}

/* An array, an axis, an index: lines of the index along its last dimension are gone through. `strides` of the array become
   those of contiguous elements. */
static int walk(Call *c) {
    Argument *x = &c->in[0];
    const Argument *index = &c->in[2];
    const size axis = c->in[1].whole;
    if (x->ndim < 1 || index->ndim != x->ndim || axis < 0 || axis >= x->ndim) return 0;
    size step = 1;
    for (int k = x->ndim - 1; k >= 0; step *= x->shape[k--]) {
        if (k != axis && index->shape[k] > x->shape[k]) return 0;
        x->strides[k] = step;
    }
    c->each = index->shape[index->ndim - 1];
    c->lines = c->each ? index->count / c->each : 0;
    return 1;
}

/* `each` for all elements: i counts those of the index, `at` is the place in the array. 0 where a number is out of bounds. */
#define WALK(each_)                                                                          \
    do {                                                                                     \
        const Argument *array = &c->in[0], *places = &c->in[2];                              \
        const int64_t *index = places->data;                                                 \
        const size last = array->ndim - 1, axis = c->in[1].whole, n = array->shape[axis];    \
        const size step = array->strides[axis];                                              \
        const size each = c->each;                                                           \
        size counts[DIMS], i = from * each;                                               \
        if (from == to) return 1;                                                            \
        for (size k = last - 1, line = from; k >= 0; line /= places->shape[k--]) counts[k] = line % places->shape[k]; \
        for (size line = from; line < to; line++) {                                          \
            size base = 0;                                                                   \
            for (size k = 0; k < last; k++)                                                  \
                if (k != axis) base += counts[k] * array->strides[k];                        \
            const size end = i + each, first = i;                                            \
            if (axis == last)                                                                \
                UNROLL(4)                                                                    \
                for (; i < end; i++) {                                                       \
                    const size place = place_at(index + i);                                  \
                    if (OUTSIDE(place, n)) return 0;                                         \
                    const size at = base + place;                                            \
                    each_;                                                                   \
                }                                                                            \
            else                                                                             \
                for (; i < end; i++) {                                                       \
                    const size place = place_at(index + i);                                  \
                    if (OUTSIDE(place, n)) return 0;                                         \
                    const size at = base + i - first + place * step;                         \
                    each_;                                                                   \
                }                                                                            \
            for (size k = last - 1; k >= 0 && ++counts[k] == places->shape[k]; k--) counts[k] = 0; \
        }                                                                                    \
        return 1;                                                                            \
    } while (0)

/* Rows of values, one after another, for the rows of an array that an index names, around the dimension that it counts along: each has
   its own, or one `value` is for all elements. */
#define EACH_ROW(T, own, one)                                                                \
    do {                                                                                     \
        const int64_t *index = c->in[1].data;                                                \
        const size count = c->in[1].count, n = c->in[1].whole, width = c->each, step = c->in[2].whole; \
        if (from == to) return 1;                                                            \
        size part = from / count * n, j = from % count;                                      \
        for (size i = from; i < to; i++) {                                                   \
            const size place = place_at(index + j);                                          \
            if (OUTSIDE(place, n)) return 0;                                                 \
            T *row = (T *)c->in[0].data + (part + place) * width;                            \
            const T *values = (const T *)c->in[2].data + i * width * step;                   \
            if (step) {                                                                      \
                INDEPENDENT                                                                  \
                for (size k = 0; k < width; k++) own;                                        \
            } else if (width) {                                                              \
                const T value = *values;                                                     \
                INDEPENDENT                                                                  \
                for (size k = 0; k < width; k++) one;                                        \
            }                                                                                \
            if (++j == count) j = 0, part += n;                                              \
        }                                                                                    \
        return 1;                                                                            \
    } while (0)

#define MOVES(T, name)                                                                       \
    WIDE static int name##_rows(const Call *c, size from, size to) { EACH_ROW(T, row[k] = values[k], row[k] = value); } \
    static int name##_take(const Call *c, size from, size to) {                              \
        const T *x = c->in[0].data;                                                          \
        T *out = c->out[0].data;                                                             \
        WALK(out[i] = x[at]);                                                                \
    }                                                                                        \
    static int name##_put(const Call *c, size from, size to) {                               \
        T *x = c->in[0].data;                                                                \
        const T *values = c->in[3].data;                                                     \
        const size each_value = c->in[3].whole;                                              \
        WALK(x[at] = values[i * each_value]);                                                \
    }
#define ADDS(T, name)                                                                        \
    static int name##_add(const Call *c, size from, size to) {                               \
        T *x = c->in[0].data;                                                                \
        const T *values = c->in[3].data;                                                     \
        const size each_value = c->in[3].whole;                                              \
        WALK(x[at] += values[i * each_value]);                                               \
    }                                                                                        \
    WIDE static int name##_rows(const Call *c, size from, size to) {                         \
        EACH_ROW(T, row[k] += values[k], row[k] += value);                                 \
    }
/* Products and extremes instead of sums: a NaN stays, and of equal elements the first. An extreme is chosen without a jump, which
   random numbers would make mispredicted. */
#define REDUCES(T, name, Unsigned)                                                                            \
    INLINE T name##_reduced(T x, T v, size how) {                                                             \
        if (how == 0) return (T)((Unsigned)x * (Unsigned)v);                                                  \
        const T extreme = how > 0 ? (v > x ? v : x) : (v < x ? v : x);                                        \
        return v != v ? v : extreme;                                                                          \
    }                                                                                                         \
    INLINE int name##_reduce_lines(const Call *c, size from, size to, size how) {                             \
        EACH_ROW(T, row[k] = name##_reduced(row[k], values[k], how), row[k] = name##_reduced(row[k], value, how)); \
    }                                                                                                         \
    WIDE static int name##_reduce_rows(const Call *c, size from, size to) {                                   \
        const size how = c->in[3].whole;                                                                      \
        if (how == 0) return name##_reduce_lines(c, from, to, 0);                                             \
        return how > 0 ? name##_reduce_lines(c, from, to, 1) : name##_reduce_lines(c, from, to, -1);          \
    }                                                                                                         \
    static int name##_reduce(const Call *c, size from, size to) {                                             \
        T *x = c->in[0].data;                                                                                 \
        const T *values = c->in[3].data;                                                                      \
        const size each_value = c->in[3].whole;                                                               \
        if (c->in[4].whole == 0) WALK(x[at] = name##_reduced(x[at], values[i * each_value], 0));              \
        if (c->in[4].whole > 0) WALK(x[at] = name##_reduced(x[at], values[i * each_value], 1));               \
        WALK(x[at] = name##_reduced(x[at], values[i * each_value], -1));                                      \
    }

typedef struct { uint64_t low, high; } Wide;
MOVES(uint8_t, bytes)
MOVES(uint16_t, shorts)
MOVES(uint32_t, words)
MOVES(uint64_t, doubles)
MOVES(Wide, wides)
ADDS(float, float32)
ADDS(double, float64)
ADDS(int64_t, int64)
ADDS(uint32_t, int32)
ADDS(uint8_t, uint8)
REDUCES(float, float32, float)
REDUCES(double, float64, double)
REDUCES(int64_t, int64, uint64_t) /* products wrap around */
REDUCES(int32_t, int32, uint32_t)
#define uint8_reduce(c, from, to) ((void)(c), (void)(from), (void)(to), 0)
#define uint8_reduce_rows uint8_reduce

/* Rows of half types, each sum rounded. */
WIDE static void add_brains(uint16_t *row, const uint16_t *values, size n) {
    INDEPENDENT
    for (size k = 0; k < n; k++) row[k] = brain_bits(single_bits(as_single((uint32_t)row[k] << 16) + as_single((uint32_t)values[k] << 16)));
}
#define PIECE 1024
static void add_halves(uint16_t *row, const uint16_t *values, size n) {
    float sums[PIECE], more[PIECE];
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        halves_to_floats(0, row + done, sums, m);
        halves_to_floats(0, values + done, more, m);
        for (size k = 0; k < m; k++) sums[k] += more[k];
        floats_to_halves(0, sums, row + done, m);
    }
}
static int half_rows(Call *c, size from, size to) {
    const int64_t *index = c->in[1].data;
    const size count = c->in[1].count, n = c->in[1].whole, width = c->each;
    for (size i = from; i < to; i++) {
        const size place = place_at(index + i % count);
        if (OUTSIDE(place, n)) return 0;
        (c->in[0].kind == BRAIN ? add_brains : add_halves)((uint16_t *)c->in[0].data + (i / count * n + place) * width,
                                                           (const uint16_t *)c->in[2].data + i * width, width);
    }
    return 1;
}

#define BY_SIZE(name, what)                                                                  \
    static int name(Call *c, size from, size to) {                                           \
        switch (c->in[0].item) {                                                             \
            case 1: return bytes_##what(c, from, to);                                        \
            case 2: return shorts_##what(c, from, to);                                       \
            case 4: return words_##what(c, from, to);                                        \
            case 8: return doubles_##what(c, from, to);                                      \
            default: return wides_##what(c, from, to);                                       \
        }                                                                                    \
    }
#define BY_KIND(name, what)                                                                  \
    static int name(Call *c, size from, size to) {                                           \
        switch (c->in[0].kind) {                                                             \
            case FLOAT32: return float32_##what(c, from, to);                                \
            case FLOAT64: return float64_##what(c, from, to);                                \
            case INT32: return int32_##what(c, from, to);                                    \
            case BYTES: return uint8_##what(c, from, to);                                    \
            default: return int64_##what(c, from, to);                                       \
        }                                                                                    \
    }
BY_SIZE(taken_along, take)
BY_SIZE(put_along, put)
BY_SIZE(put_rows, rows)
BY_KIND(added_along, add)
BY_KIND(added_whole_rows, rows)
static int added_rows(Call *c, size from, size to) {
    return c->in[0].kind == HALF || c->in[0].kind == BRAIN ? half_rows(c, from, to) : added_whole_rows(c, from, to);
}
BY_KIND(reduced_along, reduce)
BY_KIND(reduced_rows, reduce_rows)

static int is_movable(const Argument *x) {
    return x->item == 1 || x->item == 2 || x->item == 4 || x->item == 8 || x->item == 16;
}
static int is_reducible(const Argument *x) { return x->kind == FLOAT32 || x->kind == FLOAT64 || x->kind == INT64 || x->kind == INT32; }
static int is_addable(const Argument *x) { return is_reducible(x) || x->kind == BYTES; }

static int taken_along_plan(Call *c) {
    if (!is_movable(&c->in[0]) || !walk(c)) return 0;
    shape_as(result(c, 0), &c->in[2]);
    return 1;
}

/* The values for a shape's elements: an array of that shape with each its own, which lie `whole` elements apart, or one for all (0). */
static int has_values(Argument *values, const Argument *target, int ndim, const size *shape) {
    if (values->dtype != target->dtype || (values->ndim && !has_shape(values, ndim, shape)) || !in_equal_steps(values)) return 0;
    const size step = values->whole;
    values->whole = step / values->item;
    return step % values->item == 0;
}

static int put_along_plan(Call *c) {
    const Argument *index = &c->in[2];
    return is_movable(&c->in[0]) && walk(c) && has_values(&c->in[3], &c->in[0], index->ndim, index->shape) &&
           within_longs(index->data, index->count, c->in[0].shape[c->in[1].whole]);
}

static int added_along_plan(Call *c) { return is_addable(&c->in[0]) && put_along_plan(c); }
static int reduced_along_plan(Call *c) { return is_reducible(&c->in[0]) && put_along_plan(c); }

/* Rows for those that an index names along an axis: work in rows of the values. */
static int rows_along(Call *c, const Argument *along) {
    const Argument *x = &c->in[0], *index = &c->in[1];
    Axis axis;
    if (index->ndim != 1 || !around_axis(x, along->whole, &axis)) return 0;
    size shape[DIMS];
    memcpy(shape, x->shape, x->ndim * sizeof *shape);
    shape[axis.axis] = index->count;
    c->lines = times(axis.outer, index->count), c->each = axis.inner;
    c->in[1].whole = axis.n;
    return has_values(&c->in[2], x, x->ndim, shape) && (uint64_t)c->in[2].whole <= 1 && within_longs(index->data, index->count, axis.n);
}

/* Whether no number of an index within 0 .. n - 1 comes twice, as far as that is looked for. */
enum { MOST_ROWS = 1 << 15 };
static int are_distinct(const Argument *index, size n) {
    uint64_t seen[MOST_ROWS / 64];
    if (n > MOST_ROWS || index->count > n) return 0;
    memset(seen, 0, (size_t)(n + 63) / 64 * sizeof *seen);
    for (size i = 0; i < index->count; i++) {
        const size place = place_at((const int64_t *)index->data + i);
        if (OUTSIDE(place, n) || seen[place / 64] >> place % 64 & 1) return 0;
        seen[place / 64] |= (uint64_t)1 << place % 64;
    }
    return 1;
}

/* added_rows(x, index, values, axis, once): x[index[i]] += values[i] for all i; half types, whose sums are rounded each, where that is
   wanted or no number comes twice. */
static int added_rows_plan(Call *c) {
    const int half = c->in[0].kind == HALF || c->in[0].kind == BRAIN;
    if (!(half || is_addable(&c->in[0])) || !rows_along(c, &c->in[3])) return 0;
    return !half || (c->in[2].whole && (!c->in[4].whole || are_distinct(&c->in[1], c->in[1].whole)));
}

/* put_rows(x, index, values, axis), reduced_rows(x, index, values, how, axis): likewise, for copies, for products and extremes. */
static int put_rows_plan(Call *c) { return is_movable(&c->in[0]) && rows_along(c, &c->in[3]); }
static int reduced_rows_plan(Call *c) { return is_reducible(&c->in[0]) && rows_along(c, &c->in[4]); }

/* weighed_rows(rows, places, weights, out): row `places[i]` times `weights[i]` is added to row i of `out`; each step rounds. */
static int weighed_rows_plan(Call *c) {
    const Argument *rows = &c->in[0], *out = &c->in[3];
    if (rows->ndim != 2 || out->ndim != 2 || rows->shape[1] != out->shape[1] || rows->kind != out->kind) return 0;
    if (c->in[2].kind != out->kind || !have(c, 1, 2, out->shape[0])) return 0;
    c->answer = 3;
    c->lines = out->shape[0], c->each = out->shape[1];
    return 1;
}

#define WEIGHED(T, name)                                                                                     \
    WIDE static int name(const T *rows, const int64_t *places, const T *weights, T *out, size n, size count, size width) { \
        for (size i = 0; i < n; i++, out += width) {                                                         \
            const size place = place_at(places + i);                                                         \
            if (OUTSIDE(place, count)) return 0;                                                             \
            const T *row = rows + place * width, w = weights[i];                                             \
            INDEPENDENT                                                                                      \
            for (size j = 0; j < width; j++) out[j] += row[j] * w;                                           \
        }                                                                                                    \
        return 1;                                                                                            \
    }
WEIGHED(float, weighed_singles)
WEIGHED(double, weighed_doubles)

static int weighed_rows(Call *c, size from, size to) {
    const size width = c->in[3].shape[1], count = c->in[0].shape[0], n = to - from;
    const int64_t *places = (const int64_t *)c->in[1].data + from;
    if (c->in[0].kind == FLOAT32)
        return weighed_singles(c->in[0].data, places, (const float *)c->in[2].data + from, (float *)c->in[3].data + from * width, n, count, width);
    return weighed_doubles(c->in[0].data, places, (const double *)c->in[2].data + from, (double *)c->in[3].data + from * width, n, count, width);
}

/* bag_rows(rows, places, bags, out, shares or None): row `places[i]`, times `shares[i]` where there are such, is added to row `bags[i]` of
   `out`; each step rounds. */
static int bag_rows_plan(Call *c) {
    const Argument *rows = &c->in[0], *out = &c->in[3];
    if (rows->ndim != 2 || out->ndim != 2 || rows->shape[1] != out->shape[1] || rows->kind != out->kind) return 0;
    if (c->in[1].ndim != 1 || c->in[2].ndim != 1 || c->in[1].count != c->in[2].count) return 0;
    if (!have(c, 4, 4, c->in[1].count) || (c->in[4].data && c->in[4].kind != out->kind)) return 0;
    c->answer = 3;
    c->lines = c->in[1].count, c->each = out->shape[1];
    return 1;
}

/* bag_maxima(rows, places, bags, out, from): the largest of each column of the rows of a bag, which follow one another, and the place of
   its row: of those that are larger than all before, the last. */
static int bag_maxima_plan(Call *c) {
    const Argument *rows = &c->in[0], *out = &c->in[3];
    if (rows->ndim != 2 || out->ndim != 2 || rows->shape[1] != out->shape[1] || rows->kind != out->kind) return 0;
    if (c->in[1].ndim != 1 || !have(c, 2, 2, c->in[1].count) || !have(c, 4, 4, out->count)) return 0;
    c->answer = 3;
    c->lines = c->in[1].count, c->each = out->shape[1];
    return 1;
}
#define BAG_MAXIMA(T, name)                                                                                  \
    WIDE static int name(const Call *c, size from, size to) {                                                \
        const size count = c->in[0].shape[0], many = c->in[3].shape[0], width = c->in[3].shape[1];           \
        const int64_t *bags = c->in[2].data;                                                                 \
        for (size i = from; i < to; i++) {                                                                   \
            const size place = place_at((const int64_t *)c->in[1].data + i), bag = place_at(bags + i);       \
            if (OUTSIDE(place, count) || OUTSIDE(bag, many)) return 0;                                       \
            const int first = i == 0 || place_at(bags + i - 1) != bag;                                       \
            const T *row = (const T *)c->in[0].data + place * width;                                         \
            T *out = (T *)c->in[3].data + bag * width;                                                       \
            int64_t *where = (int64_t *)c->in[4].data + bag * width;                                         \
            INDEPENDENT                                                                                      \
            for (size j = 0; j < width; j++) {                                                               \
                const int more = first | (row[j] > out[j]);                                                  \
                out[j] = more ? row[j] : out[j], where[j] = more ? place : where[j];                         \
            }                                                                                                \
        }                                                                                                    \
        return 1;                                                                                            \
    }
BAG_MAXIMA(float, maxima_of_singles)
BAG_MAXIMA(double, maxima_of_doubles)
static int bag_maxima(Call *c, size from, size to) {
    return c->in[0].kind == FLOAT32 ? maxima_of_singles(c, from, to) : maxima_of_doubles(c, from, to);
}

/* Rows of one bag that follow one another are added in registers, some columns at a time; long rows as they lie, four to a look at
   the sums, which the cache's own foresight is for. */
enum { LONG_ROW = 256, LONGEST = 2048 };
#define RUN(T, V, VECTORS, name)                                                                                               \
    INLINE int name(const T *rows, const int64_t *places, size length, size count, size width, T *out) {                       \
        V sums[VECTORS];                                                                                                       \
        UNROLL(8) for (int j = 0; j < VECTORS; j++) sums[j] = ((const V *)out)[j];                                             \
        for (size i = 0; i < length; i++) {                                                                                    \
            const size place = place_at(places + i);                                                                           \
            if (OUTSIDE(place, count)) return 0;                                                                               \
            const V *row = (const V *)(rows + place * width);                                                                  \
            UNROLL(8) for (int j = 0; j < VECTORS; j++) sums[j] += row[j];                                                     \
        }                                                                                                                      \
        UNROLL(8) for (int j = 0; j < VECTORS; j++) ((V *)out)[j] = sums[j];                                                   \
        return 1;                                                                                                              \
    }
#define BAGS(T, name)                                                                                                          \
    typedef T name##_vector __attribute__((vector_size(32), aligned(sizeof(T))));                                              \
    typedef T name##_half __attribute__((vector_size(16), aligned(sizeof(T))));                                                \
    RUN(T, name##_vector, 8, name##_many)                                                                                      \
    RUN(T, name##_vector, 4, name##_some)                                                                                      \
    RUN(T, name##_half, 1, name##_few)                                                                                         \
    RUN(T, T, 1, name##_one)                                                                                                   \
    INLINE int name##_long(const T *rows, const int64_t *places, size length, size count, size width, T *out, size n) {        \
        for (size i = 0; i < length; i += 4) {                                                                                 \
            const size some = length - i < 4 ? length - i : 4;                                                                 \
            const T *row[4] = {rows, rows, rows, rows};                                                                        \
            for (size k = 0; k < some; k++) {                                                                                  \
                const size place = place_at(places + i + k);                                                                   \
                if (OUTSIDE(place, count)) return 0;                                                                           \
                row[k] = rows + place * width;                                                                                 \
            }                                                                                                                  \
            const T *a = row[0], *b = row[1], *d = row[2], *e = row[3];                                                        \
            if (some == 4) {                                                                                                   \
                INDEPENDENT                                                                                                    \
                for (size j = 0; j < n; j++) out[j] = (((out[j] + a[j]) + b[j]) + d[j]) + e[j];                                \
            } else {                                                                                                           \
                for (size k = 0; k < some; k++) {                                                                              \
                    const T *one = row[k];                                                                                     \
                    INDEPENDENT                                                                                                \
                    for (size j = 0; j < n; j++) out[j] += one[j];                                                             \
                }                                                                                                              \
            }                                                                                                                  \
        }                                                                                                                      \
        return 1;                                                                                                              \
    }                                                                                                                          \
    WIDE static int name##_shared(Call *c, size from, size to) {                                                               \
        const size count = c->in[0].shape[0], many = c->in[3].shape[0], width = c->in[3].shape[1];                             \
        for (size i = from; i < to; i++) {                                                                                     \
            const size place = place_at((const int64_t *)c->in[1].data + i), bag = place_at((const int64_t *)c->in[2].data + i); \
            if (OUTSIDE(place, count) || OUTSIDE(bag, many)) return 0;                                                         \
            const T *row = (const T *)c->in[0].data + place * width, share = ((const T *)c->in[4].data)[i];                    \
            T *out = (T *)c->in[3].data + bag * width;                                                                         \
            INDEPENDENT                                                                                                        \
            for (size j = 0; j < width; j++) out[j] += row[j] * share;                                                         \
        }                                                                                                                      \
        return 1;                                                                                                              \
    }                                                                                                                          \
    WIDE static int name(Call *c, size from, size to) {                                                                        \
        const int64_t *places = c->in[1].data, *bags = c->in[2].data;                                                          \
        const size count = c->in[0].shape[0], many = c->in[3].shape[0], width = c->in[3].shape[1];                             \
        for (size first = from, end; first < to; first = end) {                                                                \
            const size bag = place_at(bags + first);                                                                           \
            if (OUTSIDE(bag, many)) return 0;                                                                                  \
            for (end = first + 1; end < to && place_at(bags + end) == bag;) end++;                                             \
            const T *rows = c->in[0].data;                                                                                     \
            T *out = (T *)c->in[3].data + bag * width;                                                                         \
            for (size left = width, n; left; left -= n, rows += n, out += n) {                                                 \
                const size vector = 32 / sizeof(T);                                                                            \
                n = left >= LONGEST ? LONGEST : left >= LONG_ROW ? left : left >= 8 * vector ? 8 * vector                      \
                    : left >= 4 * vector ? 4 * vector : left >= vector / 2 ? vector / 2 : 1;                                   \
                const int done = n >= LONG_ROW     ? name##_long(rows, places + first, end - first, count, width, out, n)      \
                                 : n == 8 * vector ? name##_many(rows, places + first, end - first, count, width, out)         \
                                 : n == 4 * vector ? name##_some(rows, places + first, end - first, count, width, out)         \
                                 : n > 1           ? name##_few(rows, places + first, end - first, count, width, out)          \
                                                   : name##_one(rows, places + first, end - first, count, width, out);         \
                if (!done) return 0;                                                                                           \
            }                                                                                                                  \
        }                                                                                                                      \
        return 1;                                                                                                              \
    }
BAGS(float, bags_of_singles)
BAGS(double, bags_of_doubles)
static int bag_rows(Call *c, size from, size to) {
    if (c->in[4].data) return (c->in[0].kind == FLOAT32 ? bags_of_singles_shared : bags_of_doubles_shared)(c, from, to);
    return (c->in[0].kind == FLOAT32 ? bags_of_singles : bags_of_doubles)(c, from, to);
}

const Kernel places_kernels[] = {
    {"weighed_rows", "r~lrR", weighed_rows_plan, weighed_rows, "weighed_rows(rows, places, weights, out)"},
    {"bag_rows", "r~llR|r~?", bag_rows_plan, bag_rows, "bag_rows(rows, places, bags, out, shares=None)"},
    {"taken_along", "ail", taken_along_plan, taken_along, "taken_along(x, axis, index): a new array"},
    {"put_along", "Aile", put_along_plan, put_along, "put_along(x, axis, index, values): whether it is done; None where it is not for this"},
    {"added_along", "Aile", added_along_plan, added_along, "added_along(x, axis, index, values): likewise"},
    {"reduced_along", "Ailei", reduced_along_plan, reduced_along, "reduced_along(x, axis, index, values, how): 0 products, 1 maxima, -1 minima"},
    {"reduced_rows", "Alei|i", reduced_rows_plan, reduced_rows, "reduced_rows(x, index, values, how, axis=0): likewise"},
    {"bag_maxima", "rllRL", bag_maxima_plan, bag_maxima, "bag_maxima(rows, places, bags, out, from)"},
    {"added_rows", "Ale|ii", added_rows_plan, added_rows, "added_rows(x, index, values, axis=0, once=0): likewise"},
    {"put_rows", "Ale|i", put_rows_plan, put_rows, "put_rows(x, index, values, axis=0): likewise"},
    {0},
};
