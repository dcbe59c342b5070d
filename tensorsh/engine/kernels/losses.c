/* The loss of classes given their log-probabilities, and its gradient. */
#include "common.h"

#define LEVELS 8

/* Minus the sum of x[row, class of the row], in the order of PyTorch's kernel: a cascade of eight levels. */
#define NLL(T, name)                                                                        \
    static T name(const T *x, const npy_int64 *classes, size rows, size width) {            \
        T sums[LEVELS] = {0}, total = 0;                                                    \
        int bits = 0, power;                                                                \
        while (((size)1 << bits) < rows) bits++;                                            \
        power = bits / LEVELS > 4 ? bits / LEVELS : 4;                                      \
        for (size row = 0; row < rows; row++) {                                             \
            sums[0] -= x[row * width + classes[row]];                                       \
            for (int level = 0; level + 1 < LEVELS; level++) {                              \
                if (row & ((((size)1 << power) - 1) << (level * power))) break;             \
                sums[level + 1] += sums[level];                                             \
                sums[level] = 0;                                                            \
            }                                                                               \
        }                                                                                   \
        for (int level = 0; level < LEVELS; level++) total += sums[level];                  \
        return total;                                                                       \
    }
NLL(float, nll_float)
NLL(double, nll_double)

/* The classes of so many rows, if all of them lie below `width`. */
static const npy_int64 *classes_of(PyObject *object, size rows, size width) {
    PyArrayObject *array = contiguous(object, NPY_INT64);
    if (array == NULL || PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != rows) return NULL;
    const npy_int64 *classes = PyArray_DATA(array);
    int wrong = 0;
    for (size row = 0; row < rows; row++) wrong |= (npy_uint64)classes[row] >= (npy_uint64)width;
    return wrong ? NULL : classes;
}

static PyArrayObject *floating(PyObject *object) {
    PyArrayObject *array = contiguous(object, NPY_FLOAT);
    return array ? array : contiguous(object, NPY_DOUBLE);
}

static PyObject *nll(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *x = count == 3 ? floating(args[0]) : NULL, *out;
    const int mean = count == 3 && args[2] == Py_True;
    if (x == NULL || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0) Py_RETURN_NONE;
    size rows = PyArray_DIM(x, 0), width = PyArray_DIM(x, 1);
    const npy_int64 *classes = classes_of(args[1], rows, width);
    if (classes == NULL) Py_RETURN_NONE;
    if ((out = (PyArrayObject *)PyArray_SimpleNew(0, NULL, PyArray_TYPE(x))) == NULL) return NULL;
    if (PyArray_TYPE(x) == NPY_FLOAT) *(float *)PyArray_DATA(out) = nll_float(PyArray_DATA(x), classes, rows, width) / (mean ? (float)rows : 1.0f);
    else *(double *)PyArray_DATA(out) = nll_double(PyArray_DATA(x), classes, rows, width) / (mean ? (double)rows : 1.0);
    return (PyObject *)out;
}

/* Zeros of (rows, width), but minus the gradient's share at each row's class. */
static PyObject *nll_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *g = count == 3 ? floating(args[0]) : NULL, *out;
    if (g == NULL || PyArray_SIZE(g) != 1 || !PyTuple_CheckExact(args[2]) || PyTuple_GET_SIZE(args[2]) != 2) Py_RETURN_NONE;
    size shape[2];
    for (int k = 0; k < 2; k++) {
        shape[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(args[2], k));
        if (shape[k] == -1 && PyErr_Occurred()) return NULL;
        if (shape[k] < 1) Py_RETURN_NONE;
    }
    const npy_int64 *classes = classes_of(args[1], shape[0], shape[1]);
    if (classes == NULL) Py_RETURN_NONE;
    if ((out = (PyArrayObject *)PyArray_ZEROS(2, shape, PyArray_TYPE(g), 0)) == NULL) return NULL;
    if (PyArray_TYPE(g) == NPY_FLOAT) {
        float *to = PyArray_DATA(out), share = -(*(float *)PyArray_DATA(g) / (float)shape[0]);
        for (size row = 0; row < shape[0]; row++) to[row * shape[1] + classes[row]] = share;
    } else {
        double *to = PyArray_DATA(out), share = -(*(double *)PyArray_DATA(g) / (double)shape[0]);
        for (size row = 0; row < shape[0]; row++) to[row * shape[1] + classes[row]] = share;
    }
    return (PyObject *)out;
}

PyMethodDef losses_methods[] = {
    FUNCTION(nll, "nll(x, classes, mean): minus the sum, or the mean, of the log-probabilities of the classes"),
    FUNCTION(nll_backward, "nll_backward(g, classes, shape of x)"),
    {NULL, NULL, 0, NULL},
};
