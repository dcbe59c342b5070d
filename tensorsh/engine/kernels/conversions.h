/* Conversions between half types and float32; `brain` is bfloat16, otherwise it is float16. */
#ifndef TENSORSH_CONVERSIONS_H
#define TENSORSH_CONVERSIONS_H

#include "kernels.h"

void halves_to_floats(int brain, const uint16_t *x, float *out, size n);
void floats_to_halves(int brain, const float *x, uint16_t *out, size n);

#endif
