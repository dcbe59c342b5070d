/* One step of an LSTM or a GRU for all samples: what stands between the products with the weights. */
#include "vector_math.h"

INLINE float sigmoid_single(float x) { return 1.0f / (1.0f + exp_single(-x)); }

/* By exp, near 0 by Cephes' polynomial: to two units in the last place. */
INLINE float tanh_single(float x) {
    float z = x * x, e = exp_single(-2.0f * fabsf(x));
    float p = -5.70498872745e-3f;
    p = FMAF(p, z, 2.06390887954e-2f);
    p = FMAF(p, z, -5.37397155531e-2f);
    p = FMAF(p, z, 1.33314422036e-1f);
    p = FMAF(p, z, -3.33332819422e-1f);
    p = FMAF(p * z, x, x);
    return fabsf(x) < 0.625f ? p : copysignf((1.0f - e) / (1.0f + e), x);
}

WIDE static void lstm_forward(float *gate, const float *product, const float *before, float *cell, float *squashed, float *y,
                              size rows, size n) {
    for (size row = 0; row < rows; row++, gate += 4 * n, product += 4 * n) {
        INDEPENDENT
        for (size k = 0; k < n; k++) {
            float i = sigmoid_single(gate[k] + product[k]), f = sigmoid_single(gate[n + k] + product[n + k]);
            float g = tanh_single(gate[2 * n + k] + product[2 * n + k]);
            float o = sigmoid_single(gate[3 * n + k] + product[3 * n + k]);
            float c = FMAF(f, before[row * n + k], i * g), s = tanh_single(c);
            gate[k] = i, gate[n + k] = f, gate[2 * n + k] = g, gate[3 * n + k] = o;
            cell[row * n + k] = c;
            squashed[row * n + k] = s;
            y[row * n + k] = o * s;
        }
    }
}

/* From the gradients of the step's state (gy, where it is `given`, and dh) and cell (dc): those of the gates, and of the cell
   before. */
INLINE void lstm_gradients(const float *gate, const float *before, const float *squashed, const float *gy, const float *dh,
                           float *dc, float *d, size rows, size n, int given) {
    for (size row = 0; row < rows; row++, gate += 4 * n, d += 4 * n) {
        INDEPENDENT
        for (size k = 0; k < n; k++) {
            size at = row * n + k;
            float i = gate[k], f = gate[n + k], g = gate[2 * n + k], o = gate[3 * n + k], s = squashed[at];
            float h = given ? dh[at] + gy[at] : dh[at], c = FMAF(h, o * FMAF(-s, s, 1.0f), dc[at]);
            d[k] = c * (g * (i * (1.0f - i)));
            d[n + k] = c * (before[at] * (f * (1.0f - f)));
            d[2 * n + k] = c * (i * FMAF(-g, g, 1.0f));
            d[3 * n + k] = h * (s * (o * (1.0f - o)));
            dc[at] = c * f;
        }
    }
}

WIDE static void lstm_back(const float *gate, const float *before, const float *squashed, const float *gy, const float *dh,
                           float *dc, float *d, size rows, size n) {
    /* two loops: one that asks for each element reads from nowhere under a mask, which takes hundreds of cycles */
    if (gy) lstm_gradients(gate, before, squashed, gy, dh, dc, d, rows, n, 1);
    else lstm_gradients(gate, before, squashed, gy, dh, dc, d, rows, n, 0);
}

WIDE static void gru_forward(float *gate, const float *product, const float *before, float *inner, float *y, size rows,
                             size n) {
    for (size row = 0; row < rows; row++, gate += 3 * n, product += 3 * n) {
        INDEPENDENT
        for (size k = 0; k < n; k++) {
            size at = row * n + k;
            float r = sigmoid_single(gate[k] + product[k]), z = sigmoid_single(gate[n + k] + product[n + k]);
            float p = product[2 * n + k], new = tanh_single(FMAF(r, p, gate[2 * n + k]));
            gate[k] = r, gate[n + k] = z, gate[2 * n + k] = new;
            inner[at] = p;
            y[at] = FMAF(before[at] - new, z, new);
        }
    }
}

/* Matrices of as many rows: by the letters of `kinds` of gates, which the first is, or of states. A row of gates is `gates`
   rows of states. */
static int matrices(Call *c, const char *kinds, size gates) {
    const Argument *first = &c->in[0];
    if (first->ndim != 2 || first->shape[1] % gates) return 0;
    c->lines = first->shape[0], c->each = first->shape[1] / gates;
    for (int k = 0; kinds[k]; k++) {
        const size shape[] = {c->lines, kinds[k] == 'g' ? first->shape[1] : c->each};
        if (c->in[k].data && !has_shape(&c->in[k], 2, shape)) return 0;
    }
    return 1;
}

/* Row `from` of a matrix of gates (`wide` of them) or states, if it is there. */
INLINE float *row_of(const Call *c, int k, size from, size wide) {
    return c->in[k].data ? (float *)c->in[k].data + from * wide * c->each : NULL;
}

static int lstm_plan(Call *c) { return matrices(c, "ggssss", 4); }
static int lstm_step(Call *c, size from, size to) {
    lstm_forward(row_of(c, 0, from, 4), row_of(c, 1, from, 4), row_of(c, 2, from, 1), row_of(c, 3, from, 1), row_of(c, 4, from, 1),
                 row_of(c, 5, from, 1), to - from, c->each);
    return 1;
}

static int lstm_backward_plan(Call *c) { return matrices(c, "gsssssg", 4); }
static int lstm_step_backward(Call *c, size from, size to) {
    lstm_back(row_of(c, 0, from, 4), row_of(c, 1, from, 1), row_of(c, 2, from, 1), row_of(c, 3, from, 1), row_of(c, 4, from, 1),
              row_of(c, 5, from, 1), row_of(c, 6, from, 4), to - from, c->each);
    return 1;
}

static int gru_plan(Call *c) { return matrices(c, "ggsss", 3); }
static int gru_step(Call *c, size from, size to) {
    gru_forward(row_of(c, 0, from, 3), row_of(c, 1, from, 3), row_of(c, 2, from, 1), row_of(c, 3, from, 1), row_of(c, 4, from, 1),
                to - from, c->each);
    return 1;
}

const Kernel recurrent_kernels[] = {
    {"lstm_step", "FffFFF", lstm_plan, lstm_step,
     "lstm_step(gates, state's product, cell before, cell, its tanh, state): gates become their values"},
    {"lstm_step_backward", "ffff?fFF", lstm_backward_plan, lstm_step_backward,
     "lstm_step_backward(gates, cell before, tanh, gy or None, dh, dc, d): dc becomes that of the cell before"},
    {"gru_step", "FffFF", gru_plan, gru_step,
     "gru_step(gates, state's product, state before, its part of the candidate, state)"},
    {0},
};
