/* Functions of float32 in float arithmetic, twice as many lanes as of doubles: what a float cannot hold is carried along as a
   second one. An error is below 0.68 units in the last place (0.75 of subnormal results), and all but one in a hundred results, mostly one in a
   thousand, are the exact function's rounded to float32. Included by vector_math.h, which says what all such functions keep to. */
#ifndef TENSORSH_SINGLE_MATH_H
#define TENSORSH_SINGLE_MATH_H

#define ROUNDER_FLOAT 0x1.8p23f
#define LOG_2_HIGH 0x1.62e4p-1f /* times whole numbers up to 2^9 it is exact */
#define LOG_2_LOW 0x1.7f7d1cp-20f
#define LOG_2 0x1.62e430p-1f
#define LOG_2_LESS 0x1.05c610p-29f /* it is so much too large */
#define FEW_FLOAT 0x1p-40f /* beside numbers that matter, it keeps products of small ones from being subnormal, which are slow */

/* A number and what its rounding lost. */
typedef struct { float high, low; } Twin;

/* exp(r) - 1, where x = n log(2) + r, and n in the low bits of `shifted`; `far`: x may be above 20. */
INLINE Twin growth_part(float x, float *shifted, const int far) {
    const float t = FMAF(x, BITS_OF_E, ROUNDER_FLOAT), n = t - ROUNDER_FLOAT;
    const float r = FMAF(-n, LOG_2, x), lost = n * LOG_2_LESS; /* r is exact: its last digit is no lower than that of x or of LOG_2 */
    const float half = FMAF(0.5f, r, FEW_FLOAT), w = FMAF(half, r, r), rest = FMAF(half, r, r - w), z = FMAF(r, r, FEW_FLOAT);
    const float low = FMAF(0x1.5554e8p-5f, r, 0x1.555554p-3f), high = FMAF(0x1.6d4cdap-10f, r, 0x1.111310p-7f);
    const float p = FMAF(FMAF(0x1.9df7ecp-13f, z, high), z, low), cube = z * r;
    *shifted = t;
    return (Twin){w, FMAF(cube, p, FMAF(lost, far ? FMAF(cube, p, w) : w, lost + rest))};
}

/* Of numbers of whose bits a whole number is below a bound, the same bits in fewer steps. */
#define EXP_RANGE(x) (single_bits(x) & 0x7fffffff), 0x42ae0000 /* 87 */
INLINE float exp_unscaled(float x, uint32_t *power) {
    float t;
    const Twin part = growth_part(x, &t, 1);
    const float u = 1.0f + part.high;
    *power = single_bits(t) << 23;
    return u + (part.high - (u - 1.0f) + part.low);
}
INLINE float exp_in_range(float x) {
    uint32_t power;
    const float found = exp_unscaled(x, &power);
    return as_single((int32_t)(single_bits(found) + power));
}
/* A subnormal result is its number of steps of 2^-149: what a sum 2^40 times as large rounds to, since products that are subnormal are slow. */
INLINE float exp_float(float x) {
    uint32_t power, more = x < -0x1.5d589ep+6f ? 40u << 23 : 0;
    const float found = exp_unscaled(x, &power);
    float y = as_single((int32_t)(single_bits(found) + power + more));
    y = more ? as_single((int32_t)(single_bits(y + 0x1p-86f) - single_bits(0x1p-86f))) : y;
    y = x < -104.0f ? 0.0f : y;
    return x < 0x1.62e430p+6f ? y : x + INFINITY;
}

/* By e = exp(2 |x|): (e - 1) / (e + 1), or where e is large 1 - 2 / (e + 1). */
INLINE float tanh_float(float x) {
    float size_of = fabsf(x), t;
    size_of = size_of > 10.0f ? 10.0f : size_of;
    const Twin part = growth_part(2.0f * size_of, &t, 0);
    const float scale = as_single((int32_t)((single_bits(t) + 127) << 23)), high = part.high + part.low, low = part.low - (high - part.high);
    const float less = scale - 1.0f, moved = scale * high, n = less + moved, d = n + 2.0f;
    const float n_low = FMAF(scale, low, moved - (n - less)), d_low = n - (d - 2.0f) + n_low;
    const float inverse = 1.0f / d, q = n * inverse, found = FMAF(FMAF(-q, d_low, FMAF(-q, d, n) + n_low), inverse, q);
    return __builtin_copysignf(size_of > 8.0f ? FMAF(-2.0f, inverse, 1.0f) : found, x);
}

/* log(2^k (1 + f + low)), 1 + f in [sqrt(1/2), sqrt(2)), `low` far below f: the parts of the sum. */
INLINE Twin log_of_twins(float k, float f, float low) {
    const float half = 0.5f * f, z = FMAF(f, f, FEW_FLOAT);
    float p = FMAF(0x1.14760cp-4f, f, -0x1.de02bcp-4f);
    p = FMAF(FMAF(FMAF(FMAF(p, f, 0x1.e6bf3ap-4f), f, -0x1.fc2886p-4f), f, 0x1.233ba8p-3f), f, -0x1.555c46p-3f);
    p = FMAF(FMAF(FMAF(p, f, 0x1.99a476p-3f), f, -0x1.000006p-2f), f, 0x1.555548p-2f);
    const float sum = FMAF(k, LOG_2_HIGH, f), u = FMAF(-half, f, sum);
    const float lost = f - FMAF(-k, LOG_2_HIGH, sum) + FMAF(-half, f, sum - u);
    return (Twin){u, FMAF(z * f, p, FMAF(k, LOG_2_LOW, __builtin_constant_p(low) ? lost : lost + low))}; /* a constant one is 0 */
}
/* The power of two and f of a positive normal number. */
INLINE float power_of(float x, float *f) {
    const int32_t bits = (int32_t)single_bits(x) - 0x3f3504f3;
    *f = as_single((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
    return (float)(bits >> 23);
}
#define LOG_RANGE(x) (single_bits(x) - 0x00800000u), 0x7f000000 /* normal and above 0 */
INLINE Twin log_twin_in_range(float x) {
    float f;
    const float k = power_of(x, &f);
    return log_of_twins(k, f, 0.0f);
}
INLINE Twin log_twin(float x) {
    float f;
    const int small = x < 0x1p-126f;
    const float k = power_of(small ? (float)(int32_t)single_bits(x) : x, &f);
    return log_of_twins(k - (small ? 149.0f : 0.0f), f, 0.0f);
}
INLINE float log_beside(float x, float found) {
    found = x < INFINITY ? found : x;
    return x > 0.0f ? found : x < 0.0f ? NAN : x - INFINITY;
}
INLINE float twin_sum(Twin part) { return part.high + part.low; }
INLINE float log_float(float x) { return log_beside(x, twin_sum(log_twin(x))); }
/* The log in a unit that is high + low times as short. */
INLINE float twin_product(Twin part, float high, float low) { return FMAF(part.high, high, FMAF(part.low, high, part.high * low)); }

/* Next to 1 x itself is f. */
INLINE float log1p_float(float x) {
    const float u = 1.0f + x, other = u - 1.0f, lost = (1.0f - (u - other)) + (x - other);
    float f;
    const float k = power_of(u, &f);
    const int32_t back = 127 - (int32_t)k; /* of what the sum lost, nothing is left beside the largest */
    const float moved = lost * as_single((int32_t)((uint32_t)(back > 0 ? back : 0) << 23));
    const Twin part = log_of_twins(k, k == 0.0f ? x : f, k == 0.0f ? 0.0f : FMAF(FMAF(f, f, -f), moved, moved));
    float found = __builtin_copysignf(part.high + part.low, x);
    found = x < INFINITY ? found : x;
    return x > -1.0f ? found : x < -1.0f ? NAN : x - INFINITY;
}

/* The angle of a number in (0, tan(pi / 8)], of that to the diagonal or to the vertical, whichever is in that range. */
INLINE float atan_float(float x) {
    float a = fabsf(x);
    a = a > 0x1p60f ? 0x1p60f : a;
    const float in = a > 2.41421356f ? 0.0f : 1.0f, off = a > 0.41421356f ? 1.0f : 0.0f, eighths = off - in + 1.0f;
    const float n = FMAF(in, a, -off), d = FMAF(off, a, in), n_low = FMAF(in, a, -(off + n)), d_low = FMAF(off, a, in - d);
    const float inverse = 1.0f / d, t = n * inverse, low = FMAF(-t, d_low, FMAF(-t, d, n) + n_low) * inverse, z = FMAF(t, t, FEW_FLOAT);
    const float first = FMAF(0x1.999890p-3f, z, -0x1.555554p-2f), second = FMAF(0x1.c2f374p-4f, z, -0x1.246fc4p-3f), w = z * z;
    const float p = FMAF(FMAF(FMAF(0x1.646070p-5f, z, -0x1.534402p-4f), w, second), w, first);
    const float base = eighths * 0x1.921fb6p-1f, u = base + t, lost = t - (u - base);
    return __builtin_copysignf(u + FMAF(z * t, p, lost + FMAF(eighths, -0x1.777a5cp-26f, FMAF(-low, z, low))), x);
}

/* The angle whose sine is a, 0 <= a <= 1/2, or where a is larger that whose cosine it is, which is twice that whose sine is the root
   of (1 - a) / 2. The root by Newton's steps from a first guess of its inverse, since a vector's root takes as long as all else. */
INLINE Twin angle_of_single(float a, int far) {
    const float rest = FMAF(-0.5f, a, 0.5f), half = 0.5f * rest;
    float slope = as_single((int32_t)(0x5f375a86 - (single_bits(rest) >> 1)));
    slope = slope * FMAF(-half * slope, slope, 1.5f);
    slope = slope * FMAF(-half * slope, slope, 1.5f);
    const float near = rest * slope, share = 0.5f * slope, root = FMAF(FMAF(-near, near, rest), share, near);
    const float s = far ? root : a, low = far ? FMAF(-root, root, rest) * share : 0.0f, z = far ? rest : FMAF(a, a, FEW_FLOAT);
    const float first = FMAF(0x1.3338acp-4f, z, 0x1.55554cp-3f), second = FMAF(0x1.04d366p-5f, z, 0x1.6ca750p-5f), w = z * z;
    const float p = FMAF(FMAF(FMAF(0x1.34cf84p-5f, z, 0x1.d51258p-7f), w, second), w, first);
    return (Twin){s, FMAF(z * s, p, FMAF(low, 0.5f * z, low))};
}
/* quarters * pi / 2 + factor * angle */
INLINE float turned(Twin angle, float quarters, float factor) {
    const float base = quarters * 0x1.921fb6p+0f, moved = factor * angle.high, u = base + moved, lost = moved - (u - base);
    return u + FMAF(factor, angle.low, FMAF(quarters, -0x1.777a5cp-25f, lost));
}
INLINE float asin_float(float x) {
    const int far = fabsf(x) > 0.5f;
    const float found = turned(angle_of_single(fabsf(x), far), far ? 1.0f : 0.0f, far ? -2.0f : 1.0f);
    return fabsf(x) <= 1.0f ? __builtin_copysignf(found, x) : NAN;
}
INLINE float acos_float(float x) {
    const int far = fabsf(x) > 0.5f;
    const float side = __builtin_copysignf(1.0f, x);
    const float found = turned(angle_of_single(fabsf(x), far), far ? 1.0f - side : 1.0f, far ? 2.0f * side : -side);
    return fabsf(x) <= 1.0f ? found : NAN;
}

#endif
