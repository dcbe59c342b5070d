/* Functions of C's library on arrays of doubles, with the bits that Python's own have: what is drawn one by one is so drawn at once. */
#include "kernels.h"

#define FROM_LIBRARY(name, function)                                                             \
    static void name##_loop(char **args, const size *count, const size *steps, void *data) {     \
        (void)data;                                                                              \
        for (size i = 0; i < *count; i++)                                                        \
            *(double *)(args[1] + i * steps[1]) = function(*(const double *)(args[0] + i * steps[0])); \
    }
FROM_LIBRARY(exp, exp)
FROM_LIBRARY(log, log)
FROM_LIBRARY(log1p, log1p)
FROM_LIBRARY(sin, sin)
FROM_LIBRARY(cos, cos)
FROM_LIBRARY(tan, tan)

#define UFUNC(name) {"library_" #name, 1, {NULL, name##_loop}, 0}
Ufunc library_ufuncs[] = {UFUNC(exp), UFUNC(log), UFUNC(log1p), UFUNC(sin), UFUNC(cos), UFUNC(tan), {0}};
