/* Python and numpy for what takes arguments apart itself: see kernels.h for what does not. */
#ifndef TENSORSH_COMMON_H
#define TENSORSH_COMMON_H

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter" /* Python hands over more than a function may want */
#endif

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

#include "kernels.h"

extern PyMethodDef memory_methods[], half_methods[];
int is_bfloat16(PyArray_Descr *dtype);
int add_kernels(PyObject *module), add_loops(PyObject *module), add_chains(PyObject *module), add_patience(PyObject *module);

#endif
