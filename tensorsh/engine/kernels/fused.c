/* The ufuncs multiply_add(a, b, c) = a * b + c with one rounding, if_positive(x, a, b) = x > 0 ? a : b, and nextafter, of float32
   and float64. */
#include "kernels.h"

#define AT(T, k, i) (*(const T *)(args[k] + (i) * steps[k]))

/* Arrays side by side, of which b, or b and c, may be one number; others piece by piece. */
#define MULTIPLY_ADD(T, name, fma)                                                                            \
    WIDE static void name##_flat(const T *a, const T *b, const T *c, T *out, size n) {                        \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = fma(a[i], b[i], c[i]);                                          \
    }                                                                                                         \
    static void name##_taken(const void *const *in, void *out, size n) { name##_flat(in[0], in[1], in[2], out, n); } \
    WIDE static void name##_scaled(const T *a, T b, const T *c, T *out, size n) {                             \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = fma(a[i], b, c[i]);                                             \
    }                                                                                                         \
    WIDE static void name##_line(const T *a, T b, T c, T *out, size n) {                                      \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = fma(a[i], b, c);                                                \
    }                                                                                                         \
    WIDE static void name(char **args, const size *count, const size *steps, void *data) {                    \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(T);                                                               \
        const T *a = (const T *)args[0], *b = (const T *)args[1], *c = (const T *)args[2];                    \
        T *out = (T *)args[3];                                                                                \
        if (steps[0] == one && steps[1] == one && steps[2] == one && steps[3] == one) {                       \
            name##_flat(a, b, c, out, n);                                                                     \
        } else if (steps[0] == one && steps[1] == 0 && steps[2] == one && steps[3] == one) {                  \
            name##_scaled(a, *b, c, out, n);                                                                  \
        } else if (steps[0] == one && steps[1] == 0 && steps[2] == 0 && steps[3] == one) {                    \
            name##_line(a, *b, *c, out, n);                                                                   \
        } else {                                                                                              \
            in_pieces_of(name##_taken, args, n, steps, 3, 0, one);                                            \
        }                                                                                                     \
    }

MULTIPLY_ADD(float, multiply_add_singles, __builtin_fmaf)
MULTIPLY_ADD(double, multiply_add_doubles, __builtin_fma)

/* Both choices are read before one is taken: a branch would be guessed wrong at every other element. */
#define IF_POSITIVE(T, name)                                                                                  \
    WIDE static void name##_flat(const T *x, T a, const T *b, T *out, size n) {                               \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) {                                                                        \
            const T other = b[i];                                                                             \
            out[i] = x[i] > 0 ? a : other;                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    WIDE static void name##_line(const T *x, T a, T b, T *out, size n) {                                      \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < n; i++) out[i] = x[i] > 0 ? a : b;                                               \
    }                                                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        const size n = *count, one = sizeof(T);                                                               \
        const T *x = (const T *)args[0], *b = (const T *)args[2];                                             \
        T *out = (T *)args[3];                                                                                \
        if (steps[0] == one && steps[1] == 0 && steps[2] == one && steps[3] == one)                           \
            name##_flat(x, AT(T, 1, 0), b, out, n);                                                           \
        else if (steps[0] == one && steps[1] == 0 && steps[2] == 0 && steps[3] == one)                        \
            name##_line(x, AT(T, 1, 0), *b, out, n);                                                          \
        else                                                                                                  \
            for (size i = 0; i < n; i++) *(T *)(args[3] + i * steps[3]) = AT(T, 0, i) > 0 ? AT(T, 1, i) : AT(T, 2, i); \
    }
IF_POSITIVE(float, if_positive_singles)
IF_POSITIVE(double, if_positive_doubles)

/* The neighbour of x towards y. As integers, numbers of one sign are in order. */
#define NEXT(T, I, name)                                                                                      \
    INLINE T name##_of(T x, T y) {                                                                            \
        I bits;                                                                                               \
        T least, moved;                                                                                       \
        memcpy(&bits, &x, sizeof x);                                                                          \
        bits += ((x < y) == (x > 0)) * 2 - 1;                                                                 \
        memcpy(&moved, &bits, sizeof moved);                                                                  \
        bits = 1;                                                                                             \
        memcpy(&least, &bits, sizeof least);                                                                  \
        return x != x || y != y ? x + y : x == y ? y : x == 0 ? (y > 0 ? least : -least) : moved;             \
    }                                                                                                         \
    WIDE static void name##_flat(const T *x, const T *y, T *out, size n) {                                    \
        enum { BLOCK = 256 };                                                                                 \
        const I last = 1;                                                                                     \
        T moved[BLOCK], least;                                                                                \
        I bits[BLOCK];                                                                                        \
        memcpy(&least, &last, sizeof least);                                                                  \
        for (; n >= BLOCK; n -= BLOCK, x += BLOCK, y += BLOCK, out += BLOCK) {                                \
            memcpy(bits, x, sizeof bits);                                                                     \
            for (int i = 0; i < BLOCK; i++) bits[i] += (I)(((x[i] < y[i]) ^ (x[i] > 0)) ? -1 : 1);            \
            memcpy(moved, bits, sizeof moved);                                                                \
            INDEPENDENT                                                                                       \
            for (int i = 0; i < BLOCK; i++) {                                                                 \
                const T a = x[i], b = y[i], from_zero = b > 0 ? least : -least, next = a == 0 ? from_zero : moved[i];\
                const T found = a == b ? b : next;                                                            \
                out[i] = ((a != a) | (b != b)) ? a + b : found;                                               \
            }                                                                                                 \
        }                                                                                                     \
        for (size i = 0; i < n; i++) out[i] = name##_of(x[i], y[i]);                                          \
    }                                                                                                         \
    static void name##_taken(const void *const *in, void *out, size n) { name##_flat(in[0], in[1], out, n); } \
    static void name(char **args, const size *count, const size *steps, void *data) {                         \
        (void)data;                                                                                           \
        in_pieces_of(name##_taken, args, *count, steps, 2, 0, sizeof(T));                                     \
    }
NEXT(float, uint32_t, next_singles)
NEXT(double, uint64_t, next_doubles)

Ufunc fused_ufuncs[] = {
    {"multiply_add", 3, {multiply_add_singles, multiply_add_doubles}, 0},
    {"if_positive", 3, {if_positive_singles, if_positive_doubles}, 0},
    {"nextafter", 2, {next_singles, next_doubles}, 0},
    {0},
};
