/* The inner loops of one elementwise operator for three dtypes, and numbers as their elements. */
#ifndef TENSORSH_LOOPS_H
#define TENSORSH_LOOPS_H

#include "common.h"
#include "kernels.h"
#include <stddef.h>

typedef struct {
    PyUFuncGenericFunction run;
    void *data;
    int out;
} Inner;

enum { FLOATS, DOUBLES, LONGS, KINDS, MOST_OPERANDS = 3 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    Inner inner[KINDS];
    PyObject *ufuncs[KINDS]; /* whose loops these are */
    int numbers; /* whether the second operand may be a Python number */
    int inputs;
    int halves; /* whether half types are computed by float32's loop, and rounded: 2 where numbers are not rounded before */
    Inner single; /* that loop: one that gives the same numbers sooner, of one operand */
    npy_uint16 kept, turned; /* of a function that changes a half's sign alone: bits that stay, and that are then turned */
} Loop;

typedef union {
    float f;
    double d;
    npy_int64 i;
} Number;

extern PyTypeObject LoopType;

UfuncRun exact_loop(const char *name, int doubles);

#endif
