/* Orders: sorting, the first few, the element of a rank, medians and modes along an axis, with their places.

   Elements become keys, unsigned integers that compare as the elements do: NaN is the largest and equal to NaN, -0 equals 0; in
   a descending order all bits are turned. Which of equal elements comes first is PyTorch's in each of these functions. */
#include "kernels.h"

#define ORDER_FEW 16        /* std::sort leaves so many to its insertion sort */
#define ORDER_RUN 8
#define ORDER_MANY 200      /* from here on digits are sorted, */
#define ORDER_LONG 8192     /* and longer digits from here */
#define ORDER_MOST (1 << 24) /* of more than this numpy finds elements: unstable ways are not left in the middle */
#define ORDER_TIES (1 << 15) /* of more than this equal elements are in the stable order, which digits give in a sixth of the time */
#define ORDER_BITS 11
#define ORDER_STEP (1 << 18) /* elements between two times that work is counted, */
#define ORDER_COST 8         /* each as so much: it goes anywhere in memory */

/* For each i from `first` to n, unless a signal ends the call. */
#define EACH(i, first, n)                                                                                                  \
    for (size at_ = (first); at_ < (n) && !ends(c, ORDER_COST * ((n) - at_ < ORDER_STEP ? (n) - at_ : ORDER_STEP)); at_ += ORDER_STEP) \
        for (size i = at_, end_ = (n) - at_ < ORDER_STEP ? (n) : at_ + ORDER_STEP; i < end_; i++)

#define KEY uint32_t
#define NAMED(name) name##_32
#include "ordering.h"
#undef KEY
#undef NAMED
#define KEY uint64_t
#define NAMED(name) name##_64
#include "ordering.h"
#undef KEY
#undef NAMED

#define FLOAT_KEY(T, name, top, infinite)                                                   \
    INLINE T name(T bits) {                                                                  \
        const T size_of = bits & (T)((top) - 1), plain = size_of ? bits : 0;                 \
        const T key = plain & (top) ? (T)~plain : (T)(plain | (top));                        \
        return size_of > (infinite) ? (T)~(T)0 : key;                                        \
    }
FLOAT_KEY(uint32_t, key_of_single, 1u << 31, 0x7f800000u)
FLOAT_KEY(uint64_t, key_of_double, 1ull << 63, 0x7ff0000000000000ull)
FLOAT_KEY(uint16_t, key_of_half, 0x8000, 0x7c00)
FLOAT_KEY(uint16_t, key_of_brain, 0x8000, 0x7f80)

/* The pairs of a line, whose elements are `step` apart. */
#define LINE(T, P, key_)                                                              \
    do {                                                                              \
        const T *x = (const T *)data;                                                 \
        P *pairs = room;                                                              \
        if (step == 1)                                                                \
            EACH(i, 0, n) {                                                           \
                const T value = x[i];                                                 \
                pairs[i].key = turn ^ (key_), pairs[i].place = i;                     \
            }                                                                         \
        else                                                                          \
            EACH(i, 0, n) {                                                           \
                const T value = x[i * step];                                          \
                pairs[i].key = turn ^ (key_), pairs[i].place = i;                     \
            }                                                                         \
    } while (0)

enum { ONES, SIGNED }; /* how PLAIN bytes are to be read */

WIDE static void words_of_line(Call *c, const Argument *x, const void *data, size step, size n, int as_signed, int down, Pair_32 *room) {
    const uint32_t turn = (down ? UINT32_MAX : 0) >> (x->item < 4 ? 32 - 8 * x->item : 0), top = as_signed == SIGNED;
    if (x->kind == FLOAT32) LINE(uint32_t, Pair_32, key_of_single(value));
    else if (x->kind == HALF) LINE(uint16_t, Pair_32, key_of_half(value));
    else if (x->kind == BRAIN) LINE(uint16_t, Pair_32, key_of_brain(value));
    else if (x->item == 4) LINE(uint32_t, Pair_32, value ^ top << 31);
    else if (x->item == 2) LINE(uint16_t, Pair_32, value ^ top << 15);
    else LINE(uint8_t, Pair_32, value ^ top << 7);
}

WIDE static void doubles_of_line(Call *c, const Argument *x, const void *data, size step, size n, int as_signed, int down, Pair_64 *room) {
    const uint64_t turn = down ? UINT64_MAX : 0, top = as_signed == SIGNED;
    if (x->kind == FLOAT64) LINE(uint64_t, Pair_64, key_of_double(value));
    else LINE(uint64_t, Pair_64, value ^ top << 63);
}

/* An element, whatever it is, from one place to another. */
INLINE void move(const Argument *x, size from, void *to, size at) {
    switch (x->item) {
        case 1: ((uint8_t *)to)[at] = ((const uint8_t *)x->data)[from]; break;
        case 2: ((uint16_t *)to)[at] = ((const uint16_t *)x->data)[from]; break;
        case 4: ((uint32_t *)to)[at] = ((const uint32_t *)x->data)[from]; break;
        default: ((uint64_t *)to)[at] = ((const uint64_t *)x->data)[from];
    }
}

typedef enum { ORDERED, STABLE, LEADING, LEADING_ANYHOW, RANKED, MIDDLE, MIDDLE_PRESENT, FREQUENT } Wanted;

/* From the arguments (x, axis, signed, ...): an axis and pairs for each of its lines. `kept` of the n elements of a line are the
   result's. */
static int lines_of(Call *c, size kept, int keeps_axis) {
    Argument *x = &c->in[0];
    Axis around;
    const int floats = x->kind == FLOAT32 || x->kind == FLOAT64 || x->kind == HALF || x->kind == BRAIN;
    if (x->ndim == 0 || x->count == 0 || !around_axis(x, c->in[1].whole, &around)) return 0;
    if ((x->item > 8) | (x->item & (x->item - 1)) || (floats && c->in[2].whole)) return 0;
    if (around.n > (1ll << 31)) return 0; /* so many numpy's way can do as well */
    for (int k = 0; k < 2; k++) {
        Argument *made = result(c, k ? NEW_INT64 : 0);
        for (int d = 0; d < x->ndim; d++)
            if (d != around.axis) add_dimension(made, x->shape[d]);
            else if (keeps_axis) add_dimension(made, kept);
    }
    const size pair = x->item == 8 ? sizeof(Pair_64) : sizeof(Pair_32);
    c->in[1].whole = around.inner, c->in[1].count = kept;
    c->lines = around.outer * around.inner, c->each = around.n;
    c->room = around.n * pair;
    return 1;
}

/* Room for pairs twice, and for the counts of digits. */
static void sorting_room(Call *c) {
    const size digits = c->in[0].item == 8 ? 6 : 3; /* long ones, which take more room than short ones do */
    c->room = 2 * c->room + (c->each < ORDER_MANY ? 0 : digits * (size)sizeof(uint32_t) << ORDER_BITS);
}

/* ordered(x, axis, signed, descending, stable) */
static int ordered_plan(Call *c) {
    const Argument *x = &c->in[0];
    Axis around;
    if (!around_axis(x, c->in[1].whole, &around) || !lines_of(c, around.n, 1)) return 0;
    sorting_room(c);
    return 1;
}

/* leading(x, axis, signed, k, largest, in_order) */
static int leading_plan(Call *c) {
    Axis around;
    const size k = c->in[3].whole;
    if (!around_axis(&c->in[0], c->in[1].whole, &around) || around.n > ORDER_MOST || k < 1 || k > around.n) return 0;
    return lines_of(c, k, 1);
}

/* ranked(x, axis, signed, k): the element of a rank. median(x, axis, signed, skip_nan), mode(x, axis, signed) */
static int picked_plan(Call *c) {
    Axis around;
    if (!around_axis(&c->in[0], c->in[1].whole, &around) || around.n > ORDER_MOST) return 0;
    return lines_of(c, 1, 0);
}
static int ranked_plan(Call *c) {
    return picked_plan(c) && c->in[3].whole >= 0 && c->in[3].whole < c->each;
}
static int mode_plan(Call *c) {
    if (!picked_plan(c)) return 0;
    sorting_room(c);
    return 1;
}

/* The place of one element among the pairs of a line; -1: a NaN is in the way. */
#define PICKED(bits)                                                                                                \
    static size picked_##bits(Call *c, Wanted wanted, Pair_##bits *q, size n, int floats, uint##bits##_t missing) { \
        if (wanted == RANKED) {                                                                                     \
            const size k = c->in[3].whole;                                                                          \
            quick_select_##bits(c, q, n, k);                                                                        \
            return (size)q[k].place;                                                                                \
        }                                                                                                           \
        size present = n;                                                                                           \
        for (size i = 0; floats && i < n; i++)                                                                      \
            if (q[i].key == missing) {                                                                              \
                if (wanted == MIDDLE) return i;                                                                     \
                present--;                                                                                          \
            }                                                                                                       \
        if (wanted == FREQUENT) {                                                                                   \
            if (present < n) return -1;                                                                             \
            const Pair_##bits *found = sorted_##bits(c, q, q + n, n, 0);                                            \
            return (size)found[most_frequent_##bits(found, n)].place;                                               \
        }                                                                                                           \
        const size at = present ? (present - 1) / 2 : 0;                                                            \
        return stable_select_##bits(c, q, n, at);                                                                   \
    }
PICKED(32)
PICKED(64)

static int run(Call *c, size from, size to, Wanted wanted) {
    const Argument *x = &c->in[0];
    const size inner = c->in[1].whole, kept = c->in[1].count, n = c->each;
    const int as_signed = c->in[2].whole ? SIGNED : ONES, wide = x->item == 8, half = x->kind == HALF || x->kind == BRAIN;
    const int floats = half || x->kind == FLOAT32 || x->kind == FLOAT64;
    const int down = (wanted == ORDERED || wanted == STABLE) ? c->in[3].whole != 0
                     : wanted == LEADING || wanted == LEADING_ANYHOW ? c->in[4].whole != 0 : 0;
    int64_t *places = c->out[1].data;
    for (size line = from; line < to && !c->ended; line++) {
        const size start = line / inner * n * inner + line % inner, out = line / inner * kept * inner + line % inner;
        const char *data = (const char *)x->data + start * x->item;
        Pair_32 *words = c->scratch;
        Pair_64 *doubles = c->scratch;
        if (wide) doubles_of_line(c, x, data, inner, n, as_signed, down, doubles);
        else words_of_line(c, x, data, inner, n, as_signed, down, words);
        if (wanted >= RANKED) {
            const size at = wide ? picked_64(c, wanted, doubles, n, floats, UINT64_MAX)
                                 : picked_32(c, wanted, words, n, floats, half ? 0xffff : UINT32_MAX);
            if (c->ended) return 1;
            if (at < 0) return 0;
            places[out] = at;
            move(x, start + at * inner, c->out[0].data, out);
            continue;
        }
        if (wanted >= LEADING && wide) leading_64(c, doubles, n, kept, wanted == LEADING);
        else if (wanted >= LEADING) leading_32(c, words, n, kept, wanted == LEADING);
        else if (wide) doubles = sorted_64(c, doubles, doubles + n, n, wanted == STABLE);
        else words = sorted_32(c, words, words + n, n, wanted == STABLE);
        if (c->ended) return 1; /* places may be wrong */
        EACH(i, 0, kept) {
            const size at = wide ? (size)doubles[i].place : (size)words[i].place;
            places[out + i * inner] = at;
            move(x, start + at * inner, c->out[0].data, out + i * inner);
        }
    }
    return 1;
}

static int ordered(Call *c, size from, size to) { return run(c, from, to, c->in[4].whole ? STABLE : ORDERED); }
static int leading(Call *c, size from, size to) { return run(c, from, to, c->in[5].whole ? LEADING : LEADING_ANYHOW); }
static int ranked(Call *c, size from, size to) { return run(c, from, to, RANKED); }
static int median(Call *c, size from, size to) { return run(c, from, to, c->in[3].whole ? MIDDLE_PRESENT : MIDDLE); }
static int mode(Call *c, size from, size to) { return run(c, from, to, FREQUENT); }

/* places_in(sequences, values, right): where values go in sorted rows: where halving them ends. One row is for all values. */
static int places_plan(Call *c) {
    const Argument *rows = &c->in[0], *x = &c->in[1];
    if (rows->dtype != x->dtype || (x->kind != FLOAT32 && x->kind != FLOAT64 && x->kind != INT64) || rows->ndim == 0 || rows->count == 0) return 0;
    shape_as(result(c, NEW_INT64), x);
    c->apart = 1;
    c->in[2].count = rows->shape[rows->ndim - 1]; /* elements of a row */
    c->lines = rows->ndim == 1 ? x->count : rows->count / c->in[2].count;
    c->each = 1;
    if (rows->ndim == 1) return 1;
    if (x->ndim != rows->ndim) return 0;
    for (int k = 0; k < x->ndim - 1; k++)
        if (x->shape[k] != rows->shape[k]) return 0;
    c->each = x->shape[x->ndim - 1];
    return 1;
}
#define PLACES(T, name)                                                                                 \
    static void name(const T *row, size n, const T *values, size count, int right, int64_t *out) {      \
        for (size i = 0; i < count; i++) {                                                              \
            const T value = values[i];                                                                  \
            size low = 0, many = n;                                                                     \
            while (many > 0) {                                                                          \
                const size half = many / 2;                                                             \
                const T found = row[low + half];                                                        \
                const size before = right ? !(found > value) : !(found >= value);                       \
                low += (half + 1) & -before, many = half - (before & ~many); /* no branch that is guessed */ \
            }                                                                                           \
            out[i] = low;                                                                               \
        }                                                                                               \
    }
PLACES(float, places_of_floats)
PLACES(double, places_of_doubles)
PLACES(int64_t, places_of_longs)

static int places_in(Call *c, size from, size to) {
    const Argument *rows = &c->in[0], *x = &c->in[1];
    const size n = c->in[2].count, each = c->each;
    const int right = c->in[2].whole != 0, one = rows->ndim == 1;
    for (size line = from; line < to; line = one ? to : line + 1) {
        const size at = line * each, count = one ? to - from : each, start = one ? 0 : line * n;
        int64_t *out = (int64_t *)c->out[0].data + at;
        if (x->kind == FLOAT32) places_of_floats((const float *)rows->data + start, n, (const float *)x->data + at, count, right, out);
        else if (x->kind == FLOAT64) places_of_doubles((const double *)rows->data + start, n, (const double *)x->data + at, count, right, out);
        else places_of_longs((const int64_t *)rows->data + start, n, (const int64_t *)x->data + at, count, right, out);
    }
    return 1;
}

const Kernel order_kernels[] = {
    {"places_in", "a~a~b", places_plan, places_in, "places_in(sequences, values, right): where values go in sorted rows"},
    {"ordered", "aibbb", ordered_plan, ordered, "ordered(x, axis, signed, descending, stable): values, places"},
    {"leading", "aibibb", leading_plan, leading, "leading(x, axis, signed, k, largest, in_order): values, places"},
    {"ranked", "aibi", ranked_plan, ranked, "ranked(x, axis, signed, k): the value of a rank, its place"},
    {"median", "aibb", picked_plan, median, "median(x, axis, signed, skip_nan): the lower median, its place"},
    {"mode", "aib", mode_plan, mode, "mode(x, axis, signed): the most frequent value, its place; None where there is a NaN"},
    {0},
};
