/* Conversions between half types and float32; `brain` is bfloat16, otherwise it is float16. */
#ifndef TENSORSH_CONVERSIONS_H
#define TENSORSH_CONVERSIONS_H

#include "kernels.h"

/* The bits of a float32 as bfloat16. */
INLINE uint16_t brain_bits(uint32_t b) {
    const uint32_t rounded = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
    return (uint16_t)((b & 0x7fffffff) > 0x7f800000 ? (b >> 16 & 0x8000) | 0x7fc0 : rounded);
}

void halves_to_floats(int brain, const uint16_t *x, float *out, size n);
void floats_to_halves(int brain, const float *x, uint16_t *out, size n);

#endif
