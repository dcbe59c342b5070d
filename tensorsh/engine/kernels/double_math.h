/* Functions of float64, in straight-line code that compilers turn into vector instructions.

   What would be lost to rounding is carried along as a second number, so that results are the exact function rounded, but for
   a few in a thousand where it lies next to the middle of two numbers: errors stay below 0.57 units in the last place. Polynomials are interpolations in Chebyshev's nodes on the reduced arguments. No
   result depends on C's library but those of angles beyond MOST_ANGLE. */
#ifndef TENSORSH_DOUBLE_MATH_H
#define TENSORSH_DOUBLE_MATH_H

#include "vector_math.h"

/* high + low, high being the sum rounded. */
typedef struct { double high, low; } Pair;

/* Sums of numbers of which the first is the larger one, and of any; products; quotients by a pair. */
INLINE Pair pair_of(double a, double b) { const double s = a + b; return (Pair){s, (a - s) + b}; }
INLINE Pair pair_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (Pair){s, (a - (s - t)) + (b - t)};
}
INLINE Pair pair_product(double a, double b) { const double p = a * b; return (Pair){p, FMA(a, b, -p)}; }
INLINE Pair pair_scaled(Pair a, double b) { const double p = a.high * b; return (Pair){p, FMA(a.low, b, FMA(a.high, b, -p))}; }
INLINE Pair pair_quotient(Pair a, Pair b) {
    const double inverse = 1.0 / b.high, q = a.high * inverse;
    return (Pair){q, (FMA(-q, b.high, a.high) + (a.low - q * b.low)) * inverse};
}
INLINE Pair pair_root(Pair a) {
    const double root = sqrt(a.high), safe = root > 0 ? root : 1.0;
    return (Pair){root, (FMA(-root, root, a.high) + a.low) * (0.5 / safe)};
}
INLINE double bounded(double x, double low, double high) { x = x > low ? x : low; return x < high ? x : high; }
/* 2^n for a shifted n (see ROUNDER), -1022 <= n <= 1023. */
INLINE double two_to(double shifted) { return as_double((int64_t)(((uint64_t)as_bits(shifted) + 1023) << 52)); }

/* exp(x + more) - 1 over 2^n, without the part that 2^n - 1 is; |x| < 760. */
INLINE Pair power_part(double x, double more, double *n) {
    const double shifted = FMA(x, 0x1.71547652b82fep+0, ROUNDER);
    *n = shifted - ROUNDER;
    const double first = FMA(-*n, 0x1.62e42fefa0000p-1, x), r = FMA(-*n, 0x1.cf79abc9e3b3ap-40, first);
    const double rest = FMA(-*n, 0x1.cf79abc9e3b3ap-40, first - r) + more;
    const double half = 0.5 * r, square = half * r, r2 = r * r, r4 = r2 * r2;
    const double a = FMA(FMA(0x1.1f6717774d5e0p-29, r, 0x1.af390ba7e6f47p-26), r2, FMA(0x1.27e4e1dcf773bp-22, r, 0x1.71de0d85293b8p-19));
    const double b = FMA(FMA(0x1.a01a01a48116fp-16, r, 0x1.a01a01a7cebcdp-13), r2, FMA(0x1.6c16c16c167dap-10, r, 0x1.11111111109a6p-7));
    const double c = FMA(0x1.5555555555555p-5, r, 0x1.5555555555556p-3), p = FMA(FMA(a, r4, b), r2, c);
    Pair sum = pair_of(r, square);
    sum.low += FMA(half, r, -square) + FMA(r2 * r, p, FMA(rest, r, rest));
    return sum;
}
/* 2^n (1 + part), which may overflow or lose bits below the normal numbers: in two factors. */
INLINE double power_scaled(Pair part, double n) {
    const Pair one = pair_of(1.0, part.high);
    const double half = FMA(n, 0.5, ROUNDER), rest = (n - (half - ROUNDER)) + ROUNDER;
    return (one.high + (one.low + part.low)) * two_to(half) * two_to(rest);
}
INLINE double exp_double(double x) {
    double n;
    const Pair part = power_part(bounded(x, -750.0, 712.0), 0.0, &n);
    const double found = power_scaled(part, n);
    return x == x ? found : x + x;
}
/* Where the result is a normal number. */
INLINE double normal_power(double x, double more) {
    double n;
    const Pair part = power_part(x, more, &n), one = pair_of(1.0, part.high);
    return (one.high + (one.low + part.low)) * two_to(n + ROUNDER);
}
INLINE double exp_in_bounds(double x) { return normal_power(x, 0.0); }
INLINE double exp2_double(double x) {
    const double at = bounded(x, -1080.0, 1030.0), n = (at + ROUNDER) - ROUNDER;
    const Pair r = pair_scaled((Pair){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, at - n);
    double none;
    const Pair part = power_part(r.high, r.low, &none); /* of no whole powers but one, next to one half */
    const double found = power_scaled(part, n + none);
    return x == x ? found : x + x;
}

/* exp(x + more) - 1 as a pair, times 1/4: |x| < 710.8. */
INLINE Pair growth(double x, double more) {
    double n;
    const Pair part = power_part(x, more, &n);
    const double scale = two_to(n + (ROUNDER - 2.0));
    const Pair less = pair_sum(scale, -0.25), sum = pair_of(less.high, scale * part.high);
    return pair_of(sum.high, less.low + (sum.low + scale * part.low));
}
INLINE double expm1_double(double x) {
    const Pair found = growth(bounded(x, -50.0, 710.5), 0.0);
    const double value = 4.0 * (found.high + found.low);
    return x == x ? fabs(x) < 0x1p-54 ? x : value : x + x;
}

/* sinh by u + u / (1 + u), u = exp(x) - 1; a quarter of it, for the largest. */
INLINE double sinh_double(double x) {
    const Pair u = growth(bounded(fabs(x), 0.0, 710.7), 0.0), whole = pair_sum(1.0, 4.0 * u.high);
    const Pair other = pair_quotient(u, (Pair){bounded(whole.high, 1.0, 0x1p1000), whole.high < 0x1p1000 ? whole.low + 4.0 * u.low : 0.0});
    const Pair sum = pair_of(u.high, other.high);
    const double found = 2.0 * (sum.high + (sum.low + (u.low + other.low)));
    return x == x ? fabs(x) < 0x1p-28 ? x : __builtin_copysign(found, x) : x + x;
}
INLINE double cosh_double(double x) {
    const Pair u = growth(bounded(fabs(x), 0.0, 710.7), 0.0), e = pair_sum(u.high, 0.25);
    const Pair power = {e.high, e.low + u.low}; /* exp(x) / 4 */
    const Pair other = pair_quotient((Pair){0.0625, 0.0}, power), sum = pair_of(power.high, other.high);
    const double found = 2.0 * (sum.high + (sum.low + (power.low + other.low)));
    return x == x ? found : x + x;
}
/* tanh by u / (u + 2), u = exp(2 x) - 1. */
INLINE double tanh_double(double x) {
    const double at = bounded(fabs(x), 0.0, 25.0);
    const Pair u = growth(2.0 * at, 0.0), whole = pair_sum(0.5, u.high);
    const Pair found = pair_quotient(u, (Pair){whole.high, whole.low + u.low});
    return x == x ? fabs(x) < 0x1p-28 ? x : __builtin_copysign(found.high + found.low, x) : x + x;
}

/* log of a pair, which is above 0 and normal: 2^k m, m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)). */
INLINE Pair log_part(double f, double more, double *k) {
    const Pair whole = pair_of(2.0, f);
    const Pair s = pair_quotient((Pair){f, more}, (Pair){whole.high, whole.low + more});
    const double z = s.high * s.high, w = z * z;
    const double a = FMA(FMA(0x1.e6b660fec7379p-4, z, 0x1.debe214e33b96p-4), w, FMA(0x1.111d2b673d7e2p-3, z, 0x1.3b137b1bd652bp-3));
    const double b = FMA(FMA(0x1.745d17d3a387ap-3, z, 0x1.c71c71c64bff9p-3), w, FMA(0x1.249249249295dp-2, z, 0x1.9999999999998p-2));
    const double p = FMA(FMA(a, w * w, b), z, 0x1.5555555555555p-1);
    Pair sum = pair_of(*k * 0x1.62e42fefa0000p-1, 2.0 * s.high);
    sum.low += FMA(*k, 0x1.cf79abc9e3b3ap-40, FMA(s.high * z, p, 2.0 * s.low));
    return sum;
}
INLINE Pair log_pair(double x, double more) {
    const uint64_t bits = (uint64_t)as_bits(x) - 0x3fe6a09e667f3bcd + ((uint64_t)1024 << 52);
    double k = (as_double((int64_t)((bits >> 52) + (uint64_t)as_bits(ROUNDER))) - ROUNDER) - 1024.0;
    const double m = as_double((int64_t)((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd)), scale = two_to(ROUNDER - bounded(k, -1022.0, 1022.0));
    return log_part(m - 1.0, more * scale, &k);
}
/* Subnormal numbers are made normal; what log(0), of infinity, and below 0 are. */
INLINE Pair log_any(double x) {
    const int small = x < 0x1p-1022;
    Pair found = log_pair(small ? x * 0x1p54 : x, 0.0);
    const Pair sum = pair_sum(found.high, small ? -0x1.2b708872320e2p+5 : 0.0);
    return (Pair){sum.high, sum.low + found.low - (small ? -0x1.570da7e077bcbp-50 : 0.0)};
}
INLINE double log_ends(double x, double found) {
    found = x == INFINITY ? x : found;
    found = x == 0.0 ? -INFINITY : found;
    return x >= 0.0 ? found : NAN;
}
INLINE double log_double(double x) {
    const Pair found = log_any(x);
    return log_ends(x, found.high + found.low);
}
INLINE double log_in_units(double x, double unit, double more) {
    const Pair found = log_any(x), scaled = pair_scaled(found, unit);
    return log_ends(x, scaled.high + FMA(found.high, more, scaled.low));
}
INLINE double log2_double(double x) { return log_in_units(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56); }
INLINE double log10_double(double x) { return log_in_units(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57); }

/* log(1 + x + more), x + more > -1: near 0 of that itself. */
INLINE Pair log_of_more(double x, double more) {
    const Pair u = pair_sum(1.0, x);
    const double rest = u.low + more;
    const uint64_t bits = (uint64_t)as_bits(u.high) - 0x3fe6a09e667f3bcd + ((uint64_t)1024 << 52);
    double k = (as_double((int64_t)((bits >> 52) + (uint64_t)as_bits(ROUNDER))) - ROUNDER) - 1024.0;
    const double m = as_double((int64_t)((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd)), scale = two_to(ROUNDER - bounded(k, -1022.0, 1022.0));
    return log_part(k == 0 ? x : m - 1.0, k == 0 ? more : rest * scale, &k);
}
INLINE double log1p_double(double x) {
    const Pair part = log_of_more(x > -1.0 ? x : 0.0, 0.0);
    double found = part.high + part.low;
    found = x == INFINITY || x == 0 ? x : found;
    found = x == -1.0 ? -INFINITY : found;
    return x >= -1.0 ? found : NAN;
}
/* Beyond 2^30 the root is x itself, and what is added to it less than half a unit of the logarithm. */
INLINE double asinh_double(double x) {
    const double at = fabs(x), near = at < 0x1p30 ? at : 1.0;
    const Pair square = pair_product(near, near), sum = pair_sum(1.0, square.high);
    const Pair root = pair_root((Pair){sum.high, sum.low + square.low}), whole = pair_sum(1.0, root.high);
    const Pair part = pair_quotient(square, (Pair){whole.high, whole.low + root.low}); /* the root less 1 */
    const Pair more = pair_of(near > part.high ? near : part.high, near > part.high ? part.high : near);
    const Pair low = log_of_more(more.high, more.low + part.low), high = log_any(at < INFINITY ? at : 1.0);
    const Pair doubled = pair_of(high.high, 0x1.62e42fefa39efp-1);
    double found = at < 0x1p30 ? low.high + low.low : doubled.high + (doubled.low + (high.low + 0x1.abc9e3b39803fp-56));
    found = at < INFINITY ? found : at;
    found = at < 0x1p-28 ? at : found;
    return x == x ? __builtin_copysign(found, x) : x + x;
}
INLINE double acosh_double(double x) {
    const double t = bounded(x, 1.0, 0x1p30) - 1.0;
    const Pair square = pair_product(t, t), sum = pair_sum(2.0 * t, square.high), root = pair_root((Pair){sum.high, sum.low + square.low});
    const Pair more = pair_of(root.high, t), low = log_of_more(more.high, more.low + root.low), high = log_any(x < INFINITY ? x : 1.0);
    const Pair doubled = pair_of(high.high, 0x1.62e42fefa39efp-1);
    double found = x < 0x1p30 ? low.high + low.low : doubled.high + (doubled.low + (high.low + 0x1.abc9e3b39803fp-56));
    found = x < INFINITY ? found : x;
    return x >= 1.0 ? found : NAN;
}
/* 1/2 log((1 + x) / (1 - x)) */
INLINE double atanh_double(double x) {
    const double at = fabs(x), near = at < 1.0 ? at : 0.0;
    const Pair below = pair_of(1.0, -near), part = pair_quotient((Pair){2.0 * near, 0.0}, below), found = log_of_more(part.high, part.low);
    double value = 0.5 * (found.high + found.low);
    value = at == 1.0 ? INFINITY : value;
    value = at < 0x1p-28 ? at : value;
    return at <= 1.0 ? __builtin_copysign(value, x) : NAN;
}

/* An angle within its quadrant, and the quadrant; right up to |x| = MOST_ANGLE. */
INLINE Pair angle_part(double x, int64_t *quadrant) {
    const double shifted = FMA(x, 0x1.45f306dc9c883p-1, ROUNDER), n = shifted - ROUNDER;
    *quadrant = as_bits(shifted) & 3;
    const double first = FMA(-n, 0x1.921fb54442d18p+0, x), next = -n * 0x1.1a62633145c07p-54;
    const Pair sum = pair_sum(first, next);
    return pair_sum(sum.high, sum.low + FMA(n, 0x1.f1976b7ed8fbcp-110, -FMA(n, 0x1.1a62633145c07p-54, next)));
}
INLINE Pair sine_part(Pair r) {
    const double z = r.high * r.high, w = z * z, cube = r.high * z;
    const double a = FMA(FMA(-0x1.ab1635d19009bp-41, z, 0x1.61217c4c31493p-33), z, -0x1.ae64540f4d1dbp-26);
    const double b = FMA(FMA(0x1.71de3a545e95cp-19, z, -0x1.a01a01a019927p-13), z, 0x1.1111111111110p-7);
    const double p = FMA(a, w * z, b) * w * r.high; /* from the fifth power on */
    const Pair third = pair_product(cube, -0x1.5555555555555p-3);
    Pair sum = pair_of(r.high, third.high);
    const double lost = FMA(r.high, r.high, -z) * r.high + FMA(r.high, z, -cube); /* of the third power */
    sum.low += p + (FMA(lost, -0x1.5555555555555p-3, FMA(cube, -0x1.5555555555555p-57, third.low)) + FMA(-0.5 * z, r.low, r.low));
    return pair_of(sum.high, sum.low);
}
INLINE Pair cosine_part(Pair r) {
    const double z = r.high * r.high, w = z * z, half = 0.5 * z;
    const double a = FMA(FMA(0x1.ab76ea8ab6767p-45, z, -0x1.9394b79b331aap-37), z, 0x1.1eed8dea0c945p-29);
    const double b = FMA(FMA(-0x1.27e4fb7711f2ap-22, z, 0x1.a01a01a019d03p-16), z, -0x1.6c16c16c16c16p-10);
    const double p = FMA(a, w * z, b) * z * w, lost = FMA(r.high, r.high, -z); /* from the sixth power on */
    const Pair fourth = pair_product(w, 0x1.5555555555555p-5), sum = pair_of(1.0, -half), more = pair_of(sum.high, fourth.high);
    const double less = FMA(lost, FMA(z, 0x1.5555555555555p-4, -0.5), FMA(z, z, -w) * 0x1.5555555555555p-5);
    return pair_of(more.high, sum.low + more.low + (p + (FMA(w, 0x1.5555555555555p-59, fourth.low) + FMA(-r.high, r.low, less))));
}
INLINE double sin_double(double x) {
    int64_t quadrant;
    const Pair r = angle_part(x, &quadrant), s = sine_part(r), c = cosine_part(r);
    const double found = quadrant & 1 ? c.high + c.low : s.high + s.low;
    return x == 0 ? x : quadrant & 2 ? -found : found;
}
INLINE double cos_double(double x) {
    int64_t quadrant;
    const Pair r = angle_part(x, &quadrant), s = sine_part(r), c = cosine_part(r);
    const double found = quadrant & 1 ? s.high + s.low : c.high + c.low;
    return (quadrant + 1) & 2 ? -found : found;
}
INLINE double tan_double(double x) {
    int64_t quadrant;
    const Pair r = angle_part(x, &quadrant), s = sine_part(r), c = cosine_part(r);
    const int64_t odd = -(quadrant & 1);
    const Pair q = pair_quotient((Pair){chosen(odd, -c.high, s.high), chosen(odd, -c.low, s.low)},
                                 (Pair){chosen(odd, s.high, c.high), chosen(odd, s.low, c.low)});
    return x == 0 ? x : q.high + q.low;
}

/* The angle whose tangent is n / d, 0 <= n <= d; from the diagonal where the angle is nearer to it. */
INLINE Pair angle_of_pairs(Pair n, Pair d) {
    const int far = n.high > 0.41421356237309503 * d.high;
    const Pair less = pair_sum(n.high, -d.high), more = pair_sum(n.high, d.high);
    const Pair up = {far ? less.high : n.high, far ? less.low + (n.low - d.low) : n.low};
    const Pair down = {far ? more.high : d.high, far ? more.low + (n.low + d.low) : d.low};
    const Pair t = pair_quotient(up, down);
    const double z = t.high * t.high, w = z * z, w2 = w * w, cube = t.high * z;
    double a = FMA(0x1.1f7d8b5bcd55bp-6, z, -0x1.24be9d142d7c9p-5), b = FMA(0x1.78a939f0ef10fp-5, z, -0x1.ad54132bac873p-5);
    double c = FMA(0x1.e1b82e3ba1154p-5, z, -0x1.110fdcb4b49d6p-4), d2 = FMA(0x1.3b13a60d8abc4p-4, z, -0x1.745d170907fe9p-4);
    const double e = FMA(0x1.c71c71c672544p-4, z, -0x1.2492492491ec1p-3);
    a = FMA(a, w, b), c = FMA(c, w, d2), b = FMA(a, w2, c);
    const double p = FMA(FMA(b, w, e), z, 0x1.9999999999999p-3) * w * t.high; /* from the fifth power on */
    const double lost = FMA(t.high, t.high, -z) * t.high + FMA(t.high, z, -cube);
    const Pair third = pair_product(cube, -0x1.5555555555555p-2), sum = pair_of(t.high, third.high);
    const double low = p + (FMA(lost, -0x1.5555555555555p-2, third.low - cube * 0x1.5555555555555p-56) + FMA(-z, t.low, t.low));
    const Pair whole = pair_of(far ? 0x1.921fb54442d18p-1 : 0.0, sum.high);
    return pair_of(far ? whole.high : sum.high, (far ? whole.low + 0x1.1a62633145c07p-55 : 0.0) + (sum.low + low));
}
/* The angle of the point (x, y), y not below 0, x not 0, both finite; `left`: x is below 0, given without its sign. */
INLINE double angle_of_point(Pair y, Pair x, int left) {
    const int up = y.high > x.high;
    const Pair below = angle_of_pairs((Pair){up ? x.high : y.high, up ? x.low : y.low}, (Pair){up ? y.high : x.high, up ? y.low : x.low});
    Pair found = pair_of(0x1.921fb54442d18p+0, -below.high);
    found.low += 0x1.1a62633145c07p-54 - below.low;
    found = pair_of(up ? found.high : below.high, up ? found.low : below.low);
    const Pair other = pair_of(0x1.921fb54442d18p+1, -found.high);
    return left ? other.high + (other.low + (0x1.1a62633145c07p-53 - found.low)) : found.high + found.low;
}
INLINE double atan_double(double x) {
    const double at = fabs(x) < 0x1p60 ? fabs(x) : 0x1p60;
    const double found = at < 0x1p-28 ? at : angle_of_point((Pair){at, 0.0}, (Pair){1.0, 0.0}, 0);
    return x == x ? __builtin_copysign(found, x) : x + x;
}
/* As `angle_of_sine`, of numbers of float64. */
INLINE Pair part_of_sine(double x) {
    const double rest = 0.5 - 0.5 * x, square = x * x, z = square < rest ? square : rest, w = z * z, w2 = w * w;
    const float least = sqrtf((float)rest);
    const double slope = SLOPE_OF_ROOT(least), near = root_from(rest, least, slope);
    const Pair root = pair_of(near, FMA(-near, near, rest) * slope);
    const double s = x < root.high ? x : root.high, lost = x < root.high ? FMA(x, x, -square) * x : 0.0, low = x < root.high ? 0.0 : root.low;
    const double a = FMA(FMA(0x1.007440c2626c1p-6, z, 0x1.2fc888adfe7e3p-8), w, FMA(0x1.23b9a2ce4d7fep-7, z, 0x1.3db1fa43f6e5dp-7));
    const double b = FMA(FMA(0x1.7ab853e2bde73p-7, z, 0x1.c996c07ccbef2p-7), w, FMA(0x1.1c4ed2824cca2p-6, z, 0x1.6e8ba29be8e9dp-6));
    const double c = FMA(FMA(0x1.f1c71c72a8007p-6, z, 0x1.6db6db6db65a8p-5), z, 0x1.3333333333334p-4);
    const double p = FMA(FMA(FMA(FMA(0x1.abe961aafa7f1p-6, z, -0x1.c06025db835e0p-7), w2, a), w2, b), w * z, c); /* from the fifth power on */
    const Pair cube = pair_product(s, z), third = pair_scaled(cube, 0x1.5555555555555p-3), sum = pair_of(s, third.high);
    return (Pair){sum.high, sum.low + (low + (third.low + FMA(cube.high * z, p, FMA(lost, 1.0 / 6, cube.high * 0x1.5555555555555p-57))))};
}
INLINE double asin_double(double x) {
    const double at = fabs(x);
    const Pair s = part_of_sine(at), sum = pair_of(0x1.921fb54442d18p+0, -2.0 * s.high);
    const double found = at > 0.5 ? sum.high + (sum.low + FMA(-2.0, s.low, 0x1.1a62633145c07p-54)) : s.high + s.low;
    return at <= 1.0 ? __builtin_copysign(found, x) : NAN;
}
INLINE double acos_double(double x) {
    const double at = fabs(x);
    const Pair angle = part_of_sine(at), s = {__builtin_copysign(angle.high, x), x < 0 ? -angle.low : angle.low};
    const Pair far = pair_sum(x < 0 ? 0x1.921fb54442d18p+1 : 0.0, 2.0 * s.high), middle = pair_of(0x1.921fb54442d18p+0, -s.high);
    const double end = far.high + (far.low + FMA(2.0, s.low, x < 0 ? 0x1.1a62633145c07p-53 : 0.0));
    const double found = at > 0.5 ? end : middle.high + (middle.low + (0x1.1a62633145c07p-54 - s.low));
    return at <= 1.0 ? found : NAN;
}

/* The error function and one minus it, beyond |x| = 1 by exp(-x^2), and what the quantiles beyond the middle go by. */
INLINE double erfc_at(double size_of) {
    const Pair square = pair_product(size_of, size_of);
    double n;
    const Pair part = power_part(-square.high, -square.low, &n);
    return erfc_tail(size_of, power_scaled(part, n));
}
INLINE double erf_double(double x) {
    const double size_of = fabs(x), at = size_of < 6.0 ? size_of : 6.0;
    const Pair square = pair_product(at, at);
    double below, far_below;
    const int near = size_of < 1;
    const double above = erf_parts(x, &below), far = erfc_parts(at, normal_power(-square.high, -square.low), &far_below);
    const double ratio = (near ? above : far) / (near ? below : far_below);
    return x == x ? near ? ratio : __builtin_copysign(1.0 - ratio, x) : x;
}
INLINE double erfc_beyond(double x) {
    const double size_of = fabs(x), found = erfc_at(size_of < 27.3 ? size_of : 27.3);
    return x != x ? x : x < 0 ? 2.0 - found : found;
}
INLINE double middle_quantile(double q, Pair unit) {
    double num, den = central_parts(q, &num);
    const Pair ratio = pair_quotient(pair_product(q, num), (Pair){den, 0.0}), found = pair_scaled(ratio, unit.high);
    return __builtin_copysign(found.high + FMA(ratio.high, unit.low, found.low), q);
}
INLINE double depth(double p) { return sqrt(-log_double(p > 0.0 ? p : 1.0)); }

/* Both brought near 1 by the power of two of the larger one. */
INLINE double hypot_double(double given, double other) {
    const double a = fabs(given), b = fabs(other), most = a > b ? a : b, least = a > b ? b : a;
    const int many = most > 0x1p500, few = most < 0x1p-500;
    const double down = many ? 0x1p-600 : few ? 0x1p600 : 1.0, up = many ? 0x1p600 : few ? 0x1p-600 : 1.0;
    const double x = most * down, y = least * down;
    const Pair u = pair_product(x, x), v = pair_product(y, y), sum = pair_of(u.high, v.high);
    const Pair root = pair_root((Pair){sum.high, sum.low + (u.low + v.low)});
    const double found = (root.high + root.low) * up;
    return a == INFINITY || b == INFINITY ? INFINITY : given != given || other != other ? NAN : found;
}

/* Infinity is larger than any number, 0 smaller; what is beyond the usual sizes has the angle of numbers that are less so. */
INLINE double atan2_double(double given, double x) {
    const double most = 0x1.fffffffffffffp+1023, far = fabs(given), side = fabs(x), larger = far > side ? far : side;
    const double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
    double y = (far < INFINITY ? far : most) * scale, right = (side < INFINITY ? side : most) * scale;
    y = far < side && side == INFINITY ? 0.0 : y;
    right = side < far && far == INFINITY ? 0.0 : right;
    right = larger > 0.0 ? right : 1.0;
    double found = angle_of_point((Pair){y, 0.0}, (Pair){right, 0.0}, __builtin_copysign(1.0, x) < 0.0);
    found = __builtin_copysign(found, given);
    found = x == x ? found : x + x;
    return given == given ? found : given + given;
}

/* The loop of a ufunc of one operand, a block of elements at a time, so that a series runs in vectors; single precision is computed in
   double and rounded. `block(in, out)` computes a whole block, of which what no element stands for is 1. */
#define BLOCK 64
#define BY_BLOCKS(T, name, block)                                                                         \
    static void name(char **args, const size *count, const size *steps, void *data) {                     \
        (void)data;                                                                                       \
        for (size done = 0; done < *count; done += BLOCK) {                                               \
            const size m = *count - done < BLOCK ? *count - done : BLOCK;                                 \
            double in[BLOCK], out[BLOCK];                                                                 \
            for (size k = m; k < BLOCK; k++) in[k] = 1;                                                   \
            for (size k = 0; k < m; k++) in[k] = *(const T *)(args[0] + (done + k) * steps[0]);           \
            block(in, out);                                                                               \
            for (size k = 0; k < m; k++) *(T *)(args[1] + (done + k) * steps[1]) = (T)out[k];             \
        }                                                                                                 \
    }

#endif
