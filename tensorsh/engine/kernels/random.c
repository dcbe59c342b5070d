/* Random words and normal numbers, with the bits of PyTorch's generator for the CPU.

   Every operation rounds as it is written; PyTorch's kernel fuses the multiplications and additions written as fmaf. */
#include "kernels.h"

#define STATE 624
#define SHIFT 397
#define TWISTED(u, v) ((((u) & 0x80000000u) | ((v) & 0x7fffffffu)) >> 1 ^ (-((v) & 1u) & 0x9908b0dfu))

/* The next 624 states of MT19937 in place, and the words made of them. A state depends on those 1 and 397 places
   ahead, so that up to 227 are independent of one another. */
WIDE static void twist(uint32_t *key, uint32_t *words) {
    for (int i = 0; i < STATE - SHIFT; i++) key[i] = key[i + SHIFT] ^ TWISTED(key[i], key[i + 1]);
    for (int i = STATE - SHIFT; i < 2 * (STATE - SHIFT); i++) key[i] = key[i + SHIFT - STATE] ^ TWISTED(key[i], key[i + 1]);
    for (int i = 2 * (STATE - SHIFT); i < STATE - 1; i++) key[i] = key[i + SHIFT - STATE] ^ TWISTED(key[i], key[i + 1]);
    key[STATE - 1] = key[SHIFT - 1] ^ TWISTED(key[STATE - 1], key[0]);
    for (int i = 0; i < STATE; i++) {
        uint32_t y = key[i];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        words[i] = y ^ y >> 18;
    }
}

/* The classic initialisation of 2002 from one word. */
static int key_plan(Call *c) {
    add_dimension(result(c, NEW_UINT32), STATE);
    c->lines = 1;
    return 1;
}

static int twister_key(Call *c, size from, size to) {
    (void)from, (void)to;
    uint32_t *words = c->out[0].data;
    words[0] = (uint32_t)c->in[0].whole;
    for (uint32_t i = 1; i < STATE; i++) words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
    return 1;
}

static int words_plan(Call *c) {
    const size n = c->in[1].whole;
    if (c->in[0].count != STATE || n < 0 || n % STATE) return 0;
    add_dimension(result(c, NEW_UINT32), n);
    c->lines = n / STATE, c->each = STATE;
    return 1;
}

static int twister_words(Call *c, size from, size to) {
    for (size i = from; i < to; i++) twist(c->in[0].data, (uint32_t *)c->out[0].data + i * STATE);
    return 1;
}

/* sqrt(-2 log(a)) for a in (0, 1]: Cephes' logf on a = m 2^e with m in [sqrt(1/2), sqrt(2)). */
INLINE float radius(float a) {
    static const float c[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                              -1.6668057665e-1f, 2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    const int32_t root_half = 0x3f3504f3;
    int32_t bits, exponent;
    memcpy(&bits, &a, 4);
    bits -= root_half;
    exponent = bits >> 23;
    bits = (bits & 0x7fffff) + root_half;
    float m, e = (float)exponent;
    memcpy(&m, &bits, 4);
    m -= 1.0f;
    float z = m * m, y = c[0];
    for (int i = 1; i < 9; i++) y = __builtin_fmaf(y, m, c[i]);
    y *= m;
    y = __builtin_fmaf(y, z, e * -2.12194440e-4f);
    y = __builtin_fmaf(z, -0.5f, y);
    return sqrtf(-2.0f * __builtin_fmaf(e, 0.693359375f, m + y));
}

/* The cosine and the sine of x in [0, 2 pi): Cephes' polynomials by octants. */
INLINE void cosine_sine(float x, float *cosine, float *sine) {
    int32_t j = ((int32_t)(x * 1.27323954473516f) + 1) & ~1, c_bits, s_bits;
    float n = (float)j;
    x = __builtin_fmaf(n, -0.78515625f, x);
    x = __builtin_fmaf(n, -2.4187564849853515625e-4f, x);
    x = __builtin_fmaf(n, -3.77489497744594108e-8f, x);
    float z = x * x;
    float c = __builtin_fmaf(z, 2.443315711809948e-5f, -1.388731625493765e-3f);
    c = __builtin_fmaf(c, z, 4.166664568298827e-2f) * z;
    c = __builtin_fmaf(c, z, -(z * 0.5f)) + 1.0f;
    float s = __builtin_fmaf(z, -1.9515295891e-4f, 8.3321608736e-3f);
    s = __builtin_fmaf(s, z, -1.6666654611e-1f) * z;
    s = __builtin_fmaf(s, x, x);
    memcpy(&c_bits, &c, 4);
    memcpy(&s_bits, &s, 4);
    int32_t exchanged = (c_bits ^ s_bits) & -(j >> 1 & 1);
    c_bits ^= exchanged ^ (int32_t)((uint32_t)((j + 2) & 4) << 29);
    s_bits ^= exchanged ^ (int32_t)((uint32_t)(j & 4) << 29);
    memcpy(cosine, &c_bits, 4);
    memcpy(sine, &s_bits, 4);
}

#define BLOCKS 32 /* blocks of sixteen at a time */

/* Blocks of sixteen words as normals: radii from the first eight words, angles from the last eight. */
WIDE static void box_muller(const uint32_t *words, float *out, size blocks, float mean, float std) {
    float r[8 * BLOCKS], angle[8 * BLOCKS];
    for (size first = 0; first < blocks; first += BLOCKS, words += 16 * BLOCKS, out += 16 * BLOCKS) {
        int some = blocks - first < BLOCKS ? (int)(blocks - first) : BLOCKS;
        for (int b = 0; b < some; b++)
            for (int k = 0; k < 8; k++) {
                r[8 * b + k] = (float)(int32_t)(words[16 * b + k] & 0xffffff);
                angle[8 * b + k] = (float)(int32_t)(words[16 * b + 8 + k] & 0xffffff);
            }
        for (int i = 0; i < 8 * some; i++) {
            float c, s, size = radius(r[i] * -0x1p-24f + 1.0f);
            cosine_sine(angle[i] * 0x1p-24f * 6.283185307179586f, &c, &s);
            r[i] = __builtin_fmaf(c * size, std, mean);
            angle[i] = __builtin_fmaf(s * size, std, mean);
        }
        for (int b = 0; b < some; b++)
            for (int k = 0; k < 8; k++) {
                out[16 * b + k] = r[8 * b + k];
                out[16 * b + 8 + k] = angle[8 * b + k];
            }
    }
}

static int normals_plan(Call *c) {
    c->answer = 1, c->apart = 1;
    c->lines = c->in[0].count / 16, c->each = c->in[0].kind == FLOAT64 ? 128 : 16; /* those of doubles take long */
    return c->in[0].count == c->in[1].count && c->in[0].count % 16 == 0;
}

static int normals(Call *c, size from, size to) {
    const size at = 16 * from;
    box_muller((const uint32_t *)c->in[0].data + at, (float *)c->in[1].data + at, to - from, (float)c->in[2].number, (float)c->in[3].number);
    return 1;
}

/* Blocks of sixteen doubles in [0, 1) as normals, by the functions of C's library. */
static int wide_normals(Call *c, size from, size to) {
    const double *u = c->in[0].data, mean = c->in[2].number, std = c->in[3].number;
    double *out = c->in[1].data;
    for (size i = 16 * from; i < 16 * to; i += i % 8 == 7 ? 9 : 1) {
        double radius = sqrt(-2.0 * log(1.0 - u[i])), angle = 2.0 * M_PI * u[i + 8];
        out[i] = __builtin_fma(radius * cos(angle), std, mean);
        out[i + 8] = __builtin_fma(radius * sin(angle), std, mean);
    }
    return 1;
}

/* Fisher and Yates from the front: a word for each swap. */
static int shuffled_plan(Call *c) {
    const size n = c->in[0].count;
    c->answer = 0;
    c->lines = n - 1, c->each = 1;
    return c->in[1].count >= n - 1 && n < UINT32_MAX;
}

static int shuffled(Call *c, size from, size to) {
    const size n = c->in[0].count;
    int64_t *at = c->in[0].data;
    const uint32_t *word = c->in[1].data;
    for (size i = from; i < to; i++) {
        size j = i + word[i] % (uint32_t)(n - i);
        int64_t held = at[i];
        at[i] = at[j];
        at[j] = held;
    }
    return 1;
}

/* poisson(rates, words, out, state): samples while there are words; `state`: how many samples were made before and in all, and how
   many words they took. A double in [0, 1) is the low 53 bits of two words, the first of them the high half. By products of uniform
   numbers below 10, above by Hoermann's transformed rejection. */
static int poisson_plan(Call *c) {
    c->answer = 3;
    c->lines = 1, c->each = c->in[1].count;
    return c->in[0].count == c->in[2].count && c->in[3].count == 2;
}

#define UNIFORM(at) ((double)(((uint64_t)words[at] << 32 | words[(at) + 1]) & 0x1fffffffffffff) * 0x1p-53)

/* One sample, from the word `at` on; -1 where the words do not suffice. */
static double one_poisson(double rate, const uint32_t *words, size count, size *at) {
    size next = *at;
    if (rate < 10) {
        double made = 0, bound = exp(-rate), product = 1;
        if (rate == 0) return 0;
        for (;; made++) {
            if (next > count - 2) return -1;
            product *= UNIFORM(next);
            next += 2;
            if (!(product > bound)) break;
        }
        *at = next;
        return made;
    }
    const double root = sqrt(rate), log_rate = log(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), accept = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        if (next > count - 4) return -1;
        const double u = UNIFORM(next) - 0.5, v = UNIFORM(next + 2), us = 0.5 - fabs(u);
        next += 4;
        const double k = us != 0 ? floor((2 * a / us + b) * u + rate + 0.43) : -1;
        if (us >= 0.07 && v <= accept) {
            *at = next;
            return k;
        }
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <= -rate + k * log_rate - lgamma(k + 1)) {
            *at = next;
            return k;
        }
    }
}

static int poisson(Call *c, size from, size to) {
    (void)from, (void)to;
    const double *rates = c->in[0].data;
    const uint32_t *words = c->in[1].data;
    double *out = c->in[2].data;
    int64_t *state = c->in[3].data;
    const size count = c->in[1].count, all = c->in[0].count;
    size at = 0, i = place_at(state);
    if (i < 0) return 0;
    for (double made; i < all && !ends(c, 16); i++) {
        if ((made = one_poisson(rates[i], words, count, &at)) < 0) break;
        out[i] = made;
    }
    state[0] = i, state[1] = at;
    return 1;
}

/* binomial(counts, probabilities, words, single, out, state): as `poisson`; `single`: numbers are rounded to float32 where PyTorch
   holds them so. By waiting times where fewer than 10 are expected, otherwise by transformed rejection. */
static int binomial_plan(Call *c) {
    c->answer = 5;
    c->lines = 1, c->each = c->in[2].count;
    return have(c, 0, 1, c->in[4].count) && c->in[5].count == 2;
}

static double by_waiting(double count, double rate, int single, const uint32_t *words, size have, size *at) {
    const double rest = single ? (double)(float)log1p(-rate) : log1p(-rate);
    double total = 0, made = 0;
    for (size next = *at; next <= have - 2; made++) {
        const double u = UNIFORM(next);
        next += 2;
        total += u != 0 ? ceil(log(u) / rest) : INFINITY;
        if (total > count) {
            *at = next;
            return made;
        }
    }
    return -1;
}

static double stirling_tail(double k) {
    static const double tails[] = {0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
                                   0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
    if (k >= 0 && k < 10) return tails[(int)k];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

static double by_rejection(double n, double p, int single, const uint32_t *words, size have, size *at) {
#define HELD(x) (single ? (double)(float)(x) : (x))
    const double others = HELD(1 - p), expected = HELD(n * p), above = HELD(n + 1);
    const double root = HELD(sqrt(HELD(expected * others))), b = 1.15 + 2.53 * root, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double c = expected + 0.5, accept = 0.92 - 4.2 / b, r = HELD(p / others), alpha = (2.83 + 5.1 / b) * root, m = floor(HELD(above * p));
    for (size next = *at; next <= have - 4;) {
        const double u = UNIFORM(next) - 0.5, v = UNIFORM(next + 2), us = 0.5 - fabs(u);
        next += 4;
        const double k = us != 0 ? HELD(floor((2 * a / us + b) * u + c)) : -1;
        if (!(k >= 0 && k <= n)) continue;
        int accepted = us >= 0.07 && v <= accept;
        if (!accepted) {
            const double left = HELD(n - k) + 1, height = v != 0 ? log(v * alpha / (a / (us * us) + b)) : -INFINITY;
            accepted = height <= (m + 0.5) * log((m + 1) / (r * (n - m + 1))) + above * log((n - m + 1) / left) +
                                     (k + 0.5) * log(r * left / (k + 1)) + stirling_tail(m) + stirling_tail(n - m) - stirling_tail(k) -
                                     stirling_tail(n - k);
        }
        if (accepted) {
            *at = next;
            return k;
        }
    }
    return -1;
}

/* One sample; -1 where the words do not suffice. */
static double one_binomial(double count, double p, int single, const uint32_t *words, size have, size *at) {
    if (count <= 0 || p <= 0) return 0;
    if (p >= 1) return count;
    const int turned = p > 0.5;
    if (turned) p = HELD(1 - p);
    const double made = (HELD(count * p) < 10 ? by_waiting : by_rejection)(count, p, single, words, have, at);
    return made < 0 || !turned ? made : count - made;
}

static int binomial(Call *c, size from, size to) {
    (void)from, (void)to;
    const double *counts = c->in[0].data, *rates = c->in[1].data;
    const int single = c->in[3].whole != 0;
    double *out = c->in[4].data;
    int64_t *state = c->in[5].data;
    size at = 0, i = place_at(state);
    if (i < 0) return 0;
    for (; i < c->in[4].count && !ends(c, 16); i++) {
        const double count = ((const volatile double *)counts)[i], p = ((const volatile double *)rates)[i];
        if (!(count < INFINITY) || p != p) return 0;
        const double made = one_binomial(count, p, single, c->in[2].data, c->in[2].count, &at);
        if (made < 0) break;
        out[i] = made;
    }
    state[0] = i, state[1] = at;
    return 1;
}

/* gamma(alphas, words, single, normal, out, state): as `poisson`, of alphas that are not negative; `single`: the first steps are rounded
   to float32; `normal`: whether a normal number is left over from the last pair, and which. By Marsaglia and Tsang's method. */
static int gamma_plan(Call *c) {
    c->answer = 5;
    c->lines = 1, c->each = c->in[1].count;
    return c->in[0].count == c->in[4].count && c->in[3].count == 2 && c->in[5].count == 2;
}

/* One sample; -1 where the words do not suffice. The left-over normal is kept as it was then. */
static double one_gamma(double alpha, int single, double *kept, const uint32_t *words, size have, size *at) {
    double scale = 1, left[2] = {kept[0], kept[1]};
    size next = *at;
    if (alpha == 0) return 0;
    if (alpha < 1) {
        if (next > have - 2) return -1;
        const double inverse = single ? (double)(1 / (float)alpha) : 1 / alpha;
        scale = pow(1 - UNIFORM(next), inverse);
        alpha = single ? (double)((float)alpha + 1) : alpha + 1;
        next += 2;
    }
    const double third = (float)(1.0f / 3.0f), squeeze = 0.0331f;
    const double d = single ? (double)((float)alpha - (float)third) : alpha - third, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = left[1];
        if (left[0] != 0) {
            left[0] = 0;
        } else {
            if (next > have - 4) return -1;
            const double angle = 2 * M_PI * UNIFORM(next), radius = sqrt(-2 * log1p(-UNIFORM(next + 2)));
            next += 4;
            x = radius * cos(angle);
            left[0] = 1, left[1] = radius * sin(angle);
        }
        const double y = 1 + c * x;
        if (y <= 0) continue;
        if (next > have - 2) return -1;
        const double v = y * y * y, u = 1 - UNIFORM(next), xx = x * x;
        next += 2;
        if (u < 1 - squeeze * xx * xx || log(u) < 0.5 * xx + d * (1 - v + log(v))) {
            kept[0] = left[0], kept[1] = left[1];
            *at = next;
            return scale * d * v;
        }
    }
}

static int gamma_samples(Call *c, size from, size to) {
    (void)from, (void)to;
    const double *alphas = c->in[0].data;
    const int single = c->in[2].whole != 0;
    double *kept = c->in[3].data, *out = c->in[4].data;
    int64_t *state = c->in[5].data;
    size at = 0, i = place_at(state);
    if (i < 0) return 0;
    for (; i < c->in[4].count && !ends(c, 16); i++) {
        const double alpha = ((const volatile double *)alphas)[i];
        if (!(alpha >= 0)) return 0;
        const double made = one_gamma(alpha, single, kept, c->in[1].data, c->in[1].count, &at);
        if (made < 0) break;
        out[i] = made;
    }
    state[0] = i, state[1] = at;
    return 1;
}

const Kernel random_kernels[] = {
    {"gamma_samples", "dubDDL", gamma_plan, gamma_samples, "gamma_samples(alphas, words, single, normal, out, state)"},
    {"binomial", "ddubDL", binomial_plan, binomial, "binomial(counts, probabilities, words, single, out, state)"},
    {"poisson", "duDL", poisson_plan, poisson, "poisson(rates, words, out, state)"},
    {"twister_key", "w", key_plan, twister_key, "twister_key(seed): the state of MT19937 that a word of 32 bits is the seed of"},
    {"twister_words", "Ui", words_plan, twister_words, "twister_words(key, n): the next n words (a multiple of 624) of MT19937, whose key moves on"},
    {"shuffled", "Lu", shuffled_plan, shuffled, "shuffled(order, words): a permutation of int64 numbers in place, by a word for each swap"},
    {"wide_normals", "dDxx", normals_plan, wide_normals, "wide_normals(u, out, mean, std): normal numbers of blocks of sixteen doubles in [0, 1)"},
    {"normals", "uFxx", normals_plan, normals, "normals(words, out, mean, std): normal numbers of blocks of sixteen words, into `out`"},
    {0},
};
