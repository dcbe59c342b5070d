/* softmax and its like: functions of the rows of an array, or of its slices along another axis. */
#include "vector_math.h"

#define LANES 16

/* The sum of a row as PyTorch's vector code adds it: sixteen lanes, which are then folded in halves; short rows in order. */
INLINE float lane_sum(const float *x, size n) {
    if (n < LANES) {
        float total = x[0];
        for (size i = 1; i < n; i++) total += x[i];
        return total;
    }
    float lanes[LANES];
    for (int k = 0; k < LANES; k++) lanes[k] = x[k];
    size i = LANES;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += x[i + k];
    for (int k = 0; i < n; i++, k++) lanes[k] += x[i];
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

INLINE float largest(const float *x, size n) {
    float lanes[LANES], top = x[0];
    size i = 0;
    if (n >= LANES) {
        for (int k = 0; k < LANES; k++) lanes[k] = x[k];
        for (i = LANES; i + LANES <= n; i += LANES)
            for (int k = 0; k < LANES; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
        for (int k = 0; k < LANES; k++) top = lanes[k] > top ? lanes[k] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

#define ROOM 1024 /* elements that are worked on at a time: they stay in the first cache */

WIDE static void softmax_rows(const float *x, float *out, size rows, size n, int logarithm) {
    size group = n >= ROOM ? 1 : ROOM / n;
    float exponentials[ROOM];
    for (size row = 0; row < rows; row += group, x += group * n, out += group * n) {
        size count = rows - row < group ? rows - row : group, all = count * n;
        for (size r = 0; r < count; r++) {
            const float *from = x + r * n;
            float *to = out + r * n, top = largest(from, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) to[i] = from[i] - top;
        }
        if (!logarithm) {
            INDEPENDENT
            for (size i = 0; i < all; i++) out[i] = exp_single(out[i]);
            for (size r = 0; r < count; r++) {
                float *to = out + r * n, scale = 1.0f / lane_sum(to, n);
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] *= scale;
            }
        } else if (n <= ROOM) {
            for (size i = 0; i < all; i++) exponentials[i] = exp_single(out[i]);
            for (size r = 0; r < count; r++) {
                float *to = out + r * n, less = (float)log_float(lane_sum(exponentials + r * n, n));
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] -= less;
            }
        } else {
            /* A long row: its exponentials are added up piece by piece, ROOM being a multiple of LANES. */
            float lanes[LANES] = {0}, total;
            for (size at = 0; at < n; at += ROOM) {
                size m = n - at < ROOM ? n - at : ROOM, i = 0;
                for (size k = 0; k < m; k++) exponentials[k] = exp_single(out[at + k]);
                for (; i + LANES <= m; i += LANES)
                    for (int k = 0; k < LANES; k++) lanes[k] += exponentials[i + k];
                for (int k = 0; i < m; i++, k++) lanes[k] += exponentials[i];
            }
            for (int half = LANES / 2; half; half /= 2)
                for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
            total = (float)log_float(lanes[0]);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] -= total;
        }
    }
}

/* The same along an axis whose elements lie `inner` apart: columns side by side, added in order. PyTorch computes columns by
   vectors, and the exponentials of those that fill none exactly. */
#define COLUMNS 64
#define VECTOR 16
INLINE void exponentials_of(const float *x, float *out, size whole, size m) {
    INDEPENDENT
    for (size c = 0; c < whole; c++) out[c] = exp_single(x[c]);
    for (size c = whole; c < m; c++) out[c] = (float)exp_float(x[c]);
}

WIDE static void softmax_columns(const float *x, float *out, size outer, size n, size inner, int logarithm) {
    float top[COLUMNS], total[COLUMNS];
    for (size o = 0; o < outer; o++, x += n * inner, out += n * inner)
        for (size left = 0; left < inner; left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) top[c] = x[left + c];
            for (size i = 1; i < n; i++)
                for (size c = 0; c < m; c++) top[c] = x[i * inner + left + c] > top[c] ? x[i * inner + left + c] : top[c];
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const float *from = x + i * inner + left;
                float *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < whole; c++) {
                    float shifted = from[c] - top[c], e = exp_single(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
                for (size c = whole; c < m; c++) {
                    float shifted = from[c] - top[c], e = (float)exp_float(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
            }
            if (logarithm)
                for (size c = 0; c < m; c++) total[c] = (float)log_float(total[c]);
            for (size i = 0; i < n; i++) {
                float *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < m; c++) to[c] = logarithm ? to[c] - total[c] : to[c] / total[c];
            }
        }
}

WIDE static void softmax_rows_backward(const float *g, const float *y, float *out, size rows, size n, int logarithm) {
    for (size row = 0; row < rows; row++, g += n, y += n, out += n) {
        if (logarithm) {
            float total = lane_sum(g, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = __builtin_fmaf(-exp_single(y[i]), total, g[i]);
        } else {
            for (size i = 0; i < n; i++) out[i] = g[i] * y[i];
            float total = lane_sum(out, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = (g[i] - total) * y[i];
        }
    }
}

WIDE static void softmax_columns_backward(const float *g, const float *y, float *out, size outer, size n, size inner, int logarithm) {
    float total[COLUMNS], e[COLUMNS];
    for (size o = 0; o < outer; o++, g += n * inner, y += n * inner, out += n * inner)
        for (size left = 0; left < inner; left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const float *slope = g + i * inner + left, *from = y + i * inner + left;
                for (size c = 0; c < m; c++) total[c] = logarithm ? total[c] + slope[c] : __builtin_fmaf(slope[c], from[c], total[c]);
            }
            for (size i = 0; i < n; i++) {
                const float *slope = g + i * inner + left, *from = y + i * inner + left;
                float *to = out + i * inner + left;
                if (logarithm) exponentials_of(from, e, whole, m);
                INDEPENDENT
                for (size c = 0; c < m; c++) to[c] = logarithm ? __builtin_fmaf(-e[c], total[c], slope[c]) : (slope[c] - total[c]) * from[c];
            }
        }
}

/* (outer, n, inner) of an array around an axis. */
INLINE void around(PyArrayObject *a, int axis, size *outer, size *n, size *inner) {
    *outer = *inner = 1;
    for (int k = 0; k < axis; k++) *outer *= PyArray_DIM(a, k);
    *n = PyArray_DIM(a, axis);
    for (int k = axis + 1; k < PyArray_NDIM(a); k++) *inner *= PyArray_DIM(a, k);
}

/* The result's array: the one that was given, if it suits, or a new one. */
INLINE PyArrayObject *result_like(PyArrayObject *a, PyObject *given) {
    if (given == NULL) return (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), PyArray_TYPE(a));
    PyArrayObject *out = contiguous(given, PyArray_TYPE(a));
    if (out == NULL || !PyArray_ISWRITEABLE(out) || PyArray_SIZE(out) != PyArray_SIZE(a)) return NULL;
    Py_INCREF(out);
    return out;
}

static PyObject *normalized(PyObject *const *args, Py_ssize_t count, int logarithm) {
    PyArrayObject *a = count < 2 || count > 3 ? NULL : contiguous(args[0], NPY_FLOAT), *out;
    int axis = a ? (int)PyLong_AsLong(args[1]) : 0;
    if (a == NULL || axis < 0 || axis >= PyArray_NDIM(a) || PyArray_SIZE(a) == 0) NONE_UNLESS_ERROR;
    if ((out = result_like(a, count == 3 ? args[2] : NULL)) == NULL) NONE_UNLESS_ERROR;
    const float *x = PyArray_DATA(a);
    float *to = PyArray_DATA(out);
    size outer, n, inner;
    around(a, axis, &outer, &n, &inner);
    PyThreadState *others = outer * n * inner > LONG_WORK ? PyEval_SaveThread() : NULL;
    if (axis == PyArray_NDIM(a) - 1) softmax_rows(x, to, outer, n, logarithm);
    else softmax_columns(x, to, outer, n, inner, logarithm);
    if (others) PyEval_RestoreThread(others);
    return (PyObject *)out;
}

static PyObject *normalized_backward(PyObject *const *args, Py_ssize_t count, int logarithm) {
    PyArrayObject *y = count < 3 || count > 4 ? NULL : contiguous(args[0], NPY_FLOAT), *g, *out;
    g = y ? contiguous(args[1], NPY_FLOAT) : NULL;
    int axis = g ? (int)PyLong_AsLong(args[2]) : 0;
    if (g == NULL || axis < 0 || axis >= PyArray_NDIM(y) || PyArray_SIZE(y) == 0 || !PyArray_SAMESHAPE(g, y)) NONE_UNLESS_ERROR;
    if ((out = result_like(y, count == 4 ? args[3] : NULL)) == NULL) NONE_UNLESS_ERROR;
    const float *slope = PyArray_DATA(g), *from = PyArray_DATA(y);
    float *to = PyArray_DATA(out);
    size outer, n, inner;
    around(y, axis, &outer, &n, &inner);
    PyThreadState *others = outer * n * inner > LONG_WORK ? PyEval_SaveThread() : NULL;
    if (axis == PyArray_NDIM(y) - 1) softmax_rows_backward(slope, from, to, outer, n, logarithm);
    else softmax_columns_backward(slope, from, to, outer, n, inner, logarithm);
    if (others) PyEval_RestoreThread(others);
    return (PyObject *)out;
}

static PyObject *softmax(PyObject *self, PyObject *const *args, Py_ssize_t count) { return normalized(args, count, 0); }
static PyObject *log_softmax(PyObject *self, PyObject *const *args, Py_ssize_t count) { return normalized(args, count, 1); }
static PyObject *softmax_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    return normalized_backward(args, count, 0);
}
static PyObject *log_softmax_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    return normalized_backward(args, count, 1);
}

PyMethodDef rows_methods[] = {
    FUNCTION(softmax, "softmax(x, axis, out=new)"),
    FUNCTION(log_softmax, "log_softmax(x, axis, out=new)"),
    FUNCTION(softmax_backward, "softmax_backward(y, g, axis, out=new)"),
    FUNCTION(log_softmax_backward, "log_softmax_backward(y, g, axis, out=new)"),
    {NULL, NULL, 0, NULL},
};
