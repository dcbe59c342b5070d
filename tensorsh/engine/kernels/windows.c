/* Columns of windows, added into the images that they were taken of. */
#include "kernels.h"

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

#define ADDED(T, name)                                                                                   \
    WIDE static void name##_row(T *to, const T *from, size step, size n) {                               \
        if (step == 1) {                                                                                 \
            INDEPENDENT                                                                                  \
            for (size j = 0; j < n; j++) to[j] += from[j];                                               \
        } else {                                                                                         \
            for (size j = 0; j < n; j++) to[j * step] += from[j];                                        \
        }                                                                                                \
    }                                                                                                    \
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
ADDED(float, added_floats)
ADDED(double, added_doubles)

static int columns_added(Call *c, size from, size to) {
    const Argument *columns = &c->in[0];
    Side sides[2];
    if (!sides_of(c, sides)) return 0;
    const size of_image = sides[0].in * sides[1].in, of_columns = sides[0].kernel * sides[1].kernel * columns->shape[2];
    for (size plane = from; plane < to; plane++) {
        if (columns->kind == FLOAT32)
            added_floats(c, (const float *)columns->data + plane * of_columns, (float *)c->out[0].data + plane * of_image, &sides[0], &sides[1]);
        else
            added_doubles(c, (const double *)columns->data + plane * of_columns, (double *)c->out[0].data + plane * of_image, &sides[0], &sides[1]);
    }
    return 1;
}

const Kernel window_kernels[] = {
    {"columns_added", "rt", columns_plan, columns_added, "columns_added(columns, sizes): columns of windows added into images"},
    {0},
};
