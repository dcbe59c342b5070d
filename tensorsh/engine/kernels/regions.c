/* Sums, means and maxima of regions: windows whose edges are told, over up to three dimensions, element by element in row order.

   An image is (planes, D, H, W); a result (planes, d, h, w); sums also of images and results whose last dimension is the channels of
   each place. The edges are where the d regions of the first dimension begin, where
   they end, then those of the second and of the third: for all planes, or for each. */
#include "kernels.h"

typedef struct {
    size in[3], out[3], cells, edges, channels; /* regions of a plane; edges of one */
    const int64_t *given;
    size step; /* between the edges of planes */
} Regions;

static int regions_of(Regions *r, const Argument *image, const Argument *result, const Argument *edges) {
    if ((image->ndim != 4 && image->ndim != 5) || result->ndim != image->ndim || image->shape[0] != result->shape[0]) return 0;
    r->channels = image->ndim == 5 ? image->shape[4] : 1;
    if (image->ndim == 5 && result->shape[4] != r->channels) return 0;
    r->cells = 1, r->edges = 0;
    for (int k = 0; k < 3; k++) {
        r->in[k] = image->shape[k + 1], r->out[k] = result->shape[k + 1];
        r->cells *= r->out[k], r->edges += 2 * r->out[k];
    }
    r->given = edges->data;
    r->step = edges->ndim == 1 ? 0 : r->edges;
    return edges->count == (edges->ndim == 1 ? r->edges : image->shape[0] * r->edges);
}

/* One region, whose edges are read once and checked. */
typedef struct {
    size from[3], to[3], count, work; /* elements; those and the rows, which may have none */
} Region;

static int region(const Regions *r, size plane, size cell, Region *found) {
    const int64_t *edges = r->given + plane * r->step;
    size at[3] = {cell / r->out[2] / r->out[1], cell / r->out[2] % r->out[1], cell % r->out[2]};
    found->count = 1;
    for (int k = 0; k < 3; k++) {
        const size from = place_at(edges + at[k]), to = place_at(edges + r->out[k] + at[k]);
        if (from < 0 || to < from || to > r->in[k]) return 0;
        found->from[k] = from, found->to[k] = to, found->count *= to - from;
        if (k == 1) found->work = 1 + found->count;
        edges += 2 * r->out[k];
    }
    found->work += found->count;
    return 1;
}

#define EACH_ROW(found, at)                                                                                       \
    for (size d_ = found.from[0]; d_ < found.to[0]; d_++)                                                         \
        for (size h_ = found.from[1], at = (d_ * r.in[1] + h_) * r.in[2]; h_ < found.to[1]; h_++, at += r.in[2])

/* Whether some element of a row is larger than a number, or NaN. */
#define LONG_ROW 16
#define ROW_PIECE 128
#define LARGEST_OF(T, name)                                                                                       \
    WIDE static int name##_beyond(const T *x, size n, T best) {                                                   \
        int some = 0;                                                                                             \
        for (size i = 0; i < n; i++) some |= !(x[i] <= best);                                                     \
        return some;                                                                                              \
    }                                                                                                             \
    static int name(Call *c, size from, size to) {                                                                \
        Regions r;                                                                                                \
        if (!regions_of(&r, &c->in[0], &c->out[0], &c->in[1])) return 0;                                          \
        const size volume = r.in[0] * r.in[1] * r.in[2];                                                          \
        for (size plane = from; plane < to; plane++) {                                                            \
            const T *x = (const T *)c->in[0].data + plane * volume;                                               \
            T *out = (T *)c->out[0].data + plane * r.cells;                                                       \
            int64_t *places = (int64_t *)c->out[1].data + plane * r.cells;                                        \
            for (size cell = 0; cell < r.cells; cell++) {                                                         \
                Region found;                                                                                     \
                if (!region(&r, plane, cell, &found) || !found.count) return 0;                                   \
                if (ends(c, times(found.work, r.channels))) return 1;                                             \
                size place = (found.from[0] * r.in[1] + found.from[1]) * r.in[2] + found.from[2];                 \
                T best = x[place];                                                                                \
                EACH_ROW(found, at) /* what changes nothing is passed over, a piece of a row at a time */         \
                    for (size i = at + found.from[2], end = at + found.to[2], last; i < end; i = last) {          \
                        last = end - i < ROW_PIECE ? end : i + ROW_PIECE;                                         \
                        if (last - i >= LONG_ROW && !name##_beyond(x + i, last - i, best)) continue;              \
                        for (; i < last; i++) {                                                                   \
                            const T v = x[i];                                                                     \
                            if (v > best || v != v) best = v, place = i;                                          \
                        }                                                                                         \
                    }                                                                                             \
                out[cell] = best, places[cell] = place;                                                           \
            }                                                                                                     \
        }                                                                                                         \
        return 1;                                                                                                 \
    }
LARGEST_OF(float, largest_floats)
LARGEST_OF(double, largest_doubles)
LARGEST_OF(int64_t, largest_longs)

#define PLANES 4 /* whose sums are made at a time */
#define SUMS_OF(T, name)                                                                                          \
    WIDE static void name##_of_channels(const Regions *region, const Region *found, const T *x, int means, T divisor, T *out) { \
        const Regions r = *region;                                                                                \
        const size channels = r.channels;                                                                         \
        for (size k = 0; k < channels; k++) out[k] = 0;                                                           \
        EACH_ROW((*found), at)                                                                                    \
            for (size i = at + found->from[2]; i < at + found->to[2]; i++)                                        \
                INDEPENDENT for (size k = 0; k < channels; k++) out[k] += x[i * channels + k];                    \
        for (int d = 0; d < 3 && means; d++)                                                                      \
            for (size k = 0; k < channels; k++) out[k] /= (T)(found->to[d] - found->from[d]);                     \
        for (size k = 0; k < channels && divisor != 0; k++) out[k] /= divisor;                                    \
    }                                                                                                             \
    static int name##_sums(Call *c, size from, size to) {                                                         \
        Regions r;                                                                                                \
        if (!regions_of(&r, &c->in[0], &c->out[0], &c->in[1])) return 0;                                          \
        const size volume = r.in[0] * r.in[1] * r.in[2] * r.channels;                                             \
        const int means = c->in[3].whole != 0;                                                                    \
        const T divisor = c->given > 4 ? (T)c->in[4].number : 0;                                                  \
        for (size plane = from, several; plane < to; plane += several) {                                          \
            const T *x = (const T *)c->in[0].data + plane * volume;                                               \
            T *out = (T *)c->out[0].data + plane * r.cells * r.channels;                                          \
            several = r.channels > 1 || r.step || to - plane < PLANES ? 1 : PLANES; /* a sum waits for what it adds to */ \
            for (size cell = 0; cell < r.cells; cell++) {                                                         \
                Region found;                                                                                     \
                T sums[PLANES] = {0};                                                                             \
                if (!region(&r, plane, cell, &found)) return 0;                                                   \
                if (ends(c, times(found.work, several * r.channels))) return 1;                                   \
                if (r.channels > 1) {                                                                             \
                    name##_of_channels(&r, &found, x, means, divisor, out + cell * r.channels);                   \
                    continue;                                                                                     \
                }                                                                                                 \
                EACH_ROW(found, at)                                                                               \
                    for (size i = at + found.from[2]; i < at + found.to[2]; i++) {                                \
                        if (several == 1) sums[0] += x[i];                                                        \
                        else UNROLL(8) for (int p = 0; p < PLANES; p++) sums[p] += x[i + p * volume];             \
                    }                                                                                             \
                for (int k = 0; k < 3 && means; k++)                                                              \
                    for (size p = 0; p < several; p++) sums[p] /= (T)(found.to[k] - found.from[k]);               \
                for (size p = 0; p < several && divisor != 0; p++) sums[p] /= divisor;                            \
                for (size p = 0; p < several; p++) out[p * r.cells + cell] = sums[p];                             \
            }                                                                                                     \
        }                                                                                                         \
        return 1;                                                                                                 \
    }                                                                                                             \
    /* The gradient of means, added to an image. */                                                               \
    static int name##_spread(Call *c, size from, size to) {                                                       \
        Regions r;                                                                                                \
        if (!regions_of(&r, &c->in[1], &c->in[0], &c->in[2])) return 0;                                           \
        const size volume = r.in[0] * r.in[1] * r.in[2];                                                          \
        for (size plane = from; plane < to; plane++) {                                                            \
            const T *g = (const T *)c->in[0].data + plane * r.cells;                                              \
            T *x = (T *)c->in[1].data + plane * volume;                                                           \
            for (size cell = 0; cell < r.cells; cell++) {                                                         \
                Region found;                                                                                     \
                if (!region(&r, plane, cell, &found)) return 0;                                                   \
                if (ends(c, times(found.work, r.channels))) return 1;                                             \
                T part = g[cell];                                                                                 \
                for (int k = 0; k < 3; k++) part /= (T)(found.to[k] - found.from[k]);                             \
                EACH_ROW(found, at)                                                                               \
                    for (size i = at + found.from[2]; i < at + found.to[2]; i++) x[i] += part;                    \
            }                                                                                                     \
        }                                                                                                         \
        return 1;                                                                                                 \
    }
SUMS_OF(float, singles)
SUMS_OF(double, doubles)

/* From (x, edges, sizes): a new image of regions. */
static int regions_plan(Call *c, int places) {
    const Argument *x = &c->in[0], *sizes = &c->in[2];
    Regions r;
    if ((x->ndim != 4 && (places || x->ndim != 5)) || sizes->ndim != 3 || x->count == 0) return 0;
    size cells = 1;
    for (int k = 0; k < 1 + places; k++) {
        Argument *made = result(c, k ? NEW_INT64 : 0);
        add_dimension(made, x->shape[0]);
        for (int d = 0; d < 3; d++) add_dimension(made, sizes->shape[d]);
        if (x->ndim == 5) add_dimension(made, x->shape[4]);
    }
    for (int d = 0; d < 3; d++) {
        if (sizes->shape[d] > x->count && sizes->shape[d] > 1 << 16) return 0;
        cells = times(cells, sizes->shape[d]);
    }
    if (cells == 0 || cells > PTRDIFF_MAX / 64 || x->shape[x->ndim - 1] == 0 || !regions_of(&r, x, &c->out[0], &c->in[1])) return 0;
    const size volume = x->count / x->shape[0];
    c->lines = x->shape[0], c->each = volume > cells ? volume : cells;
    return 1;
}

/* region_maxima(x, edges, sizes): values, flat places; of NaN the last, of equal elements the first. */
static int maxima_plan(Call *c) {
    const Kind kind = c->in[0].kind;
    return (kind == FLOAT32 || kind == FLOAT64 || kind == INT64) && regions_plan(c, 1);
}
static int maxima(Call *c, size from, size to) {
    const Kind kind = c->in[0].kind;
    return kind == FLOAT32 ? largest_floats(c, from, to) : kind == FLOAT64 ? largest_doubles(c, from, to) : largest_longs(c, from, to);
}

/* region_sums(x, edges, sizes, means, divisor): divided by the extents of the regions, or by a number. */
static int sums_plan(Call *c) { return regions_plan(c, 0); }
static int sums(Call *c, size from, size to) {
    return c->in[0].kind == FLOAT32 ? singles_sums(c, from, to) : doubles_sums(c, from, to);
}

/* region_spread(gradient, image, edges): what means give back, added to the image. */
static int spread_plan(Call *c) {
    Regions r;
    const Argument *g = &c->in[0], *x = &c->in[1];
    if (x->ndim != 4 || g->kind != x->kind || !regions_of(&r, x, g, &c->in[2]) || x->count == 0 || g->count == 0) return 0;
    const size volume = x->count / x->shape[0];
    c->answer = 1, c->lines = x->shape[0], c->each = volume > r.cells ? volume : r.cells;
    return 1;
}
static int spread(Call *c, size from, size to) {
    return c->in[0].kind == FLOAT32 ? singles_spread(c, from, to) : doubles_spread(c, from, to);
}

const Kernel region_kernels[] = {
    {"region_maxima", "a~lt", maxima_plan, maxima, "region_maxima(x, edges, sizes): values, places"},
    {"region_sums", "r~ltb|x", sums_plan, sums, "region_sums(x, edges, sizes, means, divisor)"},
    {"region_spread", "rRl", spread_plan, spread, "region_spread(gradient, image, edges): the gradient of means, added"},
    {0},
};
