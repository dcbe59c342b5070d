/* Steps of optimizers in one pass over parameter, gradient and state.

   Every operation rounds as it is written, as PyTorch's kernels do, which fuse the multiplications and additions written as
   fmaf. */
#include "kernels.h"

/* Arrays of one size, which come first; the gradient is the second. */
static int step_of(Call *c, int arrays) {
    c->lines = c->in[0].count, c->each = 1;
    for (int k = 1; k < arrays; k++)
        if (c->in[k].count != c->lines) return 0;
    return 1;
}
INLINE float *from_line(const Call *c, int k, size from) { return c->in[k].data ? (float *)c->in[k].data + from : NULL; }
INLINE float number(const Call *c, int k) { return (float)c->in[k].number; }

/* x += rate * g' with g' = sign * g + decay * x. */
WIDE static void descend(float *restrict x, const float *restrict g, size n, float rate, float decay, float sign) {
    for (size i = 0; i < n; i++) {
        float d = g[i] * sign;
        d = decay != 0.0f ? __builtin_fmaf(x[i], decay, d) : d;
        x[i] = __builtin_fmaf(d, rate, x[i]);
    }
}

/* The same with m = momentum * m + share * g', and x += rate * m, or of g' + momentum * m with Nesterov's. */
WIDE static void roll(float *restrict x, const float *restrict g, float *restrict m, size n, float rate, float decay,
                      float sign, float momentum, float share, int nesterov) {
    for (size i = 0; i < n; i++) {
        float d = g[i] * sign;
        d = decay != 0.0f ? __builtin_fmaf(x[i], decay, d) : d;
        float mean = __builtin_fmaf(d, share, m[i] * momentum);
        m[i] = mean;
        d = nesterov ? __builtin_fmaf(mean, momentum, d) : mean;
        x[i] = __builtin_fmaf(d, rate, x[i]);
    }
}

struct adam {
    float rate, decay, keep, sign, less1, less2, correction, eps, beta2;
};

/* x += rate * m / (sqrt(v) / correction + eps), m and v the running means of g' and its square, v perhaps the largest
   so far; `keep` is what decoupled decay leaves of x. `largest` is known where this is compiled: a loop that asks for each
   element whether `most` is there reads from nowhere under a mask, which takes hundreds of cycles. */
INLINE void adapt(float *restrict x, const float *restrict g, float *restrict m, float *restrict v, float *restrict most,
                  size n, struct adam a, int largest) {
    const int far = a.less1 >= 0.5f;
    for (size i = 0; i < n; i++) {
        float p = x[i] * a.keep, d = g[i] * a.sign;
        d = a.decay != 0.0f ? __builtin_fmaf(p, a.decay, d) : d;
        float change = d - m[i];
        float mean = far ? __builtin_fmaf(change, -(1.0f - a.less1), d) : __builtin_fmaf(change, a.less1, m[i]);
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

static int sgd_plan(Call *c) { return step_of(c, 2); }
static int sgd_step(Call *c, size from, size to) {
    descend(from_line(c, 0, from), from_line(c, 1, from), to - from, number(c, 2), number(c, 3), number(c, 4));
    return 1;
}

static int momentum_plan(Call *c) { return step_of(c, 3); }
static int momentum_step(Call *c, size from, size to) {
    roll(from_line(c, 0, from), from_line(c, 1, from), from_line(c, 2, from), to - from, number(c, 3), number(c, 4), number(c, 5),
         number(c, 6), number(c, 7), number(c, 8) != 0.0f);
    return 1;
}

static int adam_plan(Call *c) { return step_of(c, c->in[4].data ? 5 : 4); }
static int adam_step(Call *c, size from, size to) {
    float v[9];
    for (int k = 0; k < 9; k++) v[k] = number(c, c->given - 9 + k);
    const struct adam numbers = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
    float *x = from_line(c, 0, from), *m = from_line(c, 2, from), *squares = from_line(c, 3, from), *most = from_line(c, 4, from);
    if (most) adapt_amsgrad(x, from_line(c, 1, from), m, squares, most, to - from, numbers);
    else adapt_adam(x, from_line(c, 1, from), m, squares, to - from, numbers);
    return 1;
}

const Kernel optimizer_kernels[] = {
    {"sgd_step", "Ffxxx", sgd_plan, sgd_step, "sgd_step(x, g, rate, decay, sign): x += rate * (sign * g + decay * x)"},
    {"momentum_step", "FfFxxxxxx", momentum_plan, momentum_step, "momentum_step(x, g, m, rate, decay, sign, momentum, share, nesterov)"},
    {"adam_step", "FfFFxxxxxxxxx", adam_plan, adam_step,
     "adam_step(x, g, m, v, rate, decay, keep, sign, 1-beta1, 1-beta2, correction, eps, beta2)"},
    {"amsgrad_step", "FfFFFxxxxxxxxx", adam_plan, adam_step,
     "amsgrad_step(x, g, m, v, largest v, rate, decay, keep, sign, 1-beta1, 1-beta2, correction, eps, beta2)"},
    {0},
};
