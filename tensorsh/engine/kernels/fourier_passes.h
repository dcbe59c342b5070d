/* Long Fourier transforms in passes, each for one factor, and the halves of a real signal's. */
#ifndef TENSORSH_FOURIER_PASSES_H
#define TENSORSH_FOURIER_PASSES_H

#include "fourier_steps.h"

#define TRANSFORM(T, R, name, plain, pass, FOR)                                                                           \
    /* The transform of re and im; all four are written to. Whether it is in re and im in the end, and not in x and y. */ \
    FOR RARE static int name##_transform(const Steps *of, const R *table, R early, R halfway, int lines, T *re, T *im, T *x, T *y) { \
        if (of->count == 0) x[0] = re[0], y[0] = im[0];                                                                \
        else if (of->count == 1 || (of->n < SHORT && of->n != 9)) plain##_short(of, table, early, halfway, re, im, x, y); \
        else {                                                                                                         \
            size l1 = 1;                                                                                               \
            T *places[2][2] = {{re, im}, {x, y}};                                                                      \
            for (int f = 0; f < of->count; f++) {                                                                      \
                const int p = of->factors[f], order = p > SHORT ? APART | ALL_IN_TURN | IN_TURN : ONE_SUM;             \
                const size rest = of->n / (l1 * p);                                                                    \
                T *const *from = places[f % 2], *const *to = places[1 - f % 2];                                        \
                switch (p) {                                                                                           \
                    case 2: pass(2, ONE_SUM, 0, rest, l1, lines, table, from[0], from[1], to[0], to[1]); break;        \
                    case 3: pass(3, ONE_SUM, 0, rest, l1, lines, table, from[0], from[1], to[0], to[1]); break;        \
                    case 4: pass(4, ONE_SUM, 0, rest, l1, lines, table, from[0], from[1], to[0], to[1]); break;        \
                    case 5: pass(5, ONE_SUM, 0, rest, l1, lines, table, from[0], from[1], to[0], to[1]); break;        \
                    case 8: pass(8, ONE_SUM, 0, rest, l1, lines, table, from[0], from[1], to[0], to[1]); break;        \
                    default: pass(p, order, 1, rest, l1, lines, table, from[0], from[1], to[0], to[1]);                \
                }                                                                                                      \
                table += 2 * p + 2 * (p - 1) * rest;                                                                   \
                l1 *= p;                                                                                               \
            }                                                                                                          \
            return of->count % 2 == 0;                                                                                 \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

/* The first half of the transform of 2 m real numbers, x and y, from that of their pairs as complex ones, one number more; and the way
   back: complex numbers whose transform backward, of m, is the real signal in pairs. Both may be made in p and q: whether they are. */
#define HALVED(T, k, j, c, s)                                                                                          \
    const T er = (x[k] + x[j]) * half, ei = (y[k] - y[j]) * half, qr = (y[k] + y[j]) * half, qi = (x[j] - x[k]) * half; \
    const T wr = c * qr + s * qi, wi = c * qi - s * qr;
#define PAIRED(T, k, j, c, s)                                                                                          \
    const T er = x[k] + x[j], ei = y[k] - y[j], qr = x[k] - x[j], qi = y[k] + y[j];                                    \
    const T wr = c * qr - s * qi, wi = c * qi + s * qr;

#define HALVES(T, R, name)                                                                                             \
    INLINE void name##_halved(size m, const R *turns, T *x, T *y) {                                                    \
        const T half = EACH(T, (R)0.5), r = x[0], i = y[0];                                                            \
        for (size k = 1; 2 * k < m; k++) {                                                                             \
            const size j = m - k;                                                                                      \
            const T c = EACH(T, turns[k]), s = EACH(T, turns[m / 2 + 1 + k]);                                          \
            HALVED(T, k, j, c, s)                                                                                      \
            x[k] = er + wr, y[k] = ei + wi, x[j] = er - wr, y[j] = wi - ei;                                            \
        }                                                                                                              \
        if (m % 2 == 0) y[m / 2] = -y[m / 2];                                                                          \
        x[0] = r + i, x[m] = r - i, y[0] = y[m] = EACH(T, (R)0);                                                       \
    }                                                                                                                  \
    INLINE void name##_paired(size m, const R *turns, T *x, T *y) {                                                    \
        const T r = x[0], i = x[m];                                                                                    \
        for (size k = 1; 2 * k < m; k++) {                                                                             \
            const size j = m - k;                                                                                      \
            const T c = EACH(T, turns[k]), s = EACH(T, turns[m / 2 + 1 + k]);                                          \
            PAIRED(T, k, j, c, s)                                                                                      \
            x[k] = er - wi, y[k] = ei + wr, x[j] = er + wi, y[j] = wr - ei;                                            \
        }                                                                                                              \
        if (m % 2 == 0) x[m / 2] *= EACH(T, (R)2), y[m / 2] *= EACH(T, (R)-2);                                         \
        x[0] = r + i, y[0] = r - i;                                                                                    \
    }                                                                                                                  \
    INLINE void name##_times(T *x, T *y, size made, R factor) {                                                        \
        const T each = EACH(T, factor);                                                                                \
        for (size k = 0; k < made; k++) x[k] *= each, y[k] *= each;                                                    \
    }                                                                                                                  \
    /* The second half of a real signal's transform. */                                                                \
    INLINE void name##_completed(T *x, T *y, size n) {                                                                 \
        for (size k = n / 2 + 1; k < n; k++) x[k] = x[n - k], y[k] = -y[n - k];                                        \
    }

#endif
