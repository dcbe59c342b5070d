/* Arrays joined, and the largest or smallest of all elements. */
#include "common.h"

/* The join of contiguous arrays of one dtype along an axis: join(list of arrays, axis). */
static PyObject *join(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2 || !PyList_CheckExact(args[0]) || !PyLong_CheckExact(args[1])) Py_RETURN_NONE;
    Py_ssize_t many = PyList_GET_SIZE(args[0]);
    PyArrayObject *first = NULL, *out;
    size shape[NPY_MAXDIMS], outer = 1, inner = 0;
    int overflow = 0;
    long axis = PyLong_AsLongAndOverflow(args[1], &overflow);
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *object = PyList_GET_ITEM(args[0], i);
        PyArrayObject *a = (PyArrayObject *)object;
        if (!PyArray_CheckExact(object) || !PyArray_ISCARRAY_RO(a) || PyDataType_REFCHK(PyArray_DESCR(a))) Py_RETURN_NONE;
        if (first == NULL) {
            first = a;
            int dims = PyArray_NDIM(a);
            if (axis < 0) axis += dims;
            if (overflow || axis < 0 || axis >= dims) Py_RETURN_NONE;
            memcpy(shape, PyArray_DIMS(a), dims * sizeof *shape);
            for (int k = 0; k < axis; k++) outer *= shape[k];
            inner = PyArray_ITEMSIZE(a);
            for (int k = (int)axis + 1; k < dims; k++) inner *= shape[k];
            continue;
        }
        if (PyArray_DESCR(a) != PyArray_DESCR(first) || PyArray_NDIM(a) != PyArray_NDIM(first)) Py_RETURN_NONE;
        for (int k = 0; k < PyArray_NDIM(a); k++)
            if (k != axis && PyArray_DIM(a, k) != shape[k]) Py_RETURN_NONE;
        shape[axis] += PyArray_DIM(a, axis);
    }
    if (first == NULL || outer * shape[axis] * inner > 8 * LONG_WORK) Py_RETURN_NONE;
    Py_INCREF(PyArray_DESCR(first));
    out = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(first), shape, PyArray_DESCR(first));
    if (out == NULL) return NULL;
    char *to = PyArray_DATA(out);
    for (size o = 0; o < outer; o++)
        for (Py_ssize_t i = 0; i < many; i++) {
            PyArrayObject *a = (PyArrayObject *)PyList_GET_ITEM(args[0], i);
            size bytes = PyArray_DIM(a, axis) * inner;
            memcpy(to, (char *)PyArray_DATA(a) + o * bytes, bytes);
            to += bytes;
        }
    return (PyObject *)out;
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

static PyObject *extreme(PyObject *const *args, Py_ssize_t count, int largest) {
    if (count != 1 || !PyArray_CheckExact(args[0])) Py_RETURN_NONE;
    PyArrayObject *a = (PyArrayObject *)args[0], *out;
    int type = PyArray_TYPE(a);
    size n = PyArray_SIZE(a);
    if (!PyArray_ISCARRAY_RO(a) || (type != NPY_FLOAT && type != NPY_DOUBLE) || n == 0 || n > FEW) Py_RETURN_NONE;
    if ((out = (PyArrayObject *)PyArray_SimpleNew(0, NULL, type)) == NULL) return NULL;
    void *x = PyArray_DATA(a), *to = PyArray_DATA(out);
    if (type == NPY_FLOAT) *(float *)to = largest ? largest_float(x, n) : smallest_float(x, n);
    else *(double *)to = largest ? largest_double(x, n) : smallest_double(x, n);
    return (PyObject *)out;
}

static PyObject *largest(PyObject *self, PyObject *const *args, Py_ssize_t count) { return extreme(args, count, 1); }
static PyObject *smallest(PyObject *self, PyObject *const *args, Py_ssize_t count) { return extreme(args, count, 0); }

PyMethodDef pieces_methods[] = {
    FUNCTION(join, "join(arrays, axis)"),
    FUNCTION(largest, "largest(x): of all elements, NaN if there is one"),
    FUNCTION(smallest, "smallest(x)"),
    {NULL, NULL, 0, NULL},
};
