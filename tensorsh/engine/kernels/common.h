/* What the kernels share: numpy's interface, several builds of a loop for several processors. */
#ifndef TENSORSH_COMMON_H
#define TENSORSH_COMMON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tensorsh_array_api
#define PY_UFUNC_UNIQUE_SYMBOL tensorsh_ufunc_api
#ifndef TENSORSH_MODULE
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A function marked WIDE is compiled for AVX-512, for AVX2 with FMA, and for any processor; the loader takes the best. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

/* The elements of a loop do not depend on one another, also where the result is written over an argument. */
#define INDEPENDENT _Pragma("GCC ivdep")

typedef npy_intp size;

/* An exact numpy array in C order of one of the floating types; NULL (without an exception) for anything else. */
INLINE PyArrayObject *contiguous(PyObject *object, int type) {
    if (!PyArray_CheckExact(object)) return NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_TYPE(array) != type || !PyArray_ISCARRAY_RO(array)) return NULL;
    return array;
}

INLINE PyArrayObject *writeable(PyObject *object, int type) {
    PyArrayObject *array = contiguous(object, type);
    return array != NULL && PyArray_ISWRITEABLE(array) ? array : NULL;
}

/* Arguments that are arrays of float32 of one size, put into `to`, or None; 0 for anything else. */
INLINE int taken(PyObject *const *args, int count, float **const *to, size n, int changed) {
    for (int k = 0; k < count; k++) {
        if (args[k] == Py_None) continue;
        PyArrayObject *array = changed ? writeable(args[k], NPY_FLOAT) : contiguous(args[k], NPY_FLOAT);
        if (array == NULL || PyArray_SIZE(array) != n) return 0;
        *to[k] = PyArray_DATA(array);
    }
    return 1;
}

#define NONE_UNLESS_ERROR return PyErr_Occurred() ? NULL : Py_NewRef(Py_None)

/* Work on more elements than this lets other threads run meanwhile. */
#define LONG_WORK 16384

/* A call that takes long: other threads run meanwhile. */
#define RELEASED(elements, call)                                                             \
    do {                                                                                     \
        PyThreadState *others_ = (elements) > LONG_WORK ? PyEval_SaveThread() : NULL;        \
        call;                                                                                \
        if (others_) PyEval_RestoreThread(others_);                                          \
    } while (0)

#define FUNCTION(name, signature) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, signature}

extern PyMethodDef attention_methods[];
extern PyMethodDef batch_norm_methods[];
extern PyMethodDef convolution_methods[];
extern PyMethodDef gemm_methods[];
extern PyMethodDef group_norm_methods[];
extern PyMethodDef halves_methods[];
extern PyMethodDef losses_methods[];
extern PyMethodDef memory_methods[];
extern PyMethodDef norm_methods[];
extern PyMethodDef optimizer_methods[];
extern PyMethodDef pieces_methods[];
extern PyMethodDef places_methods[];
extern PyMethodDef random_methods[];
extern PyMethodDef recurrent_methods[];
extern PyMethodDef rows_methods[];
extern PyMethodDef scan_methods[];
extern PyMethodDef sums_methods[];
extern PyMethodDef tensors_methods[];
int add_ufuncs(PyObject *module), add_fused(PyObject *module), add_general(PyObject *module), add_quick(PyObject *module),
    add_tensors(PyObject *module);

#endif
