/* Moments of several rows at a time, each in lanes of 32 bytes: an addition waits for the one before it in its lane. */
#ifndef TENSORSH_MOMENTS_H
#define TENSORSH_MOMENTS_H

#include "kernels.h"

#define MOMENT_ROWS 4

/* Means and sums of squared distances from them, for each lane of `count` vectors at each of the rows. */
void chunk_moments_of_floats(const float *const *rows, int count, float *means, float *squares);
void chunk_moments_of_doubles(const double *const *rows, int count, double *means, double *squares);

/* What norms of rows have in common: x, weight, bias, eps, out, means and reciprocal deviations. Rows of a half type are taken as floats,
   MOMENT_ROWS at a time, which have room, and then what is made of them. */
int norm_kinds(const Call *c, int last); /* whether out is of x's kind, other arrays up to the last of it, too, or of float32 for halves */
int norm_of_kinds(Call *c);
void rows_widened(const Call *c, size row, size some, float *to);
void rows_narrowed(const Call *c, size row, size some, const float *from);

#endif
