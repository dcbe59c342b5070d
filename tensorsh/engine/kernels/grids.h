/* Images, the grids of points at which they are sampled, and what lies beside them. */
#ifndef TENSORSH_GRIDS_H
#define TENSORSH_GRIDS_H

#include "kernels.h"

#define MOST_DIMS 3

enum { BILINEAR, NEAREST, BICUBIC };
enum { ZEROS, BORDER, REFLECTION };

/* An image (N, C, elements) of so many dimensions, samples (N, C, points), a grid (N, points, dims) that names the innermost one first. */
typedef struct {
    size points, channels, elements, sizes[MOST_DIMS], steps[MOST_DIMS];
    int dims, taps, mode, padding, align;
} Grid;

static int grid_of(Grid *t, const Argument *image, const Argument *sizes, const Argument *grid, const Argument *samples, const Argument *how) {
    if (image->ndim != 3 || grid->ndim != 3 || samples->ndim != 3 || image->count == 0 || how->ndim != 3) return 0;
    t->dims = sizes->ndim, t->points = samples->shape[2], t->channels = image->shape[1], t->elements = image->shape[2];
    t->mode = (int)how->shape[0], t->padding = (int)how->shape[1], t->align = (int)how->shape[2];
    t->taps = t->mode == BICUBIC ? 4 : t->mode == NEAREST ? 1 : 2;
    if (t->dims < 1 || t->dims > MOST_DIMS || OUTSIDE(how->shape[0], BICUBIC + 1) || OUTSIDE(how->shape[1], REFLECTION + 1)) return 0;
    const size places[3] = {image->shape[0], t->points, t->dims}, made[3] = {image->shape[0], t->channels, t->points};
    if (!has_shape(grid, 3, places) || !has_shape(samples, 3, made) || grid->kind != image->kind || samples->kind != image->kind) return 0;
    size whole = 1;
    for (int d = t->dims - 1; d >= 0; d--) {
        t->sizes[d] = sizes->shape[d], t->steps[d] = whole;
        whole = times(whole, sizes->shape[d]);
        if (t->sizes[d] < 1 || t->sizes[d] > 1 << 24) return 0; /* exact as floats */
    }
    return whole == t->elements && whole <= INT32_MAX;
}

#define PADDED(T, name, floor)                                                                          \
    /* A coordinate folded back between the ends, and the sign that this gives it. */                      \
    INLINE T name##_reflected(T x, T low, T span, T *slope) {                                              \
        if (span <= 0) return *slope = 0, (T)0;                                                            \
        x -= low;                                                                                          \
        const T sign = x < 0 ? -1 : 1, far = x < 0 ? -x : x, over = (T)fmod(far, span);                    \
        const int odd = fmod((double)floor(far / span), 2.0) != 0;                                    \
        *slope = odd ? -sign : sign;                                                                       \
        return (odd ? span - over : over) + low;                                                           \
    }                                                                                                      \
    INLINE T name##_inside(const Grid *t, const int padding, T x, T n, T *slope) {                                        \
        *slope = 1;                                                                                        \
        if (padding == ZEROS) return x;                                                                 \
        if (padding == REFLECTION) x = t->align ? name##_reflected(x, 0, n - 1, slope) : name##_reflected(x, (T)-0.5, n, slope); \
        if (!(x > 0) || !(x < n - 1)) *slope = 0;                                                          \
        return x < 0 ? 0 : x > n - 1 ? n - 1 : x;                                                          \
    }

#endif
