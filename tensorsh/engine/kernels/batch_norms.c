/* Batch norm: each channel less its mean, divided by its deviation, and the gradients of float32.

   The sums are PyTorch's. Where a channel's elements lie side by side, [n, c, s]: its moments one after the other in double;
   in the gradients those of an image in eight lanes in float, the images' in double. Where the channels do, [rows, c]: row by
   row in float. What PyTorch's compiler fuses is fused here; all other operations round as written. */
#include "conversions.h"
#include "moments.h"

#define LANES 8
#define TOGETHER 8 /* channels whose moments are added at a time: each addition waits for the one before it */

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));

#define TOGETHER_IN_ROWS 64 /* channels of a row that make a line of work */

/* x [n, c, s] or [n, c]; threads share the channels. */
static int shaped(Call *c, const Argument *x) {
    if (x->ndim < 2 || x->ndim > 3 || x->count == 0) return 0;
    const size together = x->ndim == 3 ? 1 : TOGETHER_IN_ROWS;
    c->lines = (x->shape[1] + together - 1) / together;
    c->each = x->count / x->shape[1] * together, c->apart = 1;
    return 1;
}

#define NUMBER double
#define FUSED __builtin_fma
#define ROOT sqrt
#define OF(name) name##_of_doubles
#include "batch_norm_functions.h"

#define NUMBER float
#define FUSED __builtin_fmaf
#define ROOT sqrtf
#define OF(name) name##_of_floats
#include "batch_norm_functions.h"

/* A channel's sum for half types, whose results are rounded to a few digits: in lanes, of which short pieces are added up in float. */
#define PIECES 32
#define PIECE (8 * PIECES)
INLINE double channel_sum(const float *x, size n, float less, int square) {
    double lanes[PIECES] = {0};
    for (size first = 0, m; first < n; first += m) {
        float some[PIECES] = {0};
        m = n - first < PIECE ? n - first : PIECE;
        for (size i = first; i + PIECES <= first + m; i += PIECES)
            for (int k = 0; k < PIECES; k++) {
                const float v = x[i + k] - less;
                some[k] += square ? v * v : v;
            }
        for (int k = 0; k < PIECES; k++) lanes[k] += some[k];
        for (size i = first + m / PIECES * PIECES; i < first + m; i++) lanes[0] += square ? (x[i] - less) * (x[i] - less) : x[i] - less;
    }
    for (int k = 1; k < PIECES; k++) lanes[0] += lanes[k];
    return lanes[0];
}
WIDE static void moments_in_lanes(const struct norm_of_floats *v) {
    const size count = v->n * v->s;
    const float mean = (float)(channel_sum(v->x, count, 0, 0) / (double)count);
    finish_of_floats(v, 0, mean, (float)channel_sum(v->x, count, mean, 1), count);
}

/* Channels of a half type, one after the other: as floats, which stay near, and back. */
static void batch_norm_of_halves(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size s = x->shape[2];
    const int brain = x->kind == BRAIN;
    float *const room = c->scratch, *rstd = (float *)c->in[6].data + from;
    struct norm_of_floats v = norm_of_of_floats(x, from, to), one;
    given_to_of_floats(c, &v);
    one = v, one.c = 1, one.from = 0, one.to = 1, one.x = one.out = room;
    for (size k = from; k < to && !ends(c, v.n * s); k++, rstd++) {
        one.w = v.w ? v.w + k : NULL, one.b = v.b ? v.b + k : NULL, one.mean = v.mean + k, one.rstd = v.rstd + k;
        one.running_mean = v.running_mean ? v.running_mean + k : NULL, one.running_var = v.running_var ? v.running_var + k : NULL;
        float known;
        for (size n = 0; n < v.n; n++) halves_to_floats(brain, (const uint16_t *)x->data + (n * v.c + k) * s, room + n * s, s);
        if (c->in[11].data) given_of_floats(&one, (const float *)c->in[11].data + k, &known);
        else moments_in_lanes(&one);
        images_of_floats(&one, c->in[11].data ? &known : rstd);
        for (size n = 0; n < v.n; n++) floats_to_halves(brain, room + n * s, (uint16_t *)c->in[4].data + (n * v.c + k) * s, s);
    }
}

/* Sums along an image of g and of g (x - mean), in eight lanes; a vector's rest is fused, a short line in order. */
INLINE void image_products(const float *g, const float *x, float mean, size n, float *plain, float *with_x) {
    float a[LANES], b[LANES];
    size i = LANES;
    if (n < LANES) {
        a[0] = g[0], b[0] = (x[0] - mean) * g[0];
        for (i = 1; i < n; i++) a[0] += g[i], b[0] += (x[i] - mean) * g[i];
        *plain = a[0], *with_x = b[0];
        return;
    }
    vector sum = *(const vector *)g, sum_with_x = (*(const vector *)x - mean) * sum;
    for (; i + LANES <= n; i += LANES) {
        vector gradient = *(const vector *)(g + i);
        sum += gradient;
        sum_with_x += (*(const vector *)(x + i) - mean) * gradient;
    }
    *(vector *)a = sum;
    *(vector *)b = sum_with_x;
    for (int k = 0; i < n; i++, k++) a[k] += g[i], b[k] = __builtin_fmaf(x[i] - mean, g[i], b[k]);
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half], b[k] += b[k + half];
    *plain = a[0], *with_x = b[0];
}

WIDE static void images_backward(const struct norm_of_floats *v) {
    const size s = v->s, count = v->n * s;
    for (size c = v->from; c < v->to; c++) {
        double sum = 0, with_x = 0;
        const float mean = v->mean[c], rstd = v->rstd[c], w = v->w ? v->w[c] : 1.0f;
        for (size n = 0; n < v->n; n++) {
            const size at = (n * v->c + c) * s;
            float a, b;
            image_products(v->g + at, v->x + at, mean, s, &a, &b);
            sum += a, with_x += b;
        }
        if (v->dw) v->dw[c] = (float)(with_x * rstd);
        if (v->db) v->db[c] = (float)sum;
        const float along = (float)with_x * rstd * rstd / (float)count, centre = (float)(sum / (double)count);
        for (size n = 0; v->out && n < v->n; n++) {
            const size at = (n * v->c + c) * s;
            const float *g = v->g + at, *x = v->x + at;
            float *dx = v->out + at;
            if (v->training) {
                INDEPENDENT
                for (size i = 0; i < s; i++) dx[i] = __builtin_fmaf(mean - x[i], along, g[i] - centre) * rstd * w;
            } else {
                INDEPENDENT
                for (size i = 0; i < s; i++) dx[i] = g[i] * rstd * w;
            }
        }
    }
}

WIDE static void rows_backward(const struct norm_of_floats *v, float *restrict sum, float *restrict with_x) {
    const size c = v->c, from = v->from, to = v->to, last = c / LANES * LANES, whole = to < last ? to : last;
    const float count = (float)v->n;
    for (size k = from; k < to; k++) sum[k] = with_x[k] = 0;
    for (size n = 0; n < v->n; n++) {
        const float *g = v->g + n * c, *x = v->x + n * c;
        for (size k = from; k < to; k++) {
            sum[k] += g[k];
            with_x[k] = __builtin_fmaf(x[k] - v->mean[k], g[k], with_x[k]);
        }
    }
    for (size k = from; k < to; k++) {
        if (v->dw) v->dw[k] = with_x[k] * v->rstd[k];
        if (v->db) v->db[k] = sum[k];
        with_x[k] = with_x[k] * v->rstd[k] * v->rstd[k] / count;
        sum[k] /= count;
    }
    for (size n = 0; v->out && n < v->n; n++) {
        const float *g = v->g + n * c, *x = v->x + n * c, *mean = v->mean, *rstd = v->rstd, *w = v->w;
        float *restrict dx = v->out + n * c;
        if (!v->training) {
            for (size k = from; k < to; k++) dx[k] = g[k] * rstd[k];
        } else {
            for (size k = from; k < whole; k++) dx[k] = __builtin_fmaf(mean[k] - x[k], with_x[k], g[k] - sum[k]) * rstd[k];
            for (size k = from < whole ? whole : from; k < to; k++) dx[k] = (g[k] - sum[k] - (x[k] - mean[k]) * with_x[k]) * rstd[k];
        }
        for (size k = from; w && k < to; k++) dx[k] *= w[k];
    }
}

static int batch_norm_plan(Call *c) {
    const Argument *x = &c->in[0];
    const int known = c->in[11].data != NULL, half = x->kind == HALF || x->kind == BRAIN;
    if (!shaped(c, x) || known != (c->in[10].data != NULL) || !norm_kinds(c, 11) || (half && x->ndim != 3)) return 0;
    if (half) c->room = x->shape[0] * x->shape[2] * (size)sizeof(float);
    else c->room = ((x->ndim == 2 ? 2 : 0) + (known ? 1 : 0)) * x->shape[1] * x->item;
    return have(c, 1, 2, x->shape[1]) && have(c, 4, 4, x->count) && have(c, 5, 8, x->shape[1]) && have(c, 10, 11, x->shape[1]);
}

static int batch_norm(Call *c, size from, size to) {
    if (c->in[0].kind == FLOAT32) batch_norm_of_floats(c, from, to);
    else if (c->in[0].kind == FLOAT64) batch_norm_of_doubles(c, from, to);
    else batch_norm_of_halves(c, from, to);
    return 1;
}

static int batch_norm_backward_plan(Call *c) {
    const Argument *x = &c->in[1];
    if (!shaped(c, x)) return 0;
    c->room = x->ndim == 2 ? 2 * x->shape[1] * (size)sizeof(float) : 0;
    return have(c, 0, 0, x->count) && have(c, 2, 4, x->shape[1]) && have(c, 6, 6, x->count) && have(c, 7, 8, x->shape[1]);
}

static int batch_norm_backward(Call *c, size from, size to) {
    struct norm_of_floats v = norm_of_of_floats(&c->in[1], from, to);
    v.g = c->in[0].data, v.w = c->in[2].data, v.mean = c->in[3].data, v.rstd = c->in[4].data, v.training = c->in[5].whole != 0;
    v.out = c->in[6].data, v.dw = c->in[7].data, v.db = c->in[8].data;
    if (v.s) images_backward(&v);
    else rows_backward(&v, c->scratch, (float *)c->scratch + v.c);
    return 1;
}

const Kernel batch_norm_kernels[] = {
    {"batch_norm", "hr?r?xHRRR?R?xr?r?", batch_norm_plan, batch_norm,
     "batch_norm(x [n, c, s] or [n, c], weight, bias, eps, out, mean, rstd, running mean, running variance, momentum, given mean, "
     "given variance)"},
    {"batch_norm_backward", "fff?ffbF?F?F?", batch_norm_backward_plan, batch_norm_backward,
     "batch_norm_backward(g, x, weight, mean, rstd, training, dx, dw, db)"},
    {0},
};
