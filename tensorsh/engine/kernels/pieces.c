/* Arrays joined, and the largest or smallest of all elements. */
#include "kernels.h"

/* The join of contiguous arrays of one dtype along an axis: join(list of arrays, axis). */
static int join_plan(Call *c) {
    const Argument *first = &c->in[0];
    Axis axis;
    size all, bytes;
    if (!around_axis(first, c->in[1].whole, &axis)) return 0;
    c->in[1].whole = axis.axis, c->in[1].count = axis.outer, c->in[1].item = axis.inner * first->item;
    Argument *out = result(c, 0);
    shape_as(out, first);
    for (size i = 1; i < first->whole; i++) {
        const size *shape = c->parts[i].shape;
        for (int k = 0; k < first->ndim; k++)
            if (k != axis.axis && shape[k] != first->shape[k]) return 0;
        if (__builtin_add_overflow(out->shape[axis.axis], shape[axis.axis], &out->shape[axis.axis])) return 0;
    }
    if (__builtin_mul_overflow(axis.outer * axis.inner, out->shape[axis.axis], &all)) return 0;
    return !__builtin_mul_overflow(all, first->item, &bytes) && bytes <= 8 * LONG_WORK; /* longer ones are numpy's */
}

static int join(Call *c, size from, size to) {
    (void)from, (void)to;
    const Argument *axis = &c->in[1];
    char *at = c->out[0].data;
    for (size o = 0; c->out[0].count && o < axis->count; o++)
        for (size i = 0; i < c->in[0].whole; i++) {
            const size bytes = c->parts[i].shape[axis->whole] * axis->item;
            memcpy(at, c->parts[i].data + o * bytes, bytes);
            at += bytes;
        }
    return 1;
}

#define EXTREME(T, name, beats)                                          \
    static T name(const T *x, size n) {                                  \
        T best = x[0];                                                   \
        for (size i = 1; i < n && best == best; i++)                     \
            if (x[i] beats best || x[i] != x[i]) best = x[i];            \
        return best;                                                     \
    }
EXTREME(float, largest_float, >)
EXTREME(double, largest_double, >)
EXTREME(float, smallest_float, <)
EXTREME(double, smallest_double, <)

#define FEW 512 /* more elements are numpy's: it compares them several at a time */

static int extreme_plan(Call *c) {
    result(c, 0);
    return c->in[0].count > 0 && c->in[0].count <= FEW;
}

#define OF_ALL(name)                                                                                       \
    static int name(Call *c, size from, size to) {                                                         \
        (void)from, (void)to;                                                                              \
        const Argument *x = &c->in[0];                                                                     \
        if (x->kind == FLOAT32) *(float *)c->out[0].data = name##_float(x->data, x->count);                \
        else *(double *)c->out[0].data = name##_double(x->data, x->count);                                 \
        return 1;                                                                                          \
    }
OF_ALL(largest)
OF_ALL(smallest)

const Kernel pieces_kernels[] = {
    {"join", "vi", join_plan, join, "join(arrays, axis)"},
    {"largest", "r", extreme_plan, largest, "largest(x): of all elements, NaN if there is one"},
    {"smallest", "r", extreme_plan, smallest, "smallest(x)"},
    {0},
};
