/* Elements taken, written or added up at the places that an index tells: along one dimension, or whole rows.

   Elements are taken in row order, and so added: that is PyTorch's order on one thread. An index that leaves the bounds
   gives None before anything is written, and the caller finds out what is wrong with it. */
#include "common.h"

typedef struct {
    size ndim, axis, inner, n, step; /* index's dimensions; the length of an index's line; the array's length and step along axis */
    const size *shape, *limits;      /* of the index and of the array */
    size strides[NPY_MAXDIMS];       /* of the array, in elements */
} Walk;

/* Numbers in place of an index of int64 or int32; 0 where one is none of 0 .. n - 1. */
#define WITHIN(T, name)                                    \
    WIDE static int name(const T *index, size count, size n) {  \
        int wrong = 0;                                     \
        for (size i = 0; i < count; i++) wrong |= index[i] < 0 || index[i] >= n; \
        return !wrong;                                     \
    }
WITHIN(int64_t, within_longs)

static PyArrayObject *exact(PyObject *object) {
    return PyArray_CheckExact(object) && PyArray_ISCARRAY_RO((PyArrayObject *)object) ? (PyArrayObject *)object : NULL;
}

/* Whether `index` walks over `a` along an axis; what the walk needs is put into it. */
static int walk_over(PyArrayObject *a, PyObject *axis, PyArrayObject *index, Walk *walk) {
    if (a == NULL || index == NULL || PyArray_TYPE(index) != NPY_INT64 || !PyLong_CheckExact(axis)) return 0;
    int overflow = 0;
    walk->ndim = PyArray_NDIM(a);
    walk->axis = PyLong_AsLongAndOverflow(axis, &overflow);
    if (overflow || walk->ndim < 1 || PyArray_NDIM(index) != walk->ndim || walk->axis < 0 || walk->axis >= walk->ndim) return 0;
    walk->shape = PyArray_DIMS(index);
    walk->limits = PyArray_DIMS(a);
    size step = 1;
    for (size k = walk->ndim - 1; k >= 0; step *= walk->limits[k--]) {
        if (k != walk->axis && walk->shape[k] > walk->limits[k]) return 0;
        walk->strides[k] = step;
    }
    walk->inner = walk->shape[walk->ndim - 1];
    walk->n = walk->limits[walk->axis];
    walk->step = walk->strides[walk->axis];
    return within_longs(PyArray_DATA(index), PyArray_SIZE(index), walk->n);
}

/* `each` for all elements: i counts those of the index, `at` is the place in the array. */
#define WALK(each)                                                                           \
    do {                                                                                     \
        size counts[NPY_MAXDIMS] = {0}, i = 0, lines = walk->inner ? count / walk->inner : 0;\
        const int last = walk->axis == walk->ndim - 1;                                       \
        for (size line = 0; line < lines; line++) {                                          \
            size base = 0;                                                                   \
            for (size k = 0; k + 1 < walk->ndim; k++)                                        \
                if (k != walk->axis) base += counts[k] * walk->strides[k];                   \
            if (last)                                                                        \
                for (size j = 0; j < walk->inner; j++, i++) {                                \
                    const size at = base + (size)index[i];                                   \
                    each;                                                                    \
                }                                                                            \
            else                                                                             \
                for (size j = 0; j < walk->inner; j++, i++) {                                \
                    const size at = base + j + (size)index[i] * walk->step;                  \
                    each;                                                                    \
                }                                                                            \
            for (size k = walk->ndim - 2; k >= 0 && ++counts[k] == walk->shape[k]; k--) counts[k] = 0; \
        }                                                                                    \
    } while (0)

#define MOVES(T, name)                                                                                                \
    static void name##_take(const Walk *walk, const T *x, const int64_t *index, T *out, size count) { WALK(out[i] = x[at]); } \
    static void name##_put(const Walk *walk, T *x, const int64_t *index, const T *values, size step, size count) {    \
        WALK(x[at] = values[i * step]);                                                                               \
    }
#define ADDS(T, name)                                                                                                 \
    static void name##_add(const Walk *walk, T *x, const int64_t *index, const T *values, size step, size count) {    \
        WALK(x[at] += values[i * step]);                                                                              \
    }                                                                                                                 \
    WIDE static void name##_rows(T *x, const int64_t *index, const T *values, size step, size width, size count) {    \
        for (size i = 0; i < count; i++) {                                                                            \
            T *to = x + index[i] * width;                                                                             \
            const T *from = values + i * width * step;                                                                \
            if (step) {                                                                                               \
                INDEPENDENT                                                                                           \
                for (size k = 0; k < width; k++) to[k] += from[k];                                                    \
            } else {                                                                                                  \
                const T value = *from;                                                                                \
                INDEPENDENT                                                                                           \
                for (size k = 0; k < width; k++) to[k] += value;                                                      \
            }                                                                                                         \
        }                                                                                                             \
    }
typedef struct { uint64_t low, high; } Wide;
MOVES(uint8_t, bytes)
MOVES(uint16_t, shorts)
MOVES(uint32_t, words)
MOVES(uint64_t, doubles)
MOVES(Wide, wides)
ADDS(float, float32)
ADDS(double, float64)
ADDS(int64_t, int64)

#define BY_SIZE(a, done, what, ...)                                                       \
    switch (PyArray_ITEMSIZE(a)) {                                                        \
        case 1: bytes_##what(__VA_ARGS__); break;                                         \
        case 2: shorts_##what(__VA_ARGS__); break;                                        \
        case 4: words_##what(__VA_ARGS__); break;                                         \
        case 8: doubles_##what(__VA_ARGS__); break;                                       \
        case 16: wides_##what(__VA_ARGS__); break;                                        \
        default: done = 0;                                                                \
    }
#define BY_TYPE(a, done, what, ...)                                                       \
    switch (PyArray_TYPE(a)) {                                                            \
        case NPY_FLOAT: float32_##what(__VA_ARGS__); break;                               \
        case NPY_DOUBLE: float64_##what(__VA_ARGS__); break;                              \
        case NPY_INT64: int64_##what(__VA_ARGS__); break;                                 \
        default: done = 0;                                                                \
    }

/* taken_along(x, axis, index): x[..., index, ...] at every place of the index. */
static PyObject *taken_along(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 3) Py_RETURN_NONE;
    PyArrayObject *a = exact(args[0]), *index = exact(args[2]), *out;
    Walk walk;
    if (!walk_over(a, args[1], index, &walk) || PyDataType_REFCHK(PyArray_DESCR(a))) Py_RETURN_NONE;
    Py_INCREF(PyArray_DESCR(a));
    out = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(index), PyArray_DIMS(index), PyArray_DESCR(a));
    if (out == NULL) return NULL;
    int done = 1;
    RELEASED(PyArray_SIZE(index), BY_SIZE(a, done, take, &walk, PyArray_DATA(a), PyArray_DATA(index), PyArray_DATA(out), PyArray_SIZE(index)));
    if (done) return (PyObject *)out;
    Py_DECREF(out);
    Py_RETURN_NONE;
}

/* The values for a shape's elements: an array of that shape with each its own (step 1), or one for all (step 0). */
static const void *values_for(PyObject *object, PyArrayObject *target, int ndim, const size *shape, size *step) {
    if (!PyArray_CheckExact(object)) return NULL;
    PyArrayObject *values = (PyArrayObject *)object;
    if (PyArray_DESCR(values) != PyArray_DESCR(target) || !PyArray_ISALIGNED(values)) return NULL;
    *step = 0;
    if (PyArray_NDIM(values) == 0) return PyArray_DATA(values);
    if (PyArray_NDIM(values) != ndim) return NULL;
    int still = 1;
    for (int k = 0; k < ndim; k++) {
        if (PyArray_DIM(values, k) != shape[k]) return NULL;
        if (PyArray_STRIDE(values, k) != 0 && shape[k] > 1) still = 0;
    }
    if (still) return PyArray_DATA(values);
    *step = 1;
    return PyArray_ISCARRAY_RO(values) ? PyArray_DATA(values) : NULL;
}

static PyObject *changed_along(PyObject *const *args, Py_ssize_t count, int adds) {
    if (count != 4) Py_RETURN_NONE;
    PyArrayObject *a = exact(args[0]), *index = exact(args[2]);
    Walk walk;
    if (!walk_over(a, args[1], index, &walk) || !PyArray_ISWRITEABLE(a) || PyDataType_REFCHK(PyArray_DESCR(a))) Py_RETURN_NONE;
    size step;
    const void *values = values_for(args[3], a, (int)walk.ndim, walk.shape, &step);
    if (values == NULL) Py_RETURN_NONE;
    int done = 1;
    RELEASED(PyArray_SIZE(index), {
        if (adds) BY_TYPE(a, done, add, &walk, PyArray_DATA(a), PyArray_DATA(index), values, step, PyArray_SIZE(index))
        else BY_SIZE(a, done, put, &walk, PyArray_DATA(a), PyArray_DATA(index), values, step, PyArray_SIZE(index))
    });
    return PyBool_FromLong(done);
}

static PyObject *put_along(PyObject *self, PyObject *const *args, Py_ssize_t count) { return changed_along(args, count, 0); }
static PyObject *added_along(PyObject *self, PyObject *const *args, Py_ssize_t count) { return changed_along(args, count, 1); }

/* added_rows(x, index, values): x[index[i]] += values[i] for all i. */
static PyObject *added_rows(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *a = count == 3 ? exact(args[0]) : NULL, *index = a ? exact(args[1]) : NULL;
    if (index == NULL || !PyArray_ISWRITEABLE(a) || PyArray_NDIM(a) < 1) Py_RETURN_NONE;
    if (PyArray_TYPE(index) != NPY_INT64 || PyArray_NDIM(index) != 1) Py_RETURN_NONE;
    size shape[NPY_MAXDIMS], n = PyArray_SIZE(index), width = 1, step;
    shape[0] = n;
    for (int k = 1; k < PyArray_NDIM(a); k++) width *= shape[k] = PyArray_DIM(a, k);
    const void *values = values_for(args[2], a, PyArray_NDIM(a), shape, &step);
    if (values == NULL || !within_longs(PyArray_DATA(index), n, PyArray_DIM(a, 0))) Py_RETURN_NONE;
    int done = 1;
    RELEASED(n * width, BY_TYPE(a, done, rows, PyArray_DATA(a), PyArray_DATA(index), values, step, width, n));
    return PyBool_FromLong(done);
}

PyMethodDef places_methods[] = {
    FUNCTION(taken_along, "taken_along(x, axis, index): a new array"),
    FUNCTION(put_along, "put_along(x, axis, index, values): whether it is done; None where it is not for this"),
    FUNCTION(added_along, "added_along(x, axis, index, values): likewise"),
    FUNCTION(added_rows, "added_rows(x, index, values): likewise"),
    {NULL, NULL, 0, NULL},
};
