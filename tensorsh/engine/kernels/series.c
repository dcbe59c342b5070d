/* Functions by series: the modified Bessel functions, and the orthogonal polynomials by their recurrences.

   Products are fused with their sums where PyTorch's are, and each step rounds in the type of the elements. */
#include "double_math.h"

/* Cephes' Chebyshev series for exp(-x) i0(x) and exp(-x) i1(x) / x on [0, 8], beyond for these times the root of x; the highest
   degree first. */
static const double near_0[] = {
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15, -1.1685332877993451e-14,
    7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11, 9.675809035373237e-11,
    -5.189795601635263e-10, 2.6598237246823866e-09, -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07,
    1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
    -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998, -0.02373741480589947,
    0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984, 0.6767952744094761,
};
static const double far_0[] = {
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17, -2.8276239805165836e-16,
    -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15, -4.150569347287222e-14,
    1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11,
    -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943, 0.8044904110141088,
};
static const double near_1[] = {
    2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16, -1.1055969477353862e-15, 7.600684294735408e-15,
    -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12, 1.1736186298890901e-11, -6.663489723502027e-11,
    3.625590281552117e-10, -1.8872497517228294e-09, 9.381537386495773e-09, -4.445059128796328e-08, 2.0032947535521353e-07,
    -8.568720264695455e-07, 3.4702513081376785e-06, -1.3273163656039436e-05, 4.781565107550054e-05, -0.00016176081582589674,
    0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888, -0.010564084894626197, 0.024726449030626516,
    -0.05294598120809499, 0.1026436586898471, -0.17641651835783406, 0.25258718644363365,
};
static const double far_1[] = {
    7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17, 2.96262899764595e-16,
    3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14, 4.272440016711951e-14,
    -2.1015418427726643e-14, -4.0835511110921974e-13, -7.198551776245908e-13, 2.0356285441470896e-12, 1.4125807436613782e-11,
    3.2526035830154884e-11, -1.8974958123505413e-11, -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08,
    -2.512236237870209e-07, -3.882564808877691e-06, -0.00011058893876262371, -0.009761097491361469, 0.7785762350182801,
};
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

INLINE float exp_of_float(float x) { return exp_float(x); }

/* A series of a block by Clenshaw's recurrence. */
#define SERIES(T, name, fma)                                                                              \
    INLINE void name(const T *x, const double *table, int count, T *out) {                                \
        T last[BLOCK], before[BLOCK], older[BLOCK];                                                       \
        for (int k = 0; k < BLOCK; k++) last[k] = (T)table[0], before[k] = older[k] = 0;                  \
        for (int i = 1; i < count; i++) {                                                                 \
            const T c = (T)table[i];                                                                      \
            for (int k = 0; k < BLOCK; k++) {                                                             \
                older[k] = before[k], before[k] = last[k];                                                \
                last[k] = fma(x[k], before[k], -older[k]) + c;                                            \
            }                                                                                             \
        }                                                                                                 \
        for (int k = 0; k < BLOCK; k++) out[k] = (T)0.5 * (last[k] - older[k]);                           \
    }
SERIES(float, series_of_floats, __builtin_fmaf)
SERIES(double, series_of_doubles, __builtin_fma)

/* A block of the function of an order; `scaled`: times exp(-|x|); `whole`: its factors in another order. */
#define MODIFIED(T, name, series, exp, sqrt, fabs)                                                        \
    INLINE void name(const T *x, T *out, int order, int scaled, int whole, int cut_near, int cut_far) {   \
        T size_of[BLOCK], at[BLOCK], inner[BLOCK], outer[BLOCK], power[BLOCK];                            \
        int far = 0;                                                                                      \
        for (int k = 0; k < BLOCK; k++) {                                                                 \
            size_of[k] = fabs(x[k]);                                                                      \
            far |= !(size_of[k] <= 8);                                                                    \
            at[k] = (size_of[k] <= 8 ? size_of[k] : 0) / 2 - 2;                                           \
        }                                                                                                 \
        if (order) series(at, near_1 + cut_near, COUNT(near_1) - cut_near, inner);                        \
        else series(at, near_0, COUNT(near_0), inner);                                                    \
        for (int k = 0; k < BLOCK; k++) power[k] = scaled ? 1 : exp(size_of[k]);                          \
        for (int k = 0; k < BLOCK; k++)                                                                   \
            inner[k] = !order ? power[k] * inner[k] : whole ? power[k] * (size_of[k] * inner[k]) : power[k] * size_of[k] * inner[k]; \
        for (int k = 0; k < BLOCK && far; k++) at[k] = 32 / (size_of[k] <= 8 ? 8 : size_of[k]) - 2;       \
        if (far && order) series(at, far_1 + cut_far, COUNT(far_1) - cut_far, outer);                     \
        else if (far) series(at, far_0, COUNT(far_0), outer);                                             \
        for (int k = 0; k < BLOCK && far; k++)                                                            \
            inner[k] = size_of[k] <= 8 ? inner[k] : power[k] * outer[k] / sqrt(size_of[k]);               \
        for (int k = 0; k < BLOCK; k++) out[k] = order && x[k] < 0 ? -inner[k] : inner[k];                \
    }
MODIFIED(float, modified_floats, series_of_floats, exp_of_float, sqrtf, fabsf)
MODIFIED(double, modified_doubles, series_of_doubles, exp, sqrt, fabs)

#define BESSEL_LOOP(T, name, block, ...)                                                                  \
    WIDE static void name(char **args, const size *count, const size *steps, void *data) {                \
        (void)data;                                                                                       \
        for (size done = 0; done < *count; done += BLOCK) {                                               \
            const size m = *count - done < BLOCK ? *count - done : BLOCK;                                 \
            T in[BLOCK] = {0}, out[BLOCK];                                                                \
            for (size k = 0; k < m; k++) in[k] = *(const T *)(args[0] + (done + k) * steps[0]);           \
            block(in, out, __VA_ARGS__);                                                                  \
            for (size k = 0; k < m; k++) *(T *)(args[1] + (done + k) * steps[1]) = out[k];                \
        }                                                                                                 \
    }
/* PyTorch leaves out some coefficients of order 1 in float32. */
#define BESSEL(name, order, scaled, whole)                                                                \
    BESSEL_LOOP(float, name##_floats, modified_floats, order, scaled, whole, whole ? 0 : 12, whole ? 0 : 18) \
    BESSEL_LOOP(double, name##_doubles, modified_doubles, order, scaled, whole, 0, 0)
BESSEL(i0, 0, 0, 0)
BESSEL(i0e, 0, 1, 0)
BESSEL(i1, 1, 0, 0)
BESSEL(i1e, 1, 1, 0)
BESSEL(whole_i1, 1, 0, 1)

/* Of the second kind: Chebyshev series of what the logarithm's part leaves on (0, 2], and beyond of exp(x) k(x) times the root of x. */
static const double second_near_0[] = {
    1.374465435613523e-16, 4.25981614279661e-14, 1.0349695257633842e-11, 1.904516377220209e-09, 2.5347910790261494e-07,
    2.286212103119452e-05, 0.001264615411446926, 0.0359799365153615, 0.3442898999246285, -0.5353273932339028,
};
static const double second_near_1[] = {
    -7.023863479386288e-18, -2.427449850519366e-15, -6.666901694199329e-13, -1.4114883926335278e-10, -2.213387630734726e-08,
    -2.4334061415659684e-06, -0.0001730288957513052, -0.006975723859639864, -0.12261118082265715, -0.3531559607765449,
    1.5253002273389478,
};
static const double second_far_0[] = {
    5.300433772686263e-18, -1.6475804301524212e-17, 5.2103915050390274e-17, -1.678231096805412e-16, 5.512055978524319e-16,
    -1.848593377343779e-15, 6.3400764774050706e-15, -2.2275133269916698e-14, 8.032890775363575e-14, -2.9800969231727303e-13,
    1.140340588208475e-12, -4.514597883373944e-12, 1.8559491149547177e-11, -7.957489244477107e-11, 3.577397281400301e-10,
    -1.69753450938906e-09, 8.574034017414225e-09, -4.660489897687948e-08, 2.766813639445015e-07, -1.8317555227191195e-06,
    1.39498137188765e-05, -0.00012849549581627802, 0.0015698838857300533, -0.0314481013119645, 2.4403030820659555,
};
static const double second_far_1[] = {
    -5.756744483665017e-18, 1.7940508731475592e-17, -5.689462558442859e-17, 1.838093544366639e-16, -6.057047248373319e-16,
    2.038703165624334e-15, -7.019837090418314e-15, 2.4771544244813043e-14, -8.976705182324994e-14, 3.3484196660784293e-13,
    -1.2891739609510289e-12, 5.13963967348173e-12, -2.1299678384275683e-11, 9.218315187605006e-11, -4.1903547593418965e-10,
    2.015049755197033e-09, -1.0345762465678097e-08, 5.7410841254500495e-08, -3.5019606030878126e-07, 2.406484947837217e-06,
    -1.936197974166083e-05, 0.00019521551847135162, -0.002857816859622779, 0.10392373657681724, 2.7206261904844427,
};

/* A block of the function of an order, in double; `scaled`: times exp(x). */
INLINE void second_block(const double *x, double *out, const int order, const int scaled) {
    double size_of[BLOCK], at[BLOCK], first[BLOCK], series[BLOCK];
    int near = 0, far = 0;
    for (int k = 0; k < BLOCK; k++) {
        near |= x[k] > 0 && x[k] <= 2, far |= !(x[k] <= 2);
        out[k] = x[k] == 0 ? INFINITY : NAN;
        size_of[k] = x[k] > 0 && x[k] <= 2 ? x[k] : 1;
        at[k] = size_of[k] / 2 - 2;
    }
    if (near) {
        if (order) series_of_doubles(at, near_1, COUNT(near_1), first);
        else series_of_doubles(at, near_0, COUNT(near_0), first);
        for (int k = 0; k < BLOCK; k++) at[k] = size_of[k] * size_of[k] - 2;
        if (order) series_of_doubles(at, second_near_1, COUNT(second_near_1), series);
        else series_of_doubles(at, second_near_0, COUNT(second_near_0), series);
        for (int k = 0; k < BLOCK; k++) {
            const double power = exp_double(size_of[k]), log_half = log_double(0.5 * size_of[k]);
            const double found = order ? log_half * (power * size_of[k] * first[k]) + series[k] / size_of[k] : series[k] - log_half * (power * first[k]);
            out[k] = x[k] > 0 && x[k] <= 2 ? scaled ? found * power : found : out[k];
        }
    }
    if (!far) return;
    for (int k = 0; k < BLOCK; k++) {
        size_of[k] = x[k] <= 2 ? 2 : x[k];
        at[k] = 8 / size_of[k] - 2;
    }
    if (order) series_of_doubles(at, second_far_1, COUNT(second_far_1), series);
    else series_of_doubles(at, second_far_0, COUNT(second_far_0), series);
    for (int k = 0; k < BLOCK; k++) {
        const double found = (scaled ? series[k] : exp_double(-size_of[k]) * series[k]) / sqrt(size_of[k]);
        out[k] = x[k] <= 2 ? out[k] : found;
    }
}
#define SECOND(name, order, scaled)                                                                       \
    WIDE static void name##_block(const double *x, double *out) { second_block(x, out, order, scaled); }  \
    BY_BLOCKS(float, name##_floats, name##_block)                                                         \
    BY_BLOCKS(double, name##_doubles, name##_block)
SECOND(modified_bessel_k0, 0, 0)
SECOND(modified_bessel_k1, 1, 0)
SECOND(scaled_modified_bessel_k0, 0, 1)
SECOND(scaled_modified_bessel_k1, 1, 1)

#define UFUNC(name) {#name, 1, {name##_floats, name##_doubles}, 0}
Ufunc series_ufuncs[] = {UFUNC(i0), UFUNC(i0e), UFUNC(i1), UFUNC(i1e), UFUNC(whole_i1),
                       UFUNC(modified_bessel_k0), UFUNC(modified_bessel_k1), UFUNC(scaled_modified_bessel_k0), UFUNC(scaled_modified_bessel_k1), {0}};

/* The polynomials: 1, the one of degree 1, then each from the two before it. Chebyshev's of a high degree within (-1, 1) are
   functions of the angle whose cosine x is. */
typedef enum { CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W, HERMITE_H, HERMITE_HE, LAGUERRE_L, LEGENDRE_P } Family;
#define LONGEST 10000 /* degrees above this are not stepped to */

INLINE int least_by_angle(Family family, int shifted) {
    if (family > CHEBYSHEV_W) return INT32_MAX;
    return 1 + (family == CHEBYSHEV_T ? 6 : !shifted ? 8 : family == CHEBYSHEV_W ? 4 : 6);
}

/* Blocks are stepped to their highest degree; each element keeps the polynomial of its own. */
#define POLYNOMIALS(T, name, fma, fabs)                                                                   \
    static T name##_by_angle(Family family, T x, T n) {                                                   \
        const T angle = (T)acos((double)x), far = (n + (T)0.5) * angle, half = angle / 2;                 \
        switch (family) {                                                                                 \
            case CHEBYSHEV_T: return (T)cos((double)(n * angle));                                         \
            case CHEBYSHEV_U: return (T)sin((double)((n + 1) * angle)) / (T)sin((double)angle);           \
            case CHEBYSHEV_V: return (T)cos((double)far) / (T)cos((double)half);                          \
            default: return (T)sin((double)far) / (T)sin((double)half);                                   \
        }                                                                                                 \
    }                                                                                                     \
    INLINE void name##_block(const Family family, const T *x, const T *degree, int most, T *last) {       \
        T before[BLOCK];                                                                                  \
        INDEPENDENT                                                                                       \
        for (int i = 0; i < BLOCK; i++) {                                                                 \
            const T first = family == CHEBYSHEV_U || family == HERMITE_H ? x[i] + x[i]                    \
                            : family == CHEBYSHEV_V              ? x[i] + x[i] - 1                        \
                            : family == CHEBYSHEV_W              ? x[i] + x[i] + 1                        \
                            : family == LAGUERRE_L               ? 1 - x[i]                               \
                                                                 : x[i];                                  \
            before[i] = 1, last[i] = degree[i] == 0 ? 1 : degree[i] < 0 ? 0 : first;                      \
        }                                                                                                 \
        for (int k = 1; k < most; k++) {                                                                  \
            const T n = (T)k, twice = (T)(2 * k), one_more = (T)(k + 1);                                  \
            INDEPENDENT                                                                                   \
            for (int i = 0; i < BLOCK; i++) {                                                             \
                T next;                                                                                   \
                if (family == HERMITE_H) next = fma(x[i] + x[i], last[i], -(twice * before[i]));          \
                else if (family == HERMITE_HE) next = fma(x[i], last[i], -(n * before[i]));               \
                else if (family == LAGUERRE_L) next = fma(twice + (1 - x[i]), last[i], -(n * before[i])) / one_more; \
                else if (family == LEGENDRE_P) next = fma((twice + 1) * x[i], last[i], -(n * before[i])) / one_more; \
                else next = fma(x[i] + x[i], last[i], -before[i]);                                        \
                before[i] = last[i];                                                                      \
                last[i] = n < degree[i] ? next : last[i];                                                 \
            }                                                                                             \
        }                                                                                                 \
    }                                                                                                     \
    WIDE static void name(Call *c, Family family, const char *x, size x_step, const char *n, size n_step, int shifted, T *out, size count) { \
        const int by_angle = least_by_angle(family, shifted);                                             \
        for (size done = 0; done < count; done += BLOCK) {                                                \
            const int m = count - done < BLOCK ? (int)(count - done) : BLOCK;                             \
            int most = 0, angles = 0;                                                                     \
            T near[BLOCK], made[BLOCK], numbers[BLOCK], degree[BLOCK];                                    \
            const T *at = (const T *)(x + done * x_step), *given = (const T *)(n + done * n_step);        \
            T *last = m == BLOCK ? out + done : made;                                                     \
            if (m < BLOCK) memset(near, 0, sizeof near), memset(numbers, 0, sizeof numbers);              \
            if (m < BLOCK || x_step != sizeof(T)) gather(at, x_step, sizeof(T), near, m), at = near;      \
            if (m < BLOCK || n_step != sizeof(T)) gather(given, n_step, sizeof(T), numbers, m), given = numbers; \
            for (int i = 0; i < BLOCK && shifted; i++) near[i] = at[i] + at[i] - 1;                       \
            at = shifted ? near : at;                                                                     \
            for (int i = 0; i < BLOCK; i++) {                                                             \
                /* Degrees are whole, towards zero; what is no number of 64 bits is none. */              \
                const T least = given[i] > -1 ? given[i] : -1, cut = least < LONGEST ? least : LONGEST;       \
                degree[i] = __builtin_trunc(least < (T)9223372036854775808.0 ? cut : -1);                 \
            }                                                                                             \
            for (int i = 0; i < BLOCK; i++) most = (int)degree[i] > most ? (int)degree[i] : most;         \
            if (most >= by_angle) {                                                                       \
                most = 0;                                                                                 \
                for (int i = 0; i < BLOCK; i++) {                                                         \
                    const int angle = (degree[i] >= by_angle) & (fabs(at[i]) < 1);                        \
                    angles |= angle;                                                                      \
                    most = !angle && degree[i] > most ? (int)degree[i] : most;                            \
                }                                                                                         \
            }                                                                                             \
            if (ends(c, BLOCK * (size)(most + 8))) return;                                                \
            switch (family) {                                                                             \
                case HERMITE_H: name##_block(HERMITE_H, at, degree, most, last); break;                   \
                case HERMITE_HE: name##_block(HERMITE_HE, at, degree, most, last); break;                 \
                case LAGUERRE_L: name##_block(LAGUERRE_L, at, degree, most, last); break;                 \
                case LEGENDRE_P: name##_block(LEGENDRE_P, at, degree, most, last); break;                 \
                case CHEBYSHEV_U: name##_block(CHEBYSHEV_U, at, degree, most, last); break;               \
                case CHEBYSHEV_V: name##_block(CHEBYSHEV_V, at, degree, most, last); break;               \
                case CHEBYSHEV_W: name##_block(CHEBYSHEV_W, at, degree, most, last); break;               \
                default: name##_block(CHEBYSHEV_T, at, degree, most, last);                               \
            }                                                                                             \
            for (int i = 0; angles && i < m; i++)                                                         \
                if (degree[i] >= by_angle && fabs(at[i]) < 1) last[i] = name##_by_angle(family, at[i], (T)__builtin_trunc((double)given[i])); \
            if (m < BLOCK) memcpy(out + done, made, m * sizeof(T));                                       \
        }                                                                                                 \
    }
POLYNOMIALS(float, polynomials_of_floats, __builtin_fmaf, fabsf)
POLYNOMIALS(double, polynomials_of_doubles, __builtin_fma, fabs)

/* polynomial(x, n, family, shifted): n has the shape of x or is one number; the elements of each lie in equal steps. */
static int polynomial_plan(Call *c) {
    Argument *x = &c->in[0], *n = &c->in[1];
    if (x->kind != n->kind || (x->kind != FLOAT32 && x->kind != FLOAT64)) return 0;
    if (c->in[2].whole < CHEBYSHEV_T || c->in[2].whole > LEGENDRE_P || !in_equal_steps(x) || !in_equal_steps(n)) return 0;
    if (n->ndim ? !has_shape(n, x->ndim, x->shape) : n->count != 1) return 0;
    shape_as(result(c, 0), x);
    c->lines = x->count, c->each = 1;
    return 1;
}

static int polynomial(Call *c, size from, size to) {
    const Argument *x = &c->in[0], *n = &c->in[1];
    const Family family = (Family)c->in[2].whole;
    const int shifted = c->in[3].whole != 0;
    const char *at = (const char *)x->data + from * x->whole, *degrees = (const char *)n->data + from * n->whole;
    if (x->kind == FLOAT32) polynomials_of_floats(c, family, at, x->whole, degrees, n->whole, shifted, (float *)c->out[0].data + from, to - from);
    else polynomials_of_doubles(c, family, at, x->whole, degrees, n->whole, shifted, (double *)c->out[0].data + from, to - from);
    return 1;
}

const Kernel series_kernels[] = {
    {"polynomial", "eeib", polynomial_plan, polynomial, "polynomial(x, n, family, shifted): the orthogonal polynomial of degree n"},
    {0},
};
