/* Batch norm of one type of numbers: NUMBER, with its FUSED product and sum and its ROOT; OF(name) is the name of a function for it. */

/* The arrays of a call; those that may be missing are NULL. */
struct OF(norm) {
    const NUMBER *g, *x, *w, *b;
    NUMBER *out, *mean, *rstd, *dw, *db;
    NUMBER *running_mean, *running_var;
    double eps, momentum;
    size n, c, s, from, to; /* channels from..to are worked on */
    int training;
};

/* What follows from a channel's mean and sum of squared distances. */
INLINE void OF(finish)(const struct OF(norm) *v, size c, NUMBER mean, NUMBER squares, size count) {
    v->mean[c] = mean;
    v->rstd[c] = (NUMBER)(1.0 / sqrt((double)(squares / (NUMBER)count) + v->eps));
    const NUMBER share = (NUMBER)v->momentum, rest = (NUMBER)(1.0 - v->momentum);
    if (v->running_mean) v->running_mean[c] = share * mean + rest * v->running_mean[c];
    if (v->running_var) v->running_var[c] = (NUMBER)((double)share * (squares / (NUMBER)(count - 1)) + rest * v->running_var[c]);
}

WIDE static void OF(image_moments)(const struct OF(norm) *v) {
    const size s = v->s, count = v->n * s;
    for (size c = v->from; c < v->to; c += TOGETHER) {
        const size some = v->to - c < TOGETHER ? v->to - c : TOGETHER;
        const NUMBER *from[TOGETHER];
        double sums[TOGETHER] = {0}, squares[TOGETHER] = {0};
        NUMBER means[TOGETHER];
        for (size k = 0; k < TOGETHER; k++) from[k] = v->x + (k < some ? c + k : c) * s;
        for (size n = 0; n < v->n; n++) {
            const size at = n * v->c * s;
            for (size i = at; i < at + s; i++)
                for (int k = 0; k < TOGETHER; k++) sums[k] += from[k][i];
        }
        for (int k = 0; k < TOGETHER; k++) means[k] = (NUMBER)(sums[k] / (double)count);
        for (size n = 0; n < v->n; n++) {
            const size at = n * v->c * s;
            for (size i = at; i < at + s; i++)
                for (int k = 0; k < TOGETHER; k++) {
                    NUMBER distance = from[k][i] - means[k];
                    squares[k] += distance * distance;
                }
        }
        for (size k = 0; k < some; k++) OF(finish)(v, c + k, means[k], (NUMBER)squares[k], count);
    }
}

WIDE static void OF(row_moments)(const struct OF(norm) *v) {
    const size c = v->c, from = v->from, to = v->to;
    NUMBER *restrict mean = v->mean, *restrict squares = v->rstd;
    for (size k = from; k < to; k++) mean[k] = squares[k] = 0;
    for (size n = 0; n < v->n; n++)
        for (size k = from; k < to; k++) mean[k] += v->x[n * c + k];
    for (size k = from; k < to; k++) mean[k] = (NUMBER)((double)mean[k] / (double)v->n);
    for (size n = 0; n < v->n; n++)
        for (size k = from; k < to; k++) {
            NUMBER distance = v->x[n * c + k] - mean[k];
            squares[k] = FUSED(distance, distance, squares[k]);
        }
    for (size k = from; k < to; k++) OF(finish)(v, k, mean[k], squares[k], v->n);
}

/* out = x scale + shift, with a channel's scale and shift from its mean and reciprocal deviation. */
INLINE void OF(affine)(const struct OF(norm) *v, size c, NUMBER rstd, NUMBER *scale, NUMBER *shift) {
    *scale = v->w ? rstd * v->w[c] : rstd;
    *shift = FUSED(-v->mean[c], *scale, v->b ? v->b[c] : 0);
}

WIDE static void OF(images)(const struct OF(norm) *v, const NUMBER *rstd) {
    const size s = v->s;
    for (size n = 0; n < v->n; n++)
        for (size c = v->from; c < v->to; c++) {
            NUMBER scale, shift;
            OF(affine)(v, c, rstd[c], &scale, &shift);
            const NUMBER *x = v->x + (n * v->c + c) * s;
            NUMBER *out = v->out + (n * v->c + c) * s;
            INDEPENDENT
            for (size i = 0; i < s; i++) out[i] = FUSED(x[i], scale, shift);
        }
}

WIDE static void OF(rows)(const struct OF(norm) *v, const NUMBER *rstd, NUMBER *restrict scale, NUMBER *restrict shift) {
    const size c = v->c, from = v->from, to = v->to;
    for (size k = from; k < to; k++) OF(affine)(v, k, rstd[k], scale + k, shift + k);
    for (size n = 0; n < v->n; n++)
        for (size k = from; k < to; k++) v->out[n * c + k] = FUSED(v->x[n * c + k], scale[k], shift[k]);
}

/* A channel's reciprocal deviation in evaluation: in NUMBER for the result, in double for the gradients. */
static void OF(given)(const struct OF(norm) *v, const NUMBER *var, NUMBER *rstd) {
    for (size c = v->from; c < v->to; c++) {
        rstd[c] = 1 / ROOT(var[c] + (NUMBER)v->eps);
        v->rstd[c] = (NUMBER)(1.0 / sqrt((double)var[c] + v->eps));
    }
}

/* The channels of lines from..to. */
static struct OF(norm) OF(norm_of)(const Argument *x, size from, size to) {
    const size channels = x->shape[1], together = x->ndim == 3 ? 1 : TOGETHER_IN_ROWS;
    return (struct OF(norm)){.x = x->data, .n = x->shape[0], .c = channels, .s = x->ndim == 3 ? x->shape[2] : 0,
                             .from = from * together, .to = to * together < channels ? to * together : channels};
}

/* The other arrays and numbers of a call. */
static void OF(given_to)(const Call *c, struct OF(norm) *v) {
    v->w = c->in[1].data, v->b = c->in[2].data, v->eps = c->in[3].number, v->out = c->in[4].data, v->rstd = c->in[6].data;
    v->running_mean = c->in[7].data, v->running_var = c->in[8].data, v->momentum = c->in[9].number;
    v->mean = c->in[c->in[11].data ? 10 : 5].data;
}

static void OF(batch_norm)(Call *c, size from, size to) {
    struct OF(norm) v = OF(norm_of)(&c->in[0], from, to);
    const NUMBER *var = c->in[11].data;
    NUMBER *room = c->scratch, *rstd = c->in[6].data;
    OF(given_to)(c, &v);
    if (var) OF(given)(&v, var, rstd = room + (v.s ? 0 : 2 * v.c));
    else if (v.s) OF(image_moments)(&v);
    else OF(row_moments)(&v);
    if (v.s) OF(images)(&v, rstd);
    else OF(rows)(&v, rstd, room, room + v.c);
}

#undef NUMBER
#undef FUSED
#undef ROOT
#undef OF
