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

extern PyMethodDef memory_methods[], half_methods[], step_methods[];
int is_bfloat16(PyArray_Descr *dtype);
void free_large_block(void);
int add_kernels(PyObject *module), add_loops(PyObject *module), add_chains(PyObject *module), add_patience(PyObject *module), add_programs(PyObject *module), add_walks(PyObject *module);

/* The type of objects that are called, through what their field `call` points to. */
#define CALLABLE(Struct, make, drop, doc)                                                             \
    PyTypeObject Struct##Type = {                                                                     \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tensorsh.engine.kernels." #Struct,                  \
        .tp_doc = doc,                                                                                \
        .tp_basicsize = sizeof(Struct),                                                               \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,                                  \
        .tp_vectorcall_offset = offsetof(Struct, call),                                               \
        .tp_call = PyVectorcall_Call,                                                                 \
        .tp_new = make,                                                                               \
        .tp_dealloc = drop,                                                                           \
    };

/* A list that calls with an answer are noted in, as (callee, arguments, answer); NULL while nobody listens. */
#ifdef __GNUC__
#define WITHIN __attribute__((visibility("hidden")))
#define RECORDED __builtin_expect(recorder != NULL, 0)
#else
#define WITHIN
#define RECORDED (recorder != NULL)
#endif
extern WITHIN PyObject *recorder;
WITHIN void record_call(PyObject *callee, PyObject *const *args, size count, PyObject *answer);
/* A kernel's call, planned; which of its arguments are arrays, and which of these it writes, as bits. 0: not for it. */
int kernel_bound(PyObject *capsule, PyObject *args, Call *call, const Kernel **kernel, unsigned *arrays, unsigned *writes);
/* A planned call's work: 1 done, 0 not for this kernel, -1 an error. */
int kernel_work(const Kernel *kernel, Call *call);
/* What a class says of a slot by name (`tuple.__hash__`) is the function that stands there now. Classes that are derived later take
   their slots from these. -1 with an error. */
WITHIN int rename_slot(PyTypeObject *type, void *before, void *now);
/* Puts a loop in the place of that of a ufunc of numpy for these types; `*before` is what stood there. */
WITHIN void replace_loop(PyObject *numpy, const char *name, int inputs, const int *types, PyUFuncGenericFunction loop, PyUFuncGenericFunction *before);
/* Whether a signal, or what another thread threw at this one, ends a call: an error is set. */
int is_interrupted(void);

#endif
