/* Running sums and products along rows, carried in double and each rounded, as PyTorch does. */
#include "common.h"

#define TOGETHER 4 /* rows at a time: each addition waits for the one before it in its row */

#define SCAN(name, first, operation)                                                                       \
    static void name##_rows(const float *x, float *out, size rows, size n) {                               \
        for (; rows >= TOGETHER; rows -= TOGETHER, x += TOGETHER * n, out += TOGETHER * n) {               \
            double carried[TOGETHER] = {first, first, first, first};                                       \
            for (size i = 0; i < n; i++)                                                                   \
                for (int k = 0; k < TOGETHER; k++) {                                                       \
                    carried[k] = carried[k] operation x[k * n + i];                                        \
                    out[k * n + i] = (float)carried[k];                                                    \
                }                                                                                          \
        }                                                                                                  \
        for (; rows; rows--, x += n, out += n) {                                                           \
            double carried = first;                                                                        \
            for (size i = 0; i < n; i++) out[i] = (float)(carried = carried operation x[i]);               \
        }                                                                                                  \
    }                                                                                                      \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count) {                       \
        PyArrayObject *x = count == 1 ? contiguous(args[0], NPY_FLOAT) : NULL;                             \
        if (x == NULL || PyArray_NDIM(x) < 1 || PyArray_SIZE(x) == 0) Py_RETURN_NONE;                      \
        PyObject *out = PyArray_SimpleNew(PyArray_NDIM(x), PyArray_DIMS(x), NPY_FLOAT);                    \
        if (out == NULL) return NULL;                                                                      \
        size n = PyArray_DIM(x, PyArray_NDIM(x) - 1), all = PyArray_SIZE(x);                               \
        RELEASED(all, name##_rows(PyArray_DATA(x), PyArray_DATA((PyArrayObject *)out), all / n, n));       \
        return out;                                                                                        \
    }

SCAN(running_sums, 0.0, +)
SCAN(running_products, 1.0, *)

PyMethodDef scan_methods[] = {
    FUNCTION(running_sums, "running_sums(x), along the last axis"),
    FUNCTION(running_products, "running_products(x), along the last axis"),
    {NULL, NULL, 0, NULL},
};
