/* Images at the points of a grid in two or three dimensions: along each a point has one, two or four taps, and a sample is the sum
   over their combinations; and the gradients. ops/nn/grid_sampling.py has the formulas, whose steps these are. */
#include "grids.h"

#define MOST_TAPS 4
#define MOST 64  /* combinations */
#define LANES 8  /* points at a time, where gradients are added */
#define MANY 32  /* points whose taps are found at a time */
#define BLOCK 4  /* channels that are added up side by side */

/* Points whose gradients are added together, tap by tap: in two dimensions as many as PyTorch's vectors hold; and how many such groups
   a sample has. */
INLINE size lanes_of(const Grid *t, size item) { return t->dims == 2 ? 32 / item : 1; }
INLINE size groups_of(const Grid *t, size lanes) { return (t->points + lanes - 1) / lanes; }

#define GRID(T, name, floor, fabs)                                                                                      \
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
    INLINE T name##_taps(const Grid *t, T at, size count, int32_t *places, T *weights, T *slopes) {        \
        const T n = (T)count, half = (T)(t->align ? (n - 1) / 2 : n / 2);                                  \
        T x = (at + 1) * half - (t->align ? 0 : (T)0.5), scale = 1, found[MOST_TAPS] = {0};                \
        if (t->mode == BICUBIC) {                                                                          \
            const T low = floor(x), part = x - low;                                                        \
            T unused;                                                                                      \
            weights[0] = name##_far(part + 1, &slopes[0]), weights[1] = name##_near(part, &slopes[1]);     \
            weights[2] = name##_near(1 - part, &slopes[2]), weights[3] = name##_far(2 - part, &slopes[3]); \
            slopes[2] = -slopes[2], slopes[3] = -slopes[3];                                                \
            for (int k = 0; k < 4; k++) found[k] = name##_inside(t, low + (T)(k - 1), n, &unused);         \
        } else {                                                                                           \
            x = name##_inside(t, x, n, &scale);                                                            \
            x = fabs(x) < (T)0x1p31 ? x : -100;     /* infinities and NaN are outside */                  \
            if (t->mode == NEAREST) {                                                                      \
                found[0] = (T)rint(x), weights[0] = 1, slopes[0] = 0;                                      \
            } else {                                                                                       \
                found[0] = floor(x), found[1] = found[0] + 1;                                              \
                weights[0] = found[0] + 1 - x, weights[1] = x - found[0], slopes[0] = -1, slopes[1] = 1;   \
            }                                                                                              \
        }                                                                                                  \
        UNROLL(4)                                                                                          \
        for (int k = 0; k < t->taps; k++) {                                                                \
            const int within = found[k] >= 0 && found[k] < n;                                              \
            places[k] = within ? (int32_t)found[k] : -1;                                                   \
            if (!within) weights[k] = slopes[k] = 0;                                                       \
        }                                                                                                  \
        return scale * half;                                                                               \
    }                                                                                                      \
    /* The combinations of a point's taps, the innermost dimension's fastest: elements (-1 outside) and weights; how many there are. */ \
    INLINE int name##_combined(const Grid *t, const T *point, size *at, T *weights, T (*factors)[MOST_TAPS], T (*slopes)[MOST_TAPS], \
                               T *scales) {                                                                \
        int32_t places[MOST_DIMS][MOST_TAPS];                                                              \
        int count = 1;                                                                                     \
        at[0] = 0;                                                                                         \
        for (int d = 0; d < t->dims; d++) {                                                                \
            scales[d] = name##_taps(t, *(const volatile T *)(point + t->dims - 1 - d), t->sizes[d], places[d], factors[d], slopes[d]); \
            for (int k = count - 1; k >= 0; k--)                                                           \
                UNROLL(4)                                                                                  \
                for (int tap = t->taps - 1; tap >= 0; tap--) {                                             \
                    const size place = places[d][tap];                                                     \
                    at[k * t->taps + tap] = at[k] < 0 || place < 0 ? -1 : at[k] + place * t->steps[d];     \
                    weights[k * t->taps + tap] = d == 0 ? factors[0][tap] : weights[k] * factors[d][tap];  \
                }                                                                                          \
            count *= t->taps;                                                                              \
        }                                                                                                  \
        return count;                                                                                      \
    }                                                                                                      \
    /* The samples of so many channels, which are added up side by side; the first term begins a sum or is added to zero. */ \
    INLINE void name##_added(const T *image, size elements, const int64_t *at, const T *weights, int count, int begins, int m, T *out, size step) { \
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
    /* The combinations of the taps of MANY points, as those of one above. */                              \
    INLINE void name##_combinations(const Grid *t, const T (*points)[MANY], int64_t (*at)[MANY], T (*weights)[MANY]) { \
        int count = 1;                                                                                     \
        for (int d = 0; d < t->dims; d++, count *= t->taps) {                                              \
            int32_t places[MOST_TAPS][MANY];                                                               \
            T factors[MOST_TAPS][MANY];                                                                    \
            for (int j = 0; j < MANY; j++) {                                                               \
                int32_t place[MOST_TAPS];                                                                  \
                T weight[MOST_TAPS], slopes[MOST_TAPS];                                                    \
                name##_taps(t, points[d][j], t->sizes[d], place, weight, slopes);                          \
                UNROLL(4)                                                                                  \
                for (int k = 0; k < t->taps; k++) places[k][j] = place[k], factors[k][j] = weight[k];      \
            }                                                                                              \
            for (int k = count - 1; k >= 0; k--)                                                           \
                for (int tap = t->taps - 1; tap >= 0; tap--)                                               \
                    for (int j = 0; j < MANY; j++) {                                                       \
                        const int64_t place = places[tap][j], before = d == 0 ? 0 : at[k][j];              \
                        at[k * t->taps + tap][j] = before < 0 || place < 0 ? -1 : before + place * t->steps[d]; \
                        weights[k * t->taps + tap][j] = d == 0 ? factors[tap][j] : weights[k][j] * factors[tap][j]; \
                    }                                                                                      \
        }                                                                                                  \
    }                                                                                                      \
    /* `dims`, `mode` and `padding` are the grid's, and known where this is compiled. */                   \
    INLINE void name##_sampled(Call *c, const Grid *whole, size from, size to, const int dims, const int mode, const int padding) { \
        Grid known = *whole, *const t = &known;                                                            \
        t->dims = dims, t->mode = mode, t->padding = padding, t->taps = mode == BICUBIC ? 4 : mode == NEAREST ? 1 : 2; \
        int64_t at[MOST][MANY];                                                                            \
        T weights[MOST][MANY], points[MOST_DIMS][MANY] = {{0}};                                            \
        const int begins = t->dims == 2 && t->mode != BICUBIC;                                             \
        int count = 1;                                                                                     \
        for (int d = 0; d < t->dims; d++) count *= t->taps;                                                \
        for (size first = from, m; first < to; first += m) {                                               \
            const size n = first / t->points, place = first % t->points;                                   \
            m = t->points - place < to - first ? t->points - place : to - first;                           \
            m = m < MANY ? m : MANY;                                                                       \
            const T *grid = (const T *)c->in[2].data + first * t->dims;                                    \
            for (int j = 0; j < m; j++, grid += t->dims)                                                   \
                for (int d = 0; d < t->dims; d++) points[d][j] = *(const volatile T *)(grid + t->dims - 1 - d); \
            name##_combinations(t, points, at, weights);                                                   \
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
        if (t->dims == 2 && t->mode == BILINEAR && zeros) name##_sampled(c, t, from, to, 2, BILINEAR, ZEROS); \
        else if (t->dims == 2 && t->mode == BICUBIC && zeros) name##_sampled(c, t, from, to, 2, BICUBIC, ZEROS); \
        else if (t->dims == 3 && t->mode == BILINEAR && zeros) name##_sampled(c, t, from, to, 3, BILINEAR, ZEROS); \
        else name##_sampled(c, t, from, to, t->dims, t->mode, t->padding);                                 \
    }                                                                                                      \
    /* Gradients are added to the image's as PyTorch adds them: in two dimensions a vector of points at one tap, then at the next. */ \
    WIDE static void name##_slopes(Call *c, const Grid *t, size from, size to) {                           \
        size at[LANES][MOST];                                                                              \
        T weights[LANES][MOST], along[LANES][MOST], factors[LANES][MOST_DIMS][MOST_TAPS];                  \
        T slopes[LANES][MOST_DIMS][MOST_TAPS], scales[LANES][MOST_DIMS], weight[MOST];                     \
        const int cubic = t->mode == BICUBIC, flat = t->dims == 2;                                         \
        const size lanes = lanes_of(t, sizeof(T)), groups = groups_of(t, lanes);                           \
        for (size group = from; group < to; group++) {                                                     \
            const size n = group / groups, place = group % groups * lanes, first = n * t->points + place;  \
            const size m = t->points - place < lanes ? t->points - place : lanes;                          \
            const T *image = (const T *)c->in[0].data + n * t->channels * t->elements;                     \
            const T *g = (const T *)c->in[4].data + n * t->channels * t->points + place;                   \
            T *dx = (T *)c->in[5].data + n * t->channels * t->elements;                                    \
            int count = 0;                                                                                 \
            for (int j = 0; j < m; j++) {                                                                  \
                count = name##_combined(t, (const T *)c->in[2].data + (first + j) * t->dims, at[j], weights[j], factors[j], slopes[j], scales[j]); \
                for (int k = 0; k < count; k++) along[j][k] = 0;                                           \
            }                                                                                              \
            for (size channel = 0; channel < t->channels; channel++, image += t->elements, dx += t->elements, g += t->points) \
                for (int q = 0; q < count; q++) {                                                          \
                    const int k = cubic && flat ? q % 4 * 4 + q / 4 : q;                                   \
                    for (int j = 0; j < m; j++) {                                                          \
                        if (at[j][k] < 0) continue;                                                        \
                        along[j][k] += image[at[j][k]] * g[j];                                             \
                        dx[at[j][k]] += cubic && flat ? g[j] * factors[j][1][q / 4] * factors[j][0][q % 4] : g[j] * weights[j][k]; \
                    }                                                                                      \
                }                                                                                          \
            for (int j = 0; j < m; j++)                                                                    \
                for (int d = 0; d < t->dims; d++) {                                                        \
                    T sum = 0;                                                                             \
                    int made = 1;                                                                          \
                    weight[0] = 1;                                                                         \
                    for (int e = 0; e < t->dims; e++, made *= t->taps)                                     \
                        for (int k = made - 1; k >= 0; k--)                                                \
                            for (int tap = t->taps - 1; tap >= 0; tap--)                                   \
                                weight[k * t->taps + tap] = weight[k] * (e == d ? slopes : factors)[j][e][tap]; \
                    for (int k = 0; k < count; k++) sum += along[j][k] * weight[k];                        \
                    ((T *)c->in[6].data)[(first + j) * t->dims + t->dims - 1 - d] = t->mode == NEAREST ? 0 : sum * scales[j][d]; \
                }                                                                                          \
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
    const size lanes = lanes_of(&t, c->in[0].item);
    c->lines = c->in[2].shape[0] * groups_of(&t, lanes), c->each = times(t.channels, lanes * 3 * MOST);
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
