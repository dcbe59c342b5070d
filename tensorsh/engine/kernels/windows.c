/* Columns of windows: taken of images, and added into the images that they were taken of. */
#include "conversions.h"

typedef struct { size in, kernel, step, border, spread, out; } Side; /* of an image, in one dimension */

/* columns_added(columns, sizes): columns (N, C * kh * kw, L) into images (N, C, H, W); sizes: H, W, then of the kernel, the stride,
   the padding and the dilation, each for both dimensions. */
static int sides_of(const Call *c, Side *sides) {
    const Argument *columns = &c->in[0], *sizes = &c->in[1];
    if (columns->ndim != 3 || sizes->ndim != 10) return 0;
    for (int k = 0; k < 2; k++) {
        const size *at = sizes->shape + k;
        Side *s = &sides[k];
        for (int i = 0; i < 10; i += 2)
            if (at[i] < (i != 6) || at[i] > INT32_MAX) return 0;
        *s = (Side){at[0], at[2], at[4], at[6], at[8], 0};
        s->out = (s->in + 2 * s->border - s->spread * (s->kernel - 1) - 1) / s->step + 1;
        if (s->out < 1) return 0;
    }
    return times(sides[0].out, sides[1].out) == columns->shape[2] && columns->shape[1] % times(sides[0].kernel, sides[1].kernel) == 0;
}

static int columns_plan(Call *c) {
    const Argument *columns = &c->in[0];
    Side sides[2];
    size all;
    if (columns->kind == PLAIN || columns->kind == INT64 || columns->kind == UINT32) return 0;
    if (columns->ndim != 3 || columns->count == 0 || !sides_of(c, sides)) return 0;
    const size channels = columns->shape[1] / (sides[0].kernel * sides[1].kernel);
    if (__builtin_mul_overflow(sides[0].in, sides[1].in, &all) || __builtin_mul_overflow(all, columns->shape[0] * channels, &all)) return 0;
    Argument *out = result(c, 0);
    add_dimension(out, columns->shape[0]);
    add_dimension(out, channels);
    add_dimension(out, sides[0].in);
    add_dimension(out, sides[1].in);
    c->lines = columns->shape[0] * channels;
    c->each = times(sides[0].kernel * sides[1].kernel, columns->shape[2]) + sides[0].in * sides[1].in;
    return c->lines > 0;
}

/* The windows whose element at `place` lies within the image. */
INLINE void inside(const Side *s, size place, size *first, size *end) {
    const size before = s->border - place * s->spread, last = s->in - 1 + before;
    *first = before > 0 ? (before + s->step - 1) / s->step : 0;
    *end = last < 0 ? 0 : last / s->step + 1 < s->out ? last / s->step + 1 : s->out;
}

#define ROW(T, name)                                                                                     \
    WIDE static void name##_row(T *to, const T *from, size step, size n) {                               \
        if (step == 1) {                                                                                 \
            INDEPENDENT                                                                                  \
            for (size j = 0; j < n; j++) to[j] += from[j];                                               \
        } else {                                                                                         \
            for (size j = 0; j < n; j++) to[j * step] += from[j];                                        \
        }                                                                                                \
    }

/* A row of a half type: each sum is rounded. */
#define PIECE 256
static void half_row(int brain, uint16_t *to, const uint16_t *from, size step, size n) {
    uint16_t near[PIECE];
    float sums[PIECE], more[PIECE];
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        for (size j = 0; j < m; j++) near[j] = to[(done + j) * step];
        halves_to_floats(brain, near, sums, m);
        halves_to_floats(brain, from + done, more, m);
        for (size j = 0; j < m; j++) sums[j] += more[j];
        floats_to_halves(brain, sums, near, m);
        for (size j = 0; j < m; j++) to[(done + j) * step] = near[j];
    }
}
static void added_halves_row(uint16_t *to, const uint16_t *from, size step, size n) { half_row(0, to, from, step, n); }
static void added_brains_row(uint16_t *to, const uint16_t *from, size step, size n) { half_row(1, to, from, step, n); }

#define ADDED(T, name)                                                                                   \
    static void name(Call *c, const T *columns, T *image, const Side *high, const Side *wide) {          \
        memset(image, 0, high->in * wide->in * sizeof *image);                                           \
        for (size a = 0; a < high->kernel; a++)                                                          \
            for (size b = 0; b < wide->kernel; b++, columns += high->out * wide->out) {                  \
                size top, bottom, left, right;                                                           \
                inside(high, a, &top, &bottom);                                                          \
                inside(wide, b, &left, &right);                                                          \
                for (size i = top; i < bottom && left < right; i++)                                      \
                    name##_row(image + (i * high->step - high->border + a * high->spread) * wide->in +   \
                                   left * wide->step - wide->border + b * wide->spread,                  \
                               columns + i * wide->out + left, wide->step, right - left);                \
                if (ends(c, high->out * wide->out)) return;                                              \
            }                                                                                            \
    }
ROW(float, added_floats)
ROW(double, added_doubles)
ADDED(float, added_floats)
ADDED(double, added_doubles)
ADDED(uint16_t, added_halves)
ADDED(uint16_t, added_brains)

static int columns_added(Call *c, size from, size to) {
    const Argument *columns = &c->in[0];
    Side sides[2];
    if (!sides_of(c, sides)) return 0;
    const size of_image = sides[0].in * sides[1].in, of_columns = sides[0].kernel * sides[1].kernel * columns->shape[2];
#define PLANES(T, name)                                                                                  \
    for (size plane = from; plane < to; plane++)                                                         \
        name(c, (const T *)columns->data + plane * of_columns, (T *)c->out[0].data + plane * of_image, &sides[0], &sides[1])
    if (columns->kind == FLOAT32) PLANES(float, added_floats);
    else if (columns->kind == FLOAT64) PLANES(double, added_doubles);
    else if (columns->kind == HALF) PLANES(uint16_t, added_halves);
    else PLANES(uint16_t, added_brains);
    return 1;
}

/* columns_made(images, sizes): the windows of images (N, C, *S) as columns (N, C * prod K, L), zeros where they reach over an edge; sizes:
   of the kernel, the stride, the padding, the dilation and the result, each for all dimensions of S. */
#define MOST_MADE (1 << 20)
static int all_sides(const Call *c, Side *sides) {
    const Argument *x = &c->in[0], *sizes = &c->in[1];
    const int d = x->ndim - 2;
    if (d < 1 || d > 3 || sizes->ndim != 5 * d) return 0;
    for (int i = 0; i < 5 * d; i++)
        if (sizes->shape[i] < (i / d != 2) || sizes->shape[i] > MOST_MADE) return 0;
    for (int k = 0; k < 3; k++) sides[k] = (Side){1, 1, 1, 0, 1, 1};
    for (int k = 0; k < d; k++) {
        const size *at = sizes->shape + k;
        sides[3 - d + k] = (Side){x->shape[2 + k], at[0], at[d], at[2 * d], at[3 * d], at[4 * d]};
    }
    return 1;
}
static size cells(const Side *sides) { return times(times(sides[0].out, sides[1].out), sides[2].out); }
static size taps(const Side *sides) { return times(times(sides[0].kernel, sides[1].kernel), sides[2].kernel); }

static int made_plan(Call *c) {
    const Argument *x = &c->in[0];
    Side sides[3];
    if (x->ndim < 3 || x->count == 0 || (x->item & (x->item - 1)) || x->item > 8 || !all_sides(c, sides)) return 0;
    c->each = times(cells(sides), taps(sides));
    c->lines = x->shape[0] * x->shape[1], c->apart = 1;
    if (times(c->each, c->lines) > MOST_MADE) return 0;
    Argument *out = result(c, 0);
    add_dimension(out, x->shape[0]);
    add_dimension(out, x->shape[1] * taps(sides));
    add_dimension(out, cells(sides));
    return 1;
}

#define MADE(T, name)                                                                                    \
    static void name(const T *image, const Side *s, T *to) {                                             \
        for (size tap = 0, all = taps(s); tap < all; tap++) {                                            \
            const size place[3] = {tap / s[2].kernel / s[1].kernel, tap / s[2].kernel % s[1].kernel, tap % s[2].kernel}; \
            size first[3], end[3];                                                                       \
            for (int k = 0; k < 3; k++) inside(&s[k], place[k], &first[k], &end[k]);                     \
            const size left = first[2] < end[2] ? first[2] : 0, right = first[2] < end[2] ? end[2] : 0;  \
            for (size a = 0; a < s[0].out; a++)                                                          \
                for (size b = 0; b < s[1].out; b++, to += s[2].out) {                                    \
                    const int within = a >= first[0] && a < end[0] && b >= first[1] && b < end[1];       \
                    const size layer = a * s[0].step - s[0].border + place[0] * s[0].spread;             \
                    const size row = b * s[1].step - s[1].border + place[1] * s[1].spread;               \
                    const size at = (layer * s[1].in + row) * s[2].in - s[2].border + place[2] * s[2].spread; \
                    const size from = within ? left : 0, until = within ? right : 0;                     \
                    for (size j = 0; j < from; j++) to[j] = 0;                                           \
                    if (s[2].step == 1 && from < until) copy_piece((const char *)(image + at + from), (char *)(to + from), (until - from) * (size)sizeof(T)); \
                    else for (size j = from; j < until; j++) to[j] = image[at + j * s[2].step];          \
                    for (size j = until; j < s[2].out; j++) to[j] = 0;                                   \
                }                                                                                        \
        }                                                                                                \
    }
MADE(uint8_t, made_bytes)
MADE(uint16_t, made_shorts)
MADE(uint32_t, made_words)
MADE(uint64_t, made_longs)

static int columns_made(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    Side sides[3];
    if (!all_sides(c, sides)) return 0;
    const size volume = x->count / (x->shape[0] * x->shape[1]);
    for (size plane = from; plane < to; plane++) {
        const char *image = (const char *)x->data + plane * volume * x->item;
        char *out = (char *)c->out[0].data + plane * c->each * x->item;
        if (x->item == 1) made_bytes((const uint8_t *)image, sides, (uint8_t *)out);
        else if (x->item == 2) made_shorts((const uint16_t *)(const void *)image, sides, (uint16_t *)(void *)out);
        else if (x->item == 4) made_words((const uint32_t *)(const void *)image, sides, (uint32_t *)(void *)out);
        else made_longs((const uint64_t *)(const void *)image, sides, (uint64_t *)(void *)out);
    }
    return 1;
}

const Kernel window_kernels[] = {
    {"columns_made", "a~t", made_plan, columns_made, "columns_made(images, sizes): columns of windows, zeros beyond the edges"},
    {"columns_added", "at", columns_plan, columns_added, "columns_added(columns, sizes): columns of windows added into images"},
    {0},
};
