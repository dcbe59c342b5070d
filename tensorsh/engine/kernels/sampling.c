/* Images of float32 at the points of a grid, in two dimensions: of the nearest element, or between four with PyTorch's roundings, whose
   sum its compiler fuses. What lies beside the image is zero. */
#include "vector_math.h"

#include "grids.h"

#define POINTS 256 /* at a time */

PADDED(float, singles, __builtin_floorf)

enum { HIGH, WIDTH };
enum { FIRST, SECOND, BESIDE };

/* Of some points: their places in the image along both dimensions, the derivatives of these by the grid's coordinates, and how near they
   are to what lies below and above, that is the weight of that. The elements around a point stand in two pairs that lie side by side in
   memory: where these begin, which of a pair each corner is, and the corners' weights. First the upper left one, then the upper right,
   the lower left and the lower right. */
struct corners {
    float places[2][POINTS], scales[2][POINTS], sides[2][2][POINTS], weights[4][POINTS];
    int32_t pairs[2][POINTS], which[4][POINTS];
    int plain; /* whether all corners are in the image, the first and the second of their pairs */
};

/* A point of the grid is read once: see `place_at`. */
WIDE static void find_places(const Grid *t, const float *grid, int n, struct corners *c) {
    for (int j = 0; j < n; j++)
        for (int d = 0; d < 2; d++) c->places[d][j] = *(const volatile float *)(grid + 2 * j + 1 - d);
    for (int d = 0; d < 2; d++) {
        const float extent = (float)t->sizes[d], half = t->align ? (extent - 1) / 2 : extent / 2;
        float *const places = c->places[d], *const scales = c->scales[d];
        for (int j = 0; j < n; j++) {
            const float x = places[j] + 1;
            places[j] = t->align ? x * half : FMAF(x, half, -0.5f), scales[j] = half;
        }
        for (int j = 0; t->padding != ZEROS && j < n; j++) {
            float slope;
            places[j] = singles_inside(t, t->padding, places[j], extent, &slope);
            scales[j] = slope * half;
        }
    }
}

/* The nearest of n elements. */
INLINE float bounded(float x, float n) {
    const float above = x > 0 ? x : 0;
    return above < n - 1 ? above : n - 1;
}

/* A pair of elements of a row, which begins at `left`, and is the last one of the image at the latest. */
#define PAIR(k, left, row)                                                                                                \
    do {                                                                                                                  \
        const float x_ = left, y_ = row;                                                                                  \
        const int inside = (y_ >= 0) & (y_ < height), low = inside & (x_ >= 0) & (x_ < width), high = inside & (x_ + 1 >= 0) & (x_ + 1 < width); \
        const int32_t from = (int32_t)bounded(x_, width), to = (int32_t)bounded(x_ + 1, width);                           \
        const int32_t at = (int32_t)bounded(y_, height) * columns + from, pair = at < last ? at : last;                   \
        const int32_t first = low ? at - pair : BESIDE, second = high ? at - pair + to - from : BESIDE;                   \
        c->pairs[k][j] = pair, c->which[2 * (k)][j] = first, c->which[2 * (k) + 1][j] = second;                           \
        other |= (first ^ FIRST) | (corners == 1 ? 0 : second ^ SECOND);                                                  \
    } while (0)

INLINE void find(const Grid *t, int n, struct corners *c, const int corners) {
    const float height = (float)t->sizes[HIGH], width = (float)t->sizes[WIDTH];
    const int32_t columns = (int32_t)t->sizes[WIDTH], last = t->elements > 2 ? (int32_t)t->elements - 2 : 0;
    int32_t other = 0;
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        const float x = c->places[WIDTH][j], y = c->places[HIGH][j];
        if (corners == 1) {
            PAIR(0, __builtin_rintf(x), __builtin_rintf(y));
            continue;
        }
        const float left = __builtin_floorf(x), top = __builtin_floorf(y);
        const float right_part = x - left, lower_part = y - top, left_part = 1 - right_part, upper_part = 1 - lower_part;
        c->sides[WIDTH][FIRST][j] = left_part, c->sides[WIDTH][SECOND][j] = right_part;
        c->sides[HIGH][FIRST][j] = upper_part, c->sides[HIGH][SECOND][j] = lower_part;
        c->weights[0][j] = left_part * upper_part, c->weights[1][j] = right_part * upper_part;
        c->weights[2][j] = left_part * lower_part, c->weights[3][j] = right_part * lower_part;
        PAIR(0, left, top);
        PAIR(1, left, top + 1);
    }
    c->plain = other == 0;
}
WIDE static void find_corners(const Grid *t, int n, struct corners *c) { find(t, n, c, 4); }
WIDE static void find_nearest(const Grid *t, int n, struct corners *c) { find(t, n, c, 1); }

/* The pairs of elements of an image around the points; an image of one element has it twice. */
INLINE void take_pairs(const float *image, size elements, const int32_t *pairs, int n, float (*found)[2]) {
    const float one[2] = {image[0], image[0]}, *from = elements > 1 ? image : one;
    for (int j = 0; j < n; j++) memcpy(found[j], from + pairs[j], sizeof found[j]);
}
INLINE float corner(const float *pair, int usual, int32_t which, const int plain) {
    const float first = pair[0], second = pair[1], found = which == FIRST ? first : second;
    return plain ? pair[usual] : which == BESIDE ? 0.0f : found;
}
#define CORNERS(plain)                                                                                                    \
    const float nw = corner(above[j], FIRST, c->which[0][j], plain), ne = corner(above[j], SECOND, c->which[1][j], plain); \
    const float sw = corner(below[j], FIRST, c->which[2][j], plain), se = corner(below[j], SECOND, c->which[3][j], plain)

INLINE void mixed(const float (*above)[2], const float (*below)[2], const struct corners *c, int n, const int plain, float *out) {
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        CORNERS(plain);
        out[j] = FMAF(se, c->weights[3][j], FMAF(sw, c->weights[2][j], FMAF(ne, c->weights[1][j], nw * c->weights[0][j])));
    }
}
WIDE static void between(const float *image, size elements, const struct corners *c, int n, float *out) {
    float above[POINTS][2], below[POINTS][2];
    take_pairs(image, elements, c->pairs[0], n, above);
    take_pairs(image, elements, c->pairs[1], n, below);
    if (c->plain) mixed(above, below, c, n, 1, out);
    else mixed(above, below, c, n, 0, out);
}

WIDE static void nearest(const float *image, size elements, const struct corners *c, int n, float *out) {
    float found[POINTS][2];
    take_pairs(image, elements, c->pairs[0], n, found);
    for (int j = 0; j < n; j++) out[j] = corner(found[j], FIRST, c->which[0][j], 0);
}

/* Adds to the gradients of the places, of an image and the gradient of its samples. */
INLINE void sloped(const float (*above)[2], const float (*below)[2], const float *g, const struct corners *c, int n, const int plain, float *dx, float *dy) {
    INDEPENDENT
    for (int j = 0; j < n; j++) {
        CORNERS(plain);
        dx[j] = FMAF(FMAF(se - sw, c->sides[HIGH][SECOND][j], (ne - nw) * c->sides[HIGH][FIRST][j]), g[j], dx[j]);
        dy[j] = FMAF(FMAF(se - ne, c->sides[WIDTH][SECOND][j], (sw - nw) * c->sides[WIDTH][FIRST][j]), g[j], dy[j]);
    }
}
WIDE static void add_slopes(const float *image, size elements, const float *g, const struct corners *c, int n, float *dx, float *dy) {
    float above[POINTS][2], below[POINTS][2];
    take_pairs(image, elements, c->pairs[0], n, above);
    take_pairs(image, elements, c->pairs[1], n, below);
    if (c->plain) sloped(above, below, g, c, n, 1, dx, dy);
    else sloped(above, below, g, c, n, 0, dx, dy);
}

/* Adds the gradient of samples to that of an image: as PyTorch's vectors do, eight points at one corner, then at the next. */
INLINE void add_to_corners(const float (*terms)[POINTS], const struct corners *c, int n, int corners, const int plain, float *image) {
    for (int first = 0; first < n; first += 8)
        for (int k = 0; k < corners; k++)
            for (int j = first; j < n && j < first + 8; j++) {
                const int32_t which = plain ? k % 2 : c->which[k][j];
                if (plain || which != BESIDE) image[c->pairs[k / 2][j] + which] += terms[k][j];
            }
}
WIDE static void add_samples(const float *g, const struct corners *c, int n, int corners, float *image) {
    float terms[4][POINTS];
    for (int k = 0; k < corners; k++)
        for (int j = 0; j < n; j++) terms[k][j] = corners == 1 ? g[j] : c->weights[k][j] * g[j];
    if (c->plain) add_to_corners(terms, c, n, corners, 1, image);
    else add_to_corners(terms, c, n, corners, 0, image);
}

/* Images (N, C, elements) in two dimensions, between their elements or the nearest ones. */
static int fit(const Call *c, Grid *t) {
    if (!grid_of(t, &c->in[0], &c->in[1], &c->in[2], &c->in[4], &c->in[3])) return 0;
    return t->dims == 2 && t->mode != BICUBIC;
}

/* sampled(image, sizes, grid, (mode, padding, align), out) */
static int sampled_plan(Call *c) {
    Grid t;
    if (!fit(c, &t)) return 0;
    c->answer = 4;
    c->lines = c->in[0].shape[0], c->each = times(c->in[4].count / c->lines, 4);
    return 1;
}

static int sampled(Call *c, size from, size to) {
    Grid t;
    fit(c, &t);
    struct corners found;
    for (size sample = from; sample < to; sample++) {
        const float *images = (const float *)c->in[0].data + sample * t.channels * t.elements;
        const float *grid = (const float *)c->in[2].data + 2 * sample * t.points;
        float *out = (float *)c->in[4].data + sample * t.channels * t.points;
        for (size first = 0; first < t.points && !ends(c, POINTS * t.channels); first += POINTS) {
            const int n = t.points - first < POINTS ? (int)(t.points - first) : POINTS;
            find_places(&t, grid + 2 * first, n, &found);
            (t.mode == NEAREST ? find_nearest : find_corners)(&t, n, &found);
            for (size k = 0; k < t.channels; k++)
                (t.mode == NEAREST ? nearest : between)(images + k * t.elements, t.elements, &found, n, out + k * t.points + first);
        }
    }
    return 1;
}

/* sampled_backward(image, sizes, grid, (mode, padding, align), gradient, of the image: zeros, of the grid) */
static int sampled_backward_plan(Call *c) {
    Grid t;
    if (!fit(c, &t) || !has_shape(&c->in[5], 3, c->in[0].shape) || !has_shape(&c->in[6], 3, c->in[2].shape)) return 0;
    c->answer = 5;
    c->lines = c->in[0].shape[0], c->each = times(c->in[4].count / c->lines, 12);
    return 1;
}

static int sampled_backward(Call *c, size from, size to) {
    Grid t;
    fit(c, &t);
    struct corners found;
    for (size sample = from; sample < to; sample++) {
        const size at = sample * t.points, before = sample * t.channels * t.elements;
        const float *images = (const float *)c->in[0].data + before, *g = (const float *)c->in[4].data + at * t.channels;
        float *made = (float *)c->in[5].data + before;
        for (size first = 0; first < t.points && !ends(c, 3 * POINTS * t.channels); first += POINTS) {
            const int n = t.points - first < POINTS ? (int)(t.points - first) : POINTS;
            float along[2][POINTS] = {{0}}, *slopes = (float *)c->in[6].data + 2 * (at + first);
            find_places(&t, (const float *)c->in[2].data + 2 * (at + first), n, &found);
            (t.mode == NEAREST ? find_nearest : find_corners)(&t, n, &found);
            for (size k = 0; k < t.channels; k++) {
                const float *const of = g + k * t.points + first;
                add_samples(of, &found, n, t.mode == NEAREST ? 1 : 4, made + k * t.elements);
                if (t.mode != NEAREST) add_slopes(images + k * t.elements, t.elements, of, &found, n, along[WIDTH], along[HIGH]);
            }
            for (int j = 0; j < n; j++)
                for (int d = 0; d < 2; d++) slopes[2 * j + 1 - d] = along[d][j] * found.scales[d][j];
        }
    }
    return 1;
}

const Kernel sampling_kernels[] = {
    {"sampled", "ftftF", sampled_plan, sampled, "sampled(image, sizes, grid, (mode, padding, align), out)"},
    {"sampled_backward", "ftftfFF", sampled_backward_plan, sampled_backward,
     "sampled_backward(image, sizes, grid, (mode, padding, align), gradient, of the image, of the grid): adds to what is of the image"},
    {0},
};
