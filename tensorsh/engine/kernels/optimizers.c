/* The steps of Adam and of SGD in one pass over parameter, gradient and state: those of their formulas (torch/optim) on numbers
   that stay in registers, for which a chain goes to the cache each time.

   Every operation rounds as it is written, as PyTorch's kernels do, which fuse the multiplications and additions written as
   fmaf. */
#include "kernels.h"

/* The numbers of the formula, and those of its settings that hold. */
struct adam {
    float decay, weight, beta2, less2, correction, eps, rate;
    int decays, decoupled, maximize, far;
};

/* x += rate * m / (sqrt(v) / correction + eps), m and v the running means of g and its square, v perhaps the largest so far;
   `decay` times x is added to g, or what decoupled decay leaves of x. `largest` is known where this is compiled: a loop that asks
   for each element whether `most` is there reads from nowhere under a mask, which takes hundreds of cycles. */
INLINE void adapt(float *restrict x, const float *restrict g, float *restrict m, float *restrict v, float *restrict most,
                  size n, struct adam a, int largest) {
    const float keep = a.decoupled ? a.decay : 1.0f, sign = a.maximize ? -1.0f : 1.0f;
    for (size i = 0; i < n; i++) {
        float p = x[i] * keep, d = g[i] * sign;
        d = a.decays ? __builtin_fmaf(p, a.decay, d) : d;
        float mean = __builtin_fmaf(d - m[i], a.weight, a.far ? d : m[i]);
        m[i] = mean;
        float square = __builtin_fmaf(d * a.less2, d, v[i] * a.beta2);
        v[i] = square;
        if (largest) {
            /* numpy's and PyTorch's maximum: NaN wins */
            float before = most[i];
            square = (before >= square) | (before != before) ? before : square;
            most[i] = square;
        }
        float root = sqrtf(square) / a.correction + a.eps;
        x[i] = p + mean * a.rate / root;
    }
}

WIDE static void adapt_adam(float *x, const float *g, float *m, float *v, size n, struct adam a) {
    adapt(x, g, m, v, NULL, n, a, 0);
}

WIDE static void adapt_amsgrad(float *x, const float *g, float *m, float *v, float *most, size n, struct adam a) {
    adapt(x, g, m, v, most, n, a, 1);
}

enum { NUMBERS = 8 };
enum { DECAYS = 1, DECOUPLED = 2, MAXIMIZE = 4, FAR = 8 };
INLINE float *from_line(const Call *c, int k, size from) { return (float *)c->in[k].data + from; }

/* Arrays of one size, which come first. */
static int same_size(Call *c, int arrays) {
    c->lines = c->in[0].count, c->each = 1, c->apart = 1;
    for (int k = 1; k < arrays; k++)
        if (c->in[k].count != c->lines) return 0;
    return 1;
}

/* x += rate * g, with decay * x added to g. */
WIDE static void descend(float *restrict x, const float *restrict g, size n, float decay, float rate, float sign, int decays) {
    for (size i = 0; i < n; i++) {
        float d = g[i] * sign;
        d = decays ? __builtin_fmaf(x[i], decay, d) : d;
        x[i] = __builtin_fmaf(d, rate, x[i]);
    }
}

/* The same with m = momentum * m + part * g, and x += rate * m, or of g + momentum * m with Nesterov's. */
WIDE static void roll(float *restrict x, const float *restrict g, float *restrict m, size n, float decay, float rate, float momentum,
                      float part, float sign, int decays, int first, int nesterov) {
    for (size i = 0; i < n; i++) {
        float d = g[i] * sign;
        d = decays ? __builtin_fmaf(x[i], decay, d) : d;
        float mean = first ? d : __builtin_fmaf(d, part, m[i] * momentum);
        m[i] = mean;
        d = nesterov ? __builtin_fmaf(mean, momentum, d) : mean;
        x[i] = __builtin_fmaf(d, rate, x[i]);
    }
}

INLINE float number(const Call *c, int k) { return (float)c->in[k].number; }

static int sgd_plan(Call *c) { return same_size(c, 2); }
static int sgd_step(Call *c, size from, size to) {
    const int settings = (int)c->in[4].number;
    descend(from_line(c, 0, from), from_line(c, 1, from), to - from, number(c, 2), number(c, 3), settings & 2 ? -1.0f : 1.0f, settings & 1);
    return 1;
}

static int rolled_plan(Call *c) { return same_size(c, 3); }
static int rolled_step(Call *c, size from, size to) {
    const int settings = (int)c->in[7].number;
    roll(from_line(c, 0, from), from_line(c, 1, from), from_line(c, 2, from), to - from, number(c, 3), number(c, 4), number(c, 5),
         number(c, 6), settings & 2 ? -1.0f : 1.0f, settings & 1, settings & 4, settings & 8);
    return 1;
}

static int adam_plan(Call *c) { return same_size(c, c->given - NUMBERS); }
static int adam_step(Call *c, size from, size to) {
    float v[NUMBERS];
    for (int k = 0; k < NUMBERS; k++) v[k] = (float)c->in[c->given - NUMBERS + k].number;
    const int settings = (int)v[7] & 15;
    const struct adam a = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], settings & DECAYS, settings & DECOUPLED, settings & MAXIMIZE, settings & FAR};
    float *x = from_line(c, 0, from), *g = from_line(c, 1, from), *m = from_line(c, 2, from), *squares = from_line(c, 3, from);
    if (c->given - NUMBERS == 5) adapt_amsgrad(x, g, m, squares, from_line(c, 4, from), to - from, a);
    else adapt_adam(x, g, m, squares, to - from, a);
    return 1;
}

const Kernel optimizer_kernels[] = {
    {"sgd_step", "Ffxxx", sgd_plan, sgd_step, "sgd_step(x, g, decay, rate, settings)"},
    {"rolled_step", "FfFxxxxx", rolled_plan, rolled_step, "rolled_step(x, g, m, decay, rate, momentum, part, settings)"},
    {"adam_step", "FfFFxxxxxxxx", adam_plan, adam_step,
     "adam_step(x, g, m, v, decay, weight, beta2, 1 - beta2, correction, eps, rate, settings)"},
    {"amsgrad_step", "FfFFFxxxxxxxx", adam_plan, adam_step,
     "amsgrad_step(x, g, m, v, largest v, decay, weight, beta2, 1 - beta2, correction, eps, rate, settings)"},
    {0},
};
