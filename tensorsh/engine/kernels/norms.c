/* Layer norm: rows of float32 less their mean, divided by their deviation, and the gradients. Operations round as written. */
#pragma GCC optimize("fp-contract=off")
#include "row_moments.h"

WIDE static void normalize(const float *x, const float *w, const float *b, float *out, float *means, float *rstds,
                           size rows, size n, float eps) {
    float mean[ROWS], variance[ROWS];
    for (size row = 0; row < rows; row++, x += n, out += n) {
        if (row % ROWS == 0) {
            const float *some[ROWS];
            for (int r = 0; r < ROWS; r++) some[r] = row + r < rows ? x + r * n : x;
            row_moments(some, n, mean, variance);
        }
        float m = mean[row % ROWS], v = variance[row % ROWS];
        float rstd = 1.0f / sqrtf((v > 0.0f || v != v ? v : 0.0f) + eps);
        means[row] = m;
        rstds[row] = rstd;
        if (w && b)
            for (size i = 0; i < n; i++) out[i] = __builtin_fmaf((x[i] - m) * rstd, w[i], b[i]);
        else if (w)
            for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd * w[i];
        else if (b)
            for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd + b[i];
        else
            for (size i = 0; i < n; i++) out[i] = (x[i] - m) * rstd;
    }
}

/* Sums along a row, in eight lanes, of g w and g x w. */
INLINE void row_products(const float *g, const float *w, const float *x, size n, float *plain, float *with_x) {
    typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));
    float a[LANES], b[LANES];
    vector sum = {0}, sum_with_x = {0};
    size i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector gradient = *(const vector *)(g + i), product = gradient * *(const vector *)(x + i);
        if (w) {
            vector weight = *(const vector *)(w + i);
            gradient *= weight;
            product *= weight;
        }
        sum += gradient;
        sum_with_x += product;
    }
    *(vector *)a = sum;
    *(vector *)b = sum_with_x;
    if (n < LANES) {
        /* in order */
        for (; i < n; i++) {
            float product = g[i] * x[i];
            a[0] += w ? g[i] * w[i] : g[i];
            b[0] += w ? product * w[i] : product;
        }
    }
    for (int k = 0; i < n; i++, k++) {
        float product = g[i] * x[i];
        a[k] = w ? __builtin_fmaf(g[i], w[i], a[k]) : a[k] + g[i];
        b[k] = w ? __builtin_fmaf(product, w[i], b[k]) : __builtin_fmaf(g[i], x[i], b[k]);
    }
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half], b[k] += b[k + half];
    *plain = a[0];
    *with_x = b[0];
}

/* Gradients of x, and those of weight and bias added to what stands there. */
WIDE static void normalize_backward(const float *g, const float *x, const float *w, const float *means, const float *rstds,
                                    float *dx, float *restrict dw, float *restrict db, size rows, size n) {
    const float scale = 1.0f / (float)n;
    for (size row = 0; row < rows; row++, x += n, g += n) {
        float mean = means[row], rstd = rstds[row], shift = -rstd * mean;
        if (dx) {
            float plain, with_x;
            row_products(g, w, x, n, &plain, &with_x);
            float b = __builtin_fmaf(plain, mean, -with_x) * rstd * rstd * rstd * scale;
            float c = __builtin_fmaf(-b, mean, -(plain * rstd * scale));
            INDEPENDENT
            for (size i = 0; i < n; i++) {
                float scaled = w ? rstd * g[i] * w[i] : rstd * g[i];
                dx[i] = __builtin_fmaf(b, x[i], scaled) + c;
            }
            dx += n;
        }
        if (dw && db) {
            for (size i = 0; i < n; i++) {
                dw[i] = __builtin_fmaf(g[i], __builtin_fmaf(rstd, x[i], shift), dw[i]);
                db[i] += g[i];
            }
        } else if (dw) {
            for (size i = 0; i < n; i++) dw[i] = __builtin_fmaf(g[i], __builtin_fmaf(rstd, x[i], shift), dw[i]);
        } else if (db) {
            for (size i = 0; i < n; i++) db[i] += g[i];
        }
    }
}

/* An argument that may be None: an array of float32 of a size, or NULL; `wrong` is set for what is neither. */
static float *optional(PyObject *object, size n, int changed, int *wrong) {
    if (object == Py_None) return NULL;
    PyArrayObject *array = changed ? writeable(object, NPY_FLOAT) : contiguous(object, NPY_FLOAT);
    if (array != NULL && PyArray_SIZE(array) == n) return PyArray_DATA(array);
    *wrong = 1;
    return NULL;
}

static PyObject *layer_norm(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *x = count == 7 ? contiguous(args[0], NPY_FLOAT) : NULL;
    if (x == NULL || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0) Py_RETURN_NONE;
    size rows = PyArray_DIM(x, 0), n = PyArray_DIM(x, 1);
    int wrong = 0;
    float *w = optional(args[1], n, 0, &wrong), *b = optional(args[2], n, 0, &wrong);
    float *out = optional(args[4], rows * n, 1, &wrong), *mean = optional(args[5], rows, 1, &wrong);
    float *rstd = optional(args[6], rows, 1, &wrong), eps = (float)PyFloat_AsDouble(args[3]);
    if (PyErr_Occurred()) return NULL;
    if (wrong || !out || !mean || !rstd) Py_RETURN_NONE;
    RELEASED(rows * n, normalize(PyArray_DATA(x), w, b, out, mean, rstd, rows, n, eps));
    Py_RETURN_TRUE;
}

static PyObject *layer_norm_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *x = count == 8 ? contiguous(args[1], NPY_FLOAT) : NULL;
    if (x == NULL || PyArray_NDIM(x) != 2 || PyArray_SIZE(x) == 0) Py_RETURN_NONE;
    size rows = PyArray_DIM(x, 0), n = PyArray_DIM(x, 1);
    int wrong = 0;
    float *g = optional(args[0], rows * n, 0, &wrong), *w = optional(args[2], n, 0, &wrong);
    float *mean = optional(args[3], rows, 0, &wrong), *rstd = optional(args[4], rows, 0, &wrong);
    float *dx = optional(args[5], rows * n, 1, &wrong), *dw = optional(args[6], n, 1, &wrong);
    float *db = optional(args[7], n, 1, &wrong);
    if (wrong || !g || !mean || !rstd) Py_RETURN_NONE;
    RELEASED(rows * n, normalize_backward(g, PyArray_DATA(x), w, mean, rstd, dx, dw, db, rows, n));
    Py_RETURN_TRUE;
}

PyMethodDef norm_methods[] = {
    FUNCTION(layer_norm, "layer_norm(x [rows, n], weight or None, bias or None, eps, out, means, reciprocal deviations)"),
    FUNCTION(layer_norm_backward, "layer_norm_backward(g, x, weight or None, means, reciprocal deviations, dx, dw, db), the last three or None"),
    {NULL, NULL, 0, NULL},
};
