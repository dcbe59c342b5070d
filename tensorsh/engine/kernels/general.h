/* The call of an operator: what general.c has of it, and recording.c. */
#ifndef TENSORSH_GENERAL_H
#define TENSORSH_GENERAL_H

#include "tensors.h"

enum { MOST = 16 }; /* of longer lists the elements do not count: see calls.py */

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *owner, *otherwise, *fitting, *defaults, *required, *index;
    PyObject *keywords;              /* the names of the parameters that the kernel takes by name */
    PyObject *module;                /* numpy */
    PyObject *plans;                 /* what nodes keep: see plan_of */
    Py_ssize_t count, positional;    /* parameters: all, by position */
    Py_ssize_t packed;               /* the one that takes separate integers, or -1 */
    int numbers, view, unmixed, promotes;
    Py_ssize_t arrays, first;        /* how many parameters are tensors; the one whose dtype PyTorch may lack a kernel for, or -1 */
    Py_ssize_t places[MOST];
} General;

extern PyArray_Descr *float32, *float64;

/* owner.name(first, second); NULL where `first` is, and `second` may be. */
INLINE PyObject *method(PyObject *owner, PyObject *name, PyObject *first, PyObject *second) {
    PyObject *args[3] = {owner, first, second};
    if (first == NULL) return NULL;
    return PyObject_VectorcallMethod(name, args, second ? 3 : 2, NULL);
}

/* The result with its node; NULL without an error where `Recording.record` has to see to it. */
PyObject *recorded(General *it, PyObject *values, PyObject *result);
int add_recording(void);

#endif
