/* Numbers of distributions that take one word or two of the generator each, with the bits of C's library and of PyTorch's roundings. */
#include "kernels.h"

enum { UNIFORM, EXPONENTIAL, CAUCHY, GEOMETRIC, NORMAL, LOG_NORMAL, REMAINDER, LONG_REMAINDER };

/* A double in [0, 1): the low 53 bits of two words, the first of them the high half; a float: the low 24 bits of one. */
INLINE uint64_t pair(const uint32_t *words, size i) { return (uint64_t)words[2 * i] << 32 | words[2 * i + 1]; }
INLINE double unit(const uint32_t *words, size i) { return (double)(pair(words, i) & 0x1fffffffffffff) * 0x1p-53; }
INLINE float narrow_unit(uint32_t word) { return (float)(int32_t)(word & 0xffffff) * 0x1p-24f; }

/* distributed(words, which, a, b, out) */
static int distributed_plan(Call *c) {
    const Argument *out = &c->in[4];
    const size which = c->in[1].whole;
    const int floats = out->kind == FLOAT32 || out->kind == FLOAT64, narrow = which == UNIFORM && out->kind == FLOAT32;
    if (!(floats || (out->kind == INT64 && (which == REMAINDER || which == LONG_REMAINDER)))) return 0;
    if (which < UNIFORM || which > LONG_REMAINDER || c->in[0].count != (which == REMAINDER || narrow ? 1 : 2) * out->count) return 0;
    const double most = c->in[2].number; /* of remainders; of 63 bits their number, rounded */
    if (which >= REMAINDER && !(most >= 0 && most <= (which == REMAINDER ? 0x1p32 - 1 : 0x1p53)) && !(which == LONG_REMAINDER && most == 0x1p63)) return 0;
    if ((which == NORMAL || which == LOG_NORMAL) && out->count % 2) return 0;
    c->answer = 4, c->apart = 1;
    c->lines = (out->count + 1) / 2, c->each = 2; /* pairs */
    return 1;
}

WIDE static void uniform_floats(const uint32_t *words, float low, float high, float *out, size n) {
    const double span = (double)(high - low), start = low;
    for (size i = 0; i < n; i++) {
        const double wide = (double)narrow_unit(words[i]) * span;
        const float made = (float)(wide + start);
        out[i] = made == high ? low : made;
    }
}

static double drawn(const uint32_t *words, size i, size which, double a, double b) {
    const double u = unit(words, i);
    double made;
    switch (which) {
        case UNIFORM: return (made = __builtin_fma(u, b - a, a)) == b ? a : made;
        case EXPONENTIAL: return a * log1p(-u);
        case CAUCHY: return __builtin_fma(tan(M_PI * (u - 0.5)), b, a);
        default: return ceil(log(u) / a); /* GEOMETRIC */
    }
}

#define STORE(i, x)                                                   \
    do {                                                              \
        if (kind == FLOAT32) ((float *)out)[i] = (float)(x);          \
        else if (kind == FLOAT64) ((double *)out)[i] = (double)(x);   \
        else ((int64_t *)out)[i] = (int64_t)(x);                      \
    } while (0)

/* What division by a number below 2 ** 32 leaves: the quotient of doubles is off by one at most. */
INLINE void remainders(const uint32_t *words, double divisor, void *out, size from, size to, const Kind kind) {
    const double inverse = 1 / divisor;
    for (size i = from; i < to; i++) {
        const double word = words[i];
        double left = word - __builtin_floor(word * inverse) * divisor;
        left = left < 0 ? left + divisor : left;
        STORE(i, left >= divisor ? left - divisor : left);
    }
}
WIDE static void narrow_remainders(const uint32_t *words, double divisor, void *out, size from, size to, Kind kind) {
    if (kind == FLOAT32) remainders(words, divisor, out, from, to, FLOAT32);
    else if (kind == FLOAT64) remainders(words, divisor, out, from, to, FLOAT64);
    else remainders(words, divisor, out, from, to, INT64);
}

static int distributed(Call *c, size from, size to) {
    const uint32_t *words = c->in[0].data;
    const size which = c->in[1].whole, first = 2 * from, last = 2 * to < c->in[4].count ? 2 * to : c->in[4].count;
    const double a = c->in[2].number, b = c->in[3].number;
    const Kind kind = c->in[4].kind;
    void *out = c->in[4].data;
    if (which == UNIFORM && kind == FLOAT32) {
        uniform_floats(words + first, (float)a, (float)b, (float *)out + first, last - first);
    } else if (which == REMAINDER) {
        narrow_remainders(words, a + 1, out, first, last, kind);
    } else if (which == LONG_REMAINDER) {
        for (size i = first; i < last; i++) STORE(i, a == 0x1p63 ? pair(words, i) & INT64_MAX : pair(words, i) % ((uint64_t)a + 1));
    } else if (which == NORMAL || which == LOG_NORMAL) {
        for (size i = first; i < last; i += 2) {
            const double angle = unit(words, i) * (2 * M_PI), radius = sqrt(-2.0 * log1p(-unit(words, i + 1)));
            const double x = __builtin_fma(radius * cos(angle), b, a), y = __builtin_fma(radius * sin(angle), b, a);
            STORE(i, which == NORMAL ? x : exp(x));
            STORE(i + 1, which == NORMAL ? y : exp(y));
        }
    } else {
        for (size i = first; i < last; i++) STORE(i, drawn(words, i, which, a, b));
    }
    return 1;
}

/* by_chance(words, p, out): whether numbers are below probabilities, of which none is outside of [0, 1]. */
static int by_chance_plan(Call *c) {
    const Argument *p = &c->in[1], *out = &c->in[2];
    c->answer = 2;
    c->lines = 1, c->each = p->count;
    return p->kind == out->kind && p->count == out->count && c->in[0].count == (p->kind == FLOAT64 ? 2 : 1) * p->count;
}

static int by_chance(Call *c, size from, size to) {
    const uint32_t *words = c->in[0].data;
    const size n = c->in[1].count;
    int good = 1;
    (void)from, (void)to;
    if (c->in[1].kind == FLOAT64) {
        const double *p = c->in[1].data;
        double *out = c->in[2].data;
        for (size i = 0; i < n; i++) good &= p[i] >= 0 && p[i] <= 1, out[i] = unit(words, i) < p[i];
    } else {
        const float *p = c->in[1].data;
        float *out = c->in[2].data;
        for (size i = 0; i < n; i++) good &= p[i] >= 0 && p[i] <= 1, out[i] = narrow_unit(words[i]) < p[i];
    }
    return good;
}

const Kernel distribution_kernels[] = {
    {"distributed", "uixxA", distributed_plan, distributed, "distributed(words, which, a, b, out): numbers of a distribution with two parameters; of remainders the first one is the largest number"},
    {"by_chance", "urR", by_chance_plan, by_chance, "by_chance(words, p, out): 1 with a probability for each element, else 0; None where one is outside of [0, 1]"},
    {0},
};
