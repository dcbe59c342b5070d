/* Long Fourier transforms in passes, each for one factor: of several lines in the lanes of vectors, or along one line alone; and the
   halves of a real signal's. */
#ifndef TENSORSH_FOURIER_PASSES_H
#define TENSORSH_FOURIER_PASSES_H

#include "fourier_tiles.h"

#define ALONG(T, R, name, one)                                                                                         \
    /* So many numbers as there are lanes: from places of their own, or side by side. */                               \
    INLINE void name##_some(T *a, const R *from, const size *at) {                                                     \
        if (at) name##_gathered(a, from, at);                                                                          \
        else memcpy(a, from, sizeof *a);                                                                               \
    }                                                                                                                  \
    /* Results that stand side by side, from numbers that do too or are `at` places, turned by angles that do or are at `turns`. */ \
    INLINE void name##_block(int p, int order, int rare, size rest, size step, const R *circle, const R *angles, const size *at, const size *turns, \
                             int first, const R *re, const R *im, R *x, R *y) {                                        \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        T ar[LARGEST], ai[LARGEST], br[LARGEST], bi[LARGEST], c, s;                                                    \
        UNROLL(8) for (int j = 0; j < p; j++) name##_some(&ar[j], re + rest * j, at), name##_some(&ai[j], im + rest * j, at); \
        if (rare) name##_rare(p, order, 1, circle, ar, ai, br, bi);                                                    \
        else name##_simple(p, order, 1, circle, ar, ai, br, bi);                                                       \
        UNROLL(8) for (int j = 0; j < p; j++, x += step, y += step) {                                                  \
            T r = br[j], i = bi[j];                                                                                    \
            if (j && rest > 1) {                                                                                       \
                name##_some(&c, angles, turns), name##_some(&s, angles + rest, turns);                                 \
                angles += 2 * rest;                                                                                    \
                r = br[j] * c + bi[j] * s, i = bi[j] * c - br[j] * s;                                                  \
            }                                                                                                          \
            memcpy(x, &r, sizeof r), memcpy(y, &i, sizeof i);                                                          \
            if (j && first) x[0] = br[j][0], y[0] = bi[j][0]; /* not turned, which would change the sign of a zero */  \
            if (j && turns && rest > 1) x[LANES / 2] = br[j][LANES / 2], y[LANES / 2] = bi[j][LANES / 2]; \
        }                                                                                                              \
    }                                                                                                                  \
    /* A pass of one line alone. */                                                                                    \
    INLINE void one##_along(int p, int order, int rare, size rest, size l1, const R *circle, const R *re, const R *im, R *x, R *y) { \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size step = rest * l1;                                                                                   \
        const R *const angles = circle + 2 * p;                                                                        \
        if (p < 2 || p >= LARGEST) return;                                                                             \
        if (rest >= LANES)                                                                                             \
            for (size k = 0; k < step; k += rest)                                                                      \
                for (size i = 0; i < rest; i += LANES) {                                                               \
                    if (i > rest - LANES) i = rest - LANES;                                                            \
                    const size from = k * p + i, to = k + i;                                                           \
                    name##_block(p, order, rare, rest, step, circle, angles + i, NULL, NULL, i == 0, re + from, im + from, x + to, y + to); \
                }                                                                                                      \
        else if (step >= LANES && (rest == 1 || 2 * rest == LANES)) {                                                  \
            size at[LANES], turns[LANES];                                                                              \
            for (int l = 0; l < LANES; l++) at[l] = l / rest * rest * p + l % rest, turns[l] = l % rest;               \
            for (size k = 0; k < step; k += LANES) {                                                                   \
                if (k > step - LANES) k = step - LANES;                                                                \
                name##_block(p, order, rare, rest, step, circle, angles, at, turns, rest > 1, re + k * p, im + k * p, x + k, y + k); \
            }                                                                                                          \
        } else                                                                                                         \
            one##_pass(p, order, rare, rest, l1, circle, re, im, x, y);                                                      \
    }

#define TRANSFORM(T, R, name, pass)                                                                                    \
    /* The transform of re and im; all four are written to. Whether it is in re and im in the end, and not in x and y. */ \
    INLINE int name##_transform(const Steps *of, const R *table, R early, R halfway, T *re, T *im, T *x, T *y) {       \
        if (of->count == 0) x[0] = re[0], y[0] = im[0];                                                                \
        else if (of->count == 1 || (of->n < SHORT && of->n != 9)) name##_short(of, table, early, halfway, re, im, x, y); \
        else {                                                                                                         \
            size l1 = 1;                                                                                               \
            T *places[2][2] = {{re, im}, {x, y}};                                                                      \
            for (int f = 0; f < of->count; f++) {                                                                      \
                const int p = of->factors[f], order = p > SHORT ? APART | ALL_IN_TURN | IN_TURN : ONE_SUM;             \
                const size rest = of->n / (l1 * p);                                                                    \
                T *const *from = places[f % 2], *const *to = places[1 - f % 2];                                        \
                switch (p) {                                                                                           \
                    case 2: pass(2, ONE_SUM, 0, rest, l1, table, from[0], from[1], to[0], to[1]); break;                  \
                    case 3: pass(3, ONE_SUM, 0, rest, l1, table, from[0], from[1], to[0], to[1]); break;                  \
                    case 4: pass(4, ONE_SUM, 0, rest, l1, table, from[0], from[1], to[0], to[1]); break;                  \
                    case 5: pass(5, ONE_SUM, 0, rest, l1, table, from[0], from[1], to[0], to[1]); break;                  \
                    case 8: pass(8, ONE_SUM, 0, rest, l1, table, from[0], from[1], to[0], to[1]); break;                  \
                    default: pass(p, order, 1, rest, l1, table, from[0], from[1], to[0], to[1]);                          \
                }                                                                                                      \
                table += 2 * p + 2 * (p - 1) * rest;                                                                   \
                l1 *= p;                                                                                               \
            }                                                                                                          \
            return of->count % 2 == 0;                                                                                 \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    /* The first half of the transform of 2 m real numbers, from that of their pairs as complex ones; in place, one number more. */ \
    INLINE void name##_halved(size m, const R *turns, T *x, T *y) {                                                   \
        const T half = EACH(T, (R)0.5), r = x[0], i = y[0];                                                           \
        for (size k = 1; 2 * k < m; k++) {                                                                            \
            const size j = m - k;                                                                                     \
            const T c = EACH(T, turns[2 * k]), s = EACH(T, turns[2 * k + 1]);                                         \
            const T er = (x[k] + x[j]) * half, ei = (y[k] - y[j]) * half, qr = (y[k] + y[j]) * half, qi = (x[j] - x[k]) * half; \
            const T wr = c * qr + s * qi, wi = c * qi - s * qr;                                                       \
            x[k] = er + wr, y[k] = ei + wi, x[j] = er - wr, y[j] = wi - ei;                                           \
        }                                                                                                             \
        if (m % 2 == 0) y[m / 2] = -y[m / 2];                                                                         \
        x[0] = r + i, x[m] = r - i, y[0] = y[m] = EACH(T, (R)0);                                                      \
    }                                                                                                                 \
    /* The way back: complex numbers whose transform backward, of m, is the real signal in pairs. */                  \
    INLINE void name##_paired(size m, const R *turns, T *x, T *y) {                                                   \
        const T r = x[0], i = x[m];                                                                                   \
        for (size k = 1; 2 * k < m; k++) {                                                                            \
            const size j = m - k;                                                                                     \
            const T c = EACH(T, turns[2 * k]), s = EACH(T, turns[2 * k + 1]);                                         \
            const T er = x[k] + x[j], ei = y[k] - y[j], qr = x[k] - x[j], qi = y[k] + y[j];                           \
            const T wr = c * qr - s * qi, wi = c * qi + s * qr;                                                       \
            x[k] = er - wi, y[k] = ei + wr, x[j] = er + wi, y[j] = wr - ei;                                           \
        }                                                                                                             \
        if (m % 2 == 0) x[m / 2] *= EACH(T, (R)2), y[m / 2] *= EACH(T, (R)-2);                                        \
        x[0] = r + i, y[0] = r - i;                                                                                   \
    }

#endif
