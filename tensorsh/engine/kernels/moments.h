/* Moments of several rows at a time, each in eight lanes: an addition waits for the one before it in its lane. */
#ifndef TENSORSH_MOMENTS_H
#define TENSORSH_MOMENTS_H

#include "kernels.h"

#define MOMENT_ROWS 4
#define MOMENT_LANES 8

/* Means and sums of squared distances from them, for each lane of `count` vectors at each of the rows. */
void chunk_moments(const float *const *rows, int count, float *means, float *squares);

#endif
