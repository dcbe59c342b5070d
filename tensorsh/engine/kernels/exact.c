/* Inner loops of the operations whose results IEEE 754 says to the bit, in the form of numpy's: the same numbers (of two NaNs perhaps
   the other one), with no look at overlaps and flags before each, which on the pieces of a chain takes as long as the work. */
#include "loops.h"

#define AT(T, k, i) (*(const T *)(args[k] + (i) * steps[k]))

#define SINGLE(T, name, expression)                                                                           \
    WIDE static void name##_flat(const T *x, T *out, size n) {                                                \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) { const T a = x[i]; out[i] = expression; }                               \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(T);                                                               \
        if (steps[0] == one && steps[1] == one) name##_flat((const T *)args[0], (T *)args[1], n);             \
        else for (size i = 0; i < n; i++) { const T a = AT(T, 0, i); *(T *)(args[1] + i * steps[1]) = expression; } \
    }

#define PAIR(T, name, sign)                                                                                   \
    WIDE static void name##_flat(const T *a, const T *b, T *out, size n) {                                    \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = a[i] sign b[i];                                                 \
    }                                                                                                         \
    WIDE static void name##_number(const T *a, T b, T *out, size n) {                                         \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = a[i] sign b;                                                    \
    }                                                                                                         \
    WIDE static void name##_of_number(T a, const T *b, T *out, size n) {                                      \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = a sign b[i];                                                    \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(T);                                                               \
        const T *a = (const T *)args[0], *b = (const T *)args[1];                                             \
        T *out = (T *)args[2];                                                                                \
        if (steps[0] == one && steps[1] == one && steps[2] == one) name##_flat(a, b, out, n);                 \
        else if (steps[0] == one && steps[1] == 0 && steps[2] == one) name##_number(a, *b, out, n);           \
        else if (steps[0] == 0 && steps[1] == one && steps[2] == one) name##_of_number(*a, b, out, n);        \
        else for (size i = 0; i < n; i++) *(T *)(args[2] + i * steps[2]) = AT(T, 0, i) sign AT(T, 1, i);      \
    }

PAIR(float, add_singles, +)
PAIR(double, add_doubles, +)
PAIR(float, subtract_singles, -)
PAIR(double, subtract_doubles, -)
PAIR(float, multiply_singles, *)
PAIR(double, multiply_doubles, *)
PAIR(float, divide_singles, /)
PAIR(double, divide_doubles, /)
SINGLE(float, negative_singles, -a)
SINGLE(double, negative_doubles, -a)
SINGLE(float, absolute_singles, __builtin_fabsf(a))
SINGLE(double, absolute_doubles, __builtin_fabs(a))
SINGLE(float, sqrt_singles, sqrtf(a))
SINGLE(double, sqrt_doubles, sqrt(a))
SINGLE(float, reciprocal_singles, 1 / a)
SINGLE(double, reciprocal_doubles, 1 / a)
SINGLE(float, floor_singles, floorf(a))
SINGLE(double, floor_doubles, floor(a))
SINGLE(float, ceil_singles, ceilf(a))
SINGLE(double, ceil_doubles, ceil(a))
SINGLE(float, trunc_singles, truncf(a))
SINGLE(double, trunc_doubles, trunc(a))

static const struct {
    const char *name;
    UfuncRun runs[2];
} loops[] = {
    {"add", {add_singles, add_doubles}},
    {"subtract", {subtract_singles, subtract_doubles}},
    {"multiply", {multiply_singles, multiply_doubles}},
    {"divide", {divide_singles, divide_doubles}},
    {"negative", {negative_singles, negative_doubles}},
    {"absolute", {absolute_singles, absolute_doubles}},
    {"sqrt", {sqrt_singles, sqrt_doubles}},
    {"reciprocal", {reciprocal_singles, reciprocal_doubles}},
    {"floor", {floor_singles, floor_doubles}},
    {"ceil", {ceil_singles, ceil_doubles}},
    {"trunc", {trunc_singles, trunc_doubles}},
};

/* The loop of numpy's ufunc of this name, on doubles or else on floats; NULL where there is none. */
UfuncRun exact_loop(const char *name, int doubles) {
    for (unsigned k = 0; k < sizeof loops / sizeof *loops; k++)
        if (strcmp(loops[k].name, name) == 0) return loops[k].runs[doubles];
    return NULL;
}
