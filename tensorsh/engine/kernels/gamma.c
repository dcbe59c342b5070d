/* The gamma function's derivatives and the incomplete gamma functions, by Cephes' methods as PyTorch has them, and of single precision
   the scaled error function and the logarithm of the normal distribution's. Single precision is computed in double and rounded. */
#include "vector_math.h"

#define BLOCK 64
#define PI 3.14159265358979323846

/* A ufunc of one argument that computes a block of doubles; `single`: they come from float32. */
#define LOOPS(T, name, block, single)                                                                     \
    static void name(char **args, const size *count, const size *steps, void *data) {                     \
        (void)data;                                                                                       \
        for (size done = 0; done < *count; done += BLOCK) {                                               \
            const int m = *count - done < BLOCK ? (int)(*count - done) : BLOCK;                           \
            double x[BLOCK];                                                                              \
            for (int k = 0; k < BLOCK; k++) x[k] = 1;                                                     \
            for (int k = 0; k < m; k++) x[k] = *(const T *)(args[0] + (done + k) * steps[0]);             \
            block(x, single);                                                                             \
            for (int k = 0; k < m; k++) *(T *)(args[1] + (done + k) * steps[1]) = (T)x[k];                \
        }                                                                                                 \
    }
#define OF_ONE(name)                                                                                      \
    LOOPS(float, name##_floats, name##_block, 1)                                                          \
    LOOPS(double, name##_doubles, name##_block, 0)

/* Below 1/2 by reflection, whose sine PyTorch takes in the precision of the argument. */
WIDE static void trigamma_block(double *x, int single) {
    double reflected[BLOCK], sign[BLOCK], sine[BLOCK];
    int far = 0;
    for (int k = 0; k < BLOCK; k++) {
        const double angle = single ? (double)((float)PI * (float)x[k]) : PI * x[k];
        far |= (x[k] < 0.5) & !(fabs(angle) <= MOST_ANGLE);
        sine[k] = (float)sin_float(fabs(angle) <= MOST_ANGLE ? angle : 1.0);
    }
    for (int k = 0; (far || !single) && k < BLOCK; k++)
        if (x[k] < 0.5) sine[k] = single ? (float)sin((double)((float)PI * (float)x[k])) : sin(PI * x[k]);
    for (int k = 0; k < BLOCK; k++) {
        const int below = x[k] < 0.5;
        sign[k] = below ? -1 : 1;
        reflected[k] = below ? PI * PI / (sine[k] * sine[k]) : 0;
        x[k] = below ? 1 - x[k] : x[k];
    }
    for (int k = 0; k < BLOCK; k++) {
        double at = x[k], total = -reflected[k];
        for (int i = 0; i < 6; i++) total += 1 / (at * at), at += 1;
        const double z = 1 / (at * at);
        total += (1 + 1 / (2 * at) + z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42)))) / at;
        x[k] = sign[k] * total;
    }
}

WIDE static void digamma_block(double *x, int single) {
    static const double c[] = {8.33333333333333333333e-2, -2.10927960927960927961e-2, 7.57575757575757575758e-3, -4.16666666666666666667e-3,
                               3.96825396825396825397e-3, -8.33333333333333333333e-3, 8.33333333333333333333e-2};
    double reflected[BLOCK] = {0}, total[BLOCK], logs[BLOCK], at[BLOCK];
    for (int k = 0; k < BLOCK; k++) {
        if (!(x[k] < 0)) continue;
        reflected[k] = PI / tan(PI * (x[k] - trunc(x[k])));
        x[k] = 1 - x[k];
    }
    for (int k = 0; k < BLOCK; k++) {
        at[k] = x[k], total[k] = 0;
        for (int i = 0; i < 10; i++) {
            const double near = at[k] < 10 ? at[k] : 1;
            total[k] -= at[k] < 10 ? 1 / near : 0;
            at[k] += at[k] < 10 ? 1 : 0;
        }
    }
    if (single)
        for (int k = 0; k < BLOCK; k++) logs[k] = at[k] < INFINITY ? log_positive(at[k]) : at[k];
    else
        for (int k = 0; k < BLOCK; k++) logs[k] = log(at[k]);
    for (int k = 0; k < BLOCK; k++) {
        const double z = 1 / (at[k] * at[k]);
        double y = c[0];
        for (int i = 1; i < 7; i++) y = y * z + c[i];
        y = at[k] < 1e17 ? y * z : 0;
        const double found = at[k] == 10 ? total[k] + 2.25175258906672110764 : total[k] + logs[k] - 0.5 / at[k] - y;
        x[k] = found - reflected[k];
    }
}
OF_ONE(trigamma)
OF_ONE(digamma)

/* exp(a^2) erfc(a) of a number that is not below 0, right to 2^-33 of itself: near 0 a series, see `erfc_series`, beyond it the first terms of
   the one in 1 / a^2. */
INLINE double scaled_above(double a) {
    const double near = a < 10.0 ? a : 10.0, far = a < 10.0 ? 10.0 : a, z = 0.5 / (far * far);
    const double p = FMA(FMA(FMA(FMA(FMA(FMA(10395.0, z, -945.0), z, 105.0), z, -15.0), z, 3.0), z, -1.0), z, 1.0);
    return a < 10.0 ? erfc_series(1.0 / FMA(0.3, near, 1.0)) : p * (0.56418958354775628695 / far);
}
INLINE double power_below(double x) { return exp_reduced(x > -690.0 ? x : -690.0); }

WIDE static void erfcx_block(double *x, int single) {
    (void)single;
    for (int k = 0; k < BLOCK; k++) {
        const double a = fabs(x[k]), near = a < 26.0 ? a : 26.0, above = scaled_above(a);
        const double found = x[k] < 0 ? FMA(2.0, exp_reduced(near * near), -above) : above;
        x[k] = x[k] == x[k] ? found : x[k];
    }
}

/* Below -1 by the scaled function, above it by the rest to 1. */
WIDE static void log_ndtr_block(double *x, int single) {
    (void)single;
    for (int k = 0; k < BLOCK; k++) {
        const double s = x[k] * 0.70710678118654752440, a = fabs(s), scaled = 0.5 * scaled_above(a), part = scaled * power_below(-a * a);
        const double rest = s < 0 ? 1.0 - part : part, u = 1.0 - rest, lost = (1.0 - u) - rest;
        const int below = x[k] < -1.0;
        const double log = log_positive(below ? scaled : u), found = below ? FMA(-a, a, log) : rest > 0 ? log + lost / u : -0.0;
        x[k] = x[k] == x[k] ? found : x[k];
    }
}
LOOPS(float, erfcx_floats, erfcx_block, 1)
LOOPS(float, log_ndtr_floats, log_ndtr_block, 1)

#define UFUNC(name) {#name, 1, {name##_floats, name##_doubles}, 0}
Ufunc gamma_ufuncs[] = {UFUNC(trigamma), UFUNC(digamma), {"erfcx", 1, {erfcx_floats, NULL}, 0}, {"log_ndtr", 1, {log_ndtr_floats, NULL}, 0}, {0}};

#define STEPS 2000
#define LARGEST 20.0 /* above this the first parameter wants another expansion */

/* x^a e^-x / gamma(a), given log(x) and log(gamma(a)). */
INLINE double share(double a, double x, double log_x, double log_gamma) { return exp(a * log_x - x - log_gamma); }

static double lower_series(double a, double x, double factor, double eps) {
    double r = a, term = 1, total = 1;
    for (int i = 0; i < STEPS; i++) {
        r += 1;
        term *= x / r;
        total += term;
        if (term <= eps * total) break;
    }
    return total * factor / a;
}

static double upper_series(double a, double x, double log_x, double log_gamma, double eps) {
    double factor = 1, total = 0;
    for (int n = 1; n < STEPS; n++) {
        factor *= -x / n;
        const double term = factor / (a + n);
        total += term;
        if (fabs(term) <= eps * fabs(total)) break;
    }
    /* gamma(1 + a) = a gamma(a) */
    return -expm1(a * log_x - log_gamma - log(a)) - exp(a * log_x - log_gamma) * total;
}

static double upper_fraction(double a, double x, double factor, double eps) {
    const double big = 0x1p52;
    double y = 1 - a, z = x + y + 1, c = 0, p2 = 1, q2 = x, p1 = x + 1, q1 = z * x, found = p1 / q1, change;
    for (int i = 0; i < STEPS; i++) {
        c += 1, y += 1, z += 2;
        const double yc = y * c, p = p1 * z - p2 * yc, q = q1 * z - q2 * yc;
        change = 1;
        if (q != 0) {
            const double r = p / q;
            change = fabs((found - r) / r);
            found = r;
        }
        p2 = p1, p1 = p, q2 = q1, q1 = q;
        if (fabs(p) > big) p2 /= big, p1 /= big, q2 /= big, q1 /= big;
        if (change <= eps) break;
    }
    return found * factor;
}

/* The regularized incomplete gamma function, the upper or the lower one, 0 < a <= LARGEST, 0 < x. */
static double incomplete(double a, double x, int upper, double eps) {
    int sign;
    const double log_x = log(x), log_gamma = lgamma_r(a, &sign);
    if (x > (upper ? 1.1 : 1.0) && x > a) {
        const double found = upper_fraction(a, x, share(a, x, log_x, log_gamma), eps);
        return upper ? found : 1 - found;
    }
    if (upper && x <= 1.1 && (x <= 0.5 ? -0.4 / log_x >= a : x * 1.1 >= a)) return upper_series(a, x, log_x, log_gamma, eps);
    const double found = lower_series(a, x, share(a, x, log_x, log_gamma), eps);
    return upper ? 1 - found : found;
}

#define FITS(T, name)                                                                                     \
    static int name(const T *a, const T *x, size n) {                                                     \
        int good = 1;                                                                                     \
        for (size i = 0; i < n; i++) good &= (a[i] > 0) & (a[i] <= LARGEST) & (x[i] > 0) & (x[i] < INFINITY); \
        return good;                                                                                      \
    }
FITS(float, singles_fit)
FITS(double, doubles_fit)

/* incomplete_gamma(a, x, upper) */
static int incomplete_plan(Call *c) {
    const Argument *a = &c->in[0], *x = &c->in[1];
    if (x->kind != a->kind || !has_shape(x, a->ndim, a->shape)) return 0;
    if (!(a->kind == FLOAT32 ? singles_fit(a->data, x->data, x->count) : doubles_fit(a->data, x->data, x->count))) return 0;
    shape_as(result(c, 0), a);
    c->lines = a->count, c->each = 512; /* an element takes as long as so many of a sum */
    return 1;
}

static int incomplete_gamma(Call *c, size from, size to) {
    const int upper = c->in[2].whole != 0;
    for (size i = from; i < to; i++) {
        if (c->in[0].kind == FLOAT32)
            ((float *)c->out[0].data)[i] = (float)incomplete(((const float *)c->in[0].data)[i], ((const float *)c->in[1].data)[i], upper, 1e-11);
        else
            ((double *)c->out[0].data)[i] = incomplete(((const double *)c->in[0].data)[i], ((const double *)c->in[1].data)[i], upper, 0x1p-53);
    }
    return 1;
}

/* log_gamma(x): of float32 between 0 and infinity: below 13 by the product that leads to a number from 2 to 3, above by Stirling's
   series. The block is filled up by ones. */
static int log_gamma_plan(Call *c) {
    const Argument *x = &c->in[0];
    const float *at = x->data;
    int good = 1;
    for (size i = 0; i < x->count; i++) good &= (at[i] > 0) & (at[i] < INFINITY);
    if (!good || x->count == 0) return 0;
    shape_as(result(c, 0), x);
    c->lines = x->count, c->each = 8;
    return 1;
}

WIDE static void log_gamma_block(const float *from, float *to, int n) {
    static const double a[] = {8.11614167470508450300e-4, -5.95061904284301438324e-4, 7.93650340457716943945e-4, -2.77777777730099687205e-3,
                               8.33333333333331927722e-2};
    static const double b[] = {-1.37825152569120859100e3, -3.88016315134637840924e4, -3.31612992738871184744e5, -1.16237097492762307383e6,
                               -1.72173700820839662146e6, -8.53555664245765465627e5};
    static const double c[] = {1, -3.51815701436523470549e2, -1.70642106651881159223e4, -2.20528590553854454839e5, -1.13933444367982507207e6,
                               -2.53252307177582951285e6, -2.01889141433532773231e6};
    double x[BLOCK], z[BLOCK], u[BLOCK], found[BLOCK], largest = 0;
    for (int k = 0; k < BLOCK; k++) x[k] = k < n ? from[k] : 1;
    for (int k = 0; k < BLOCK; k++) largest = x[k] > largest ? x[k] : largest;
    for (int k = 0; k < BLOCK; k++) z[k] = 1, u[k] = x[k];
    for (double step = 1; step < 12 && largest >= 2 + step; step++)
        for (int k = 0; k < BLOCK; k++) {
            const double next = x[k] - step;
            z[k] *= u[k] >= 3 ? next : 1;
            u[k] = u[k] >= 3 ? next : u[k];
        }
    for (double step = 1; step < 3; step++)
        for (int k = 0; k < BLOCK; k++) {
            z[k] /= u[k] < 2 ? u[k] : 1;
            u[k] = u[k] < 2 ? x[k] + step : u[k];
        }
    for (int k = 0; k < BLOCK; k++) {
        const double y = u[k] - 2;
        double above = b[0], below = c[0];
        for (int i = 1; i < 6; i++) above = above * y + b[i];
        for (int i = 1; i < 7; i++) below = below * y + c[i];
        found[k] = log_positive(x[k] < 13 ? z[k] : x[k]);
        z[k] = found[k] + y * above / below;
    }
    for (int k = 0; largest >= 13 && k < BLOCK; k++) {
        const double p = 1 / (x[k] * x[k]);
        double series = a[0];
        for (int i = 1; i < 5; i++) series = series * p + a[i];
        if (x[k] >= 13) z[k] = (x[k] - 0.5) * found[k] - x[k] + 0.91893853320467274178 + series / x[k];
    }
    for (int k = 0; k < n; k++) to[k] = (float)z[k];
}

static int log_gamma(Call *c, size from, size to) {
    for (size i = from; i < to; i += BLOCK)
        log_gamma_block((const float *)c->in[0].data + i, (float *)c->out[0].data + i, to - i < BLOCK ? (int)(to - i) : BLOCK);
    return 1;
}

const Kernel gamma_kernels[] = {
    {"log_gamma", "f~", log_gamma_plan, log_gamma, "log_gamma(x): of finite numbers above 0"},
    {"incomplete_gamma", "rrb", incomplete_plan, incomplete_gamma, "incomplete_gamma(a, x, upper): 0 < a <= 20, 0 < x"},
    {0},
};
