/* The rows of attention: scores become weights in one pass over each row, and their gradients in another. */
#include "vector_math.h"

#define LANES 64 /* in memory: of fewer, compilers make single numbers instead of vectors */

INLINE float folded(float *lanes) {
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

/* Scores become weights, which add up to one; `sums` gets the logarithm of each row's sum. A row of minus infinities, which
   attends to nothing, becomes zeros. */
WIDE static void weigh(float *s, float *sums, size rows, size n, int precise) {
    for (size row = 0; row < rows; row++, s += n) {
        float lanes[LANES], most = s[0], total;
        size i = 0;
        if (n >= LANES) {
            for (int k = 0; k < LANES; k++) lanes[k] = s[k];
            for (i = LANES; i + LANES <= n; i += LANES)
                for (int k = 0; k < LANES; k++) lanes[k] = s[i + k] > lanes[k] ? s[i + k] : lanes[k];
            for (int half = LANES / 2; half; half /= 2)
                for (int k = 0; k < half; k++) lanes[k] = lanes[k + half] > lanes[k] ? lanes[k + half] : lanes[k];
            most = lanes[0];
        }
        for (; i < n; i++) most = s[i] > most ? s[i] : most;
        most = most == -INFINITY ? 0.0f : most;
        if (precise)
            for (i = 0; i < n; i++) s[i] = (float)exp_float(s[i] - most);
        else
            for (i = 0; i < n; i++) s[i] = exp_falling(s[i] - most);
        for (int k = 0; k < LANES; k++) lanes[k] = 0.0f;
        for (i = 0; i + LANES <= n; i += LANES)
            for (int k = 0; k < LANES; k++) lanes[k] += s[i + k];
        for (int k = 0; i < n; i++, k++) lanes[k] += s[i];
        total = folded(lanes);
        total = total == 0.0f ? 1.0f : total;
        float share = 1.0f / total;
        for (i = 0; i < n; i++) s[i] *= share;
        sums[row] = (float)log_float(total) + most;
    }
}

/* Scores become weights again, and the weights' gradients `d` those of the scores. */
WIDE static void weigh_backward(float *s, float *restrict d, const float *sums, const float *delta, size rows, size n,
                                int precise) {
    for (size row = 0; row < rows; row++, s += n, d += n) {
        float less = sums[row], shift = delta[row];
        if (precise)
            for (size i = 0; i < n; i++) s[i] = (float)exp_float(s[i] - less);
        else
            for (size i = 0; i < n; i++) s[i] = exp_falling(s[i] - less);
        for (size i = 0; i < n; i++) d[i] = (d[i] - shift) * s[i];
    }
}

/* A matrix of scores, which is written to. */
static float *scores(PyObject *object, size *rows, size *n) {
    PyArrayObject *s = writeable(object, NPY_FLOAT);
    if (s == NULL || PyArray_NDIM(s) < 1 || PyArray_SIZE(s) == 0) return NULL;
    *n = PyArray_DIM(s, PyArray_NDIM(s) - 1);
    *rows = PyArray_SIZE(s) / *n;
    return PyArray_DATA(s);
}

static PyObject *attention_weights(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    size rows, n;
    float *s = count == 3 ? scores(args[0], &rows, &n) : NULL;
    PyArrayObject *sums = s ? writeable(args[1], NPY_FLOAT) : NULL;
    if (sums == NULL || PyArray_SIZE(sums) != rows) Py_RETURN_NONE;
    int precise = PyObject_IsTrue(args[2]);
    RELEASED(rows * n, weigh(s, PyArray_DATA(sums), rows, n, precise));
    Py_RETURN_TRUE;
}

static PyObject *attention_scores_backward(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    size rows, n, rows_too, n_too;
    float *s = count == 5 ? scores(args[0], &rows, &n) : NULL, *d = s ? scores(args[1], &rows_too, &n_too) : NULL;
    PyArrayObject *sums = d ? contiguous(args[2], NPY_FLOAT) : NULL, *delta = d ? contiguous(args[3], NPY_FLOAT) : NULL;
    if (sums == NULL || delta == NULL || PyArray_SIZE(sums) != rows || PyArray_SIZE(delta) != rows) Py_RETURN_NONE;
    if (rows_too != rows || n_too != n) Py_RETURN_NONE;
    int precise = PyObject_IsTrue(args[4]);
    RELEASED(rows * n, weigh_backward(s, d, PyArray_DATA(sums), PyArray_DATA(delta), rows, n, precise));
    Py_RETURN_TRUE;
}

PyMethodDef attention_methods[] = {
    FUNCTION(attention_weights, "attention_weights(scores, log sums, precise): scores become weights"),
    FUNCTION(attention_scores_backward, "attention_scores_backward(scores, gradients of weights, log sums, delta, precise)"),
    {NULL, NULL, 0, NULL},
};
