/* Images at the points of a grid in two or three dimensions: along each a point has one, two or four taps, and a sample is the sum
   over their combinations; and the gradients. ops/nn/grid_sampling.py has the formulas, whose steps these are. */
#include "grids.h"

#define MOST_TAPS 4
#define MOST 64  /* combinations */
#define MANY 32  /* points whose taps are found at a time */
#define BLOCK 4  /* channels that are added up side by side */

INLINE size blocks_of(const Grid *t) { return (t->points + MANY - 1) / MANY; }

#define TAPS(mode) ((mode) == BICUBIC ? 4 : (mode) == NEAREST ? 1 : 2)

#define GRID(T, name, floor, fabs)                                                                         \
    /* Keys' cubic kernel with a = -0.75, nearer than 1 and beyond, and its slope. */                      \
    INLINE T name##_near(T x, T *slope) {                                                                  \
        *slope = ((T)3.75 * x - (T)4.5) * x;                                                               \
        return ((T)1.25 * x - (T)2.25) * x * x + 1;                                                        \
    }                                                                                                      \
    INLINE T name##_far(T x, T *slope) {                                                                   \
        *slope = ((T)-2.25 * x - (T)-7.5) * x + (T)-6.0;                                                   \
        return (((T)-0.75 * x - (T)-3.75) * x + (T)-6.0) * x - (T)-3.0;                                    \
    }                                                                                                      \
    /* The taps of a coordinate: places, weights and slopes by the place in the image; the derivative of that by the coordinate. */ \
    INLINE T name##_taps(const Grid *t, const int mode, const int padding, T at, size count, T *found, T *weights, T *slopes) { \
        const T n = (T)count, half = (T)(t->align ? (n - 1) / 2 : n / 2);                                  \
        T x = (at + 1) * half - (t->align ? 0 : (T)0.5), scale = 1;                                        \
        if (mode == BICUBIC) {                                                                             \
            const T low = floor(x), part = x - low;                                                        \
            T unused;                                                                                      \
            weights[0] = name##_far(part + 1, &slopes[0]), weights[1] = name##_near(part, &slopes[1]);     \
            weights[2] = name##_near(1 - part, &slopes[2]), weights[3] = name##_far(2 - part, &slopes[3]); \
            slopes[2] = -slopes[2], slopes[3] = -slopes[3];                                                \
            found[0] = name##_inside(t, padding, low - 1, n, &unused), found[1] = name##_inside(t, padding, low, n, &unused); \
            found[2] = name##_inside(t, padding, low + 1, n, &unused), found[3] = name##_inside(t, padding, low + 2, n, &unused); \
        } else {                                                                                           \
            x = name##_inside(t, padding, x, n, &scale);                                                   \
            x = fabs(x) < (T)0x1p31 ? x : -100;     /* infinities and NaN are outside */                   \
            if (mode == NEAREST) {                                                                         \
                found[0] = (T)rint(x), weights[0] = 1, slopes[0] = 0;                                      \
            } else {                                                                                       \
                found[0] = floor(x), found[1] = found[0] + 1;                                              \
                weights[0] = found[0] + 1 - x, weights[1] = x - found[0], slopes[0] = -1, slopes[1] = 1;   \
            }                                                                                              \
        }                                                                                                  \
        return scale * half;                                                                               \
    }                                                                                                      \
    /* The samples of so many channels, which are added up side by side; the first term begins a sum or is added to zero. */ \
    INLINE void name##_added(const T *image, size elements, const int32_t *at, const T *weights, int count, int begins, int m, T *out, size step) { \
        T a = 0, b = 0, c = 0, d = 0; /* not in an array, which would be written to memory between the terms */ \
        for (int k = 0; k < count; k++) {                                                                  \
            const size at_k = at[k * MANY], place = at_k < 0 ? 0 : at_k;                                   \
            const T weight = weights[k * MANY], *from = image + place;                                     \
            const int out_of_it = at_k < 0, first = begins && k == 0;                                      \
            T term = (out_of_it ? 0 : from[0]) * weight;                                                   \
            a = first ? term : a + term;                                                                   \
            if (m < BLOCK) continue;                                                                       \
            term = (out_of_it ? 0 : from[elements]) * weight, b = first ? term : b + term;                 \
            term = (out_of_it ? 0 : from[2 * elements]) * weight, c = first ? term : c + term;             \
            term = (out_of_it ? 0 : from[3 * elements]) * weight, d = first ? term : d + term;             \
        }                                                                                                  \
        out[0] = a;                                                                                        \
        if (m == BLOCK) out[step] = b, out[2 * step] = c, out[3 * step] = d;                               \
    }                                                                                                      \
    /* The taps of MANY points along each dimension, and their combinations, the innermost dimension's fastest: elements (-1 outside) and \
       weights; how many there are. */                                                                     \
    INLINE int name##_combined(const Grid *t, const int dims, const int mode, const int padding, const T *grid, size m, int32_t (*at)[MANY], T (*weights)[MANY], \
                               T (*factors)[MOST_TAPS][MANY], T (*slopes)[MOST_TAPS][MANY], T (*scales)[MANY]) { \
        const int taps = TAPS(mode);                                                                       \
        int count = 1;                                                                                     \
        for (int d = 0; d < dims; d++, count *= taps) {                                                    \
            const int32_t step = (int32_t)t->steps[d];                                                     \
            const T n = (T)t->sizes[d];                                                                    \
            int32_t places[MOST_TAPS][MANY];                                                               \
            T points[MANY] = {0}, found[MOST_TAPS][MANY], made[MOST_TAPS][MANY], bent[MOST_TAPS][MANY], scale[MANY]; \
            for (int j = 0; j < m; j++) points[j] = *(const volatile T *)(grid + j * dims + dims - 1 - d); \
            for (int j = 0; j < MANY; j++) {                                                               \
                T place[MOST_TAPS] = {0}, weight[MOST_TAPS] = {0}, slope[MOST_TAPS] = {0};                 \
                scale[j] = name##_taps(t, mode, padding, points[j], t->sizes[d], place, weight, slope);    \
                UNROLL(4)                                                                                  \
                for (int k = 0; k < taps; k++) found[k][j] = place[k], made[k][j] = weight[k], bent[k][j] = slope[k]; \
            }                                                                                              \
            for (int k = 0; k < taps; k++)                                                                 \
                for (int j = 0; j < MANY; j++) {                                                           \
                    const int within = (found[k][j] >= 0) & (found[k][j] < n);                             \
                    places[k][j] = (int32_t)(within ? found[k][j] : -1);                                   \
                    made[k][j] = within ? made[k][j] : 0, bent[k][j] = within ? bent[k][j] : 0;            \
                }                                                                                          \
            memcpy(factors[d], made, sizeof made);                                                         \
            if (slopes) memcpy(slopes[d], bent, sizeof bent), memcpy(scales[d], scale, sizeof scale);      \
            for (int k = count - 1; k >= 0; k--)                                                           \
                for (int tap = taps - 1; tap >= 0; tap--) {                                                \
                    const int32_t *const place = places[tap], *const before = at[k];                       \
                    const T *const factor = factors[d][tap], *const weight = weights[k];                   \
                    int32_t *const to = at[k * taps + tap];                                                \
                    T *const into = weights[k * taps + tap];                                               \
                    INDEPENDENT                                                                            \
                    for (int j = 0; j < MANY; j++) {                                                       \
                        const int32_t moved = (d == 0 ? 0 : before[j]) + place[j] * step;                  \
                        to[j] = place[j] < 0 || (d > 0 && before[j] < 0) ? -1 : moved;                     \
                        into[j] = d == 0 ? factor[j] : weight[j] * factor[j];                              \
                    }                                                                                      \
                }                                                                                          \
        }                                                                                                  \
        return count;                                                                                      \
    }                                                                                                      \
    /* `dims`, `mode` and `padding` are the grid's, and known where this is compiled. */                   \
    INLINE void name##_sampled(Call *c, const Grid *t, size from, size to, const int dims, const int mode, const int padding) { \
        int32_t at[MOST][MANY];                                                                            \
        T weights[MOST][MANY], factors[MOST_DIMS][MOST_TAPS][MANY];                                        \
        const int begins = dims == 2 && mode != BICUBIC;                                                   \
        int count = 1;                                                                                     \
        for (int d = 0; d < dims; d++) count *= TAPS(mode);                                                \
        for (size first = from, m; first < to; first += m) {                                               \
            const size n = first / t->points, place = first % t->points;                                   \
            m = t->points - place < to - first ? t->points - place : to - first;                           \
            m = m < MANY ? m : MANY;                                                                       \
            name##_combined(t, dims, mode, padding, (const T *)c->in[2].data + first * dims, m, at, weights, factors, NULL, NULL); \
            const T *image = (const T *)c->in[0].data + n * t->channels * t->elements;                     \
            T *out = (T *)c->in[4].data + n * t->channels * t->points + place;                             \
            for (size channel = 0, some; channel < t->channels; channel += some) {                         \
                some = t->channels - channel >= BLOCK ? BLOCK : 1;                                         \
                for (int j = 0; j < m; j++) {                                                              \
                    if (some == BLOCK) name##_added(image, t->elements, at[0] + j, weights[0] + j, count, begins, BLOCK, out + j, t->points); \
                    else name##_added(image, t->elements, at[0] + j, weights[0] + j, count, begins, 1, out + j, t->points); \
                }                                                                                          \
                image += some * t->elements, out += some * t->points;                                      \
            }                                                                                              \
        }                                                                                                  \
    }                                                                                                      \
    WIDE static void name##_samples(Call *c, const Grid *t, size from, size to) {                          \
        const int zeros = t->padding == ZEROS;                                                             \
        /* bilinear planes of float32 are sampling.c's */                                                  \
        if (sizeof(T) == 8 && t->dims == 2 && t->mode == BILINEAR && zeros) name##_sampled(c, t, from, to, 2, BILINEAR, ZEROS); \
        else if (t->dims == 2 && t->mode == BICUBIC && zeros) name##_sampled(c, t, from, to, 2, BICUBIC, ZEROS); \
        else if (t->dims == 3 && t->mode == BILINEAR && zeros) name##_sampled(c, t, from, to, 3, BILINEAR, ZEROS); \
        else name##_sampled(c, t, from, to, t->dims, t->mode, t->padding);                                 \
    }                                                                                                      \
    /* Gradients are added to the image's as PyTorch adds them: in two dimensions a vector of points at one tap, then at the next; of cubic \
       ones the outer dimension's taps are the fastest, and the factors come one after the other. */       \
    INLINE void name##_spread(const T (*terms)[MANY], const T *image, size m, int count, const int32_t (*at)[MANY], const size lanes, const int cubic, \
                              T (*found)[MANY], T *dx) {                                                   \
        for (size first = 0; first < m; first += lanes)                                                    \
            for (int q = 0; q < count; q++) {                                                              \
                const int k = cubic ? q % 4 * 4 + q / 4 : q;                                               \
                for (size j = first; j < first + lanes && j < m; j++) {                                    \
                    if (at[k][j] < 0) continue;                                                            \
                    found[k][j] = image[at[k][j]];                                                         \
                    dx[at[k][j]] += terms[k][j];                                                           \
                }                                                                                          \
            }                                                                                              \
    }                                                                                                      \
    INLINE void name##_added_to(const Grid *t, const T *image, const T *g, size m, int count, const int32_t (*at)[MANY], \
                                const T (*weights)[MANY], const T (*factors)[MOST_TAPS][MANY], T (*along)[MANY], T *dx) { \
        T terms[MOST][MANY], found[MOST][MANY], given[MANY] = {0};                                         \
        const int cubic = t->mode == BICUBIC && t->dims == 2;                                              \
        for (int j = 0; j < m; j++) given[j] = g[j];                                                       \
        memset(found, 0, count * sizeof found[0]);                                                         \
        for (int k = 0; k < count; k++)                                                                    \
            for (int j = 0; j < MANY; j++)                                                                 \
                terms[k][j] = cubic ? given[j] * factors[1][k % 4][j] * factors[0][k / 4][j] : given[j] * weights[k][j]; \
        if (t->dims != 2) name##_spread(terms, image, m, count, at, 1, 0, found, dx);                      \
        else if (cubic) name##_spread(terms, image, m, 16, at, 32 / sizeof(T), 1, found, dx);              \
        else name##_spread(terms, image, m, count, at, 32 / sizeof(T), 0, found, dx);                      \
        for (int k = 0; k < count; k++)                                                                    \
            for (int j = 0; j < MANY; j++) {                                                               \
                const T more = along[k][j] + found[k][j] * given[j];                                       \
                along[k][j] = at[k][j] < 0 ? along[k][j] : more;                                           \
            }                                                                                              \
    }                                                                                                      \
    WIDE static void name##_slopes(Call *c, const Grid *t, size from, size to) {                           \
        int32_t at[MOST][MANY];                                                                            \
        T weights[MOST][MANY], along[MOST][MANY], factors[MOST_DIMS][MOST_TAPS][MANY];                     \
        T slopes[MOST_DIMS][MOST_TAPS][MANY], scales[MOST_DIMS][MANY], weight[MOST][MANY];                 \
        const size blocks = blocks_of(t);                                                                  \
        for (size block = from; block < to; block++) {                                                     \
            const size n = block / blocks, place = block % blocks * MANY, first = n * t->points + place;   \
            const size m = t->points - place < MANY ? t->points - place : MANY;                            \
            const T *image = (const T *)c->in[0].data + n * t->channels * t->elements;                     \
            const T *g = (const T *)c->in[4].data + n * t->channels * t->points + place;                   \
            T *dx = (T *)c->in[5].data + n * t->channels * t->elements, *to_grid = (T *)c->in[6].data + first * t->dims; \
            const int count = name##_combined(t, t->dims, t->mode, t->padding, (const T *)c->in[2].data + first * t->dims, m, at, weights, factors, slopes, scales); \
            memset(along, 0, count * sizeof along[0]);                                                     \
            for (size channel = 0; channel < t->channels; channel++, image += t->elements, dx += t->elements, g += t->points) \
                name##_added_to(t, image, g, m, count, at, weights, factors, along, dx);                   \
            for (int d = 0; d < t->dims; d++) {                                                            \
                int made = 1;                                                                              \
                T sums[MANY] = {0};                                                                        \
                for (int e = 0; e < t->dims; e++, made *= t->taps)                                         \
                    for (int k = made - 1; k >= 0; k--)                                                    \
                        for (int tap = t->taps - 1; tap >= 0; tap--) {                                     \
                            const T *const factor = (e == d ? slopes : factors)[e][tap], *const before = weight[k]; \
                            T *const into = weight[k * t->taps + tap];                                     \
                            INDEPENDENT                                                                    \
                            for (int j = 0; j < MANY; j++) into[j] = e == 0 ? factor[j] : before[j] * factor[j]; \
                        }                                                                                  \
                for (int k = 0; k < count; k++)                                                            \
                    for (int j = 0; j < MANY; j++) sums[j] += along[k][j] * weight[k][j];                  \
                for (int j = 0; j < m; j++) to_grid[j * t->dims + t->dims - 1 - d] = t->mode == NEAREST ? 0 : sums[j] * scales[d][j]; \
            }                                                                                              \
        }                                                                                                  \
    }
PADDED(float, singles, __builtin_floorf)
PADDED(double, doubles, __builtin_floor)
GRID(float, singles, __builtin_floorf, __builtin_fabsf)
GRID(double, doubles, __builtin_floor, __builtin_fabs)

/* tapped(image, sizes, grid, (mode, padding, align), out) */
static int tapped_plan(Call *c) {
    Grid t;
    if (!grid_of(&t, &c->in[0], &c->in[1], &c->in[2], &c->in[4], &c->in[3])) return 0;
    c->answer = 4;
    c->lines = c->in[2].shape[0] * t.points, c->each = times(t.channels, MOST);
    return 1;
}

static int tapped(Call *c, size from, size to) {
    Grid t;
    grid_of(&t, &c->in[0], &c->in[1], &c->in[2], &c->in[4], &c->in[3]);
    (c->in[0].kind == FLOAT32 ? singles_samples : doubles_samples)(c, &t, from, to);
    return 1;
}

/* tapped_backward(image, sizes, grid, (mode, padding, align), gradient, of the image: zeros, of the grid) */
static int tapped_backward_plan(Call *c) {
    Grid t;
    if (!grid_of(&t, &c->in[0], &c->in[1], &c->in[2], &c->in[4], &c->in[3])) return 0;
    if (c->in[5].kind != c->in[0].kind || c->in[6].kind != c->in[0].kind) return 0;
    if (!has_shape(&c->in[5], 3, c->in[0].shape) || !has_shape(&c->in[6], 3, c->in[2].shape)) return 0;
    c->answer = 5;
    c->lines = c->in[2].shape[0] * blocks_of(&t), c->each = times(t.channels, MANY * 3 * MOST);
    return 1;
}

static int tapped_backward(Call *c, size from, size to) {
    Grid t;
    grid_of(&t, &c->in[0], &c->in[1], &c->in[2], &c->in[4], &c->in[3]);
    (c->in[0].kind == FLOAT32 ? singles_slopes : doubles_slopes)(c, &t, from, to);
    return 1;
}

const Kernel tapped_kernels[] = {
    {"tapped", "rtrtR", tapped_plan, tapped, "tapped(image, sizes, grid, (mode, padding, align), out)"},
    {"tapped_backward", "rtrtrRR", tapped_backward_plan, tapped_backward,
     "tapped_backward(image, sizes, grid, (mode, padding, align), gradient, of the image, of the grid)"},
    {0},
};
