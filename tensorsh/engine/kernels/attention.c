/* The rows of attention: scores become weights in one pass over each row, and their gradients in another. */
#include "vector_math.h"

#define LANES 64 /* in memory: of fewer, compilers make single numbers instead of vectors */

/* Lanes become one, in halves of sizes that the compiler knows: of others it makes loops over single numbers. */
#define FOLD(step) step(32) step(16) step(8) step(4) step(2) step(1)
#define ADD(half) for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
#define MOST(half) for (int k = 0; k < half; k++) lanes[k] = lanes[k + half] > lanes[k] ? lanes[k + half] : lanes[k];

INLINE float largest(const float *s, size n) {
    float lanes[LANES], most = s[0];
    size i = 0;
    if (n >= LANES) {
        for (int k = 0; k < LANES; k++) lanes[k] = s[k];
        for (i = LANES; i + LANES <= n; i += LANES)
            for (int k = 0; k < LANES; k++) lanes[k] = s[i + k] > lanes[k] ? s[i + k] : lanes[k];
        FOLD(MOST)
        most = lanes[0];
    }
    for (; i < n; i++) most = s[i] > most ? s[i] : most;
    return most == -INFINITY ? 0.0f : most;
}

INLINE float summed(const float *s, size n) {
    float lanes[LANES];
    size i = LANES;
    if (n >= LANES)
        for (int k = 0; k < LANES; k++) lanes[k] = s[k];
    else
        for (int k = 0; k < LANES; k++) lanes[k] = k < n ? s[k] : 0.0f;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += s[i + k];
    for (int k = 0; i < n; i++, k++) lanes[k] += s[i];
    FOLD(ADD)
    return lanes[0];
}

#define GROUP 32        /* rows that take each step together: of one row alone each would wait for the one before */
#define ELEMENTS 4096   /* of a group, which stays in the first cache */

/* How many numbers of a row count: all, or of a triangle, whose first row has `first`, one more in each row of a matrix. */
INLINE size counting(size row, size rows, size n, size first) {
    const size most = first + row % rows;
    return first == 0 || most > n ? n : most;
}

/* Scores become weights, which add up to one; `sums` gets the logarithm of each row's sum. A row of minus infinities, which
   attends to nothing, becomes zeros, and so do scores beyond those that count. `from`: the number of the first row, `high`: the
   rows of a matrix. */
WIDE static void weigh(float *s, float *sums, size from, size rows, size n, int precise, size first, size high) {
    const size group = ELEMENTS / n < 1 ? 1 : ELEMENTS / n < GROUP ? ELEMENTS / n : GROUP;
    for (size row = 0, some; row < rows; row += some, s += some * n, sums += some) {
        float most[GROUP], share[GROUP];
        size count[GROUP];
        some = rows - row < group ? rows - row : group;
        for (size r = 0; r < some; r++) count[r] = counting(from + row + r, high, n, first);
        for (size r = 0; r < some; r++) most[r] = largest(s + r * n, count[r]);
        for (size r = 0; r < some; r++) {
            float *line = s + r * n, shift = most[r];
            const size m = count[r];
            if (precise)
                for (size i = 0; i < m; i++) line[i] = exp_nearest(line[i] - shift);
            else
                for (size i = 0; i < m; i++) line[i] = exp_falling(line[i] - shift);
            for (size i = m; i < n; i++) line[i] = 0;
        }
        for (size r = 0; r < some; r++) share[r] = summed(s + r * n, count[r]);
        for (size r = 0; r < some; r++) {
            float total = share[r] == 0.0f ? 1.0f : share[r];
            share[r] = 1.0f / total;
            sums[r] = log_nearest(total) + most[r];
        }
        for (size r = 0; r < some; r++) {
            float *line = s + r * n, part = share[r];
            for (size i = 0; i < count[r]; i++) line[i] *= part;
        }
    }
}

/* Scores become weights again, and the weights' gradients `d` those of the scores. */
WIDE static void weigh_backward(float *s, float *restrict d, const float *sums, const float *delta, size from, size rows, size n,
                                int precise, size first, size high) {
    for (size row = 0; row < rows; row++, s += n, d += n) {
        float less = sums[row], shift = delta[row];
        const size m = counting(from + row, high, n, first);
        if (precise)
            for (size i = 0; i < m; i++) s[i] = exp_nearest(s[i] - less);
        else
            for (size i = 0; i < m; i++) s[i] = exp_falling(s[i] - less);
        for (size i = 0; i < m; i++) d[i] = (d[i] - shift) * s[i];
        for (size i = m; i < n; i++) s[i] = d[i] = 0;
    }
}

/* The first row's share of a triangle, told as a number: zero for rows that count whole. */
static int triangle(const Argument *s, const Argument *first) {
    return first->whole >= 0 && first->whole <= s->count;
}

static size height(const Argument *s) { return s->ndim > 1 ? s->shape[s->ndim - 2] : 1; }

static int weights_plan(Call *c) {
    const Argument *s = &c->in[0];
    if (s->ndim < 1 || s->count == 0 || !triangle(s, &c->in[3])) return 0;
    c->each = s->shape[s->ndim - 1];
    c->lines = s->count / c->each;
    return have(c, 1, 1, c->lines);
}

static int weights(Call *c, size from, size to) {
    weigh((float *)c->in[0].data + from * c->each, (float *)c->in[1].data + from, from, to - from, c->each, c->in[2].whole != 0,
          c->in[3].whole, height(&c->in[0]));
    return 1;
}

static int scores_backward_plan(Call *c) {
    const Argument *s = &c->in[0], *d = &c->in[1];
    if (d->ndim < 1 || d->count != s->count || s->ndim < 1 || d->shape[d->ndim - 1] != s->shape[s->ndim - 1] || s->count == 0 ||
        !triangle(s, &c->in[5]))
        return 0;
    c->each = s->shape[s->ndim - 1];
    c->lines = s->count / c->each;
    return have(c, 2, 3, c->lines);
}

static int scores_backward(Call *c, size from, size to) {
    const size at = from * c->each;
    weigh_backward((float *)c->in[0].data + at, (float *)c->in[1].data + at, (const float *)c->in[2].data + from,
                   (const float *)c->in[3].data + from, from, to - from, c->each, c->in[4].whole != 0, c->in[5].whole,
                   height(&c->in[0]));
    return 1;
}

const Kernel attention_kernels[] = {
    {"attention_weights", "FFbi", weights_plan, weights,
     "attention_weights(scores, log sums, precise, first): scores become weights; of a triangle `first` count in its first row"},
    {"attention_scores_backward", "FFffbi", scores_backward_plan, scores_backward,
     "attention_scores_backward(scores, gradients of weights, log sums, delta, precise, first)"},
    {0},
};
