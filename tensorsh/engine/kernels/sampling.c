/* Images at the points of a grid, in two dimensions: of the nearest element, or between four with PyTorch's roundings, whose sum its
   compiler fuses. What lies beside the image is zero. */
#include "vector_math.h"

#define POINTS 256 /* at a time */

/* Of some points: where the elements around them lie, the weights of these, and whether one is beside the image, where it counts as
   zero. First the upper left one, then the upper right, the lower left and the lower right; `sides`: how near a point is to the
   left, the right, the upper and the lower ones, that is the weight of what lies there. */
struct corners {
    int32_t at[4][POINTS], beside[4][POINTS];
    float weights[4][POINTS], sides[4][POINTS];
};
enum { LEFT, RIGHT, UPPER, LOWER };

#define CORNER(k, column, row, weight)                                                                                    \
    do {                                                                                                                  \
        const float x_ = column, y_ = row;                                                                                \
        const int inside = (x_ >= 0) & (y_ >= 0) & (x_ < (float)width) & (y_ < (float)height);                            \
        c->at[k][j] = (int32_t)(inside ? y_ : 0.0f) * width + (int32_t)(inside ? x_ : 0.0f);                              \
        c->weights[k][j] = weight, c->beside[k][j] = !inside;                                                             \
    } while (0)

WIDE static void find_corners(const float *xs, const float *ys, int n, int32_t width, int32_t height, struct corners *c) {
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        const float x = xs[j], y = ys[j], left = __builtin_floorf(x), top = __builtin_floorf(y);
        const float right_part = x - left, lower_part = y - top, left_part = 1 - right_part, upper_part = 1 - lower_part;
        c->sides[LEFT][j] = left_part, c->sides[RIGHT][j] = right_part;
        c->sides[UPPER][j] = upper_part, c->sides[LOWER][j] = lower_part;
        CORNER(0, left, top, left_part * upper_part);
        CORNER(1, left + 1, top, right_part * upper_part);
        CORNER(2, left, top + 1, left_part * lower_part);
        CORNER(3, left + 1, top + 1, right_part * lower_part);
    }
}

WIDE static void find_nearest(const float *xs, const float *ys, int n, int32_t width, int32_t height, struct corners *c) {
    INDEPENDENT
    for (int j = 0; j < n; j++) CORNER(0, __builtin_rintf(xs[j]), __builtin_rintf(ys[j]), 1);
}

/* The element at a corner, or zero: an element is read in any case, the first one where it is beside. */
INLINE float value(const float *plane, const struct corners *c, int k, int j) {
    const float found = plane[c->at[k][j]];
    return c->beside[k][j] ? 0.0f : found;
}

WIDE static void between(const float *plane, const struct corners *c, int n, float *out) {
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        const float *w = &c->weights[0][j];
        out[j] = FMAF(value(plane, c, 3, j), w[3 * POINTS], FMAF(value(plane, c, 2, j), w[2 * POINTS],
                      FMAF(value(plane, c, 1, j), w[POINTS], value(plane, c, 0, j) * w[0])));
    }
}

WIDE static void nearest(const float *plane, const struct corners *c, int n, float *out) {
    INDEPENDENT
    for (int j = 0; j < n; j++) out[j] = value(plane, c, 0, j);
}

/* Adds to the gradients of the places, of a plane and the gradient of its samples. */
WIDE static void add_slopes(const float *plane, const float *g, const struct corners *c, int n, float *dx, float *dy) {
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        const float nw = value(plane, c, 0, j), ne = value(plane, c, 1, j), sw = value(plane, c, 2, j), se = value(plane, c, 3, j);
        dx[j] = FMAF(FMAF(se - sw, c->sides[LOWER][j], (ne - nw) * c->sides[UPPER][j]), g[j], dx[j]);
        dy[j] = FMAF(FMAF(se - ne, c->sides[RIGHT][j], (sw - nw) * c->sides[LEFT][j]), g[j], dy[j]);
    }
}

/* Adds the gradient of samples to that of a plane: as PyTorch's vectors do, eight points at one corner, then at the next. */
static void add_samples(const float *g, const struct corners *c, int n, int corners, float *plane) {
    for (int first = 0; first < n; first += 8)
        for (int k = 0; k < corners; k++)
            for (int j = first; j < n && j < first + 8; j++)
                if (!c->beside[k][j]) plane[c->at[k][j]] += c->weights[k][j] * g[j];
}

/* An image (N, C, H, W), places in it (N, P), and what is of each sample (N, C, P). */
static int fit(const Argument *image, const Argument *y, const Argument *x, const Argument *samples) {
    if (image->ndim != 4 || y->ndim != 2 || samples->ndim != 3 || !has_shape(x, 2, y->shape) || image->count == 0) return 0;
    if (samples->shape[0] != image->shape[0] || samples->shape[1] != image->shape[1] || y->shape[0] != image->shape[0]) return 0;
    if (samples->shape[2] != y->shape[1] || times(image->shape[2], image->shape[3]) > INT32_MAX) return 0;
    return image->shape[2] <= 1 << 24 && image->shape[3] <= 1 << 24; /* exact as floats */
}

/* sampled(image, y, x, out, nearest) */
static int sampled_plan(Call *c) {
    if (!fit(&c->in[0], &c->in[1], &c->in[2], &c->in[3])) return 0;
    c->answer = 3;
    c->lines = c->in[0].shape[0], c->each = times(c->in[3].count / c->lines, 4);
    return 1;
}

static int sampled(Call *c, size from, size to) {
    const Argument *image = &c->in[0];
    const size channels = image->shape[1], height = image->shape[2], width = image->shape[3], points = c->in[3].shape[2];
    const int only_nearest = c->in[4].whole != 0;
    struct corners found;
    for (size sample = from; sample < to; sample++) {
        const float *planes = (const float *)image->data + sample * channels * height * width;
        const float *ys = (const float *)c->in[1].data + sample * points, *xs = (const float *)c->in[2].data + sample * points;
        float *out = (float *)c->in[3].data + sample * channels * points;
        for (size first = 0; first < points && !ends(c, POINTS * channels); first += POINTS) {
            const int n = points - first < POINTS ? (int)(points - first) : POINTS;
            (only_nearest ? find_nearest : find_corners)(xs + first, ys + first, n, (int32_t)width, (int32_t)height, &found);
            for (size k = 0; k < channels; k++)
                (only_nearest ? nearest : between)(planes + k * height * width, &found, n, out + k * points + first);
        }
    }
    return 1;
}

/* sampled_backward(gradient, image, y, x, of the image: zeros, of y: zeros, of x: zeros, nearest) */
static int sampled_backward_plan(Call *c) {
    const Argument *g = &c->in[0], *image = &c->in[1], *y = &c->in[2], *x = &c->in[3];
    if (!fit(image, y, x, g) || !has_shape(&c->in[4], 4, image->shape)) return 0;
    if (!has_shape(&c->in[5], 2, y->shape) || !has_shape(&c->in[6], 2, y->shape)) return 0;
    c->answer = 4;
    c->lines = image->shape[0], c->each = times(g->count / c->lines, 12);
    return 1;
}

static int sampled_backward(Call *c, size from, size to) {
    const Argument *image = &c->in[1];
    const size channels = image->shape[1], height = image->shape[2], width = image->shape[3], points = c->in[0].shape[2];
    const int only_nearest = c->in[7].whole != 0;
    struct corners found;
    for (size sample = from; sample < to; sample++) {
        const size plane = height * width, at = sample * points;
        const float *planes = (const float *)image->data + sample * channels * plane;
        const float *g = (const float *)c->in[0].data + at * channels;
        const float *ys = (const float *)c->in[2].data + at, *xs = (const float *)c->in[3].data + at;
        float *made = (float *)c->in[4].data + sample * channels * plane;
        float *dy = (float *)c->in[5].data + at, *dx = (float *)c->in[6].data + at;
        for (size first = 0; first < points && !ends(c, 3 * POINTS * channels); first += POINTS) {
            const int n = points - first < POINTS ? (int)(points - first) : POINTS;
            (only_nearest ? find_nearest : find_corners)(xs + first, ys + first, n, (int32_t)width, (int32_t)height, &found);
            for (size k = 0; k < channels; k++) {
                add_samples(g + k * points + first, &found, n, only_nearest ? 1 : 4, made + k * plane);
                if (!only_nearest) add_slopes(planes + k * plane, g + k * points + first, &found, n, dx + first, dy + first);
            }
        }
    }
    return 1;
}

const Kernel sampling_kernels[] = {
    {"sampled", "fffFb", sampled_plan, sampled, "sampled(image, y, x, out, nearest)"},
    {"sampled_backward", "ffffFFFb", sampled_backward_plan, sampled_backward,
     "sampled_backward(gradient, image, y, x, of the image, of y, of x, nearest): adds to what is of the last three arrays"},
    {0},
};
