/* Arrays joined, rolled, turned round and cut to triangles, and the largest and smallest of all elements. */
#include "kernels.h"

#define SHORT_PART 16 /* bytes that are not worth a call */

/* The join of contiguous arrays of one dtype along an axis: join(list of arrays, axis). */
static int join_plan(Call *c) {
    const Argument *first = &c->in[0];
    Axis axis;
    size all, bytes;
    if (!around_axis(first, c->in[1].whole, &axis)) return 0;
    c->in[1].whole = axis.axis, c->in[1].count = axis.outer, c->in[1].item = axis.inner * first->item;
    if (first->count && axis.outer > FEW_PARTS && c->in[1].item * axis.n < SHORT_PART) return 0; /* numpy's, too */
    Argument *out = result(c, 0);
    shape_as(out, first);
    for (size i = 1; i < first->whole; i++) {
        const size *shape = c->parts[i].shape;
        for (int k = 0; k < first->ndim; k++)
            if (k != axis.axis && shape[k] != first->shape[k]) return 0;
        if (__builtin_add_overflow(out->shape[axis.axis], shape[axis.axis], &out->shape[axis.axis])) return 0;
    }
    if (__builtin_mul_overflow(axis.outer * axis.inner, out->shape[axis.axis], &all)) return 0;
    return !__builtin_mul_overflow(all, first->item, &bytes) && bytes <= 8 * LONG_WORK; /* longer ones are numpy's */
}

static int join(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *axis = &c->in[1];
    char *at = c->out[0].data;
    for (size o = 0; c->out[0].count && o < axis->count; o++)
        for (size i = 0; i < c->in[0].whole; i++) {
            const size bytes = c->parts[i].shape[axis->whole] * axis->item;
            memcpy(at, c->parts[i].data + o * bytes, bytes);
            at += bytes;
        }
    return 1;
}

/* rolled(x, axis, shift): elements moved along an axis, those pushed out coming in again; 0 <= shift < the axis' length. */
static int rolled_plan(Call *c) {
    const Argument *x = &c->in[0];
    Axis axis;
    if (!around_axis(x, c->in[1].whole, &axis) || c->in[2].whole < 0 || c->in[2].whole >= axis.n || x->count >= LONG_PIECE) return 0;
    shape_as(result(c, 0), x);
    c->in[1].whole = axis.axis, c->lines = axis.outer, c->each = axis.n * axis.inner;
    return 1;
}

static int rolled(Call *c, size from, size to) {
    Axis axis;
    if (!around_axis(&c->in[0], c->in[1].whole, &axis)) return 0;
    const size bytes = axis.inner * c->in[0].item, line = axis.n * bytes, first = (axis.n - c->in[2].whole) * bytes;
    for (size i = from; i < to; i++) {
        const char *x = (const char *)c->in[0].data + i * line;
        char *out = (char *)c->out[0].data + i * line;
        memcpy(out + (line - first), x, first);
        memcpy(out, x + first, line - first);
    }
    return 1;
}

/* flipped(x, dimensions): the order reversed along dimensions, which are bits. */
static int flipped_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim == 0 || x->count == 0 || x->shape[x->ndim - 1] < 16) return 0; /* short lines are numpy's */
    shape_as(result(c, 0), x);
    c->each = x->shape[x->ndim - 1], c->lines = x->count / c->each;
    return 1;
}

typedef struct { uint64_t first, second; } Pair;
#define REVERSED(T)                                                                                           \
    WIDE static void reversed_##T(const T *x, T *out, size n) {                                               \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = x[n - 1 - i];                                                   \
    }
REVERSED(uint8_t)
REVERSED(uint16_t)
REVERSED(uint32_t)
REVERSED(uint64_t)
REVERSED(Pair)

static int flipped(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const int last = x->ndim - 1;
    const size dimensions = c->in[1].whole, n = c->each, bytes = n * x->item;
    for (size i = from; i < to; i++) {
        char *out = (char *)c->out[0].data + i * bytes;
        size line = 0, rest = i, lines = 1;
        for (int k = last - 1; k >= 0; k--) {
            const size at = rest % x->shape[k];
            line += (dimensions >> k & 1 ? x->shape[k] - 1 - at : at) * lines;
            rest /= x->shape[k], lines *= x->shape[k];
        }
        const char *in = (const char *)x->data + line * bytes;
        if (!(dimensions >> last & 1)) memcpy(out, in, bytes);
        else if (x->item == 1) reversed_uint8_t((const uint8_t *)in, (uint8_t *)out, n);
        else if (x->item == 2) reversed_uint16_t((const uint16_t *)in, (uint16_t *)out, n);
        else if (x->item == 4) reversed_uint32_t((const uint32_t *)in, (uint32_t *)out, n);
        else if (x->item == 8) reversed_uint64_t((const uint64_t *)in, (uint64_t *)out, n);
        else if (x->item == 16) reversed_Pair((const Pair *)in, (Pair *)out, n);
        else return 0;
    }
    return 1;
}

/* triangle(x, diagonal, upper): matrices with zeros on one side of a diagonal, counted from the main one to the right. */
static int triangle_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim < 2) return 0;
    shape_as(result(c, 0), x);
    c->each = x->shape[x->ndim - 1];
    c->lines = c->each ? x->count / c->each : 0;
    return 1;
}

static int triangle(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1], item = x->item, upper = c->in[2].whole;
    size diagonal = c->in[1].whole;
    diagonal = diagonal < -rows ? -rows : diagonal > columns ? columns : diagonal;
    for (size i = from; i < to; i++) {
        const char *in = (const char *)x->data + i * columns * item;
        char *out = (char *)c->out[0].data + i * columns * item;
        size edge = i % rows + diagonal + !upper; /* where the kept part of a lower triangle ends, or that of an upper one begins */
        edge = edge < 0 ? 0 : edge > columns ? columns : edge;
        const size start = upper ? edge : 0, end = upper ? columns : edge;
        memset(out, 0, start * item);
        memcpy(out + start * item, in + start * item, (end - start) * item);
        memset(out + end * item, 0, (columns - end) * item);
    }
    return 1;
}

#define EXTREME(T, name, beats)                                          \
    static T name(const T *x, size n) {                                  \
        T best = x[0];                                                   \
        for (size i = 1; i < n && best == best; i++)                     \
            if (x[i] beats best || x[i] != x[i]) best = x[i];            \
        return best;                                                     \
    }
EXTREME(float, largest_float, >)
EXTREME(double, largest_double, >)
EXTREME(float, smallest_float, <)
EXTREME(double, smallest_double, <)

#define FEW 512 /* more floats are numpy's, which compares them several at a time */
static int is_half(const Argument *x) { return x->kind == HALF || x->kind == BRAIN; }

static int extreme_plan(Call *c) {
    const Argument *x = &c->in[0];
    result(c, 0);
    return x->count > 0 && (is_half(x) ? x->count < LONG_PIECE : (x->kind == FLOAT32 || x->kind == FLOAT64) && x->count <= FEW);
}

/* The smallest and the largest of all, in lanes; whether there is a NaN. */
#define LANES 32
#define BOUNDS(T, name)                                                                                    \
    WIDE static int name(const T *x, size n, T *least, T *most) {                                          \
        T low[LANES], high[LANES];                                                                         \
        int strange[LANES] = {0}, some = 0;                                                                \
        for (int k = 0; k < LANES; k++) low[k] = high[k] = x[0];                                           \
        size i = 0;                                                                                        \
        for (; i + LANES <= n; i += LANES)                                                                 \
            for (int k = 0; k < LANES; k++) {                                                              \
                const T at = x[i + k];                                                                     \
                low[k] = at < low[k] ? at : low[k], high[k] = at > high[k] ? at : high[k];                 \
                strange[k] |= at != at;                                                                    \
            }                                                                                              \
        for (int k = 0; i < n; i++, k++) {                                                                 \
            low[k] = x[i] < low[k] ? x[i] : low[k], high[k] = x[i] > high[k] ? x[i] : high[k];             \
            some |= x[i] != x[i];                                                                          \
        }                                                                                                  \
        *least = low[0], *most = high[0];                                                                  \
        for (int k = 0; k < LANES; k++) {                                                                  \
            *least = low[k] < *least ? low[k] : *least, *most = high[k] > *most ? high[k] : *most;         \
            some |= strange[k];                                                                            \
        }                                                                                                  \
        return some;                                                                                       \
    }
BOUNDS(float, bounds_of_floats)
BOUNDS(double, bounds_of_doubles)
BOUNDS(int64_t, bounds_of_longs)
BOUNDS(int16_t, bounds_of_shorts)

/* Half types in the order of their numbers: whole numbers of 16 bits, in which -0 comes before 0. */
INLINE int16_t ordered(uint16_t bits) { return (int16_t)(bits & 0x8000 ? bits ^ 0x7fff : bits); }
WIDE static void in_order(const uint16_t *x, int16_t *out, size n) {
    INDEPENDENT
    for (size i = 0; i < n; i++) out[i] = ordered(x[i]);
}
#define PIECE 2048
/* The bits of the smallest and the largest, of equal zeros and of NaNs the first. */
static void bounds_of_halves(const Argument *x, uint16_t *found) {
    const uint16_t *bits = x->data, infinity = x->kind == BRAIN ? 0x7f80 : 0x7c00;
    int16_t least = INT16_MAX, most = INT16_MIN, piece[PIECE], low, high;
    for (size done = 0, m; done < x->count; done += m) {
        m = x->count - done < PIECE ? x->count - done : PIECE;
        in_order(bits + done, piece, m);
        bounds_of_shorts(piece, m, &low, &high);
        least = low < least ? low : least, most = high > most ? high : most;
    }
    found[0] = (uint16_t)ordered((uint16_t)least), found[1] = (uint16_t)ordered((uint16_t)most);
    const int strange = most > infinity || least < ordered(infinity | 0x8000);
    for (int k = 0; k < 2; k++) {
        if (!strange && (found[k] & 0x7fff)) continue;
        for (size i = 0; i < x->count; i++) {
            if (strange ? (bits[i] & 0x7fff) <= infinity : bits[i] & 0x7fff) continue;
            found[k] = bits[i];
            break;
        }
    }
}

#define OF_ALL(name, which)                                                                                \
    static int name(Call *c, size from, size to) {                                                         \
        (void)from, (void)to;                                                                              \
        const Argument *x = &c->in[0];                                                                     \
        uint16_t both[2];                                                                                  \
        if (x->kind == FLOAT32) *(float *)c->out[0].data = name##_float(x->data, x->count);                \
        else if (x->kind == FLOAT64) *(double *)c->out[0].data = name##_double(x->data, x->count);         \
        else bounds_of_halves(x, both), *(uint16_t *)c->out[0].data = both[which];                         \
        return 1;                                                                                          \
    }
OF_ALL(largest, 1)
OF_ALL(smallest, 0)

static int bounds_plan(Call *c) {
    const Argument *x = &c->in[0];
    result(c, 0), result(c, 0);
    return x->count > 0 && x->count < LONG_PIECE && (is_half(x) || x->kind == FLOAT32 || x->kind == FLOAT64 || x->kind == INT64);
}
static int bounds(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    void *low = c->out[0].data, *high = c->out[1].data;
    if (x->kind == INT64) return bounds_of_longs(x->data, x->count, low, high), 1;
    if (x->kind == FLOAT32) {
        if (bounds_of_floats(x->data, x->count, low, high)) *(float *)low = *(float *)high = NAN;
    } else if (x->kind == FLOAT64) {
        if (bounds_of_doubles(x->data, x->count, low, high)) *(double *)low = *(double *)high = NAN;
    } else {
        uint16_t both[2];
        bounds_of_halves(x, both);
        *(uint16_t *)low = both[0], *(uint16_t *)high = both[1];
    }
    return 1;
}

const Kernel pieces_kernels[] = {
    {"join", "vi", join_plan, join, "join(arrays, axis)"},
    {"rolled", "aii", rolled_plan, rolled, "rolled(x, axis, shift): elements moved along an axis"},
    {"flipped", "ai", flipped_plan, flipped, "flipped(x, dimensions): the order reversed along dimensions, which are bits"},
    {"triangle", "aib", triangle_plan, triangle, "triangle(x, diagonal, upper): matrices with zeros on one side of a diagonal"},
    {"largest", "a", extreme_plan, largest, "largest(x): of all elements, NaN if there is one"},
    {"smallest", "a", extreme_plan, smallest, "smallest(x)"},
    {"bounds", "a", bounds_plan, bounds, "bounds(x): the smallest and the largest of all elements, NaN if there is one"},
    {0},
};
