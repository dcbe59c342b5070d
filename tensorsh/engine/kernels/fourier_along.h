/* Passes of a Fourier transform along lines, several numbers of a line in the lanes of a vector: lines that stand one behind the other. */
#ifndef TENSORSH_FOURIER_ALONG_H
#define TENSORSH_FOURIER_ALONG_H

#include "fourier_passes.h"
#include "fourier_tiles.h"

/* How a pass finds the numbers of a block: side by side; in two halves, each of its own part of the line; dealt out, one after the other,
   to the block's vectors; otherwise by single numbers. */
enum { STRAIGHT, IN_HALVES, DEALT, SCATTERED };

#define ALONG(T, R, name, one, plain)                                                                                  \
    INLINE void name##_dealt(int p, T *a) {                                                                            \
        T b[8], c[8];                                                                                                  \
        const int h = p / 2;                                                                                           \
        UNROLL(4) for (int k = 0; k < h; k++) name##_evens(&b[k], &a[2 * k], &a[2 * k + 1]), name##_odds(&b[h + k], &a[2 * k], &a[2 * k + 1]); \
        if (p == 2) a[0] = b[0], a[1] = b[1];                                                                          \
        if (p == 4) {                                                                                                  \
            UNROLL(2) for (int k = 0; k < 2; k++) name##_evens(&a[k], &b[2 * k], &b[2 * k + 1]), name##_odds(&a[k + 2], &b[2 * k], &b[2 * k + 1]); \
        } else if (p == 8) {                                                                                           \
            UNROLL(4) for (int k = 0; k < 4; k++) name##_evens(&c[k], &b[2 * k], &b[2 * k + 1]), name##_odds(&c[k + 4], &b[2 * k], &b[2 * k + 1]); \
            UNROLL(4) for (int k = 0; k < 4; k++) name##_evens(&a[k], &c[2 * k], &c[2 * k + 1]), name##_odds(&a[k + 4], &c[2 * k], &c[2 * k + 1]); \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void name##_read(int p, int how, size rest, const R *from, T *a) {                                          \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        UNROLL(8) for (int j = 0; j < p; j++) {                                                                        \
            memcpy(&a[j], from + (how == DEALT ? LANES : rest) * j, sizeof *a);                                        \
            if (how != IN_HALVES) continue;                                                                            \
            T other;                                                                                                   \
            memcpy(&other, from + rest * (p + j), sizeof other);                                                       \
            name##_starts(&a[j], &a[j], &other);                                                                       \
        }                                                                                                              \
        if (how == DEALT) name##_dealt(p, a);                                                                          \
    }                                                                                                                  \
    /* Results that stand side by side, or, in halves, `across` from one line to the next. `first`: the first of them is not turned, which \
       would change the sign of a zero. */                                                                             \
    INLINE void name##_block(int p, int order, int rare, int how, int first, size across, size rest, size step, const R *circle, const R *angles, \
                             const R *re, const R *im, R *x, R *y) {                                                   \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        T ar[LARGEST], ai[LARGEST], br[LARGEST], bi[LARGEST], c, s;                                                    \
        name##_read(p, how, rest, re, ar), name##_read(p, how, rest, im, ai);                                          \
        if (rare) name##_rare(p, order, 1, circle, ar, ai, br, bi);                                                    \
        else name##_simple(p, order, 1, circle, ar, ai, br, bi);                                                       \
        UNROLL(8) for (int j = 0; j < p; j++, x += step, y += step) {                                                  \
            T r = br[j], i = bi[j];                                                                                    \
            if (j && how != DEALT) {                                                                                   \
                memcpy(&c, angles, sizeof c), memcpy(&s, angles + rest, sizeof s);                                     \
                if (how == IN_HALVES) name##_starts(&c, &c, &c), name##_starts(&s, &s, &s);                            \
                angles += 2 * rest;                                                                                    \
                r = br[j] * c + bi[j] * s, i = bi[j] * c - br[j] * s;                                                  \
                if (how == IN_HALVES) name##_both_kept(&r, &r, &br[j]), name##_both_kept(&i, &i, &bi[j]);              \
                else if (first) name##_kept(&r, &r, &br[j]), name##_kept(&i, &i, &bi[j]);                              \
            }                                                                                                          \
            if (across) {                                                                                              \
                memcpy(x, &r, sizeof r / 2), memcpy(y, &i, sizeof i / 2);                                              \
                memcpy(x + across, (const R *)&r + LANES / 2, sizeof r / 2), memcpy(y + across, (const R *)&i + LANES / 2, sizeof i / 2); \
            } else                                                                                                     \
                memcpy(x, &r, sizeof r), memcpy(y, &i, sizeof i);                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE int one##_how(int p, size rest, size l1) {                                                                  \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        if (rest >= LANES) return STRAIGHT;                                                                            \
        if (rest * l1 < LANES && 2 * rest * l1 != LANES) return SCATTERED;                                             \
        return 2 * rest == LANES ? IN_HALVES : rest == 1 && (p == 2 || p == 4 || p == 8) ? DEALT : SCATTERED;          \
    }                                                                                                                  \
    /* Whether all passes of a line alone are such; `pairs`: of two lines at once. */                                  \
    INLINE int one##_suits(const Steps *of, int *pairs) {                                                              \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        size l1 = 1;                                                                                                   \
        int suits = of->n >= SHORT && of->count > 1;                                                                   \
        *pairs = 0;                                                                                                    \
        for (int f = 0; f < of->count; l1 *= of->factors[f++]) {                                                       \
            suits &= one##_how(of->factors[f], of->n / (l1 * of->factors[f]), l1) != SCATTERED;                        \
            *pairs |= 2 * (of->n / of->factors[f]) == LANES;                                                           \
        }                                                                                                              \
        return suits;                                                                                                  \
    }                                                                                                                  \
    /* A pass of some lines, one behind the other. */                                                                  \
    INLINE void one##_along(int p, int order, int rare, size rest, size l1, int lines, const R *circle, const R *re, const R *im, R *x, R *y) { \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size step = rest * l1, n = step * p;                                                                     \
        const R *const angles = circle + 2 * p;                                                                        \
        if (p < 2 || p >= LARGEST) return;                                                                             \
        const int how = one##_how(p, rest, l1);                                                                        \
        if (how == SCATTERED || (step < LANES && lines % 2))                                                           \
            plain##_pass(p, order, rare, rest, l1, 1, circle, re, im, x, y);                                           \
        else if (how == STRAIGHT)                                                                                      \
            for (int l = 0; l < lines; l++, re += n, im += n, x += n, y += n)                                          \
                for (size k = 0; k < step; k += rest)                                                                  \
                    for (size i = 0; i < rest; i += LANES) {                                                           \
                        if (i > rest - LANES) i = rest - LANES;                                                        \
                        const size from = k * p + i, to = k + i;                                                       \
                        name##_block(p, order, rare, STRAIGHT, i == 0, 0, rest, step, circle, angles + i, re + from, im + from, x + to, y + to); \
                    }                                                                                                  \
        else {                                                                                                         \
            const size across = step < LANES ? n : 0, all = across ? 2 * n : n; /* two lines at once, or one */        \
            for (int l = 0; l < lines; l += across ? 2 : 1, re += all, im += all, x += all, y += all)                  \
                for (size k = 0; k < step; k += LANES) {                                                               \
                    if (!across && k > step - LANES) k = step - LANES;                                                 \
                    if (how == IN_HALVES) name##_block(p, order, rare, IN_HALVES, 1, across, rest, step, circle, angles, re + k * p, im + k * p, x + k, y + k); \
                    else if (p == 2 || p == 4 || p == 8) name##_block(p, order, rare, DEALT, 0, across, rest, step, circle, angles, re + k * p, im + k * p, x + k, y + k); \
                }                                                                                                      \
        }                                                                                                              \
    }

/* The same for one line, several of its numbers at once, from x and y to p and q. */
#define HALVES_ALONG(T, R, name, one, plain)                                                                           \
    INLINE void name##_side(const R *from, int back, T *a) {                                                           \
        memcpy(a, back ? from + 1 - (size)(sizeof(T) / sizeof(R)) : from, sizeof *a);                                  \
        if (back) name##_back(a, a, a);                                                                                \
    }                                                                                                                  \
    INLINE void name##_aside(R *to, int back, T *a) {                                                                  \
        if (back) name##_back(a, a, a);                                                                                \
        memcpy(back ? to + 1 - (size)(sizeof(T) / sizeof(R)) : to, a, sizeof *a);                                      \
    }                                                                                                                  \
    INLINE void one##_both(size m, int back, const R *turns, const R *re, const R *im, R *p, R *q) {                   \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const T half = EACH(T, (R)0.5);                                                                                \
        const size most = (m - 1) / 2;                                                                                 \
        for (size k = 1; k <= most; k += LANES) {                                                                      \
            if (k > most + 1 - LANES) k = most + 1 - LANES;                                                            \
            T x[2], y[2], c, s;                                                                                        \
            name##_side(re + k, 0, &x[0]), name##_side(im + k, 0, &y[0]);                                              \
            name##_side(re + m - k, 1, &x[1]), name##_side(im + m - k, 1, &y[1]);                                      \
            name##_side(turns + k, 0, &c), name##_side(turns + m / 2 + 1 + k, 0, &s);                                  \
            if (back) {                                                                                                \
                PAIRED(T, 0, 1, c, s)                                                                                  \
                x[0] = er - wi, y[0] = ei + wr, x[1] = er + wi, y[1] = wr - ei;                                        \
            } else {                                                                                                   \
                HALVED(T, 0, 1, c, s)                                                                                  \
                x[0] = er + wr, y[0] = ei + wi, x[1] = er - wr, y[1] = wi - ei;                                        \
            }                                                                                                          \
            name##_aside(p + k, 0, &x[0]), name##_aside(q + k, 0, &y[0]);                                              \
            name##_aside(p + m - k, 1, &x[1]), name##_aside(q + m - k, 1, &y[1]);                                      \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void one##_from_pairs(size m, const R *turns, R *x, R *y, R *p, R *q) {                                     \
        if ((m - 1) / 2 < (size)(sizeof(T) / sizeof(R))) {                                                             \
            memcpy(p, x, m * sizeof *p), memcpy(q, y, m * sizeof *q);                                                  \
            plain##_halved(m, turns, p, q);                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        one##_both(m, 0, turns, x, y, p, q);                                                                           \
        if (m % 2 == 0) p[m / 2] = x[m / 2], q[m / 2] = -y[m / 2];                                                     \
        p[0] = x[0] + y[0], p[m] = x[0] - y[0], q[0] = q[m] = 0;                                                       \
    }                                                                                                                  \
    INLINE void one##_back_to_pairs(size m, const R *turns, R *x, R *y, R *p, R *q) {                                  \
        if ((m - 1) / 2 < (size)(sizeof(T) / sizeof(R))) {                                                             \
            plain##_paired(m, turns, x, y);                                                                            \
            memcpy(p, x, m * sizeof *p), memcpy(q, y, m * sizeof *q);                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        one##_both(m, 1, turns, x, y, p, q);                                                                           \
        if (m % 2 == 0) p[m / 2] = x[m / 2] * 2, q[m / 2] = y[m / 2] * -2;                                             \
        p[0] = x[0] + x[m], q[0] = x[0] - x[m];                                                                        \
    }                                                                                                                  \
    INLINE void one##_scaled(R *x, R *y, size made, R factor) {                                                        \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        T a, b;                                                                                                        \
        size k = 0;                                                                                                    \
        for (; k + LANES <= made; k += LANES) {                                                                        \
            memcpy(&a, x + k, sizeof a), memcpy(&b, y + k, sizeof b);                                                  \
            a *= EACH(T, factor), b *= EACH(T, factor);                                                                \
            memcpy(x + k, &a, sizeof a), memcpy(y + k, &b, sizeof b);                                                  \
        }                                                                                                              \
        plain##_times(x + k, y + k, made - k, factor);                                                                 \
    }                                                                                                                  \
    INLINE void one##_mirrored(R *x, R *y, size n) {                                                                   \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        T a, b;                                                                                                        \
        if (n - n / 2 - 1 < LANES) plain##_completed(x, y, n);                                                         \
        else                                                                                                           \
            for (size k = n / 2 + 1; k < n; k += LANES) {                                                              \
                if (k > n - LANES) k = n - LANES;                                                                      \
                name##_side(x + n - k, 1, &a), name##_side(y + n - k, 1, &b);                                          \
                b = -b;                                                                                                \
                name##_aside(x + k, 0, &a), name##_aside(y + k, 0, &b);                                                \
            }                                                                                                          \
    }

#endif
