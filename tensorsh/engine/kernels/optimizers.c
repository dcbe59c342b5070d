/* Steps of optimizers in one pass over parameter, gradient and state.

   Every operation rounds as it is written, as PyTorch's kernels do, which fuse the multiplications and additions written as
   fmaf. */
#pragma GCC optimize("fp-contract=off")
#include "common.h"

#define MOST 5

/* The first `wanted` arguments as float32 arrays of one size, all but the second (the gradient) writeable; their size,
   or -1. */
static size arrays_of(PyObject *const *args, int wanted, float **data) {
    size n = -1;
    for (int k = 0; k < wanted; k++) {
        PyArrayObject *a = k == 1 ? contiguous(args[k], NPY_FLOAT) : writeable(args[k], NPY_FLOAT);
        if (a == NULL || (k && PyArray_SIZE(a) != n)) return -1;
        n = PyArray_SIZE(a);
        data[k] = PyArray_DATA(a);
    }
    return n;
}

/* `count` numbers as floats. */
static int numbers_of(PyObject *const *args, int count, float *numbers) {
    for (int k = 0; k < count; k++) {
        double x = PyFloat_AsDouble(args[k]);
        if (x == -1.0 && PyErr_Occurred()) return 0;
        numbers[k] = (float)x;
    }
    return 1;
}

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
   so far; `keep` is what decoupled decay leaves of x. */
WIDE static void adapt(float *restrict x, const float *restrict g, float *restrict m, float *restrict v,
                       float *restrict most, size n, struct adam a) {
    int far = a.less1 >= 0.5f;
    for (size i = 0; i < n; i++) {
        float p = x[i] * a.keep, d = g[i] * a.sign;
        d = a.decay != 0.0f ? __builtin_fmaf(p, a.decay, d) : d;
        float change = d - m[i];
        float mean = far ? __builtin_fmaf(change, -(1.0f - a.less1), d) : __builtin_fmaf(change, a.less1, m[i]);
        m[i] = mean;
        float square = __builtin_fmaf(d * a.less2, d, v[i] * a.beta2);
        v[i] = square;
        if (most) {
            /* numpy's and PyTorch's maximum: NaN wins */
            square = most[i] >= square || most[i] != most[i] ? most[i] : square;
            most[i] = square;
        }
        float root = sqrtf(square) / a.correction + a.eps;
        x[i] = p + mean * a.rate / root;
    }
}

static PyObject *sgd_step(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[MOST], v[3];
    size n = count == 5 ? arrays_of(args, 2, a) : -1;
    if (n < 0 || !numbers_of(args + 2, 3, v)) NONE_UNLESS_ERROR;
    RELEASED(n, descend(a[0], a[1], n, v[0], v[1], v[2]));
    Py_RETURN_TRUE;
}

static PyObject *momentum_step(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[MOST], v[6];
    size n = count == 9 ? arrays_of(args, 3, a) : -1;
    if (n < 0 || !numbers_of(args + 3, 6, v)) NONE_UNLESS_ERROR;
    RELEASED(n, roll(a[0], a[1], a[2], n, v[0], v[1], v[2], v[3], v[4], v[5] != 0.0f));
    Py_RETURN_TRUE;
}

static PyObject *adam_step(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    float *a[MOST], v[9];
    int arrays = count == 14 ? 5 : 4;
    size n = count == 13 || count == 14 ? arrays_of(args, arrays, a) : -1;
    if (n < 0 || !numbers_of(args + arrays, 9, v)) NONE_UNLESS_ERROR;
    struct adam numbers = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
    RELEASED(n, adapt(a[0], a[1], a[2], a[3], arrays == 5 ? a[4] : NULL, n, numbers));
    Py_RETURN_TRUE;
}

PyMethodDef optimizer_methods[] = {
    FUNCTION(sgd_step, "sgd_step(x, g, rate, decay, sign): x += rate * (sign * g + decay * x)"),
    FUNCTION(momentum_step, "momentum_step(x, g, m, rate, decay, sign, momentum, share, nesterov)"),
    FUNCTION(adam_step, "adam_step(x, g, m, v[, largest v], rate, decay, keep, sign, 1-beta1, 1-beta2, correction, eps, beta2)"),
    {NULL, NULL, 0, NULL},
};
