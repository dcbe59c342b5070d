/* Arrays laid otherwise, joined, rolled, turned round and cut to triangles, and the largest and smallest of all elements. */
#include "lanes.h"

#define SHORT_PART 16 /* bytes that are not worth a call */

/* laid(x, out, apart): the elements of an array where those of another of its shape lie, in the order of the latter; `apart`: none of
   both lies where another one does, though they may take turns. */
typedef struct { size n, from, to; } Step; /* along a dimension: elements, bytes between those of each */
typedef struct { int ndim; Step along[DIMS]; } Steps;

static void steps_of(const Argument *x, const Argument *out, Steps *s) {
    Step all[DIMS];
    int many = 0;
    for (int k = 0; k < x->ndim; k++) {
        if (x->shape[k] == 1) continue;
        int at = many++;
        const size step = out->strides[k] < 0 ? -out->strides[k] : out->strides[k];
        for (; at > 0 && (all[at - 1].to < 0 ? -all[at - 1].to : all[at - 1].to) < step; at--) all[at] = all[at - 1];
        all[at] = (Step){x->shape[k], x->strides[k], out->strides[k]};
    }
    s->ndim = 0;
    for (int k = 0; k < many; k++) { /* neighbours that lie evenly in both are one */
        Step *last = s->along + s->ndim - 1;
        if (s->ndim && last->from == all[k].n * all[k].from && last->to == all[k].n * all[k].to) *last = (Step){last->n * all[k].n, all[k].from, all[k].to};
        else s->along[s->ndim++] = all[k];
    }
    if (s->ndim == 0) s->along[s->ndim++] = (Step){1, x->item, x->item};
}

typedef struct { uint64_t first, second; } Pair;
/* Lines of elements that lie side by side in both. */
WIDE static void lines_laid(const char *in, char *out, size bytes, Step lines) {
    for (size i = 0; i < lines.n; i++, in += lines.from, out += lines.to) copy_piece(in, out, bytes);
}

/* Elements `from` and `to` bytes apart, on lines of which the elements across lie side by side in the source: squares of as many as a
   vector has lanes are turned, and what is left is taken one by one. */
#define NEAR 128 /* lines */
#define LAY(T, V, EDGE, turned)                                                                               \
    INLINE void laid_part_##T(const char *in, char *out, Step line, Step lines) {                             \
        for (size first = 0, end; first < line.n; first = end) { /* pages that the processor has at hand */   \
            end = line.n - first < NEAR ? line.n : first + NEAR;                                              \
            for (size i = 0; i < lines.n; i++) {                                                              \
                const char *from = in + i * lines.from;                                                       \
                char *to = out + i * lines.to;                                                                \
                if (line.from == 0 && line.to == sizeof(T)) {                                                 \
                    const T one = *(const T *)from;                                                           \
                    for (size k = first; k < end; k++) ((T *)to)[k] = one;                                    \
                } else if (line.from == 2 * (size)sizeof(T) && line.to == sizeof(T)) { /* in vectors */       \
                    INDEPENDENT                                                                               \
                    for (size k = first; k < end; k++) ((T *)to)[k] = ((const T *)from)[2 * k];               \
                } else {                                                                                      \
                    for (size k = first; k < end; k++) *(T *)(to + k * line.to) = *(const T *)(from + k * line.from); \
                }                                                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }                                                                                                         \
    WIDE static void laid_##T(const char *in, char *out, Step line, Step lines) {                             \
        const int square = EDGE > 1 && lines.from == sizeof(T) && line.to == sizeof(T);                       \
        const size width = square ? line.n / EDGE * EDGE : 0, height = square ? lines.n / EDGE * EDGE : 0;    \
        for (size first = 0, end; first < width; first = end) {                                               \
            end = width - first < NEAR ? width : first + NEAR;                                                \
            for (size i = 0; i < height; i += EDGE)                                                           \
                for (size k = first; k < end; k += EDGE) {                                                    \
                    V rows[EDGE];                                                                                     \
                    for (size l = 0; l < EDGE; l++) memcpy(rows + l, in + i * lines.from + (k + l) * line.from, sizeof(V));\
                    turned(rows);                                                                                     \
                    for (size l = 0; l < EDGE; l++) memcpy(out + (i + l) * lines.to + k * line.to, rows + l, sizeof(V));\
                }                                                                                                     \
        }                                                                                                     \
        const Step right = {line.n - width, line.from, line.to}, upper = {height, lines.from, lines.to};      \
        laid_part_##T(in + width * line.from, out + width * line.to, right, upper);                           \
        const Step below = {lines.n - height, lines.from, lines.to};                                          \
        laid_part_##T(in + height * lines.from, out + height * lines.to, line, below);                        \
    }
#define AS_IT_IS(rows) (void)rows
LAY(uint8_t, uint8_t, 1, AS_IT_IS)
LAY(uint16_t, uint16_t, 1, AS_IT_IS)
LAY(Word, vectors, 8, singles_turned)
LAY(LongWord, wide_vectors, 4, doubles_turned)
LAY(Pair, Pair, 1, AS_IT_IS)

/* Where the bytes of an array begin and end. */
static void ends_of(const Argument *x, const char **low, const char **high) {
    *low = x->data, *high = (const char *)x->data + x->item;
    for (int k = 0; k < x->ndim; k++) *(x->strides[k] < 0 ? low : high) += (x->shape[k] - 1) * x->strides[k];
}

/* Whether elements lie where numbers of their size do, as those of no type of numbers may not. */
static int lies_whole(const Argument *x) {
    size some = (size)(uintptr_t)x->data;
    for (int k = 0; k < x->ndim; k++) some |= x->shape[k] > 1 ? x->strides[k] : 0;
    return some % (x->item < 8 ? x->item : 8) == 0;
}

static int laid_plan(Call *c) {
    const Argument *x = &c->in[0], *out = &c->in[1];
    const char *low, *high, *least, *most;
    if (out->item != x->item || out->kind != x->kind || x->count == 0 || !has_shape(out, x->ndim, x->shape)) return 0;
    if (x->item < 1 || x->item & (x->item - 1) || x->item > (size)sizeof(Pair) || !lies_whole(x) || !lies_whole(out)) return 0;
    c->answer = 1;
    c->lines = 1, c->each = x->count;
    ends_of(x, &low, &high), ends_of(out, &least, &most);
    return c->in[2].whole || low >= most || least >= high;
}

static int laid(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0], *target = &c->in[1];
    const size item = x->item;
    Steps s;
    steps_of(x, target, &s);
    Step line = s.along[s.ndim - 1];
    const int whole = line.from == item && line.to == item;
    Step lines = {1, 0, 0};
    int beside = s.ndim - 2; /* the dimension of the lines: the one that lies side by side in the source, if not in the result */
    for (int k = 0; k < s.ndim - 1 && !whole; k++)
        if (s.along[k].from == item) beside = k;
    if (beside >= 0) lines = s.along[beside];
    if (!whole && line.n < 8 && line.n < lines.n) { /* few elements a line: one of each line, then the next of each */
        const Step short_one = line;
        line = lines, lines = short_one;
    }
    size rest = 1;
    for (int k = 0; k < s.ndim - 1; k++) rest *= k == beside ? 1 : s.along[k].n;
    for (size i = 0; i < rest && !ends(c, line.n * lines.n); i++) {
        const char *in = x->data;
        char *out = target->data;
        size at = i;
        for (int k = s.ndim - 2; k >= 0; k--) {
            if (k == beside) continue;
            in += at % s.along[k].n * s.along[k].from, out += at % s.along[k].n * s.along[k].to;
            at /= s.along[k].n;
        }
        if (whole) lines_laid(in, out, line.n * item, lines);
        else if (item == 1) laid_uint8_t(in, out, line, lines);
        else if (item == 2) laid_uint16_t(in, out, line, lines);
        else if (item == 4) laid_Word(in, out, line, lines);
        else if (item == 8) laid_LongWord(in, out, line, lines);
        else laid_Pair(in, out, line, lines);
    }
    return 1;
}

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
    return !__builtin_mul_overflow(all, first->item, &bytes) && bytes <= (axis.outer > FEW_PARTS ? 256 : 8) * LONG_WORK; /* longer ones are numpy's */
}

WIDE static int join(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *axis = &c->in[1];
    char *at = c->out[0].data;
    for (size o = 0; c->out[0].count && o < axis->count; o++)
        for (size i = 0; i < c->in[0].whole; i++) {
            const size bytes = c->parts[i].shape[axis->whole] * axis->item;
            copy_piece(c->parts[i].data + o * bytes, at, bytes);
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
    {"laid", "eE|b", laid_plan, laid, "laid(x, out, apart): the elements of an array in the order of another of its shape"},
    {"join", "vi", join_plan, join, "join(arrays, axis)"},
    {"rolled", "aii", rolled_plan, rolled, "rolled(x, axis, shift): elements moved along an axis"},
    {"flipped", "ai", flipped_plan, flipped, "flipped(x, dimensions): the order reversed along dimensions, which are bits"},
    {"triangle", "aib", triangle_plan, triangle, "triangle(x, diagonal, upper): matrices with zeros on one side of a diagonal"},
    {"largest", "a", extreme_plan, largest, "largest(x): of all elements, NaN if there is one"},
    {"smallest", "a", extreme_plan, smallest, "smallest(x)"},
    {"bounds", "a", bounds_plan, bounds, "bounds(x): the smallest and the largest of all elements, NaN if there is one"},
    {0},
};
