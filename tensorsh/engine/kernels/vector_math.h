/* Functions of float32 computed in double, in straight-line code that compilers turn into vector instructions. Those that are used
   most are computed in floats, see single_math.h.

   Results are those of the exact function rounded to float32, but for about one in a million where it lies next to the
   middle of two floats. Polynomials are minimax approximations on the reduced arguments (Remez exchange). What is fused is
   written so: compilers are told to fuse nothing by themselves, and all give the same bits. */
#ifndef TENSORSH_VECTOR_MATH_H
#define TENSORSH_VECTOR_MATH_H

#include "kernels.h"

#define FMA __builtin_fma
#define FMAF __builtin_fmaf

INLINE double as_double(int64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
INLINE float as_single(int32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
INLINE uint32_t single_bits(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }
INLINE int64_t as_bits(double x) { int64_t bits; memcpy(&bits, &x, 8); return bits; }

#define ROUNDER 0x1.8p52 /* added, it leaves an integer in the low bits of the sum */
#define BITS_OF_E 1.442695040888963407f /* log2(e) */

/* p times two to what `shifted` holds in its low bits. */
INLINE double raised(double p, double shifted) { return as_double((int64_t)((uint64_t)as_bits(p) + ((uint64_t)as_bits(shifted) << 52))); }

/* exp(x) for |x| < 700. */
INLINE double exp_reduced(double x) {
    double shifted = FMA(x, 0x1.71547652b82fep+0, ROUNDER);
    double n = shifted - ROUNDER;
    double r = FMA(-n, 0x1.cf79abc9e3b3ap-40, FMA(-n, 0x1.62e42fefa0000p-1, x));
    double r2 = r * r, r4 = r2 * r2;
    double high = FMA(r2, 1.0 / 3628800, FMA(r, 1.0 / 362880, 1.0 / 40320));
    double middle = FMA(r4, high, FMA(r2, FMA(r, 1.0 / 5040, 1.0 / 720), FMA(r, 1.0 / 120, 1.0 / 24)));
    double p = FMA(r4, middle, FMA(r2, FMA(r, 1.0 / 6, 0.5), 1.0 + r));
    return raised(p, shifted);
}

/* exp(x) for |x| < 700, right to 2^-34 of itself. */
INLINE double exp_shorter(double x) {
    double shifted = FMA(x, 0x1.71547652b82fep+0, ROUNDER), r = FMA(-(shifted - ROUNDER), 0x1.62e42fefa39efp-1, x);
    double p = FMA(0x1.9f0807550287ep-13, r, 0x1.6d8db1595acdfp-10);
    p = FMA(FMA(FMA(p, r, 0x1.111271fc339c7p-7), r, 0x1.55548d0f40cefp-5), r, 0x1.55555441c542cp-3);
    return raised(FMA(FMA(FMA(p, r, 0x1.0000003a725dcp-1), r, 1.0), r, 1.0), shifted);
}

/* exp(x) - 1, to the digits of what is small, too; |x| < 700. A zero loses its sign. */
INLINE double growth_reduced(double x) {
    double shifted = FMA(x, 0x1.71547652b82fep+0, ROUNDER);
    double n = shifted - ROUNDER;
    double r = FMA(-n, 0x1.cf79abc9e3b3ap-40, FMA(-n, 0x1.62e42fefa0000p-1, x));
    double r2 = r * r, r4 = r2 * r2, scale = raised(1.0, shifted);
    double high = FMA(r2, 1.0 / 3628800, FMA(r, 1.0 / 362880, 1.0 / 40320));
    double middle = FMA(r4, high, FMA(r2, FMA(r, 1.0 / 5040, 1.0 / 720), FMA(r, 1.0 / 120, 1.0 / 24)));
    double part = FMA(r4, middle, FMA(r2, FMA(r, 1.0 / 6, 0.5), r));
    return FMA(scale, part, scale - 1.0);
}

/* The nearest number to x from low < 0 to high > 0, found by its bits as integers: compilers choose the smaller of two integers
   in one instruction, but between floats, which may be NaN, with masks that they widen to those of doubles. A NaN becomes a
   bound; the caller gives it back. */
INLINE float within(float x, float low, float high) {
    int32_t top = (int32_t)single_bits(high), bits = (int32_t)single_bits(x);
    uint32_t bottom = single_bits(low), found = (uint32_t)(bits < top ? bits : top);
    return as_single((int32_t)(found < bottom ? found : bottom));
}

/* exp of a float, rounded to nearest, for those whose bits follow PyTorch's: beyond these bounds a float32 is infinite or zero. */
INLINE float exp_nearest(float x) {
    float found = (float)exp_reduced(within(x, -110.0f, 100.0f));
    return x == x ? found : x + x;
}

/* exp of a float in float arithmetic, with fused multiply-adds, an error below one unit in the last place: the function of
   SLEEF (expf, u10) that PyTorch's softmax, sigmoid and silu call. PyTorch's exp itself is nearly exact. */
INLINE float exp_single(float x) {
    float d = within(x, -110.0f, 101.0f), n = __builtin_rintf(d * BITS_OF_E);
    int32_t q = (int32_t)n;
    float s = FMAF(n, -0.693145751953125f, d);
    s = FMAF(n, -1.428606765330187045e-06f, s);
    float u = 0.000198527617612853646278381f;
    u = FMAF(u, s, 0.00139304355252534151077271f);
    u = FMAF(u, s, 0.00833336077630519866943359f);
    u = FMAF(u, s, 0.0416664853692054748535156f);
    u = FMAF(u, s, 0.166666671633720397949219f);
    u = FMAF(u, s, 0.5f);
    u = 1.0f + FMAF(s * s, u, s);
    int32_t half = q >> 1;
    u = u * as_single((half + 127) << 23) * as_single((q - half + 127) << 23);
    return x == x ? u : x + x;
}

/* 2^x in float arithmetic with fused multiply-adds: SLEEF's (exp2f, u10), which PyTorch's exp2 calls. */
INLINE float exp2_single(float x) {
    float d = within(x, -200.0f, 200.0f), n = __builtin_rintf(d), s = d - n;
    int32_t q = (int32_t)n, half = q >> 1;
    float u = 0.1535920892e-3f;
    u = FMAF(u, s, 0.1339262701e-2f);
    u = FMAF(u, s, 0.9618384764e-2f);
    u = FMAF(u, s, 0.5550347269e-1f);
    u = FMAF(u, s, 0.2402264476e+0f);
    u = FMAF(u, s, 0.6931471825e+0f);
    u = FMAF(u, s, 1.0f);
    u = u * as_single((half + 127) << 23) * as_single((q - half + 127) << 23);
    return x == x ? u : x;
}

/* 2^y in float arithmetic, right to 2e-9 but for rounding: 2 to the next integer in the exponent's bits, times a minimax
   polynomial. Below y = -125 it is that of -125; y is at most 127. */
INLINE float power_of_two(float y) {
    float d = y > -125.0f ? y : -125.0f;
    float shifted = d + 0x1.8p23f, s = d - (shifted - 0x1.8p23f);
    float p = 0.00015345812f;
    p = FMAF(p, s, 0.00133999312f);
    p = FMAF(p, s, 0.00961848896f);
    p = FMAF(p, s, 0.05550328777f);
    p = FMAF(p, s, 0.24022646891f);
    p = FMAF(p, s, 0.69314720574f);
    p = FMAF(p, s, 1.0f);
    return as_single(single_bits(p) + (single_bits(shifted) << 23));
}

/* exp(-x^2 / 2), to a few units in the last place where |x| is small; beyond |x| = 13 it is that of 13. */
INLINE float bell(float x) { return power_of_two(x * x * (-0.5f * BITS_OF_E)); }

/* exp(x) for x <= 0, to a few units in the last place where x is small; below -86 it is zero. */
INLINE float exp_falling(float x) { return x > -86.0f ? power_of_two(x * BITS_OF_E) : 0.0f; }

#include "single_math.h"

/* log of a positive normal double: x = 2^k m with m in [sqrt(1/2), sqrt(2)), by f = m - 1; log m = 2 atanh(f / (f + 2)). */
INLINE double log_of_parts(double k, double f) {
    double s = f / (f + 2.0), z = s * s;
    double p = FMA(z, 2.0 / 17, 2.0 / 15);
    p = FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, p, 2.0 / 13), 2.0 / 11), 2.0 / 9), 2.0 / 7), 2.0 / 5), 2.0 / 3);
    return FMA(k, 0x1.62e42fefa39efp-1, 2.0 * s + s * z * p);
}
INLINE double exponent_of(double x, double *f) {
    const int64_t bits = (int64_t)((uint64_t)as_bits(x) - 0x3fe6a09e667f3bcd); /* also of numbers that have no logarithm */
    *f = as_double((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
    return as_double((bits >> 52) + as_bits(ROUNDER)) - ROUNDER;
}
INLINE double log_positive(double x) {
    double f, k = exponent_of(x, &f);
    return log_of_parts(k, f);
}

INLINE float log_nearest(float x) { return log_beside(x, (float)log_positive(x)); }

INLINE float expm1_float(float x) {
    float found = __builtin_copysignf((float)growth_reduced(within(x, -110.0f, 100.0f)), x);
    return x == x ? found : x + x;
}

/* The angle whose tangent is n / d, 0 <= n <= d: fdlibm's polynomial, from the diagonal where the angle is nearer to it. */
INLINE double angle_below(double n, double d) {
    const double far = n > 0.41421356237309503 * d ? 1.0 : 0.0; /* a number, for which compilers do not compute all of it twice */
    const double t = FMA(-far, d, n) / FMA(far, n, d), z = t * t, w = z * z;
    double even = FMA(w, 1.62858201153657823623e-02, 4.97687799461593236017e-02);
    double odd = FMA(w, -3.65315727442169155270e-02, -5.83357013379057348645e-02);
    even = FMA(w, FMA(w, FMA(w, FMA(w, even, 6.66107313738753120669e-02), 9.09088713343650656196e-02), 1.42857142725034663711e-01),
               3.33333333333329318027e-01);
    odd = FMA(w, FMA(w, FMA(w, odd, -7.69187620504482999495e-02), -1.11111104054623557880e-01), -1.99999999998764832476e-01);
    return far * 0x1.921fb54442d18p-1 + FMA(-t * z, FMA(z, odd, even), t);
}

/* The angle of the point (x, y), y not below 0, x not 0, both finite. */
INLINE double angle_above(double y, double x) {
    const double right = fabs(x), below = angle_below(y < right ? y : right, y < right ? right : y);
    const double found = y > right ? 0x1.921fb54442d18p+0 - below : below;
    return x < 0 ? 0x1.921fb54442d18p+1 - found : found;
}
/* Infinity is larger than any float, and so much that what is divided by it rounds to 0; 0 is smaller than any. */
INLINE float atan2_float(float given, float x) {
    double y = fabsf(given), right = fabsf(x);
    y = y < 0x1p400 ? y : 0x1p400;
    right = right < 0x1p400 ? right : 0x1p400;
    right = right > 0x1p-400 ? right : 0x1p-400;
    float found = __builtin_copysignf((float)angle_above(y, __builtin_copysign(right, (double)x)), given);
    found = x == x ? found : x + x;
    return given == given ? found : given + given;
}
/* The root of z, 0 <= z <= 1, to twice a float's digits: a step of Newton's from that of a float, `near`, for which `slope` is one half
   over it. */
#define SLOPE_OF_ROOT(near) (0.5f / ((near) + 0x1p-100f))
INLINE double root_from(double z, double near, double slope) { return FMA(FMA(-near, near, z), slope, near); }
/* Hyperbolic functions and their inverses; odd ones near 0 by their series. */
INLINE float sinh_float(float given) {
    const double x = given, z = x * x, e = exp_reduced(within(given, -100.0f, 100.0f)), big = 0.5 * (e - 1.0 / e);
    const double small = FMA(x * z, FMA(z, FMA(z, FMA(z, FMA(z, 1.0 / 39916800, 1.0 / 362880), 1.0 / 5040), 1.0 / 120), 1.0 / 6), x);
    const float found = fabsf(given) < 0.3f ? (float)small : (float)big;
    return given == given ? found : given + given;
}
INLINE float cosh_float(float x) {
    const double e = exp_reduced(within(x, -100.0f, 100.0f));
    const float found = (float)(0.5 * (e + 1.0 / e));
    return x == x ? found : x + x;
}
INLINE float asinh_float(float given) {
    const double x = fabsf(given), z = x * x, big = log_positive(x + sqrt(z + 1.0));
    const double small = FMA(x * z, FMA(z, FMA(z, FMA(z, 35.0 / 1152, -15.0 / 336), 3.0 / 40), -1.0 / 6), x);
    const float found = fabsf(given) < 0.02f ? (float)small : fabsf(given) == INFINITY ? INFINITY : (float)big;
    return given == given ? __builtin_copysignf(found, given) : given + given;
}
INLINE float acosh_float(float given) {
    const double x = given;
    const float found = (float)log_positive(x + sqrt((x - 1.0) * (x + 1.0)));
    return given >= 1.0f ? (given == INFINITY ? given : found) : NAN;
}
INLINE float atanh_float(float given) {
    const double x = fabsf(given), z = x * x, big = 0.5 * log_positive((1.0 + x) / (1.0 - x));
    const double small = FMA(x * z, FMA(z, FMA(z, FMA(z, 1.0 / 9, 1.0 / 7), 1.0 / 5), 1.0 / 3), x);
    float found = fabsf(given) < 0.02f ? (float)small : (float)big;
    found = x == 1.0 ? INFINITY : found;
    return fabsf(given) <= 1.0f ? __builtin_copysignf(found, given) : NAN;
}

/* Angles up to MOST_ANGLE: the sine of x less `turns` times pi, which `shifted` holds in its low bits, a polynomial on half a turn. */
#define MOST_ANGLE 1e5
INLINE double sine_of_turns(double x, double shifted, double turns) {
    const double r = FMA(-turns, 0x1.1a62633145c07p-53, FMA(-turns, 0x1.921fb54442d18p+1, x)), z = r * r;
    double p = FMA(-0x1.9a6802e17269ap-26, z, 0x1.71707a5f302b5p-19);
    p = FMA(FMA(FMA(p, z, -0x1.a017d9744534ap-13), z, 0x1.11110c497d796p-7), z, -0x1.55555547677f6p-3);
    return as_double(as_bits(r * FMA(z, p, 1.0)) ^ (int64_t)((uint64_t)as_bits(shifted) << 63));
}
INLINE double sin_float(double x) {
    const double shifted = FMA(x, 0x1.45f306dc9c883p-2, ROUNDER);
    return sine_of_turns(x, shifted, shifted - ROUNDER);
}
INLINE double cos_float(double x) {
    const double shifted = FMA(x, 0x1.45f306dc9c883p-2, 0.5) + ROUNDER;
    return sine_of_turns(x, shifted, shifted - ROUNDER - 0.5);
}
/* `a` where the bits of `which` are set, otherwise `b`: of what is chosen by a condition compilers may compute all that follows twice. */
INLINE double chosen(int64_t which, double a, double b) { return as_double((as_bits(a) & which) | (as_bits(b) & ~which)); }
INLINE double tan_float(double x) {
    const double shifted = FMA(x, 0x1.45f306dc9c883p-1, ROUNDER), n = shifted - ROUNDER;
    const double r = FMA(-n, 0x1.1a62633145c07p-54, FMA(-n, 0x1.921fb54442d18p+0, x)), z = r * r;
    const double p = FMA(FMA(FMA(0x1.6cd1aee2e06f6p-19, z, -0x1.a00f7e0d37363p-13), z, 0x1.1111086902894p-7), z, -0x1.5555554c6ff28p-3);
    const double q = FMA(FMA(FMA(-0x1.241e69a45d367p-22, z, 0x1.a010ddda87b32p-16), z, -0x1.6c16b8289d6eap-10), z, 0x1.5555554ed823dp-5);
    const double s = r * FMA(z, p, 1.0), c = FMA(z * z, q, FMA(z, -0.5, 1.0));
    const int64_t odd = -(as_bits(shifted) & 1);
    return chosen(odd, -c, s) / chosen(odd, s, c);
}

/* The argument at which the normal distribution function lies `q` above one half, `p` the distance from the nearer of 0 and 1:
   Wichura's rational functions (AS 241), right to 1e-16, up to |q| = CENTRAL and beyond, where `far` is the root of -log(p).
   `deep`: also for p below 1e-11. */
#define CENTRAL 0.425
INLINE double central_parts(double q, double *numerator) {
    const double r = 0.180625 - q * q;
    double num = 2.50908092873012267270e+3, den = 5.22649527885285456100e+3;
    num = FMA(num, r, 3.34305755835881281050e+4), den = FMA(den, r, 2.87290857357219426740e+4);
    num = FMA(num, r, 6.72657709270087008530e+4), den = FMA(den, r, 3.93078958000927106100e+4);
    num = FMA(num, r, 4.59219539315498714570e+4), den = FMA(den, r, 2.12137943015865958670e+4);
    num = FMA(num, r, 1.37316937655094611250e+4), den = FMA(den, r, 5.39419602142475110770e+3);
    num = FMA(num, r, 1.97159095030655144270e+3), den = FMA(den, r, 6.87187007492057908300e+2);
    num = FMA(num, r, 1.33141667891784377450e+2), den = FMA(den, r, 4.23133307016009112520e+1);
    num = FMA(num, r, 3.38713287279636660800e+0), den = FMA(den, r, 1.0);
    *numerator = num;
    return den;
}
INLINE double central_quantile(double q) {
    double num, den = central_parts(q, &num);
    return q * num / den;
}
INLINE double tail_quantile(double q, double p, double far, const int deep) {
    const double s = far - 1.6, t = far - 5.0;
    double num = 7.74545014278341407640e-4, den = 1.05075007164441684324e-9;
    num = FMA(num, s, 2.27238449892691845833e-2), den = FMA(den, s, 5.47593808499534494600e-4);
    num = FMA(num, s, 2.41780725177450611770e-1), den = FMA(den, s, 1.51986665636164571966e-2);
    num = FMA(num, s, 1.27045825245236838258e+0), den = FMA(den, s, 1.48103976427480074590e-1);
    num = FMA(num, s, 3.64784832476320460504e+0), den = FMA(den, s, 6.89767334985100004550e-1);
    num = FMA(num, s, 5.76949722146069140550e+0), den = FMA(den, s, 1.67638483018380384940e+0);
    num = FMA(num, s, 4.63033784615654529590e+0), den = FMA(den, s, 2.05319162663775882187e+0);
    num = FMA(num, s, 1.42343711074968357734e+0), den = FMA(den, s, 1.0);
    double tail = num / den;
    num = 2.01033439929228813265e-7, den = 2.04426310338993978564e-15;
    num = FMA(num, t, 2.71155556874348757815e-5), den = FMA(den, t, 1.42151175831644588870e-7);
    num = FMA(num, t, 1.24266094738807843860e-3), den = FMA(den, t, 1.84631831751005468180e-5);
    num = FMA(num, t, 2.65321895265761230930e-2), den = FMA(den, t, 7.86869131145613259100e-4);
    num = FMA(num, t, 2.96560571828504891230e-1), den = FMA(den, t, 1.48753612908506148525e-2);
    num = FMA(num, t, 1.78482653991729133580e+0), den = FMA(den, t, 1.36929880922735805310e-1);
    num = FMA(num, t, 5.46378491116411436990e+0), den = FMA(den, t, 5.99832206555887937690e-1);
    num = FMA(num, t, 6.65790464350110377720e+0), den = FMA(den, t, 1.0);
    tail = deep && far > 5.0 ? num / den : tail;
    tail = p > 0 ? tail : p == 0 ? (double)INFINITY : (double)NAN;
    return copysign(tail, q);
}

/* erf within (-1, 1), right to 2^-40 of itself. */
INLINE double erf_close(double x) {
    const double z = x * x, w = z * z;
    const double even = FMA(FMA(FMA(FMA(0x1.1b8c579d4159fp-20, w, 0x1.f56be69fdfb16p-14), w, 0x1.56586cd9e20edp-8), w,
                                0x1.ce2f20974e156p-4), w, 0x1.20dd750428b20p+0);
    const double odd = FMA(FMA(FMA(-0x1.d25cfc051f8c6p-17, w, -0x1.bfdf58e3992fbp-11), w, -0x1.b82cb8f1dbad1p-6), w, -0x1.812746adb20cap-2);
    return x * FMA(z, odd, even);
}
/* erf(x) = x P(t), t = 2 x^2 / 15.5 - 1, a Chebyshev series on |x| <= sqrt(15.5), beyond which a float's erf is 1. */
INLINE double erf_float(double x) {
    static const double c[] = {
        0x1.6fcd22af75119p-2, -0x1.6f4db9064ad19p-3, 0x1.118c915a8b069p-3, -0x1.bdf3601b62489p-4,
        0x1.72e6919581598p-4, -0x1.2fe2b805821e2p-4, 0x1.dfd18ccf09fe8p-5, -0x1.67f7253871e7dp-5,
        0x1.fd1a8beeba357p-6, -0x1.51f0fa6a39157p-6, 0x1.a4d2bb545dc7cp-7, -0x1.eca36f3088e47p-8,
        0x1.0e31d53c71480p-8, -0x1.12a8bc3694b67p-9, 0x1.0c2b483266befp-10, -0x1.0dcf27b7ff315p-11,
        0x1.d29d5a863df0fp-13, -0x1.e34586b63ac5cp-15, 0x1.8e5ec77edf82fp-16, -0x1.980c82c4c1f45p-16,
        0x1.1e2b8f3da7262p-17,
    };
    double y = x > 0x1.f7efbeb8d4f12p+1 ? 0x1.f7efbeb8d4f12p+1 : x;
    y = y < -0x1.f7efbeb8d4f12p+1 ? -0x1.f7efbeb8d4f12p+1 : y;
    double t = FMA(y * y, 2.0 / 15.5, -1.0), t2 = t * t;
    double even = FMA(FMA(FMA(FMA(FMA(c[20], t2, c[18]), t2, c[16]), t2, c[14]), t2, c[12]), t2, c[10]);
    double odd = FMA(FMA(FMA(FMA(FMA(c[19], t2, c[17]), t2, c[15]), t2, c[13]), t2, c[11]), t2, c[9]);
    even = FMA(FMA(FMA(FMA(FMA(even, t2, c[8]), t2, c[6]), t2, c[4]), t2, c[2]), t2, c[0]);
    odd = FMA(FMA(FMA(FMA(odd, t2, c[7]), t2, c[5]), t2, c[3]), t2, c[1]);
    return y * FMA(t, odd, even);
}

/* The error function by Cephes' rational functions: within (-1, 1), and beyond one minus it, given exp(-x^2). */
INLINE double erf_parts(double x, double *below) {
    const double z = x * x;
    double a = FMA(FMA(FMA(FMA(9.60497373987051638749e0, z, 9.00260197203842689217e1), z, 2.23200534594684319226e3), z,
                       7.00332514112805075473e3), z, 5.55923013010394962768e4);
    *below = FMA(FMA(FMA(FMA(z + 3.35617141647503099647e1, z, 5.21357949780152679795e2), z, 4.59432382970980127987e3), z,
                     2.26290000613890934246e4), z, 4.92673942608635921086e4);
    return x * a;
}
INLINE double erf_near(double x) {
    double below;
    const double above = erf_parts(x, &below);
    return above / below;
}
#define ERFC_MIDDLE /* below 8 */ \
    a = 2.46196981473530512524e-10, b = size_of + 1.32281951154744992508e1; \
    a = FMA(a, size_of, 5.64189564831068821977e-1), b = FMA(b, size_of, 8.67072140885989742329e1); \
    a = FMA(a, size_of, 7.46321056442269912687e0), b = FMA(b, size_of, 3.54937778887819891062e2); \
    a = FMA(a, size_of, 4.86371970985681366614e1), b = FMA(b, size_of, 9.75708501743205489753e2); \
    a = FMA(a, size_of, 1.96520832956077098242e2), b = FMA(b, size_of, 1.82390916687909736289e3); \
    a = FMA(a, size_of, 5.26445194995477358631e2), b = FMA(b, size_of, 2.24633760818710981792e3); \
    a = FMA(a, size_of, 9.34528527171957607540e2), b = FMA(b, size_of, 1.65666309194161350182e3); \
    a = FMA(a, size_of, 1.02755188689515710272e3), b = FMA(b, size_of, 5.57535340817727675546e2); \
    a = FMA(a, size_of, 5.57535335369399327526e2);
INLINE double erfc_parts(double size_of, double power, double *below) {
    double a, b;
    ERFC_MIDDLE
    *below = b;
    return power * a;
}
INLINE double erfc_tail(double size_of, double power) {
    double a, b;
    ERFC_MIDDLE
    const double middle = a, below = b;
    a = 5.64189583547755073984e-1, b = size_of + 2.26052863220117276590e0;
    a = FMA(a, size_of, 1.27536670759978104416e0), b = FMA(b, size_of, 9.39603524938001434673e0);
    a = FMA(a, size_of, 5.01905042251180477414e0), b = FMA(b, size_of, 1.20489539808096656605e1);
    a = FMA(a, size_of, 6.16021097993053585195e0), b = FMA(b, size_of, 1.70814450747565897222e1);
    a = FMA(a, size_of, 7.40974269950448939160e0), b = FMA(b, size_of, 9.60896809063285878198e0);
    a = FMA(a, size_of, 2.97886665372100240670e0), b = FMA(b, size_of, 3.36907645100081516050e0);
    return power * (size_of < 8.0 ? middle : a) / (size_of < 8.0 ? below : b);
}
/* exp(x^2) erfc(x) as a series in t = 1 / (1 + 0.3 x), right to 2^-36 of itself up to x = 10.2. */
INLINE double erfc_series(double t) { /* in pairs, and pairs of these: in one chain each step would wait for the one before */
    const double t2 = t * t, t4 = t2 * t2;
    const double a = FMA(FMA(0x1.40d8d2f6a3e5cp-3, t, 0x1.483591c50af30p-3), t2, FMA(0x1.5addc4e871056p-3, t, 0x1.5aa137c5aa4c3p-3));
    const double b = FMA(FMA(0x1.b550db552724ep-1, t, -0x1.7ec86a96e2544p-2), t2, FMA(0x1.199ce673d3a3dp-2, t, 0x1.2e5258e863cbap-4));
    const double c = FMA(FMA(0x1.7c3c461c18ba0p-3, t, -0x1.2b5bf8d4f4fecp-1), t2, FMA(0x1.f6baabf70838fp-1, t, -0x1.0b162b32f8547p+0));
    return FMA(FMA(FMA(-0x1.8d455fc62d14ap-6, t4, c), t4, b), t4, a) * t;
}
/* Beyond 10.2 a float's is zero. */
INLINE float erfc_float(float x) {
    const uint32_t bits = single_bits(x) & 0x7fffffff, most = 0x41280000; /* those of 10.5; a NaN has more than an infinity */
    const float a = as_single((int32_t)(bits - most < 0x7f800001 - most ? most : bits));
    const double t = 1.0 / FMA(0.3, a, 1.0);
    const double p = erfc_series(t) * exp_shorter(-((double)a * a)), sign = copysignf(1.0f, x);
    return FMA(sign, p, 1.0 - sign); /* p, or 2 - p */
}

/* erf(x / sqrt(2)) in float arithmetic, given bell(x): the normal distribution's tail beyond |x| is that times a
   polynomial in 1 / (1 + 0.24 |x|), which is right to 5e-8 of itself (minimax on |x| <= 6). */
INLINE float erf_of_normal(float x, float e) {
    float t = 1.0f / FMAF(0.24f, fabsf(x), 1.0f);
    float p = -2 * 0.12841521995837088f;
    p = FMAF(p, t, 2 * 0.5768509402335096f);
    p = FMAF(p, t, -2 * 0.7073653012598102f);
    p = FMAF(p, t, 2 * 0.7163659480887696f);
    p = FMAF(p, t, -2 * 0.23266613947072973f);
    p = FMAF(p, t, 2 * 0.19548912776413008f);
    p = FMAF(p, t, 2 * 0.07844620850504486f);
    p = FMAF(p, t, 2 * 0.001294460132898717f);
    return copysignf(FMAF(p, -e, 1.0f), x);
}

#endif
