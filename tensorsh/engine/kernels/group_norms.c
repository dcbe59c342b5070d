/* Group norm: groups of channels that lie side by side, float32, less their mean and divided by their deviation, and the
   gradients. Sums are added as PyTorch adds them, and what its compiler fuses is fused; other operations round as written. */
#pragma GCC optimize("fp-contract=off")
#include "row_moments.h"

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));

/* `groups` groups, each of d channels of s elements; a group's weights are found by its number among those of a sample. */
struct groups {
    const float *g, *x, *w, *b;
    float *out, *mean, *rstd, *sum, *with_x; /* of a channel: the sums of g and of g x */
    double eps;
    size groups, d, s, of_sample;
};

WIDE static void normalize(const struct groups *v) {
    const size n = v->d * v->s;
    float mean[ROWS], variance[ROWS];
    for (size i = 0; i < v->groups; i++) {
        const float *x = v->x + i * n;
        float *out = v->out + i * n;
        if (i % ROWS == 0) {
            const float *some[ROWS];
            for (int r = 0; r < ROWS; r++) some[r] = i + r < v->groups ? x + r * n : x;
            row_moments(some, n, mean, variance);
        }
        const float m = mean[i % ROWS], var = variance[i % ROWS];
        const float rstd = (float)(1.0 / sqrt((var > 0.0f || var != var ? var : 0.0f) + v->eps));
        v->mean[i] = m;
        v->rstd[i] = rstd;
        if (!v->w && !v->b) {
            INDEPENDENT
            for (size k = 0; k < n; k++) out[k] = (x[k] - m) * rstd;
            continue;
        }
        for (size j = 0; j < v->d; j++, x += v->s, out += v->s) {
            const size c = i % v->of_sample * v->d + j;
            const float scale = v->w ? rstd * v->w[c] : rstd;
            const float shift = __builtin_fmaf(-scale, m, v->b ? v->b[c] : 0.0f);
            INDEPENDENT
            for (size k = 0; k < v->s; k++) out[k] = __builtin_fmaf(scale, x[k], shift);
        }
    }
}

/* Sums along a channel of g and of g x, in eight lanes; a vector's rest is fused, a short line in order. */
INLINE void products(const float *g, const float *x, size n, float *plain, float *with_x) {
    float a[LANES], b[LANES];
    size i = LANES;
    if (n < LANES) {
        a[0] = g[0], b[0] = g[0] * x[0];
        for (i = 1; i < n; i++) a[0] += g[i], b[0] += g[i] * x[i];
        *plain = a[0], *with_x = b[0];
        return;
    }
    vector sum = *(const vector *)g, sum_with_x = sum * *(const vector *)x;
    for (; i + LANES <= n; i += LANES) {
        vector gradient = *(const vector *)(g + i);
        sum += gradient;
        sum_with_x += gradient * *(const vector *)(x + i);
    }
    *(vector *)a = sum;
    *(vector *)b = sum_with_x;
    for (int k = 0; i < n; i++, k++) a[k] += g[i], b[k] += g[i] * x[i];
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half], b[k] += b[k + half];
    *plain = a[0], *with_x = b[0];
}

/* The sum over a group's channels of their sums times their weights: in lanes, then the others, of which PyTorch's
   compiler multiplies four at a time. */
INLINE float weighted(const float *sums, const float *w, size d) {
    float lanes[LANES] = {0}, total = 0;
    size j = 0;
    for (; j + LANES <= d; j += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] = w ? __builtin_fmaf(sums[j + k], w[j + k], lanes[k]) : lanes[k] + sums[j + k];
    for (int k = 0; k < LANES; k++) total += lanes[k];
    const size fours = j + (d - j) / 4 * 4;
    for (; j < fours; j++) total += w ? sums[j] * w[j] : sums[j];
    for (; j < d; j++) total = w ? __builtin_fmaf(sums[j], w[j], total) : total + sums[j];
    return total;
}

WIDE static void normalize_backward(const struct groups *v) {
    for (size c = 0; c < v->groups * v->d; c++) products(v->g + c * v->s, v->x + c * v->s, v->s, v->sum + c, v->with_x + c);
    if (!v->out) return;
    const float scale = 1.0f / (float)(v->d * v->s);
    for (size i = 0; i < v->groups; i++) {
        const float mean = v->mean[i], rstd = v->rstd[i], *w = v->w ? v->w + i % v->of_sample * v->d : NULL;
        const float plain = weighted(v->sum + i * v->d, w, v->d), with_x = weighted(v->with_x + i * v->d, w, v->d);
        const float b = __builtin_fmaf(plain, mean, -with_x) * rstd * rstd * rstd * scale;
        const float c = __builtin_fmaf(-(plain * rstd), scale, -b * mean);
        for (size j = 0; j < v->d; j++) {
            const size at = (i * v->d + j) * v->s;
            const float *g = v->g + at, *x = v->x + at, a = w ? rstd * w[j] : rstd;
            float *dx = v->out + at;
            INDEPENDENT
            for (size k = 0; k < v->s; k++) dx[k] = __builtin_fmaf(a, g[k], b * x[k]) + c;
        }
    }
}

/* The gradients of weight and bias from the channels' sums, sample by sample. */
WIDE static void weights_backward(const struct groups *v, float *dw, float *db) {
    const size channels = v->of_sample * v->d;
    for (size c = 0; c < channels; c++) {
        float plain = 0, with_x = 0;
        for (size n = 0; n < v->groups / v->of_sample; n++) {
            const size group = n * v->of_sample + c / v->d, at = n * channels + c;
            with_x = __builtin_fmaf(__builtin_fmaf(-v->sum[at], v->mean[group], v->with_x[at]), v->rstd[group], with_x);
            plain += v->sum[at];
        }
        if (dw) dw[c] = with_x;
        if (db) db[c] = plain;
    }
}

/* An array [groups, channels of a group, s], and how many groups a sample has; NULL for anything else. */
static float *grouped(struct groups *v, PyObject *array, PyObject *of_sample) {
    PyArrayObject *x = contiguous(array, NPY_FLOAT);
    if (x == NULL || PyArray_NDIM(x) != 3 || PyArray_SIZE(x) == 0) return NULL;
    v->groups = PyArray_DIM(x, 0);
    v->d = PyArray_DIM(x, 1);
    v->s = PyArray_DIM(x, 2);
    v->of_sample = PyLong_AsSsize_t(of_sample);
    return v->of_sample > 0 ? PyArray_DATA(x) : NULL;
}

static PyObject *group_norm(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    struct groups v = {0};
    float *w = NULL, *b = NULL;
    if (count != 8 || !(v.x = grouped(&v, args[0], args[7]))) NONE_UNLESS_ERROR;
    v.eps = PyFloat_AsDouble(args[3]);
    if (PyErr_Occurred()) return NULL;
    if (!taken(args + 1, 2, (float **[]){&w, &b}, v.of_sample * v.d, 0) ||
        !taken(args + 4, 1, &(float **){&v.out}, v.groups * v.d * v.s, 1) ||
        !taken(args + 5, 2, (float **[]){&v.mean, &v.rstd}, v.groups, 1) || !v.out || !v.mean || !v.rstd)
        Py_RETURN_NONE;
    v.w = w, v.b = b;
    RELEASED(v.groups * v.d * v.s, normalize(&v));
    Py_RETURN_TRUE;
}

static PyObject *group_norm_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    struct groups v = {0};
    float *g = NULL, *w = NULL;
    if (count != 9 || !(v.x = grouped(&v, args[1], args[8]))) NONE_UNLESS_ERROR;
    const size all = v.groups * v.d * v.s, channels = v.groups * v.d;
    if (!taken(args, 1, &(float **){&g}, all, 0) || !taken(args + 2, 1, &(float **){&w}, v.of_sample * v.d, 0) ||
        !taken(args + 3, 2, (float **[]){&v.mean, &v.rstd}, v.groups, 0) ||
        !taken(args + 5, 2, (float **[]){&v.sum, &v.with_x}, channels, 1) || !taken(args + 7, 1, &(float **){&v.out}, all, 1) ||
        !g || !v.mean || !v.rstd || !v.sum || !v.with_x)
        Py_RETURN_NONE;
    v.g = g, v.w = w;
    RELEASED(all, normalize_backward(&v));
    Py_RETURN_TRUE;
}

static PyObject *group_norm_weights(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    struct groups v = {0};
    float *dw = NULL, *db = NULL;
    if (count != 7 || !(v.sum = grouped(&v, args[0], args[6]))) NONE_UNLESS_ERROR;
    if (!taken(args + 1, 1, &(float **){&v.with_x}, v.groups * v.d, 0) || !taken(args + 2, 2, (float **[]){&v.mean, &v.rstd}, v.groups, 0) ||
        !taken(args + 4, 2, (float **[]){&dw, &db}, v.of_sample * v.d, 1) || !v.with_x || !v.mean || !v.rstd)
        Py_RETURN_NONE;
    weights_backward(&v, dw, db);
    Py_RETURN_TRUE;
}

PyMethodDef group_norm_methods[] = {
    FUNCTION(group_norm, "group_norm(x [groups, channels of a group, s], weight, bias, eps, out, means, rstds, groups of a sample)"),
    FUNCTION(group_norm_backward, "group_norm_backward(g, x, weight, means, rstds, sums of g, sums of g x, dx, groups of a sample)"),
    FUNCTION(group_norm_weights, "group_norm_weights(sums of g [groups, channels of a group, 1], sums of g x, means, rstds, dw, db, "
                                 "groups of a sample)"),
    {NULL, NULL, 0, NULL},
};
