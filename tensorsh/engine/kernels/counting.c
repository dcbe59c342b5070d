/* Which elements are not zero, how many lie in each interval, the places of a matrix's triangle, folded segments, and maxima of
   windows at places that are drawn. */
#include "kernels.h"

/* nonzero_places(x): their indices, a row for each dimension; not for complex numbers. Half types: all bits but the sign. */
#define NONZERO(T, name, is)                                                                     \
    WIDE static size name##_count(const T *x, size n) {                                          \
        size found = 0;                                                                          \
        for (size i = 0; i < n; i++) found += (is) != 0;                                         \
        return found;                                                                            \
    }                                                                                            \
    static size name##_columns(const T *x, size n, int32_t *columns) {                           \
        size found = 0;                                                                          \
        for (size i = 0; i < n; i++) columns[found] = (int32_t)i, found += (is) != 0;            \
        return found;                                                                            \
    }
NONZERO(float, floats, x[i] != 0)
NONZERO(double, doubles, x[i] != 0)
NONZERO(uint16_t, halves, x[i] & 0x7fff)
NONZERO(uint8_t, bytes, x[i])
NONZERO(uint16_t, shorts, x[i])
NONZERO(uint32_t, words, x[i])
NONZERO(uint64_t, longs, x[i])

enum { ROOM = 1024 };

#define BY_KIND(what, ...)                                                                       \
    (x->kind == FLOAT32 ? floats_##what(__VA_ARGS__)                                             \
     : x->kind == FLOAT64 ? doubles_##what(__VA_ARGS__)                                          \
     : x->kind == HALF || x->kind == BRAIN ? halves_##what(__VA_ARGS__)                          \
     : x->item == 1 ? bytes_##what(__VA_ARGS__)                                                  \
     : x->item == 2 ? shorts_##what(__VA_ARGS__)                                                 \
     : x->item == 4 ? words_##what(__VA_ARGS__) : longs_##what(__VA_ARGS__))

static int nonzero_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->ndim < 1 || x->count == 0 || x->count > LONG_PIECE) return 0; /* more are numpy's */
    if (x->item != 1 && x->item != 2 && x->item != 4 && x->item != 8) return 0;
    Argument *out = result(c, NEW_INT64);
    add_dimension(out, x->ndim);
    add_dimension(out, BY_KIND(count, (const void *)x->data, x->count));
    c->lines = 1, c->each = x->count;
    return 1;
}

/* As many as the plan has counted: an array that has changed since gives None. */
static int nonzero_places(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    const int ndim = x->ndim;
    const size line = x->shape[ndim - 1], room = c->out[0].shape[1];
    int64_t *out = c->out[0].data, place[DIMS] = {0}, *last = out + (ndim - 1) * room;
    int32_t columns[ROOM];
    size found = 0;
    for (size at = 0; at < x->count; at += line) {
        for (size left = 0; left < line; left += ROOM) {
            const size n = line - left < ROOM ? line - left : ROOM;
            const char *data = (const char *)x->data + (at + left) * x->item;
            const size some = BY_KIND(columns, (const void *)data, n, columns);
            if (some > room - found) return 0;
            for (int d = 0; d < ndim - 1; d++)
                for (size k = 0; k < some; k++) out[d * room + found + k] = place[d];
            for (size k = 0; k < some; k++) last[found + k] = left + columns[k];
            found += some;
        }
        for (int d = ndim - 2; d >= 0 && ++place[d] == x->shape[d]; d--) place[d] = 0;
    }
    return found == room;
}

/* counted(x, bounds): how many elements lie in each interval of bounds in order, the last one closed on both sides. A bound is
   guessed, for they mostly lie evenly, and looked for where the guess is wrong. */
static int counted_plan(Call *c) {
    const Argument *x = &c->in[0], *bounds = &c->in[1];
    if (bounds->dtype != x->dtype || bounds->ndim != 1 || bounds->count < 2) return 0;
    Argument *out = result(c, NEW_INT64);
    add_dimension(out, bounds->count - 1);
    c->lines = 1, c->each = times(x->count, 8);
    return 1;
}

#define COUNTED(T, name)                                                                         \
    static int name(Call *c, const T *x, const T *bounds, size n, size bins, int64_t *counts) {  \
        for (size i = 0; i < bins; i++)                                                          \
            if (!(bounds[i] <= bounds[i + 1])) return 0;                                         \
        const T low = bounds[0], high = bounds[bins];                                            \
        const double scale = (double)bins / ((double)high - low);                                \
        memset(counts, 0, bins * sizeof *counts);                                                \
        for (size i = 0; i < n; i++) {                                                           \
            const T one = x[i];                                                                  \
            if ((i & 4095) == 4095 && ends(c, 4096 * 8)) return 1;                               \
            if (!(one >= low && one <= high)) continue;                                          \
            const double guess = ((double)one - low) * scale;                                    \
            size at = !(guess > 0) ? 0 : guess >= (double)(bins - 1) ? bins - 1 : (size)guess;   \
            if (!(bounds[at] <= one && (at == bins - 1 || one < bounds[at + 1]))) {              \
                size first = 0, last = bins - 1; /* the last bound that is not above */          \
                while (first < last) {                                                           \
                    const size middle = last - (last - first) / 2;                               \
                    if (bounds[middle] <= one) first = middle;                                   \
                    else last = middle - 1;                                                      \
                }                                                                                \
                at = first;                                                                      \
            }                                                                                    \
            counts[at]++;                                                                        \
        }                                                                                        \
        return 1;                                                                                \
    }
COUNTED(float, counted_floats)
COUNTED(double, counted_doubles)

static int counted(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0];
    const size bins = c->in[1].count - 1;
    return x->kind == FLOAT32 ? counted_floats(c, x->data, c->in[1].data, x->count, bins, c->out[0].data)
                              : counted_doubles(c, x->data, c->in[1].data, x->count, bins, c->out[0].data);
}

/* triangle_places(rows, columns, offset, upper, count): the rows, and the columns, of so many elements of a triangle. */
static int triangle_plan(Call *c) {
    const size rows = c->in[0].whole, columns = c->in[1].whole, count = c->in[4].whole;
    if (rows < 1 || columns < 1 || count < 1 || rows > INT32_MAX || columns > INT32_MAX || count > 64 * LONG_WORK) return 0;
    if (c->in[2].whole < -INT32_MAX || c->in[2].whole > INT32_MAX) return 0;
    Argument *out = result(c, NEW_INT64);
    add_dimension(out, 2);
    add_dimension(out, count);
    c->lines = 1, c->each = times(2, count);
    return 1;
}

static int triangle_places(Call *c, size from, size to) {
    (void)from, (void)to;
    const size rows = c->in[0].whole, columns = c->in[1].whole, offset = c->in[2].whole, count = c->in[4].whole;
    const int upper = c->in[3].whole != 0;
    int64_t *row = c->out[0].data, *column = row + count;
    size found = 0;
    for (size i = 0; i < rows; i++) {
        size first = upper ? i + offset : 0, end = upper ? columns : i + offset + 1;
        first = first < 0 ? 0 : first, end = end > columns ? columns : end;
        if (first >= end) continue;
        if (end - first > count - found) return 0;
        for (size j = first; j < end; j++, found++) row[found] = i, column[found] = j;
    }
    return found == count;
}

/* segmented(x, offsets, how): the rows of x between one offset and the next, folded from the first on. */
enum { SUM, MEAN, PRODUCT, LARGEST, SMALLEST, FOLDS };

static int offsets_fit(const Argument *offsets, size rows) {
    const int64_t *at = offsets->data;
    size last = 0;
    for (size i = 0; i < offsets->count; i++) {
        const size one = place_at(at + i);
        if (one < last || one > rows) return 0;
        last = one;
    }
    return 1;
}

static int segmented_plan(Call *c) {
    const Argument *x = &c->in[0], *offsets = &c->in[1];
    if (x->ndim < 1 || x->count == 0 || offsets->ndim != 1 || offsets->count < 2) return 0;
    if (c->in[2].whole < 0 || c->in[2].whole >= FOLDS || !offsets_fit(offsets, x->shape[0])) return 0;
    Argument *out = result(c, 0);
    shape_as(out, x);
    out->shape[0] = offsets->count - 1;
    c->lines = 1, c->each = times(x->count + offsets->count, 4);
    return 1;
}

#define SEGMENTED(T, name)                                                                       \
    static int name(Call *c, const T *x, const int64_t *offsets, T *out, size rows, size segments, size inner, int how) { \
        const T first = how == PRODUCT ? 1 : how == LARGEST ? -INFINITY : how == SMALLEST ? INFINITY : 0; \
        for (size s = 0; s < segments; s++, out += inner) {                                      \
            const size begin = place_at(offsets + s), end = place_at(offsets + s + 1);           \
            if (begin < 0 || end > rows) return 0;                                               \
            for (size k = 0; k < inner; k++) out[k] = first;                                     \
            if (inner == 1 && how <= MEAN) {                                                     \
                T total = 0;                                                                     \
                for (size i = begin; i < end; i++) total += x[i];                                \
                *out = how == MEAN ? end > begin ? total / (T)(end - begin) : (T)NAN : total;    \
                if (ends(c, end - begin)) return 1;                                              \
                continue;                                                                        \
            }                                                                                    \
            for (size i = begin; i < end; i++) {                                                 \
                const T *row = x + i * inner;                                                    \
                if (how <= MEAN) for (size k = 0; k < inner; k++) out[k] += row[k];              \
                else if (how == PRODUCT) for (size k = 0; k < inner; k++) out[k] *= row[k];      \
                else                                                                             \
                    for (size k = 0; k < inner; k++)                                             \
                        if (row[k] != row[k] || (how == LARGEST ? row[k] > out[k] : row[k] < out[k])) out[k] = row[k]; \
                if (ends(c, inner)) return 1;                                                    \
            }                                                                                    \
            if (how == MEAN)                                                                     \
                for (size k = 0; k < inner; k++) out[k] = end > begin ? out[k] / (T)(end - begin) : (T)NAN; \
        }                                                                                        \
        return 1;                                                                                \
    }
SEGMENTED(float, segmented_floats)
SEGMENTED(double, segmented_doubles)

static int segmented(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *x = &c->in[0], *offsets = &c->in[1];
    const size rows = x->shape[0], inner = x->count / rows;
#define SEGMENTS(T, name) name(c, x->data, offsets->data, c->out[0].data, rows, offsets->count - 1, inner, (int)c->in[2].whole)
    return x->kind == FLOAT32 ? SEGMENTS(float, segmented_floats) : SEGMENTS(double, segmented_doubles);
}

/* segments_spread(g, offsets, rows, mean): each segment's gradient for each of its rows. */
static int segments_spread_plan(Call *c) {
    const Argument *g = &c->in[0], *offsets = &c->in[1];
    const size rows = c->in[2].whole;
    size all;
    if (g->ndim < 1 || g->count == 0 || offsets->ndim != 1 || g->shape[0] != offsets->count - 1 || rows < 1) return 0;
    if (!offsets_fit(offsets, rows) || __builtin_mul_overflow(g->count / g->shape[0], rows, &all)) return 0;
    Argument *out = result(c, 0);
    shape_as(out, g);
    out->shape[0] = rows;
    c->lines = 1, c->each = all;
    return 1;
}

#define SPREAD(T, name)                                                                          \
    static int name(Call *c, const T *g, const int64_t *offsets, T *out, size rows, size segments, size inner, int mean) { \
        memset(out, 0, rows * inner * sizeof *out);                                              \
        for (size s = 0; s < segments; s++, g += inner) {                                        \
            const size begin = place_at(offsets + s), end = place_at(offsets + s + 1);           \
            if (begin < 0 || end > rows) return 0;                                               \
            for (size i = begin; i < end; i++) {                                                 \
                for (size k = 0; k < inner; k++) out[i * inner + k] = mean ? g[k] / (T)(end - begin) : g[k]; \
                if (ends(c, inner)) return 1;                                                    \
            }                                                                                    \
        }                                                                                        \
        return 1;                                                                                \
    }
SPREAD(float, spread_floats)
SPREAD(double, spread_doubles)

static int segments_spread(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *g = &c->in[0];
    const size inner = g->count / g->shape[0];
#define SPREAD_OF(T, name) name(c, g->data, c->in[1].data, c->out[0].data, c->in[2].whole, g->shape[0], inner, c->in[3].whole != 0)
    return g->kind == FLOAT32 ? SPREAD_OF(float, spread_floats) : SPREAD_OF(double, spread_doubles);
}

/* fractional_maxima(x, samples, (rows, columns of a window, of the result)): maxima of planes, and their places. A window's place
   that a sample does not give within the plane gives None; of several NaN the last one counts. */
static int fractional_plan(Call *c) {
    const Argument *x = &c->in[0], *samples = &c->in[1], *sizes = &c->in[2];
    if (x->ndim != 3 || x->count == 0 || samples->dtype != x->dtype || samples->count != 2 * x->shape[0] || sizes->ndim != 4) return 0;
    for (int k = 0; k < 2; k++) {
        const size n = x->shape[1 + k], window = sizes->shape[k], out = sizes->shape[2 + k];
        if (window < 1 || out < 1 || window > n || out > n) return 0;
    }
    for (int k = 0; k < 2; k++) {
        Argument *out = result(c, k ? NEW_INT64 : 0);
        add_dimension(out, x->shape[0]);
        add_dimension(out, sizes->shape[2]);
        add_dimension(out, sizes->shape[3]);
    }
    c->lines = x->shape[0];
    c->each = times(times(sizes->shape[0], sizes->shape[1]), times(sizes->shape[2], sizes->shape[3]));
    c->room = (sizes->shape[2] + sizes->shape[3]) * (size)sizeof(size);
    return 1;
}

#define FRACTIONAL(T, name)                                                                      \
    static int name##_starts(T sample, size n, size out, size window, size *starts) {            \
        const T step = out > 1 ? (T)(n - window) / (T)(out - 1) : 0, first = sample * step;      \
        for (size i = 0; i < out - 1; i++) {                                                     \
            const T place = ((T)i + sample) * step;                                              \
            if (!(place > -1e9 && place < 1e9 && first > -1e9 && first < 1e9)) return 0;         \
            starts[i] = (size)place - (size)first;                                               \
            if (starts[i] < 0 || starts[i] > n - window) return 0;                               \
        }                                                                                        \
        starts[out - 1] = n - window;                                                            \
        return 1;                                                                                \
    }                                                                                            \
    static int name(Call *c, size plane) {                                                       \
        const Argument *image = &c->in[0];                                                       \
        const size *sizes = c->in[2].shape, h = image->shape[1], w = image->shape[2], rows = sizes[2], columns = sizes[3]; \
        const T *x = (const T *)image->data + plane * h * w, *samples = (const T *)c->in[1].data + 2 * plane; \
        T *out = (T *)c->out[0].data + plane * rows * columns;                                   \
        int64_t *places = (int64_t *)c->out[1].data + plane * rows * columns;                    \
        size *tops = c->scratch, *lefts = tops + rows;                                           \
        if (!name##_starts(samples[1], h, rows, sizes[0], tops) || !name##_starts(samples[0], w, columns, sizes[1], lefts)) return 0; \
        for (size i = 0; i < rows; i++)                                                          \
            for (size j = 0; j < columns; j++, out++, places++) {                                \
                T best = -INFINITY;                                                              \
                size where = tops[i] * w + lefts[j];                                             \
                for (size a = tops[i]; a < tops[i] + sizes[0]; a++)                              \
                    for (size b = lefts[j]; b < lefts[j] + sizes[1]; b++) {                      \
                        const T one = x[a * w + b];                                              \
                        if (one > best || one != one) best = one, where = a * w + b;             \
                    }                                                                            \
                *out = best, *places = where;                                                    \
                if (ends(c, sizes[0] * sizes[1])) return 1;                                      \
            }                                                                                    \
        return 1;                                                                                \
    }
FRACTIONAL(float, fractional_floats)
FRACTIONAL(double, fractional_doubles)

static int fractional_maxima(Call *c, size from, size to) {
    for (size plane = from; plane < to; plane++)
        if (!(c->in[0].kind == FLOAT32 ? fractional_floats : fractional_doubles)(c, plane)) return 0;
    return 1;
}

/* even_bins(x, low, high, out): how many elements lie in each of as many equal bins as `out` has, with the roundings of the elements' type. */
static int even_bins_plan(Call *c) {
    c->answer = 3;
    c->lines = 1, c->each = c->in[0].count;
    return c->in[3].kind == c->in[0].kind && c->in[3].count > 0 && c->in[3].count < 1 << 24 && c->in[0].count < 1 << 24;
}
#define EVEN_BINS(T, name)                                                                       \
    static int name(Call *c) {                                                                   \
        const T *x = c->in[0].data, low = (T)c->in[1].number, high = (T)c->in[2].number;         \
        const T bins = (T)c->in[3].count, width = high - low;                                    \
        T *out = c->in[3].data;                                                                  \
        const size n = c->in[0].count, last = c->in[3].count - 1;                                \
        memset(out, 0, (size_t)(c->in[3].count * c->in[3].item));                                \
        for (size i = 0; i < n; i++) {                                                           \
            const T one = ((const volatile T *)x)[i], place = (one - low) * bins / width;        \
            if (!(one >= low && one <= high)) continue;                                          \
            if (!(place >= 0 && place < (T)0x1p62)) return 0;                                    \
            out[(size)place < last ? (size)place : last] += 1;                                   \
        }                                                                                        \
        return 1;                                                                                \
    }
EVEN_BINS(float, even_bins_of_floats)
EVEN_BINS(double, even_bins_of_doubles)
static int even_bins(Call *c, size from, size to) {
    (void)from, (void)to;
    return c->in[0].kind == FLOAT32 ? even_bins_of_floats(c) : even_bins_of_doubles(c);
}

/* spaced(first, last, step, out, twice): the first half counts from the first number, the second back from the last, each with one
   rounding; `twice`: doubles, with two. */
static int spaced_plan(Call *c) {
    c->answer = 3;
    c->lines = c->in[3].count, c->each = 1, c->apart = 1;
    return c->in[3].count > 1 && c->in[3].count < 1 << 24 && (!c->in[4].whole || c->in[3].kind == FLOAT64);
}
WIDE static void spaced_floats(float first, float last, float step, float *out, size from, size to, size steps) {
    const size half = steps / 2;
    for (size i = from; i < to && i < half; i++) out[i] = __builtin_fmaf((float)(int32_t)i, step, first);
    for (size i = from > half ? from : half; i < to; i++) out[i] = __builtin_fmaf((float)(int32_t)(steps - 1 - i), -step, last);
}
WIDE static void spaced_doubles(double first, double last, double step, double *out, size from, size to, size steps) {
    const size half = steps / 2;
    for (size i = from; i < to && i < half; i++) out[i] = __builtin_fma((double)(int32_t)i, step, first);
    for (size i = from > half ? from : half; i < to; i++) out[i] = __builtin_fma((double)(int32_t)(steps - 1 - i), -step, last);
}
WIDE static void spaced_twice(double first, double last, double step, double *out, size from, size to, size steps) {
    const size half = steps / 2;
    for (size i = from; i < to && i < half; i++) out[i] = first + step * (double)(int32_t)i;
    for (size i = from > half ? from : half; i < to; i++) out[i] = last - step * (double)(int32_t)(steps - 1 - i);
}
static int spaced(Call *c, size from, size to) {
    const double first = c->in[0].number, last = c->in[1].number, step = c->in[2].number;
    if (c->in[3].kind == FLOAT32) spaced_floats((float)first, (float)last, (float)step, c->in[3].data, from, to, c->in[3].count);
    else (c->in[4].whole ? spaced_twice : spaced_doubles)(first, last, step, c->in[3].data, from, to, c->in[3].count);
    return 1;
}

const Kernel counting_kernels[] = {
    {"even_bins", "rxxR", even_bins_plan, even_bins, "even_bins(x, low, high, out): how many elements lie in each of equal bins"},
    {"spaced", "xxxR|b", spaced_plan, spaced, "spaced(first, last, step, out, twice): evenly spaced numbers, counted from both ends"},
    {"nonzero_places", "a~", nonzero_plan, nonzero_places, "nonzero_places(x): the indices of elements that are not zero, a row for each dimension; not for complex numbers"},
    {"counted", "rr", counted_plan, counted, "counted(x, bounds): how many elements lie in each interval"},
    {"triangle_places", "iiibi", triangle_plan, triangle_places, "triangle_places(rows, columns, offset, upper, count)"},
    {"segmented", "rli", segmented_plan, segmented, "segmented(x, offsets, how): folded segments; how: 0 sum, 1 mean, 2 product, 3 largest, 4 smallest"},
    {"segments_spread", "rlib", segments_spread_plan, segments_spread, "segments_spread(g, offsets, rows, mean)"},
    {"fractional_maxima", "r~rt", fractional_plan, fractional_maxima, "fractional_maxima(x, samples, sizes): maxima of windows at drawn places, and where they are"},
    {0},
};
