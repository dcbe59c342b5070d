/* The arithmetic of Fourier transforms on lanes: a number of type T is one of each of several signals, or of one signal alone, and
   no step looks across lanes, nor is one fused. So a signal's transform is the same wherever it stands.

   Up to 15 numbers and primes to 47 have the digits of PyTorch's library: primes by their sums of cosines and sines, products of two
   by one factor after the other (Good's map of the indices, which needs no twiddle factors). Longer ones take a pass for each
   factor. */
#ifndef TENSORSH_FOURIER_STEPS_H
#define TENSORSH_FOURIER_STEPS_H

#include "kernels.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* it takes a vector that is put together for one that is read */
#endif

#define SHORT 16   /* fewer numbers than this are transformed without twiddle factors */
#define LARGEST 48 /* factors are less than this */

/* How the cosines of a prime are added to the first number: as one sum, one after the other, or that of the largest angle first; with
   LAST_OF_ALL, of five numbers, the sum of all begins with the first, the third and the fourth; with APART odd and even places have
   sums of their own, to which a last odd one comes when they are one; with ALL_IN_TURN the sum of all has no sum within it. */
enum { ONE_SUM, IN_TURN, LAST_FIRST, LAST_OF_ALL = 4, APART = 8, ALL_IN_TURN = 16 };
/* Where the result is scaled: at the end, before the last step, in the sums of a prime. */
enum { LATE, BETWEEN, EARLY };

/* A transform of n numbers: its factors; for each one after the other the cosines and sines of its circle in `table`, and of all
   its turns between passes; at last those of the halves of a real signal. */
typedef struct {
    int n, count, factors[SHORT], order;
} Steps;

#define RARE __attribute__((noinline)) /* once, and apart: a compiler's time grows faster than what it looks at as one */
#define EACH(T, number) ((number) - (T){0})

#define STEPS(T, R, name, FOR)                                                                                         \
    INLINE void name##_prime(int n, int order, R given, const R *circle, const T *re, const T *im, T *x, T *y) {       \
        const int m = (n - 1) / 2, way = order & 3, apart = order & APART;                                             \
        const R *cosines = circle, *sines = circle + n;                                                                \
        if (n < 3 || n >= LARGEST) return; /* the plan saw to that */                                                  \
        /* of three numbers it is the sine that is scaled */                                                           \
        const R sine = n == 3 ? given : 1;                                                                             \
        const T scale = EACH(T, given), rest = EACH(T, n == 3 ? 1 : given);                                            \
        const T firstr = re[0] * scale, firsti = im[0] * scale;                                                        \
        T tr[LARGEST / 2], ti[LARGEST / 2], ur[LARGEST / 2], ui[LARGEST / 2], sr, si;                                  \
        tr[1] = tr[2] = firstr, ti[1] = ti[2] = firsti; /* for compilers that do not see that they are written */      \
        UNROLL(4) for (int j = 1; j <= m; j++) {                                                                       \
            tr[j] = (re[j] + re[n - j]) * scale, ti[j] = (im[j] + im[n - j]) * scale;                                  \
            ur[j] = (re[j] - re[n - j]) * rest, ui[j] = (im[j] - im[n - j]) * rest;                                    \
        }                                                                                                              \
        sr = tr[1], si = ti[1];                                                                                        \
        if (order & ALL_IN_TURN) sr += firstr, si += firsti;                                                           \
        UNROLL(4) for (int j = 2; j <= m; j++) sr += tr[j], si += ti[j];                                               \
        if (m > 1 && order & LAST_OF_ALL) x[0] = firstr + tr[2] + tr[1], y[0] = firsti + ti[2] + ti[1];                \
        else if (order & ALL_IN_TURN) x[0] = sr, y[0] = si;                                                            \
        else x[0] = firstr + sr, y[0] = firsti + si;                                                                   \
        UNROLL(4) for (int k = 1; k <= m; k++) {                                                                       \
            const int back = way == LAST_FIRST && 2 * k <= m, turn = back ? n - k : k;                                 \
            T ar[2], ai[2], br[2], bi[2];                                                                              \
            int at = back ? k * m % n : k;                                                                             \
            UNROLL(4) for (int step = 1; step <= m; step++, at = at + turn < n ? at + turn : at + turn - n) {          \
                const int j = back ? m + 1 - step : step, own = apart && step % 2 == 0;                                \
                const T c = EACH(T, cosines[at]), s = EACH(T, sines[at] * sine);                                       \
                const T pr = c * tr[j], pi = c * ti[j], qr = s * ur[j], qi = s * ui[j];                                \
                if (apart && step > 1 && step == m && !own) ar[0] += ar[1], ai[0] += ai[1], br[0] += br[1], bi[0] += bi[1]; \
                if (step == 1) ar[0] = way ? firstr + pr : pr, ai[0] = way ? firsti + pi : pi, br[0] = qr, bi[0] = qi; \
                else if (apart && step == 2) ar[1] = pr, ai[1] = pi, br[1] = qr, bi[1] = qi;                           \
                else ar[own] += pr, ai[own] += pi, br[own] += qr, bi[own] += qi;                                       \
            }                                                                                                          \
            if (apart && m % 2 == 0) ar[0] += ar[1], ai[0] += ai[1], br[0] += br[1], bi[0] += bi[1];                   \
            if (!way) ar[0] = firstr + ar[0], ai[0] = firsti + ai[0];                                                  \
            x[k] = ar[0] + bi[0], x[n - k] = ar[0] - bi[0], y[k] = ai[0] - br[0], y[n - k] = ai[0] + br[0];            \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void name##_four(const T *re, const T *im, T *x, T *y) {                                                    \
        const T ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];                        \
        const T cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];                        \
        x[0] = ar + cr, y[0] = ai + ci, x[2] = ar - cr, y[2] = ai - ci;                                                \
        x[1] = br + di, y[1] = bi - dr, x[3] = br - di, y[3] = bi + dr;                                                \
    }                                                                                                                  \
    INLINE void name##_eight(const T *re, const T *im, T *x, T *y) {                                                   \
        const T h = EACH(T, (R)0.70710678118654752440);                                                                \
        const T er[4] = {re[0], re[2], re[4], re[6]}, ei[4] = {im[0], im[2], im[4], im[6]};                            \
        const T fr[4] = {re[1], re[3], re[5], re[7]}, fi[4] = {im[1], im[3], im[5], im[7]};                            \
        T even[2][4], o[4], p[4];                                                                                      \
        name##_four(er, ei, even[0], even[1]);                                                                         \
        name##_four(fr, fi, o, p);                                                                                     \
        const T wr[4] = {o[0], (o[1] + p[1]) * h, p[2], (p[3] - o[3]) * h};                                            \
        const T wi[4] = {p[0], (p[1] - o[1]) * h, -o[2], -(p[3] + o[3]) * h};                                          \
        UNROLL(4) for (int k = 0; k < 4; k++) {                                                                        \
            x[k] = even[0][k] + wr[k], y[k] = even[1][k] + wi[k];                                                      \
            x[k + 4] = even[0][k] - wr[k], y[k + 4] = even[1][k] - wi[k];                                              \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void name##_simple(int n, int order, R scale, const R *circle, const T *re, const T *im, T *x, T *y) {      \
        if (n == 2) x[0] = re[0] + re[1], x[1] = re[0] - re[1], y[0] = im[0] + im[1], y[1] = im[0] - im[1];            \
        else if (n == 4) name##_four(re, im, x, y);                                                                    \
        else if (n == 8) name##_eight(re, im, x, y);                                                                   \
        else if (n < SHORT) name##_prime(n, order & ~APART & ~ALL_IN_TURN, scale, circle, re, im, x, y);               \
        else if (order & APART) name##_prime(n, APART | IN_TURN | ALL_IN_TURN, 1, circle, re, im, x, y);               \
        else name##_prime(n, IN_TURN | ALL_IN_TURN, 1, circle, re, im, x, y);                                          \
    }                                                                                                                  \
    /* The same for factors that have no code of their own. */                                                         \
    FOR RARE static void name##_rare(int n, int order, R scale, const R *circle, const T *re, const T *im, T *x, T *y) { \
        name##_simple(n, order, scale, circle, re, im, x, y);                                                          \
    }                                                                                                                  \
    /* n = first times second numbers: transforms of the rows of a table of them, then of its columns. `early`, `halfway`: what a prime's \
       sums, and what the numbers before the last step, are multiplied by. */                                          \
    INLINE void name##_pair(int first, int second, R early, R halfway, const R *table, const T *re, const T *im, T *x, T *y) { \
        const int n = first * second;                                                                                  \
        const T between = EACH(T, halfway);                                                                            \
        T made[2][4][8], row[4][8];                                                                                    \
        UNROLL(4) for (int j = 0; j < first; j++) {                                                                    \
            UNROLL(8) for (int k = 0; k < second; k++) {                                                               \
                const int from = (second * j + first * k) % n;                                                         \
                row[0][k] = re[from], row[1][k] = im[from];                                                            \
            }                                                                                                          \
            name##_simple(second, ONE_SUM, early, table + 2 * first, row[0], row[1], made[0][j], made[1][j]);          \
        }                                                                                                              \
        UNROLL(8) for (int k = 0; k < second; k++) {                                                                   \
            UNROLL(4) for (int j = 0; j < first; j++) row[0][j] = made[0][j][k] * between, row[1][j] = made[1][j][k] * between; \
            name##_simple(first, ONE_SUM, 1, table, row[0], row[1], row[2], row[3]);                                   \
            UNROLL(4) for (int to = k; to < n; to += second) x[to] = row[2][to % first], y[to] = row[3][to % first];   \
        }                                                                                                              \
    }                                                                                                                  \
    FOR RARE static void name##_short(const Steps *of, const R *table, R early, R halfway, T *re, T *im, T *x, T *y) { \
        const T between = EACH(T, halfway);                                                                            \
        for (int k = 0; of->count == 1 && halfway != 1 && k < of->n; k++) re[k] *= between, im[k] *= between;          \
        switch (of->n) {                                                                                               \
            case 2: name##_simple(2, ONE_SUM, early, table, re, im, x, y); break;                                      \
            case 3: name##_simple(3, ONE_SUM, early, table, re, im, x, y); break;                                      \
            case 4: name##_simple(4, ONE_SUM, early, table, re, im, x, y); break;                                      \
            case 6: name##_pair(2, 3, early, halfway, table, re, im, x, y); break;                                     \
            case 7: name##_simple(7, ONE_SUM, early, table, re, im, x, y); break;                                      \
            case 8: name##_simple(8, ONE_SUM, early, table, re, im, x, y); break;                                      \
            case 10: name##_pair(2, 5, early, halfway, table, re, im, x, y); break;                                    \
            case 12: name##_pair(4, 3, early, halfway, table, re, im, x, y); break;                                    \
            case 14: name##_pair(2, 7, early, halfway, table, re, im, x, y); break;                                    \
            case 15: name##_pair(3, 5, early, halfway, table, re, im, x, y); break;                                    \
            default: name##_rare(of->n, of->order, early, table, re, im, x, y);                                        \
        }                                                                                                              \
    }                                                                                                                  \
    /* One factor p of a longer transform: of p numbers `rest` times l1 apart, each turned into its place. */          \
    INLINE void name##_pass(int p, int order, int rare, size rest, size l1, int lines, const R *circle, const T *re, const T *im, T *x, T *y) { \
        (void)lines;                                                                                                   \
        if (p < 2 || p >= LARGEST) return;                                                                             \
        for (size k = 0; k < l1; k++)                                                                                  \
            for (size i = 0; i < rest; i++) {                                                                          \
                T ar[LARGEST], ai[LARGEST], br[LARGEST], bi[LARGEST];                                                  \
                const size from = i + rest * p * k, to = i + rest * k, step = rest * l1;                               \
                const R *turns = circle + 2 * p + i;                                                                   \
                UNROLL(8) for (int j = 0; j < p; j++) ar[j] = re[from + rest * j], ai[j] = im[from + rest * j];        \
                if (rare) name##_rare(p, order, 1, circle, ar, ai, br, bi);                                            \
                else name##_simple(p, order, 1, circle, ar, ai, br, bi);                                               \
                x[to] = br[0], y[to] = bi[0];                                                                          \
                if (i == 0) {                                                                                          \
                    UNROLL(8) for (int j = 1; j < p; j++) x[to + step * j] = br[j], y[to + step * j] = bi[j];          \
                    continue;                                                                                          \
                }                                                                                                      \
                UNROLL(8) for (int j = 1; j < p; j++, turns += 2 * rest) {                                             \
                    const T c = EACH(T, turns[0]), s = EACH(T, turns[rest]);                                           \
                    x[to + step * j] = br[j] * c + bi[j] * s, y[to + step * j] = bi[j] * c - br[j] * s;                \
                }                                                                                                      \
            }                                                                                                          \
    }

#endif
