/* Conversions between half types and float32; `brain` is bfloat16, otherwise it is float16. */
#ifndef TENSORSH_HALVES_H
#define TENSORSH_HALVES_H

#include "vector_math.h"

int half_type(PyArray_Descr *dtype);
PyArrayObject *half_array(PyObject *object, int *brain); /* contiguous; NULL for anything else */
void halves_to_floats(int brain, const uint16_t *x, float *out, size n);
void floats_to_halves(int brain, const float *x, uint16_t *out, size n);

#endif
