/* Images at the points of a grid, in two dimensions: of the nearest element, or between four with PyTorch's roundings, whose sum its
   compiler fuses. What lies beside the image is zero. */
#include "vector_math.h"

#define POINTS 256 /* at a time */

/* An element and its weight, 0 and no element beside the image. */
INLINE void corner(float x, float y, float weight, size width, size height, int32_t *at, float *weights, int32_t *beside) {
    const int inside = x >= 0 && y >= 0 && x < (float)width && y < (float)height;
    *at = inside ? (int32_t)((size)y * width + (size)x) : 0;
    *weights = weight, *beside = !inside;
}

/* The element at a place, or zero. */
#define VALUE(k) (beside[k][j] ? 0.0f : plane[at[k][j]])

WIDE static void between(const float *plane, const int32_t (*at)[POINTS], const int32_t (*beside)[POINTS],
                         const float (*weights)[POINTS], int n, float *out) {
    for (int j = 0; j < n; j++) {
        const float a = VALUE(0), b = VALUE(1), c = VALUE(2), d = VALUE(3);
        out[j] = FMAF(d, weights[3][j], FMAF(c, weights[2][j], FMAF(b, weights[1][j], a * weights[0][j])));
    }
}

WIDE static void nearest(const float *plane, const int32_t (*at)[POINTS], const int32_t (*beside)[POINTS], int n, float *out) {
    for (int j = 0; j < n; j++) out[j] = VALUE(0);
}

/* sampled(image, y, x, out, nearest): image (N, C, H, W); y and x (N, P), places in the image; out (N, C, P). */
static int sampled_plan(Call *c) {
    const Argument *image = &c->in[0], *y = &c->in[1], *x = &c->in[2], *out = &c->in[3];
    if (image->ndim != 4 || y->ndim != 2 || out->ndim != 3 || !has_shape(x, 2, y->shape) || image->count == 0) return 0;
    if (out->shape[0] != image->shape[0] || out->shape[1] != image->shape[1] || y->shape[0] != image->shape[0]) return 0;
    if (out->shape[2] != y->shape[1] || times(image->shape[2], image->shape[3]) > INT32_MAX) return 0;
    if (image->shape[2] > 1 << 24 || image->shape[3] > 1 << 24) return 0; /* exact as floats */
    c->answer = 3;
    c->lines = image->shape[0], c->each = times(out->count / image->shape[0], 4);
    return 1;
}

static int sampled(Call *c, size from, size to) {
    const Argument *image = &c->in[0];
    const size channels = image->shape[1], height = image->shape[2], width = image->shape[3], points = c->in[3].shape[2];
    int32_t at[4][POINTS], beside[4][POINTS];
    float weights[4][POINTS];
    for (size sample = from; sample < to; sample++) {
        const float *planes = (const float *)image->data + sample * channels * height * width;
        const float *ys = (const float *)c->in[1].data + sample * points, *xs = (const float *)c->in[2].data + sample * points;
        float *out = (float *)c->in[3].data + sample * channels * points;
        for (size first = 0; first < points && !ends(c, POINTS * channels); first += POINTS) {
            const int n = points - first < POINTS ? (int)(points - first) : POINTS;
            for (int j = 0; j < n; j++) {
                const float x = xs[first + j], y = ys[first + j];
                if (c->in[4].whole) {
                    corner(__builtin_rintf(x), __builtin_rintf(y), 1, width, height, &at[0][j], &weights[0][j], &beside[0][j]);
                    continue;
                }
                const float left = __builtin_floorf(x), top = __builtin_floorf(y), w = x - left, n_ = y - top, e = 1 - w, s = 1 - n_;
                corner(left, top, e * s, width, height, &at[0][j], &weights[0][j], &beside[0][j]);
                corner(left + 1, top, w * s, width, height, &at[1][j], &weights[1][j], &beside[1][j]);
                corner(left, top + 1, e * n_, width, height, &at[2][j], &weights[2][j], &beside[2][j]);
                corner(left + 1, top + 1, w * n_, width, height, &at[3][j], &weights[3][j], &beside[3][j]);
            }
            for (size k = 0; k < channels; k++) {
                const float *plane = planes + k * height * width;
                float *to_point = out + k * points + first;
                if (c->in[4].whole) nearest(plane, (const int32_t(*)[POINTS])at, (const int32_t(*)[POINTS])beside, n, to_point);
                else between(plane, (const int32_t(*)[POINTS])at, (const int32_t(*)[POINTS])beside, (const float(*)[POINTS])weights, n, to_point);
            }
        }
    }
    return 1;
}

const Kernel sampling_kernels[] = {
    {"sampled", "fffFb", sampled_plan, sampled, "sampled(image, y, x, out, nearest)"},
    {0},
};
