/* `row_moments` of floats and of doubles, for norms of both. */
#define NUMBER double
#define FUSED __builtin_fma
#define OF(name) name##_of_doubles
#include "row_moments.h"

#define NUMBER float
#define FUSED __builtin_fmaf
#define OF(name) name##_of_floats
#include "row_moments.h"
