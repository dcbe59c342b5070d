/* Maxima of windows over up to three dimensions, and their gradients: of equal elements the first counts, of NaN the last; gradients
   are added in the order of the windows. */
#include "kernels.h"

/* For the outermost dimension first: windows, steps between them, borders, distances within; sizes of the input and of the result. */
typedef struct {
    size kernel[3], stride[3], border[3], apart[3], in[3], out[3], taps, planes;
} Windows;

enum { GIVEN = 12 };

static int windows_of(Windows *w, const Argument *numbers, const Argument *in, const Argument *out) {
    const int before = 5 - in->ndim; /* dimensions of one element, which are left out */
    if (numbers->ndim != GIVEN || before < 0 || before > 2 || out->ndim != in->ndim) return 0;
    if (in->shape[0] != out->shape[0] || in->shape[1] != out->shape[1]) return 0;
    w->planes = in->shape[0] * in->shape[1];
    w->taps = 1;
    for (int k = 0; k < 3; k++) {
        w->kernel[k] = numbers->shape[k], w->stride[k] = numbers->shape[3 + k];
        w->border[k] = numbers->shape[6 + k], w->apart[k] = numbers->shape[9 + k];
        w->in[k] = k < before ? 1 : in->shape[k + 2 - before], w->out[k] = k < before ? 1 : out->shape[k + 2 - before];
        if (w->kernel[k] < 1 || w->stride[k] < 1 || w->apart[k] < 1 || w->in[k] < 1 || w->kernel[k] > 256) return 0;
        /* all numbers stay small, and each window has an element of the input */
        if (w->apart[k] > INT32_MAX || w->stride[k] > INT32_MAX || w->border[k] > INT32_MAX || w->out[k] > INT32_MAX) return 0;
        if (w->border[k] > (w->kernel[k] - 1) * w->apart[k]) return 0;
        if (w->out[k] && times(w->out[k] - 1, w->stride[k]) - w->border[k] >= w->in[k]) return 0;
        w->taps *= w->kernel[k];
    }
    return w->taps <= 256;
}

/* The first number k for which `start + k * step` is not negative. */
INLINE size first_inside(size start, size step) { return start >= 0 ? 0 : (-start + step - 1) / step; }

/* One of two elements by a condition that nothing foretells: without a jump, also behind the last whole vector of a row. */
#define CHOICE(T, I, name)                                                                                            \
    INLINE T name##_choice(int first, T u, T v) {                                                                     \
        I a, b;                                                                                                       \
        memcpy(&a, &u, sizeof a), memcpy(&b, &v, sizeof b);                                                           \
        a = (a & -(I)first) | (b & ~-(I)first);                                                                       \
        memcpy(&u, &a, sizeof u);                                                                                     \
        return u;                                                                                                     \
    }
/* The elements `from..to` of a row of windows meet another element of each. */
#define MEET(T, I, name, step)                                                                                        \
    INDEPENDENT                                                                                                       \
    for (size j = from; j < to; j++) {                                                                                \
        const T v = x[j * (step)];                                                                                    \
        const int better = (v > best[j]) | (v != v);                                                                  \
        best[j] = name##_choice(better, v, best[j]);                                                                  \
        number[j] = (tap & -(I)better) | (number[j] & ~-(I)better);                                                   \
    }
/* Every second element begins here: the even and the odd ones of a row lie apart in `halves`, which vectors can read. */
#define SPLIT(T, name)                                                                                                \
    INLINE void name##_split(const T *x, size width, T *halves) {                                                     \
        T *odd = halves + (width + 1) / 2;                                                                            \
        INDEPENDENT                                                                                                   \
        for (size j = 0; j < width / 2; j++) halves[j] = x[2 * j], odd[j] = x[2 * j + 1];                             \
        if (width % 2) halves[width / 2] = x[width - 1];                                                              \
    }                                                                                                                 \
    /* The element `start` of a row that was split, after which every second one follows. */                          \
    INLINE const T *name##_every_second(const T *halves, size width, size start) {                                    \
        return halves + (start & 1 ? (width + 1) / 2 : 0) + (start - (start & 1)) / 2;                                \
    }
#define LARGEST(T, name, step)                                                                                        \
    INDEPENDENT                                                                                                       \
    for (size j = from; j < to; j++) {                                                                                \
        const T v = x[j * (step)];                                                                                    \
        best[j] = name##_choice((v > best[j]) | (v != v), v, best[j]);                                                \
    }
#define POOLING(T, I, name)                                                                                           \
    CHOICE(T, I, name)                                                                                                \
    SPLIT(T, name)                                                                                                    \
    INLINE void name##_largest(const T *x, size stride, size from, size to, T *best) {                                \
        if (stride == 1) { LARGEST(T, name, 1) }                                                                            \
        else { LARGEST(T, name, stride) }                                                                                   \
    }                                                                                                                 \
    /* The usual windows: two neighbours each. */                                                                     \
    INLINE void name##_pairs(const T *x, size count, T *best) {                                                       \
        INDEPENDENT                                                                                                   \
        for (size j = 0; j < count; j++) {                                                                            \
            const T u = x[2 * j], v = x[2 * j + 1];                                                                   \
            best[j] = name##_choice((v > u) | (v != v), v, u);                                                                 \
        }                                                                                                             \
    }                                                                                                                 \
    /* Maxima alone: those along the rows first, which many windows share. */                                         \
    WIDE static void name##_values(Call *c, const Windows *w, const T *x, T *best, T *lines, size planes) {           \
        const size rows = w->in[0] * w->in[1], width = w->in[2], across = w->out[2], two = w->stride[2] == 2;         \
        const int pairs = two && w->kernel[2] == 2 && w->apart[2] == 1 && w->border[2] == 0 && 2 * across <= width;   \
        T *halves = lines + rows * across;                                                                            \
        for (size plane = 0; plane < planes && !ends(c, rows * width); plane++) {                                     \
            if (!pairs)                                                                                               \
                for (size j = 0; j < rows * across; j++) lines[j] = -(T)INFINITY;                                     \
            const size whole = pairs && width == 2 * across; /* all rows are one */                                   \
            if (whole) name##_pairs(x, rows * across, lines), x += rows * width;                                      \
            for (size row = 0; !whole && row < rows; row++, x += width) {                                             \
                if (pairs) {                                                                                          \
                    name##_pairs(x, across, lines + row * across);                                                    \
                    continue;                                                                                         \
                }                                                                                                     \
                if (two) name##_split(x, width, halves);                                                              \
                for (size k = 0; k < w->kernel[2]; k++) {                                                             \
                    const size start = k * w->apart[2] - w->border[2];                                                \
                    const size to = start >= width ? 0 : (width - 1 - start) / w->stride[2] + 1;                      \
                    name##_largest(two ? name##_every_second(halves, width, start) : x + start, two ? 1 : w->stride[2],\
                                   first_inside(start, w->stride[2]), to < across ? to : across, lines + row * across);\
                }                                                                                                     \
            }                                                                                                         \
            for (size d = 0; d < w->out[0]; d++)                                                                      \
                for (size h = 0; h < w->out[1] && !ends(c, across * w->kernel[1]); h++, best += across) {             \
                    const size z = d * w->stride[0] - w->border[0], y = h * w->stride[1] - w->border[1];              \
                    int begun = 0;                                                                                    \
                    for (size a = first_inside(z, w->apart[0]); a < w->kernel[0] && z + a * w->apart[0] < w->in[0]; a++)\
                        for (size b = first_inside(y, w->apart[1]); b < w->kernel[1] && y + b * w->apart[1] < w->in[1]; b++) {\
                            const T *line = lines + ((z + a * w->apart[0]) * w->in[1] + y + b * w->apart[1]) * across;\
                            if (begun) name##_largest(line, 1, 0, across, best);                                      \
                            else memcpy(best, line, (size_t)across * sizeof(T)), begun = 1;                           \
                        }                                                                                             \
                    for (size j = 0; !begun && j < across; j++) best[j] = -(T)INFINITY; /* a window between elements */\
                }                                                                                                     \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void name##_meet(const T *x, size stride, size from, size to, I tap, T *best, I *number) {            \
        if (stride == 1) { MEET(T, I, name, 1) }                                                                            \
        else { MEET(T, I, name, stride) }                                                                                   \
    }                                                                                                                 \
    WIDE static void name##_planes(Call *c, const Windows *w, const T *x, T *best, uint8_t *places, I *number, size planes) { \
        const size depth = w->in[0], height = w->in[1], width = w->in[2], across = w->out[2];                         \
        const size two = w->stride[2] == 2;                                                                           \
        I *first = number + across;                                                                                   \
        T *halves = (T *)(first + across);                                                                            \
        for (size j = 0; j < across; j++) first[j] = (I)first_inside(j * w->stride[2] - w->border[2], w->apart[2]);   \
        for (size plane = 0; plane < planes; plane++, x += depth * height * width)                                    \
            for (size d = 0; d < w->out[0]; d++)                                                                      \
                for (size h = 0; h < w->out[1] && !ends(c, across * w->taps); h++, best += across, places += across) { \
                    const size z = d * w->stride[0] - w->border[0], y = h * w->stride[1] - w->border[1];              \
                    const size a0 = first_inside(z, w->apart[0]), b0 = first_inside(y, w->apart[1]);                  \
                    for (size j = 0; j < across; j++) {                                                               \
                        best[j] = -(T)INFINITY;                                                                       \
                        number[j] = (I)((a0 * w->kernel[1] + b0) * w->kernel[2]) + first[j];                          \
                    }                                                                                                 \
                    for (size a = a0; a < w->kernel[0] && z + a * w->apart[0] < depth; a++)                           \
                        for (size b = b0; b < w->kernel[1] && y + b * w->apart[1] < height; b++) {                    \
                            const T *row = x + ((z + a * w->apart[0]) * height + y + b * w->apart[1]) * width;        \
                            if (two) name##_split(row, width, halves);                                                \
                            for (size k = 0; k < w->kernel[2]; k++) {                                                 \
                                const size start = k * w->apart[2] - w->border[2];                                    \
                                const size from = first_inside(start, w->stride[2]);                                  \
                                size to = start >= width ? 0 : (width - 1 - start) / w->stride[2] + 1;                \
                                if (to > across) to = across;                                                         \
                                name##_meet(two ? name##_every_second(halves, width, start) : row + start,            \
                                            two ? 1 : w->stride[2], from, to, (I)((a * w->kernel[1] + b) * w->kernel[2] + k), best, number);            \
                            }                                                                                         \
                        }                                                                                             \
                    for (size j = 0; j < across; j++) places[j] = (uint8_t)number[j];                                 \
                }                                                                                                     \
    }                                                                                                                 \
    static void name##_spread(Call *c, const Windows *w, const T *g, const uint8_t *places, T *x, const size *offsets, size planes) { \
        const size depth = w->in[0], height = w->in[1], width = w->in[2], plane = depth * height * width;             \
        for (size p = 0; p < planes; p++, x += plane)                                                                 \
            for (size d = 0; d < w->out[0]; d++)                                                                      \
                for (size h = 0; h < w->out[1] && !ends(c, w->out[2]); h++) {                                         \
                    size at = ((d * w->stride[0] - w->border[0]) * height + h * w->stride[1] - w->border[1]) * width  \
                              - w->border[2];                                                                         \
                    for (size j = 0; j < w->out[2]; j++, at += w->stride[2]) {                                        \
                        const size place = at + offsets[*(const volatile uint8_t *)places++];                         \
                        if (!OUTSIDE(place, plane)) x[place] += *g;                                                   \
                        g++;                                                                                          \
                    }                                                                                                 \
                }                                                                                                     \
    }
POOLING(float, int32_t, singles)
POOLING(double, int64_t, doubles)

static int planned(Call *c, const Argument *in, const Argument *out) {
    Windows w;
    const Argument *places = &c->in[2];
    if (!windows_of(&w, &c->in[3], in, out) || in->kind != out->kind || in->count == 0 || out->count == 0) return 0;
    if (places->data && (places->item != 1 || !has_shape(places, out->ndim, out->shape))) return 0;
    c->answer = 1;
    c->lines = w.planes, c->each = times(out->count / w.planes, w.taps), c->apart = 1;
    const size rows = places->data ? 2 : w.in[0] * w.in[1], room = times(rows, w.out[2]);
    c->room = room == PTRDIFF_MAX ? room : times((room > 256 ? room : 256) + w.in[2], (size)sizeof(int64_t));
    return c->room < PTRDIFF_MAX;
}

/* max_pool(x, out, places or None, numbers): x [N, C, *S]. */
static int max_pool_plan(Call *c) { return planned(c, &c->in[0], &c->in[1]); }

static int max_pool(Call *c, size from, size to) {
    Windows w;
    const Argument *x = &c->in[0], *out = &c->in[1], *places = &c->in[2];
    if (!windows_of(&w, &c->in[3], x, out)) return 0;
    const size of = from * (x->count / w.planes), made = from * (out->count / w.planes);
    uint8_t *numbers = places->data ? (uint8_t *)places->data + made : NULL;
    if (!places->data && x->kind == FLOAT32) singles_values(c, &w, (const float *)x->data + of, (float *)out->data + made, c->scratch, to - from);
    else if (!places->data) doubles_values(c, &w, (const double *)x->data + of, (double *)out->data + made, c->scratch, to - from);
    else if (x->kind == FLOAT32) singles_planes(c, &w, (const float *)x->data + of, (float *)out->data + made, numbers, c->scratch, to - from);
    else doubles_planes(c, &w, (const double *)x->data + of, (double *)out->data + made, numbers, c->scratch, to - from);
    return 1;
}

/* max_pool_gradient(gradient, out, places, numbers): out [N, C, *S], to which it is added. */
static int max_pool_gradient_plan(Call *c) { return c->in[2].data && planned(c, &c->in[1], &c->in[0]); }

static int max_pool_gradient(Call *c, size from, size to) {
    Windows w;
    const Argument *g = &c->in[0], *x = &c->in[1];
    size *offsets = c->scratch;
    if (!windows_of(&w, &c->in[3], x, g)) return 0;
    for (size tap = 0; tap < 256; tap++) {
        const size k = tap % w.kernel[2], b = tap / w.kernel[2] % w.kernel[1], a = tap / w.kernel[2] / w.kernel[1];
        offsets[tap] = (a * w.apart[0] * w.in[1] + b * w.apart[1]) * w.in[2] + k * w.apart[2];
    }
    const size of = from * (x->count / w.planes), given = from * (g->count / w.planes);
    const uint8_t *places = (const uint8_t *)c->in[2].data + given;
    if (x->kind == FLOAT32) singles_spread(c, &w, (const float *)g->data + given, places, (float *)x->data + of, offsets, to - from);
    else doubles_spread(c, &w, (const double *)g->data + given, places, (double *)x->data + of, offsets, to - from);
    return 1;
}

const Kernel pooling_kernels[] = {
    {"max_pool", "r~RA?t", max_pool_plan, max_pool, "max_pool(x, out, places or None, numbers)"},
    {"max_pool_gradient", "rRat", max_pool_gradient_plan, max_pool_gradient, "max_pool_gradient(gradient, out, places, numbers)"},
    {0},
};
