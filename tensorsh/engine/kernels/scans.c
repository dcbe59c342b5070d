/* Running sums, products and extremes along an axis, and whole products, in PyTorch's order. Sums and products are carried
   in double and each is rounded. */
#include "common.h"

#define TOGETHER 4 /* rows at a time: each addition waits for the one before it in its row */
#define COLUMNS 256

/* Rows that are gone through from one end to the other; `each`: the head of a loop over i. */
#define ROWS(name, first, operation, each)                                                                 \
    static void name(const float *x, float *out, size rows, size n) {                                      \
        for (; rows >= TOGETHER; rows -= TOGETHER, x += TOGETHER * n, out += TOGETHER * n) {               \
            double carried[TOGETHER] = {first, first, first, first};                                       \
            each                                                                                           \
                for (int k = 0; k < TOGETHER; k++) {                                                       \
                    carried[k] = carried[k] operation x[k * n + i];                                        \
                    out[k * n + i] = (float)carried[k];                                                    \
                }                                                                                          \
        }                                                                                                  \
        for (; rows; rows--, x += n, out += n) {                                                           \
            double carried = first;                                                                        \
            each out[i] = (float)(carried = carried operation x[i]);                                       \
        }                                                                                                  \
    }

#define SCAN(name, first, operation)                                                                       \
    ROWS(name##_rows, first, operation, for (size i = 0; i < n; i++))                                      \
    ROWS(name##_backwards, first, operation, for (size i = n - 1; i >= 0; i--))                            \
    WIDE static void name##_columns(const float *x, float *out, size outer, size n, size inner, int reverse) { \
        double carried[COLUMNS];                                                                           \
        for (; outer; outer--, x += n * inner, out += n * inner)                                           \
            for (size left = 0; left < inner; left += COLUMNS) {                                           \
                const size m = inner - left < COLUMNS ? inner - left : COLUMNS;                            \
                for (size c = 0; c < m; c++) carried[c] = first;                                           \
                for (size i = 0; i < n; i++) {                                                             \
                    const size at = (reverse ? n - 1 - i : i) * inner + left;                              \
                    INDEPENDENT                                                                            \
                    for (size c = 0; c < m; c++) {                                                         \
                        carried[c] = carried[c] operation x[at + c];                                       \
                        out[at + c] = (float)carried[c];                                                   \
                    }                                                                                      \
                }                                                                                          \
            }                                                                                              \
    }                                                                                                      \
    static void name##_all(const float *x, float *out, size outer, size n, size inner, int reverse) {      \
        if (inner > 1) name##_columns(x, out, outer, n, inner, reverse);                                   \
        else if (reverse) name##_backwards(x, out, outer, n);                                              \
        else name##_rows(x, out, outer, n);                                                                \
    }                                                                                                      \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count) {                       \
        PyArrayObject *x = count >= 1 && count <= 3 ? contiguous(args[0], NPY_FLOAT) : NULL;               \
        size outer, n, inner;                                                                              \
        if (x == NULL || !along(x, count > 1 ? args[1] : NULL, &outer, &n, &inner)) Py_RETURN_NONE;        \
        PyObject *out = PyArray_SimpleNew(PyArray_NDIM(x), PyArray_DIMS(x), NPY_FLOAT);                    \
        if (out == NULL) return NULL;                                                                      \
        const int reverse = count == 3 && args[2] == Py_True;                                              \
        void *to = PyArray_DATA((PyArrayObject *)out);                                                     \
        RELEASED(PyArray_SIZE(x), name##_all(PyArray_DATA(x), to, outer, n, inner, reverse));              \
        return out;                                                                                        \
    }

/* (outer, n, inner) around an axis, the last one where none is given; 0 where there is nothing to do, or no such axis. */
static int along(PyArrayObject *x, PyObject *given, size *outer, size *n, size *inner) {
    const int dims = PyArray_NDIM(x);
    int overflow = 0;
    long axis = dims - 1;
    if (given && !PyLong_CheckExact(given)) return 0;
    if (given) axis = PyLong_AsLongAndOverflow(given, &overflow);
    if (axis < 0) axis += dims;
    if (overflow || axis < 0 || axis >= dims || PyArray_SIZE(x) == 0) return 0;
    *outer = *inner = 1;
    for (int k = 0; k < dims; k++) *(k < axis ? outer : k > axis ? inner : n) = 1;
    for (int k = 0; k < dims; k++) *(k < axis ? outer : k > axis ? inner : n) *= PyArray_DIM(x, k);
    return 1;
}

SCAN(running_sums, 0.0, +)
SCAN(running_products, 1.0, *)

/* The largest or smallest so far and where it stands: the last place among equals; NaN stays, and is renewed. */
#define EXTREME(T, name, beats)                                                                            \
    WIDE static void name(const T *x, T *out, int64_t *places, size outer, size n, size inner) {           \
        for (; outer; outer--, x += n * inner, out += n * inner, places += n * inner) {                    \
            if (inner == 1) {                                                                              \
                T best = x[0];                                                                             \
                size place = 0;                                                                            \
                for (size i = 0; i < n; i++) {                                                             \
                    const int renewed = (x[i] != x[i]) | ((best == best) & (x[i] beats best));             \
                    best = renewed ? x[i] : best;                                                          \
                    place = renewed ? i : place;                                                           \
                    out[i] = best, places[i] = place;                                                      \
                }                                                                                          \
                continue;                                                                                  \
            }                                                                                              \
            memcpy(out, x, inner * sizeof *x);                                                             \
            memset(places, 0, inner * sizeof *places);                                                     \
            for (size i = 1; i < n; i++) {                                                                 \
                const T *from = x + i * inner, *before = out + (i - 1) * inner;                            \
                const int64_t *stood = places + (i - 1) * inner;                                           \
                T *to = out + i * inner;                                                                   \
                int64_t *where = places + i * inner;                                                       \
                INDEPENDENT                                                                                \
                for (size c = 0; c < inner; c++) {                                                         \
                    const T best = before[c];                                                              \
                    const int renewed = (from[c] != from[c]) | ((best == best) & (from[c] beats best));    \
                    to[c] = renewed ? from[c] : best;                                                      \
                    where[c] = renewed ? i : stood[c];                                                     \
                }                                                                                          \
            }                                                                                              \
        }                                                                                                  \
    }
EXTREME(float, largest_floats, >=)
EXTREME(double, largest_doubles, >=)
EXTREME(int64_t, largest_longs, >=)
EXTREME(float, smallest_floats, <=)
EXTREME(double, smallest_doubles, <=)
EXTREME(int64_t, smallest_longs, <=)

static PyObject *running_extreme(PyObject *const *args, Py_ssize_t count, int largest) {
    if (count != 2 || !PyArray_CheckExact(args[0]) || !PyArray_ISCARRAY_RO((PyArrayObject *)args[0])) Py_RETURN_NONE;
    PyArrayObject *x = (PyArrayObject *)args[0];
    const int type = PyArray_TYPE(x);
    size outer, n, inner;
    if (type != NPY_FLOAT && type != NPY_DOUBLE && type != NPY_INT64) Py_RETURN_NONE;
    if (!along(x, args[1], &outer, &n, &inner)) Py_RETURN_NONE;
    PyObject *values = PyArray_SimpleNew(PyArray_NDIM(x), PyArray_DIMS(x), type);
    PyObject *places = PyArray_SimpleNew(PyArray_NDIM(x), PyArray_DIMS(x), NPY_INT64);
    if (values && places) {
        const void *from = PyArray_DATA(x);
        void *to = PyArray_DATA((PyArrayObject *)values), *where = PyArray_DATA((PyArrayObject *)places);
        RELEASED(PyArray_SIZE(x), {
            if (type == NPY_FLOAT) (largest ? largest_floats : smallest_floats)(from, to, where, outer, n, inner);
            else if (type == NPY_DOUBLE) (largest ? largest_doubles : smallest_doubles)(from, to, where, outer, n, inner);
            else (largest ? largest_longs : smallest_longs)(from, to, where, outer, n, inner);
        });
        return Py_BuildValue("(NN)", values, places);
    }
    Py_XDECREF(values);
    Py_XDECREF(places);
    return NULL;
}

static PyObject *running_maxima(PyObject *self, PyObject *const *args, Py_ssize_t count) { return running_extreme(args, count, 1); }
static PyObject *running_minima(PyObject *self, PyObject *const *args, Py_ssize_t count) { return running_extreme(args, count, 0); }

/* Products: those of contiguous lines in four vectors of V, which are multiplied together, then their lanes, then what the
   vectors left over; those of columns one element after the other. */
#define PRODUCTS(T, V, name)                                                                               \
    WIDE static T name##_line(const T *x, size n) {                                                        \
        T lanes[4 * V], total = 1;                                                                         \
        size i = 0;                                                                                        \
        if (n >= 4 * V) {                                                                                  \
            for (int k = 0; k < 4 * V; k++) lanes[k] = x[k];                                               \
            for (i = 4 * V; i + 4 * V <= n; i += 4 * V)                                                    \
                for (int k = 0; k < 4 * V; k++) lanes[k] *= x[i + k];                                      \
            for (int k = 0; k < V; k++) lanes[k] = (lanes[k] * lanes[V + k]) * (lanes[2 * V + k] * lanes[3 * V + k]); \
            for (int k = 0; k < V; k++) total *= lanes[k];                                                 \
        }                                                                                                  \
        for (; i < n; i++) total *= x[i];                                                                  \
        return total;                                                                                      \
    }                                                                                                      \
    WIDE static void name##_all(const T *x, T *out, size outer, size n, size inner) {                      \
        for (size o = 0; o < outer; o++, x += n * inner, out += inner) {                                   \
            if (inner == 1) {                                                                              \
                *out = name##_line(x, n);                                                                  \
                continue;                                                                                  \
            }                                                                                              \
            memcpy(out, x, inner * sizeof *x);                                                             \
            for (size i = 1; i < n; i++) {                                                                 \
                INDEPENDENT                                                                                \
                for (size c = 0; c < inner; c++) out[c] *= x[i * inner + c];                               \
            }                                                                                              \
        }                                                                                                  \
    }
PRODUCTS(float, 8, float_products)
PRODUCTS(double, 4, double_products)

/* products(x, axis): along an axis, which is gone. */
static PyObject *products(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *x = count == 2 ? contiguous(args[0], NPY_FLOAT) : NULL;
    if (x == NULL && count == 2) x = contiguous(args[0], NPY_DOUBLE);
    size outer, n, inner, shape[NPY_MAXDIMS];
    if (x == NULL || !along(x, args[1], &outer, &n, &inner)) Py_RETURN_NONE;
    long axis = PyLong_AsLong(args[1]), dims = PyArray_NDIM(x), left = 0;
    for (long k = 0; k < dims; k++)
        if (k != (axis < 0 ? axis + dims : axis)) shape[left++] = PyArray_DIM(x, k);
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew((int)left, shape, PyArray_TYPE(x));
    if (out == NULL) return NULL;
    RELEASED(PyArray_SIZE(x), {
        if (PyArray_TYPE(x) == NPY_FLOAT) float_products_all(PyArray_DATA(x), PyArray_DATA(out), outer, n, inner);
        else double_products_all(PyArray_DATA(x), PyArray_DATA(out), outer, n, inner);
    });
    return (PyObject *)out;
}

PyMethodDef scan_methods[] = {
    FUNCTION(running_sums, "running_sums(x, axis=-1, reverse=False)"),
    FUNCTION(running_products, "running_products(x, axis=-1, reverse=False)"),
    FUNCTION(running_maxima, "running_maxima(x, axis): and their places"),
    FUNCTION(running_minima, "running_minima(x, axis): and their places"),
    FUNCTION(products, "products(x, axis)"),
    {NULL, NULL, 0, NULL},
};
