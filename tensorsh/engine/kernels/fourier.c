/* Fourier transforms of up to 15 numbers, and of primes to 47, with the digits of PyTorch's library: no step is fused; primes by
   their sums of cosines and sines, products of primes by one factor after the other (Good's map of the indices, which needs no twiddle factors). */
#include "kernels.h"

#define MOST 16

typedef struct { int n; double cosines[7], sines[7]; } Rotations; /* of the double nearest to 2 pi k / n */
static const Rotations ROTATIONS[] = {
    {3, {1, -0x1.0000000000000p-1}, {0, 0x1.bb67ae8584caap-1}},
    {5, {1, 0x1.3c6ef372fe950p-2, -0x1.9e3779b97f4a7p-1}, {0, 0x1.e6f0e134454ffp-1, 0x1.2cf2304755a5fp-1}},
    {7, {1, 0x1.3f3a0e28bedd2p-1, -0x1.c7b90e3024580p-3, -0x1.cd4bca9cb5c70p-1}, {0, 0x1.904c37505de4bp-1,
      0x1.f329c0558e969p-1, 0x1.bc4c04d71abc3p-2}},
    {11, {1, 0x1.aeb8c8764f0bap-1, 0x1.a9628d9c712b6p-2, -0x1.2375f640f44d6p-3, -0x1.4f49e7f775886p-1,
      -0x1.eb42a9bcd5057p-1}, {0, 0x1.14cedf8bb580bp-1, 0x1.d1bb48eee2c13p-1, 0x1.fac9e043842f0p-1,
      0x1.82f19bb3a28a1p-1, 0x1.207e7fd768dbfp-2}},
    {13, {1, 0x1.c55a7e00740e9p-1, 0x1.22d961ea7111ap-1, 0x1.edb7debaa3ed5p-4, -0x1.6b1d8b2365d9ep-2,
      -0x1.7f3ccd0032e0dp-1, -0x1.f11f493053d00p-1}, {0, 0x1.dbe064267c47bp-2, 0x1.a55e242a4c3d2p-1,
      0x1.fc44566966769p-1, 0x1.deba72ef20147p-1, 0x1.5384d024c2f84p-1, 0x1.ea1e54bc48dbcp-3}},
};
static const struct { int first, second; } FACTORS[MOST] = {[6] = {2, 3}, [10] = {2, 5}, [12] = {4, 3}, [14] = {2, 7}, [15] = {3, 5}};

/* How the cosines of a prime are added to the first number: as one sum, one after the other, or that of the largest angle first; with
   LAST_OF_ALL, of five numbers, the sum of all begins with the first, the third and the fourth. */
enum { ONE_SUM, IN_TURN, LAST_FIRST, LAST_OF_ALL = 4 };
/* Where the result is scaled: at the end, before the last step, in the sums of a prime. */
enum { LATE, BETWEEN, EARLY };

/* Signals are transformed several at a time, each in its lane of vectors. */
typedef float vectors __attribute__((vector_size(64)));
typedef double wide_vectors __attribute__((vector_size(64)));
#define EACH(T, number) ((number) - (T){0})

#define TRANSFORMS(T, R, name)                                                                                        \
    INLINE void name##_prime(int n, int order, R given, const T *re, const T *im, T *x, T *y) {                       \
        const Rotations *of = ROTATIONS;                                                                              \
        const int m = (n - 1) / 2;                                                                                    \
        /* of three numbers it is the sine that is scaled */                                                          \
        const R sine = n == 3 ? given : 1;                                                                            \
        const T scale = EACH(T, given), rest = EACH(T, n == 3 ? 1 : given);                                           \
        const T firstr = re[0] * scale, firsti = im[0] * scale;                                                       \
        T tr[8] = {{0}}, ti[8] = {{0}}, ur[8] = {{0}}, ui[8] = {{0}}, sr, si;                                         \
        while (of->n != n) of++;                                                                                      \
        for (int j = 1; j <= m; j++) {                                                                                \
            tr[j] = (re[j] + re[n - j]) * scale, ti[j] = (im[j] + im[n - j]) * scale;                                 \
            ur[j] = (re[j] - re[n - j]) * rest, ui[j] = (im[j] - im[n - j]) * rest;                                   \
        }                                                                                                             \
        sr = tr[1], si = ti[1];                                                                                       \
        for (int j = 2; j <= m; j++) sr += tr[j], si += ti[j];                                                        \
        if (order & LAST_OF_ALL) x[0] = firstr + tr[2] + tr[1], y[0] = firsti + ti[2] + ti[1];                        \
        else x[0] = firstr + sr, y[0] = firsti + si;                                                                  \
        order &= ~LAST_OF_ALL;                                                                                        \
        for (int k = 1; k <= m; k++) {                                                                                \
            T ar = {0}, ai = {0}, br = {0}, bi = {0}, c, s;                                                           \
            for (int step = 1; step <= m; step++) {                                                                   \
                const int j = order == LAST_FIRST && 2 * k <= m ? m + 1 - step : step, at = k * j % n;                \
                const int near = at <= m ? at : n - at;                                                               \
                c = EACH(T, (R)of->cosines[near]), s = EACH(T, (at <= m ? (R)of->sines[near] : -(R)of->sines[near]) * sine); \
                if (order != ONE_SUM && step == 1) ar = firstr, ai = firsti;                                          \
                ar = step == 1 && order == ONE_SUM ? c * tr[j] : ar + c * tr[j];                                      \
                ai = step == 1 && order == ONE_SUM ? c * ti[j] : ai + c * ti[j];                                      \
                br = step == 1 ? s * ur[j] : br + s * ur[j];                                                          \
                bi = step == 1 ? s * ui[j] : bi + s * ui[j];                                                          \
            }                                                                                                         \
            if (order == ONE_SUM) ar = firstr + ar, ai = firsti + ai;                                                 \
            x[k] = ar + bi, x[n - k] = ar - bi, y[k] = ai - br, y[n - k] = ai + br;                                   \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void name##_four(const T *re, const T *im, T *x, T *y) {                                                   \
        const T ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];                       \
        const T cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];                       \
        x[0] = ar + cr, y[0] = ai + ci, x[2] = ar - cr, y[2] = ai - ci;                                               \
        x[1] = br + di, y[1] = bi - dr, x[3] = br - di, y[3] = bi + dr;                                               \
    }                                                                                                                 \
    INLINE void name##_eight(const T *re, const T *im, T *x, T *y) {                                                  \
        const T h = EACH(T, (R)0.70710678118654752440);                                                               \
        T part[4][4], even[2][4], odd[2][4];                                                                          \
        for (int k = 0; k < 4; k++) {                                                                                 \
            part[0][k] = re[2 * k], part[1][k] = im[2 * k];                                                           \
            part[2][k] = re[2 * k + 1], part[3][k] = im[2 * k + 1];                                                   \
        }                                                                                                             \
        name##_four(part[0], part[1], even[0], even[1]);                                                              \
        name##_four(part[2], part[3], odd[0], odd[1]);                                                                \
        const T *o = odd[0], *p = odd[1];                                                                             \
        const T wr[4] = {o[0], (o[1] + p[1]) * h, p[2], (p[3] - o[3]) * h};                                           \
        const T wi[4] = {p[0], (p[1] - o[1]) * h, -o[2], -(p[3] + o[3]) * h};                                         \
        for (int k = 0; k < 4; k++) {                                                                                 \
            x[k] = even[0][k] + wr[k], y[k] = even[1][k] + wi[k];                                                     \
            x[k + 4] = even[0][k] - wr[k], y[k + 4] = even[1][k] - wi[k];                                             \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void name##_simple(int n, int order, R scale, const T *re, const T *im, T *x, T *y) {                      \
        if (n == 2) x[0] = re[0] + re[1], x[1] = re[0] - re[1], y[0] = im[0] + im[1], y[1] = im[0] - im[1];           \
        else if (n == 4) name##_four(re, im, x, y);                                                                   \
        else if (n == 8) name##_eight(re, im, x, y);                                                                  \
        else name##_prime(n, order, scale, re, im, x, y);                                                             \
    }                                                                                                                 \
    /* `early`, `between`: what a prime's sums, and what the numbers before the last step, are multiplied by. */      \
    INLINE void name##_transform(int n, int order, R early, R halfway, const T *re, const T *im, T *x, T *y) {        \
        const int first = FACTORS[n].first, second = FACTORS[n].second;                                               \
        const T between = EACH(T, halfway);                                                                           \
        T row[4][MOST] = {{{0}}}, made[2][MOST][MOST];                                                                          \
        if (!first) {                                                                                                 \
            for (int k = 0; k < n; k++) row[0][k] = re[k] * between, row[1][k] = im[k] * between;                     \
            name##_simple(n, order, early, row[0], row[1], x, y);                                                     \
            return;                                                                                                   \
        }                                                                                                             \
        for (int j = 0; j < first; j++) {                                                                             \
            for (int k = 0; k < second; k++) {                                                                        \
                const int from = (second * j + first * k) % n;                                                        \
                row[0][k] = re[from], row[1][k] = im[from];                                                           \
            }                                                                                                         \
            name##_simple(second, order, early, row[0], row[1], made[0][j], made[1][j]);                              \
        }                                                                                                             \
        for (int k = 0; k < second; k++) {                                                                            \
            for (int j = 0; j < first; j++) row[0][j] = made[0][j][k] * between, row[1][j] = made[1][j][k] * between; \
            name##_simple(first, ONE_SUM, 1, row[0], row[1], row[2], row[3]);                                         \
            for (int to = k; to < n; to += second) x[to] = row[2][to % first], y[to] = row[3][to % first];            \
        }                                                                                                             \
    }                                                                                                                 \
    WIDE static void name(Call *c, size from, size to) {                                                              \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const Argument *a = &c->in[0];                                                                                \
        const int real = c->given > 5 && c->in[5].whole, backward = !c->in[1].whole, order = (int)c->in[2].whole;     \
        const int n = (int)a->shape[a->ndim - (real ? 1 : 2)], half = n / 2 + 1;                                      \
        const size place = c->in[3].whole;                                                                            \
        const R given = (R)c->in[4].number, early = place == EARLY ? given : 1, between = place == BETWEEN ? given : 1; \
        const T scale = EACH(T, place == LATE ? given : 1);                                                           \
        T re[MOST] = {{0}}, im[MOST] = {{0}}, x[MOST], y[MOST];                                                       \
        for (size line = from; line < to; line += LANES) {                                                            \
            const int lines = to - line < LANES ? (int)(to - line) : LANES;                                           \
            const R *in = (const R *)a->data + (real ? 1 : 2) * n * line;                                             \
            R *out = (R *)c->out[0].data + 2 * (real ? half : n) * line;                                              \
            for (int k = 0; real && k < n; k++)                                                                       \
                for (int l = 0; l < lines; l++) ((R *)&re[k])[l] = in[n * l + k];                                     \
            for (int k = 0; !real && k < n; k++)                                                                      \
                for (int l = 0; l < lines; l++) {                                                                     \
                    ((R *)&re[k])[l] = in[2 * (n * l + k) + backward];                                                \
                    ((R *)&im[k])[l] = in[2 * (n * l + k) + 1 - backward];                                            \
                }                                                                                                     \
            name##_transform(n, order, early, between, re, im, x, y);                                                 \
            for (int k = 0, m = real ? half : n; k < m; k++) {                                                        \
                x[k] *= scale, y[k] *= scale;                                                                         \
                for (int l = 0; l < lines; l++) {                                                                     \
                    out[2 * (m * l + k) + backward] = ((R *)&x[k])[l];                                                \
                    out[2 * (m * l + k) + 1 - backward] = ((R *)&y[k])[l];                                            \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
    }
TRANSFORMS(vectors, float, singles)
TRANSFORMS(wide_vectors, double, doubles)

static int short_fourier_plan(Call *c) {
    const Argument *a = &c->in[0];
    const int real = c->given > 5 && c->in[5].whole;
    if (a->ndim < 2 - real || (!real && a->shape[a->ndim - 1] != 2) || (real && !c->in[1].whole)) return 0;
    const size n = a->shape[a->ndim - (real ? 1 : 2)];
    if (n < 2 || n >= MOST || n == 9 || c->in[2].whole > 7 || c->in[3].whole > EARLY) return 0;
    Argument *made = result(c, 0);
    shape_as(made, a);
    if (real) {
        if (a->ndim == DIMS) return 0;
        made->shape[a->ndim - 1] = n / 2 + 1;
        add_dimension(made, 2);
    }
    c->lines = a->count / ((real ? 1 : 2) * n), c->each = 2 * n;
    return 1;
}

static int short_fourier(Call *c, size from, size to) {
    (c->in[0].kind == FLOAT32 ? singles : doubles)(c, from, to);
    return 1;
}

/* prime_fourier(parts, forward, apart, cosines, sines, scale, real=False): of a prime from 17 to 47, by its sums of cosines and sines; the angles come in
   tables. `apart`: odd and even places have sums of their own, to which a last odd one comes when they are one. */
#define LONGEST 48
#define PRIMES(T, R, name)                                                                                            \
    INLINE void name##_sums(int n, int apart, const R *cosines, const R *sines, const T *re, const T *im, T *x, T *y) { \
        const int m = (n - 1) / 2;                                                                                    \
        T tr[LONGEST / 2], ti[LONGEST / 2], ur[LONGEST / 2], ui[LONGEST / 2];                                         \
        x[0] = re[0], y[0] = im[0];                                                                                   \
        for (int j = 1; j <= m; j++) {                                                                                \
            tr[j] = re[j] + re[n - j], ti[j] = im[j] + im[n - j], ur[j] = re[j] - re[n - j], ui[j] = im[j] - im[n - j]; \
            x[0] += tr[j], y[0] += ti[j];                                                                             \
        }                                                                                                             \
        for (int k = 1; k <= m; k++) {                                                                                \
            T ar[2] = {re[0]}, ai[2] = {im[0]}, br[2] = {{0}}, bi[2] = {{0}};                                         \
            for (int j = 1, at = k; j <= m; j++, at = at + k < n ? at + k : at + k - n) {                             \
                const T c = EACH(T, cosines[at]), s = EACH(T, sines[at]);                                             \
                const int own = apart && j % 2 == 0;                                                                  \
                if (apart && j == m && !own) ar[0] += ar[1], ai[0] += ai[1], br[0] += br[1], bi[0] += bi[1];          \
                ar[own] += c * tr[j], ai[own] += c * ti[j], br[own] += s * ur[j], bi[own] += s * ui[j];               \
            }                                                                                                         \
            if (apart && m % 2 == 0) ar[0] += ar[1], ai[0] += ai[1], br[0] += br[1], bi[0] += bi[1];                  \
            x[k] = ar[0] + bi[0], x[n - k] = ar[0] - bi[0], y[k] = ai[0] - br[0], y[n - k] = ai[0] + br[0];           \
        }                                                                                                             \
    }                                                                                                                 \
    WIDE static void name(Call *c, size from, size to) {                                                              \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                       \
        const Argument *a = &c->in[0];                                                                                \
        const int real = c->given > 6 && c->in[6].whole, backward = !c->in[1].whole, apart = (int)c->in[2].whole;     \
        const int n = (int)c->in[3].count, half = n / 2 + 1, m = real ? half : n;                                     \
        const T scale = EACH(T, (R)c->in[5].number);                                                                  \
        T re[LONGEST] = {{0}}, im[LONGEST] = {{0}}, x[LONGEST], y[LONGEST];                                           \
        for (size line = from; line < to; line += LANES) {                                                            \
            const int lines = to - line < LANES ? (int)(to - line) : LANES;                                           \
            const R *in = (const R *)a->data + (real ? 1 : 2) * n * line;                                             \
            R *out = (R *)c->out[0].data + 2 * m * line;                                                              \
            for (int l = 0; l < lines; l++)                                                                           \
                for (int k = 0; k < n; k++) {                                                                         \
                    ((R *)&re[k])[l] = real ? in[n * l + k] : in[2 * (n * l + k) + backward];                         \
                    if (!real) ((R *)&im[k])[l] = in[2 * (n * l + k) + 1 - backward];                                 \
                }                                                                                                     \
            name##_sums(n, apart, (const R *)c->in[3].data, (const R *)c->in[4].data, re, im, x, y);                  \
            for (int k = 0; k < m; k++) {                                                                             \
                x[k] *= scale, y[k] *= scale;                                                                         \
                for (int l = 0; l < lines; l++) {                                                                     \
                    out[2 * (m * l + k) + backward] = ((R *)&x[k])[l];                                                \
                    out[2 * (m * l + k) + 1 - backward] = ((R *)&y[k])[l];                                            \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
    }
PRIMES(vectors, float, single_primes)
PRIMES(wide_vectors, double, double_primes)

static int prime_fourier_plan(Call *c) {
    const Argument *a = &c->in[0], *cosines = &c->in[3], *sines = &c->in[4];
    const int real = c->given > 6 && c->in[6].whole;
    if (a->ndim < 2 - real || (!real && a->shape[a->ndim - 1] != 2) || (real && (!c->in[1].whole || a->ndim == DIMS))) return 0;
    const size n = a->shape[a->ndim - (real ? 1 : 2)];
    if (n < MOST || n >= LONGEST || n % 2 == 0 || cosines->count != n || sines->count != n) return 0;
    if (cosines->kind != a->kind || sines->kind != a->kind) return 0;
    Argument *made = result(c, 0);
    shape_as(made, a);
    if (real) {
        made->shape[a->ndim - 1] = n / 2 + 1;
        add_dimension(made, 2);
    }
    c->lines = a->count / ((real ? 1 : 2) * n), c->each = n * n;
    return 1;
}

static int prime_fourier(Call *c, size from, size to) {
    (c->in[0].kind == FLOAT32 ? single_primes : double_primes)(c, from, to);
    return 1;
}

/* mirrored(half, n, axes): the whole transform of n numbers, whose second half is the first one's conjugate; along the axes the
   places are turned round as well. */
static int mirrored_plan(Call *c) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole;
    size all;
    if (half->ndim < 2 || half->count == 0 || half->shape[half->ndim - 1] != 2 || n < 1 || half->shape[half->ndim - 2] != n / 2 + 1) return 0;
    for (int k = 0; k < axes->ndim; k++)
        if (axes->shape[k] < 0 || axes->shape[k] >= half->ndim - 2) return 0;
    const size rows = half->count / (2 * (n / 2 + 1));
    if (__builtin_mul_overflow(rows, 2 * n, &all)) return 0;
    Argument *out = result(c, 0);
    shape_as(out, half);
    out->shape[half->ndim - 2] = n;
    c->lines = rows, c->each = 2 * n;
    return 1;
}

#define MIRRORED(T, name)                                                                                             \
    static void name(const T *first, const T *other, T *out, size n) {                                                \
        const size have = n / 2 + 1;                                                                                  \
        memcpy(out, first, 2 * have * sizeof *out);                                                                   \
        for (size k = have; k < n; k++) out[2 * k] = other[2 * (n - k)], out[2 * k + 1] = -other[2 * (n - k) + 1];     \
    }
MIRRORED(float, mirrored_floats)
MIRRORED(double, mirrored_doubles)

static int mirrored(Call *c, size from, size to) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole, have = 2 * (n / 2 + 1);
    for (size row = from; row < to; row++) {
        size other = row, step = 1, left = row;
        for (int d = half->ndim - 3; d >= 0; d--) {
            const size many = half->shape[d], at = left % many;
            for (int k = 0; k < axes->ndim; k++)
                if (axes->shape[k] == d && at) other += (many - 2 * at) * step;
            left /= many, step *= many;
        }
        if (half->kind == FLOAT32)
            mirrored_floats((const float *)half->data + row * have, (const float *)half->data + other * have, (float *)c->out[0].data + row * 2 * n, n);
        else
            mirrored_doubles((const double *)half->data + row * have, (const double *)half->data + other * have, (double *)c->out[0].data + row * 2 * n, n);
    }
    return 1;
}

const Kernel fourier_kernels[] = {
    {"mirrored", "rit", mirrored_plan, mirrored, "mirrored(half, n, axes): a whole transform from its half, as parts of complex numbers"},
    {"short_fourier", "rbiix|b", short_fourier_plan, short_fourier,
     "short_fourier(parts, forward, order, place, scale, real=False); real: of real signals, forward, the first half"},
    {"prime_fourier", "rbbrrx|b", prime_fourier_plan, prime_fourier,
     "prime_fourier(parts, forward, apart, cosines, sines, scale, real=False): of a prime from 17 to 47"},
    {0},
};
