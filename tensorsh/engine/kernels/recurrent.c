/* One step of an LSTM or a GRU for all samples: what stands between the products with the weights. */
#include "vector_math.h"

INLINE float sigmoid_single(float x) { return 1.0f / (1.0f + exp_single(-x)); }

/* By exp, near 0 by Cephes' polynomial: to two units in the last place. */
INLINE float tanh_single(float x) {
    float z = x * x, e = exp_single(-2.0f * fabsf(x));
    float p = -5.70498872745e-3f;
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    p = p * z * x + x;
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
            float c = f * *(before + row * n + k) + i * g, s = tanh_single(c);
            gate[k] = i, gate[n + k] = f, gate[2 * n + k] = g, gate[3 * n + k] = o;
            cell[row * n + k] = c;
            squashed[row * n + k] = s;
            y[row * n + k] = o * s;
        }
    }
}

/* From the gradients of the step's state (gy and dh) and cell (dc): those of the gates, and of the cell before. */
WIDE static void lstm_back(const float *gate, const float *before, const float *squashed, const float *gy, const float *dh,
                           float *dc, float *d, size rows, size n) {
    for (size row = 0; row < rows; row++, gate += 4 * n, d += 4 * n) {
        INDEPENDENT
        for (size k = 0; k < n; k++) {
            size at = row * n + k;
            float i = gate[k], f = gate[n + k], g = gate[2 * n + k], o = gate[3 * n + k], s = squashed[at];
            float h = gy ? dh[at] + gy[at] : dh[at], c = dc[at] + h * (o * (1.0f - s * s));
            d[k] = c * (g * (i * (1.0f - i)));
            d[n + k] = c * (before[at] * (f * (1.0f - f)));
            d[2 * n + k] = c * (i * (1.0f - g * g));
            d[3 * n + k] = h * (s * (o * (1.0f - o)));
            dc[at] = c * f;
        }
    }
}

WIDE static void gru_forward(float *gate, const float *product, const float *before, float *inner, float *y, size rows,
                             size n) {
    for (size row = 0; row < rows; row++, gate += 3 * n, product += 3 * n) {
        INDEPENDENT
        for (size k = 0; k < n; k++) {
            size at = row * n + k;
            float r = sigmoid_single(gate[k] + product[k]), z = sigmoid_single(gate[n + k] + product[n + k]);
            float p = product[2 * n + k], new = tanh_single(gate[2 * n + k] + r * p);
            gate[k] = r, gate[n + k] = z, gate[2 * n + k] = new;
            inner[at] = p;
            y[at] = (before[at] - new) * z + new;
        }
    }
}

/* Matrices of `rows` rows of `width` elements each, `written` says which are written to; NULL for what may be None. */
static int matrices(PyObject *const *args, const char *kinds, float **data, size *rows, size *n) {
    for (int k = 0; kinds[k]; k++) {
        /* g: a row of gates, which the first matrix is; s: a row of states; capitals are written to; ?: perhaps None */
        if (kinds[k] == '?' && args[k] == Py_None) {
            data[k] = NULL;
            continue;
        }
        int wide = kinds[k] == 'g' || kinds[k] == 'G';
        PyArrayObject *a = kinds[k] < 'a' && kinds[k] != '?' ? writeable(args[k], NPY_FLOAT) : contiguous(args[k], NPY_FLOAT);
        if (a == NULL || PyArray_NDIM(a) != 2) return 0;
        if (k == 0) *rows = PyArray_DIM(a, 0), *n = PyArray_DIM(a, 1) / *n;
        size wanted = k == 0 ? PyArray_DIM(a, 1) : wide ? PyArray_DIM((PyArrayObject *)args[0], 1) : *n;
        if (PyArray_DIM(a, 0) != *rows || PyArray_DIM(a, 1) != wanted) return 0;
        data[k] = PyArray_DATA(a);
    }
    return 1;
}

static PyObject *lstm_step(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[6];
    size rows = 0, n = 4;
    if (count != 6 || !matrices(args, "GgsSSS", a, &rows, &n) || PyArray_DIM((PyArrayObject *)args[0], 1) != 4 * n)
        Py_RETURN_NONE;
    RELEASED(rows * n, lstm_forward(a[0], a[1], a[2], a[3], a[4], a[5], rows, n));
    Py_RETURN_TRUE;
}

static PyObject *lstm_step_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[7];
    size rows = 0, n = 4;
    if (count != 7 || !matrices(args, "gss?sSG", a, &rows, &n) || PyArray_DIM((PyArrayObject *)args[0], 1) != 4 * n)
        Py_RETURN_NONE;
    RELEASED(rows * n, lstm_back(a[0], a[1], a[2], a[3], a[4], a[5], a[6], rows, n));
    Py_RETURN_TRUE;
}

static PyObject *gru_step(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[5];
    size rows = 0, n = 3;
    if (count != 5 || !matrices(args, "GgsSS", a, &rows, &n) || PyArray_DIM((PyArrayObject *)args[0], 1) != 3 * n)
        Py_RETURN_NONE;
    RELEASED(rows * n, gru_forward(a[0], a[1], a[2], a[3], a[4], rows, n));
    Py_RETURN_TRUE;
}

PyMethodDef recurrent_methods[] = {
    FUNCTION(lstm_step, "lstm_step(gates, state's product, cell before, cell, its tanh, state): gates become their values"),
    FUNCTION(lstm_step_backward, "lstm_step_backward(gates, cell before, tanh, gy or None, dh, dc, d): dc becomes that of the cell before"),
    FUNCTION(gru_step, "gru_step(gates, state's product, state before, its part of the candidate, state)"),
    {NULL, NULL, 0, NULL},
};
