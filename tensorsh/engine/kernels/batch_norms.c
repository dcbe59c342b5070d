/* Batch norm: each channel of float32 less its mean, divided by its deviation, and the gradients.

   The sums are PyTorch's. Where a channel's elements lie side by side, [n, c, s]: its moments one after the other in double;
   in the gradients those of an image in eight lanes in float, the images' in double. Where the channels do, [rows, c]: row by
   row in float. What PyTorch's compiler fuses is fused here; all other operations round as written. */
#pragma GCC optimize("fp-contract=off")
#include "common.h"

#define LANES 8
#define TOGETHER 8 /* channels whose moments are added at a time: each addition waits for the one before it */

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));

/* The arrays of a call; those that may be missing are NULL. */
struct norm {
    const float *g, *x, *w, *b;
    float *out, *mean, *rstd, *dw, *db;
    float *running_mean, *running_var;
    double eps, momentum;
    size n, c, s, from, to; /* channels from..to are worked on */
    int training;
};

/* What follows from a channel's mean and sum of squared distances. */
INLINE void finish(const struct norm *v, size c, float mean, float squares, size count) {
    v->mean[c] = mean;
    v->rstd[c] = (float)(1.0 / sqrt((double)(squares / (float)count) + v->eps));
    const float share = (float)v->momentum, rest = (float)(1.0 - v->momentum);
    if (v->running_mean) v->running_mean[c] = share * mean + rest * v->running_mean[c];
    if (v->running_var) v->running_var[c] = (float)((double)share * (squares / (float)(count - 1)) + rest * v->running_var[c]);
}

WIDE static void image_moments(const struct norm *v) {
    const size s = v->s, count = v->n * s;
    for (size c = v->from; c < v->to; c += TOGETHER) {
        const size some = v->to - c < TOGETHER ? v->to - c : TOGETHER;
        const float *from[TOGETHER];
        double sums[TOGETHER] = {0}, squares[TOGETHER] = {0};
        float means[TOGETHER];
        for (size k = 0; k < TOGETHER; k++) from[k] = v->x + (k < some ? c + k : c) * s;
        for (size n = 0; n < v->n; n++) {
            const size at = n * v->c * s;
            for (size i = at; i < at + s; i++)
                for (int k = 0; k < TOGETHER; k++) sums[k] += from[k][i];
        }
        for (int k = 0; k < TOGETHER; k++) means[k] = (float)(sums[k] / (double)count);
        for (size n = 0; n < v->n; n++) {
            const size at = n * v->c * s;
            for (size i = at; i < at + s; i++)
                for (int k = 0; k < TOGETHER; k++) {
                    float distance = from[k][i] - means[k];
                    squares[k] += distance * distance;
                }
        }
        for (size k = 0; k < some; k++) finish(v, c + k, means[k], (float)squares[k], count);
    }
}

WIDE static void row_moments(const struct norm *v) {
    const size c = v->c;
    float *restrict mean = v->mean, *restrict squares = v->rstd;
    for (size k = 0; k < c; k++) mean[k] = squares[k] = 0;
    for (size n = 0; n < v->n; n++)
        for (size k = 0; k < c; k++) mean[k] += v->x[n * c + k];
    for (size k = 0; k < c; k++) mean[k] = (float)((double)mean[k] / (double)v->n);
    for (size n = 0; n < v->n; n++)
        for (size k = 0; k < c; k++) {
            float distance = v->x[n * c + k] - mean[k];
            squares[k] = __builtin_fmaf(distance, distance, squares[k]);
        }
    for (size k = 0; k < c; k++) finish(v, k, mean[k], squares[k], v->n);
}

/* out = x scale + shift, with a channel's scale and shift from its mean and reciprocal deviation. */
INLINE void affine(const struct norm *v, size c, float rstd, float *scale, float *shift) {
    *scale = v->w ? rstd * v->w[c] : rstd;
    *shift = __builtin_fmaf(-v->mean[c], *scale, v->b ? v->b[c] : 0.0f);
}

WIDE static void images(const struct norm *v, const float *rstd) {
    const size s = v->s;
    for (size n = 0; n < v->n; n++)
        for (size c = v->from; c < v->to; c++) {
            float scale, shift;
            affine(v, c, rstd[c], &scale, &shift);
            const float *x = v->x + (n * v->c + c) * s;
            float *out = v->out + (n * v->c + c) * s;
            INDEPENDENT
            for (size i = 0; i < s; i++) out[i] = __builtin_fmaf(x[i], scale, shift);
        }
}

WIDE static void rows(const struct norm *v, const float *rstd, float *restrict scale, float *restrict shift) {
    const size c = v->c;
    for (size k = 0; k < c; k++) affine(v, k, rstd[k], scale + k, shift + k);
    for (size n = 0; n < v->n; n++)
        for (size k = 0; k < c; k++) v->out[n * c + k] = __builtin_fmaf(v->x[n * c + k], scale[k], shift[k]);
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

WIDE static void images_backward(const struct norm *v) {
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

WIDE static void rows_backward(const struct norm *v, float *restrict sum, float *restrict with_x) {
    const size c = v->c, whole = c / LANES * LANES;
    const float count = (float)v->n;
    for (size k = 0; k < c; k++) sum[k] = with_x[k] = 0;
    for (size n = 0; n < v->n; n++) {
        const float *g = v->g + n * c, *x = v->x + n * c;
        for (size k = 0; k < c; k++) {
            sum[k] += g[k];
            with_x[k] = __builtin_fmaf(x[k] - v->mean[k], g[k], with_x[k]);
        }
    }
    for (size k = 0; k < c; k++) {
        if (v->dw) v->dw[k] = with_x[k] * v->rstd[k];
        if (v->db) v->db[k] = sum[k];
        with_x[k] = with_x[k] * v->rstd[k] * v->rstd[k] / count;
        sum[k] /= count;
    }
    for (size n = 0; v->out && n < v->n; n++) {
        const float *g = v->g + n * c, *x = v->x + n * c, *mean = v->mean, *rstd = v->rstd, *w = v->w;
        float *restrict dx = v->out + n * c;
        if (!v->training) {
            for (size k = 0; k < c; k++) dx[k] = g[k] * rstd[k];
        } else {
            for (size k = 0; k < whole; k++) dx[k] = __builtin_fmaf(mean[k] - x[k], with_x[k], g[k] - sum[k]) * rstd[k];
            for (size k = whole; k < c; k++) dx[k] = (g[k] - sum[k] - (x[k] - mean[k]) * with_x[k]) * rstd[k];
        }
        for (size k = 0; w && k < c; k++) dx[k] *= w[k];
    }
}

/* A channel's reciprocal deviation in evaluation: in float for the result, in double for the gradients. */
static void given(const struct norm *v, const float *var, float *rstd) {
    for (size c = v->from; c < v->to; c++) {
        rstd[c] = 1.0f / sqrtf(var[c] + (float)v->eps);
        v->rstd[c] = (float)(1.0 / sqrt((double)var[c] + v->eps));
    }
}

/* x [n, c, s] or [n, c], of which channels from..to are worked on; 0 for anything else. */
static int shaped(struct norm *v, PyObject *array, PyObject *from, PyObject *to) {
    PyArrayObject *x = contiguous(array, NPY_FLOAT);
    if (x == NULL || PyArray_NDIM(x) < 2 || PyArray_NDIM(x) > 3 || PyArray_SIZE(x) == 0) return 0;
    v->x = PyArray_DATA(x);
    v->n = PyArray_DIM(x, 0);
    v->c = PyArray_DIM(x, 1);
    v->s = PyArray_NDIM(x) == 3 ? PyArray_DIM(x, 2) : 0;
    v->from = PyLong_AsSsize_t(from);
    v->to = PyLong_AsSsize_t(to);
    return v->from >= 0 && v->to <= v->c && (v->s || (v->from == 0 && v->to == v->c));
}

static PyObject *batch_norm(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    struct norm v = {.training = 1};
    if (count != 14 || !shaped(&v, args[0], args[12], args[13])) NONE_UNLESS_ERROR;
    float *w = NULL, *b = NULL, *var = NULL, *mean = NULL;
    if (!taken(args + 1, 2, (float **[]){&w, &b}, v.c, 0) || !taken(args + 4, 1, &(float **){&v.out}, v.n * v.c * (v.s ? v.s : 1), 1) ||
        !taken(args + 5, 4, (float **[]){&v.mean, &v.rstd, &v.running_mean, &v.running_var}, v.c, 1) ||
        !taken(args + 10, 2, (float **[]){&mean, &var}, v.c, 0))
        Py_RETURN_NONE;
    v.w = w, v.b = b, v.eps = PyFloat_AsDouble(args[3]), v.momentum = PyFloat_AsDouble(args[9]);
    if (PyErr_Occurred()) return NULL;
    if (!v.out || !v.rstd || (var ? !mean : !v.mean)) Py_RETURN_NONE;
    float *room = PyMem_RawMalloc(3 * v.c * sizeof(float));
    if (room == NULL) return PyErr_NoMemory();
    if (var) v.mean = mean;
    RELEASED(v.n * v.c * v.s, {
        float *rstd = var ? room + 2 * v.c : v.rstd;
        if (var) given(&v, var, rstd);
        else if (v.s) image_moments(&v);
        else row_moments(&v);
        if (v.s) images(&v, rstd);
        else rows(&v, rstd, room, room + v.c);
    });
    PyMem_RawFree(room);
    Py_RETURN_TRUE;
}

static PyObject *batch_norm_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    struct norm v = {0};
    if (count != 11 || !shaped(&v, args[1], args[9], args[10])) NONE_UNLESS_ERROR;
    const size all = v.n * v.c * (v.s ? v.s : 1);
    float *g = NULL, *w = NULL;
    if (!taken(args, 1, &(float **){&g}, all, 0) || !taken(args + 2, 3, (float **[]){&w, &v.mean, &v.rstd}, v.c, 0) ||
        !taken(args + 6, 1, &(float **){&v.out}, all, 1) || !taken(args + 7, 2, (float **[]){&v.dw, &v.db}, v.c, 1))
        Py_RETURN_NONE;
    if (!g || !v.mean || !v.rstd) Py_RETURN_NONE;
    v.g = g, v.w = w, v.training = args[5] == Py_True;
    float *room = PyMem_RawMalloc(2 * v.c * sizeof(float));
    if (room == NULL) return PyErr_NoMemory();
    RELEASED(all, {
        if (v.s) images_backward(&v);
        else rows_backward(&v, room, room + v.c);
    });
    PyMem_RawFree(room);
    Py_RETURN_TRUE;
}

PyMethodDef batch_norm_methods[] = {
    FUNCTION(batch_norm, "batch_norm(x [n, c, s] or [n, c], weight, bias, eps, out, mean, rstd, running mean, running variance, momentum, "
                         "given mean, given variance, from channel, to)"),
    FUNCTION(batch_norm_backward, "batch_norm_backward(g, x, weight, mean, rstd, training, dx, dw, db, from channel, to)"),
    {NULL, NULL, 0, NULL},
};
