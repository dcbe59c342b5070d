/* Products of float32 matrices whose bits are those of PyTorch's BLAS (MKL on x86-64), found by probing the order of its sums.

   A product is a chain of fused multiply-adds over at most 384 of k; longer sums are made of such blocks, added up in turn.
   Vectors have orders of their own, see `rows_by_vector` and `vector_by_columns`. */
#include "common.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define AVAILABLE 1
#else
#define AVAILABLE 0
#endif

#if AVAILABLE
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")
#define LANES_ 16
#define ROWS_ 12
#define NAME(part) wide_##part
#include "gemm_tile.h"
#undef LANES_
#undef ROWS_
#undef NAME
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES_ 8
#define ROWS_ 6
#define NAME(part) narrow_##part
#include "gemm_tile.h"
#undef LANES_
#undef ROWS_
#undef NAME
#pragma GCC pop_options

#define BLOCK 384

/* How many of the k that are left make the next block. `whole`: b is stored by columns and has many of them. */
static size next_block(size left, int whole) {
    if (left <= BLOCK) return left;
    return whole || left > 2 * BLOCK ? BLOCK : (left + 1) / 2;
}

#define LANES 16

INLINE float folded(float *lanes) {
    for (int half = LANES / 2; half >= 4; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

INLINE void multiply_add(float *lanes, const float *x, const float *y, size n) {
    if (n == LANES) {
        for (int i = 0; i < LANES; i++) lanes[i] = __builtin_fmaf(x[i], y[i], lanes[i]);
    } else {
        for (size i = 0; i < n; i++) lanes[i] = __builtin_fmaf(x[i], y[i], lanes[i]);
    }
}

/* out[i] = row i of a times y, rows of n contiguous numbers. Rows in fours start from their first product, which stands in
   the first of sixteen lanes; the lanes are folded when their vectors are whole and again at the end. Of what is left of the
   rows each adds the first product at the end; but the second, they have two sets of lanes from two vectors on. */
WIDE static void rows_by_vector(const float *a, size row, const float *y, size m, size n, float *out) {
    for (size i = 0; i < m; i++, a += row) {
        float lanes[LANES] = {0}, more[LANES] = {0};
        const float first = a[0] * y[0];
        const size vectors = (n - 1) / LANES, rest = (n - 1) % LANES;
        const float *x = a + 1, *z = y + 1, *const end = x + vectors * LANES;
        if (i < m / 4 * 4) {
            lanes[0] = first;
            for (; x < end; x += LANES, z += LANES) multiply_add(lanes, x, z, LANES);
            if (vectors) {
                lanes[0] = folded(lanes);
                for (int k = 1; k < LANES; k++) lanes[k] = 0;
            }
            multiply_add(lanes, x, z, rest);
            out[i] = rest ? folded(lanes) : lanes[0];
            continue;
        }
        if (vectors >= 2 && i % 4 != 1) {
            for (size pair = 0; pair < vectors / 2; pair++, x += 2 * LANES, z += 2 * LANES) {
                multiply_add(lanes, x, z, LANES);
                multiply_add(more, x + LANES, z + LANES, LANES);
            }
            for (int k = 0; k < LANES; k++) lanes[k] += more[k];
        }
        for (; x < end; x += LANES, z += LANES) multiply_add(lanes, x, z, LANES);
        multiply_add(lanes, x, z, rest);
        out[i] = first + folded(lanes);
    }
}

#define TERM(i, sum) __builtin_fmaf(x[p + i], b[(p + i) * row + j], sum)
#define PRODUCT(i) (x[p + i] * b[(p + i) * row + j])

/* out = start + x times b, whose rows are contiguous: eight rows at a time for whole groups of sixteen columns, else one by one. */
WIDE static void vector_by_columns(const float *x, size step, const float *b, size row, size k, size n, float *out,
                                   float *gathered, const float *start) {
    if (step != 1) {
        for (size p = 0; p < k; p++) gathered[p] = x[p * step];
        x = gathered;
    }
    const size grouped = n / LANES * LANES, eights = k / 8 * 8;
    for (size j = 0; j < n; j++) out[j] = start ? start[j] : 0;
    for (size p = 0; p < eights; p += 8) {
        INDEPENDENT
        for (size j = 0; j < grouped; j++)
            out[j] = (TERM(4, TERM(6, out[j])) + TERM(5, PRODUCT(7))) + (TERM(0, PRODUCT(2)) + TERM(1, PRODUCT(3)));
    }
    for (size p = 0; p < k; p++) {
        INDEPENDENT
        for (size j = p < eights ? grouped : 0; j < n; j++) out[j] = TERM(0, out[j]);
    }
}

/* c = a times b for rows of a and columns of b that are contiguous, each element a sum of sixteen lanes: MKL's way for few rows
   and columns. `quarters`: the lanes are folded four at a time, its way where the sums are long. */
WIDE static void rows_by_rows(const float *a, size a_row, const float *b, size b_column, size m, size k, size n, float *c,
                              int quarters) {
    const size whole = k / LANES * LANES;
    for (size i = 0; i < m; i++)
        for (size j = 0; j < n; j++) {
            const float *x = a + i * a_row, *y = b + j * b_column;
            float lanes[LANES] = {0};
            for (size p = 0; p < whole; p += LANES) multiply_add(lanes, x + p, y + p, LANES);
            multiply_add(lanes, x + whole, y + whole, k - whole);
            if (quarters) {
                for (int l = 0; l < 4; l++) lanes[l] = ((lanes[l] + lanes[l + 4]) + lanes[l + 8]) + lanes[l + 12];
                c[i * n + j] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            } else c[i * n + j] = folded(lanes);
        }
}

static int level = -1; /* 2: AVX-512, 1: AVX2 with FMA, 0: neither */

/* Where MKL takes dot products for b stored by columns. */
static int few(size m, size k, size n) {
    return (m < 16 && 24 * m <= k) || (n == 2 && m < 16) || (n == 3 && m < 11) || (m < n && k <= n && n < 12);
}

/* c = a b + bias, a number for each column: it is added last, but where a sum of several blocks or of one vector begins
   with it. `batched`: in a batch of several, where MKL has no way of its own for a vector on the right. */
static void multiply(const float *a, size a_row, size a_column, const float *b, size b_row, size b_column, size m, size k,
                     size n, float *c, float *room, int batched, const float *bias) {
    if (n == 1 && !batched && b_row != 1 && m > 1) {
        for (size p = 0; p < k; p++) room[p] = b[p * b_row];
        b = room, b_row = 1;
    }
    if (m == 1 && n == 1) {
        float sum = bias ? *bias : 0;
        for (size p = 0; p < k; p++) sum = __builtin_fmaf(a[p * a_column], b[p * b_row], sum);
        *c = sum;
        return;
    }
    if (m > 1 && n > 1 && a_column == 1 && b_row == 1 && few(m, k, n)) {
        rows_by_rows(a, a_row, b, b_column, m, k, n, c, 24 * m <= k);
    } else if (n == 1 && a_column == 1 && b_row == 1 && !batched) rows_by_vector(a, a_row, b, m, k, c);
    else if (m == 1 && b_row == 1 && a_column == 1) rows_by_vector(b, b_column, a, n, k, c);
    else if (n == 1 && a_row == 1 && !batched) vector_by_columns(b, b_row, a, a_column, k, m, c, room, NULL);
    else if (m == 1 && b_column == 1) {
        vector_by_columns(a, a_column, b, b_row, k, n, c, room, bias);
        return;
    } else {
        const int first = bias != NULL && k > BLOCK;
        for (size i = 0; first && i < m; i++) memcpy(c + i * n, bias, n * sizeof(float));
        int whole = b_row == 1 && n >= BLOCK / 2 && k > 2 * BLOCK;
        for (size done = 0, step; done < k; done += step) {
            step = next_block(k - done, whole);
            (level == 2 ? wide_block : narrow_block)(a + done * a_column, a_row, a_column, b + done * b_row, b_row, b_column, m,
                                                     step, n, c, n, room, first || done != 0);
        }
        if (first) return;
    }
    for (size i = 0; bias && i < m; i++)
        for (size j = 0; j < n; j++) c[i * n + j] += bias[j];
}

/* The strides in elements of the matrices in two dimensions of an array from `at` on, where one of them is 1 and both are
   positive; a vector is taken for a row or a column. */
static int strides_of(PyArrayObject *x, int at, size *row, size *column) {
    if (PyArray_TYPE(x) != NPY_FLOAT || !PyArray_ISALIGNED(x) || !PyArray_ISNOTSWAPPED(x)) return 0;
    const size unit = sizeof(float);
    *row = PyArray_STRIDE(x, at) / unit, *column = PyArray_STRIDE(x, at + 1) / unit;
    if (PyArray_DIM(x, at + 1) == 1 && *row == 1) *column = PyArray_DIM(x, at);
    if (PyArray_DIM(x, at) == 1 && *column == 1) *row = PyArray_DIM(x, at + 1);
    return (*row == 1 && *column > 0) || (*column == 1 && *row > 0);
}

/* The kind of this processor, found once; 0 where products are left to numpy. */
static int kind_of_processor(void) {
    if (level < 0) {
        __builtin_cpu_init();
        int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
        level = !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2") ? 0 : avx512 ? 2 : 1;
    }
    return level;
}

/* Room for the panels of b, or for a vector: on the stack where it is small. */
#define STACK 4096
static size room_for(size k, size n) {
    size depth = k < BLOCK ? k : BLOCK, panels = depth * ((n + 31) / 32 * 32);
    return panels > k ? panels : k;
}

/* product(a, b, bias=None): a (m, k) times b (k, n), plus bias (n,) in each row. */
static PyObject *product(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count < 2 || count > 3 || !PyArray_CheckExact(args[0]) || !PyArray_CheckExact(args[1])) Py_RETURN_NONE;
    PyArrayObject *a = (PyArrayObject *)args[0], *b = (PyArrayObject *)args[1], *bias = NULL;
    if (kind_of_processor() == 0 || PyArray_NDIM(a) != 2 || PyArray_NDIM(b) != 2) Py_RETURN_NONE;
    size m = PyArray_DIM(a, 0), k = PyArray_DIM(a, 1), n = PyArray_DIM(b, 1), shape[] = {m, n};
    size a_row, a_column, b_row, b_column;
    if (PyArray_DIM(b, 0) != k || m == 0 || k == 0 || n == 0) Py_RETURN_NONE;
    if (!strides_of(a, 0, &a_row, &a_column) || !strides_of(b, 0, &b_row, &b_column)) Py_RETURN_NONE;
    if (count == 3 && args[2] != Py_None) {
        bias = contiguous(args[2], NPY_FLOAT);
        if (bias == NULL || PyArray_NDIM(bias) != 1 || PyArray_DIM(bias, 0) != n) Py_RETURN_NONE;
    }
    float small[STACK], *room = small;
    if (room_for(k, n) > STACK && (room = PyMem_RawMalloc(room_for(k, n) * sizeof(float))) == NULL) return PyErr_NoMemory();
    PyArrayObject *made = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_FLOAT);
    if (made != NULL) {
        const float *x = PyArray_DATA(a), *y = PyArray_DATA(b), *add = bias ? PyArray_DATA(bias) : NULL;
        float *c = PyArray_DATA(made);
        PyThreadState *others = m * k * n > LONG_WORK ? PyEval_SaveThread() : NULL;
        if (add && k == 1 && n > 1) {
            for (size i = 0; i < m; i++)
                for (size j = 0; j < n; j++) c[i * n + j] = __builtin_fmaf(x[i * a_row], y[j * b_column], add[j]);
        } else multiply(x, a_row, a_column, y, b_row, b_column, m, k, n, c, room, 0, add);
        if (others) PyEval_RestoreThread(others);
    }
    if (room != small) PyMem_RawFree(room);
    return (PyObject *)made;
}

#define PLAIN 400 /* fewer multiplications than this PyTorch does by itself in a batch, rounding each product */

WIDE static void multiply_plainly(const float *a, size a_row, size a_column, const float *b, size b_row, size b_column, size m,
                                  size k, size n, float *c) {
    for (size i = 0; i < m; i++)
        for (size j = 0; j < n; j++) {
            float sum = 0;
            for (size p = 0; p < k; p++) {
                /* The barrier keeps the compiler from fusing the two. */
                float each = a[i * a_row + p * a_column] * b[p * b_row + j * b_column];
                __asm__("" : "+x"(each));
                sum += each;
            }
            c[i * n + j] = sum;
        }
}

/* products(a, b): the products of the matrices of two batches, (s, m, k) by (s, k, n). */
static PyObject *products(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2 || !PyArray_CheckExact(args[0]) || !PyArray_CheckExact(args[1])) Py_RETURN_NONE;
    PyArrayObject *a = (PyArrayObject *)args[0], *b = (PyArrayObject *)args[1];
    if (kind_of_processor() == 0 || PyArray_NDIM(a) != 3 || PyArray_NDIM(b) != 3) Py_RETURN_NONE;
    size s = PyArray_DIM(a, 0), m = PyArray_DIM(a, 1), k = PyArray_DIM(a, 2), n = PyArray_DIM(b, 2), shape[] = {s, m, n};
    size a_row, a_column, b_row, b_column;
    if (PyArray_DIM(b, 0) != s || PyArray_DIM(b, 1) != k || s == 0 || m == 0 || k == 0 || n == 0) Py_RETURN_NONE;
    if (!strides_of(a, 1, &a_row, &a_column) || !strides_of(b, 1, &b_row, &b_column)) Py_RETURN_NONE;
    size a_step = PyArray_STRIDE(a, 0) / (size)sizeof(float), b_step = PyArray_STRIDE(b, 0) / (size)sizeof(float);
    float small[STACK], *room = small;
    if (room_for(k, n) > STACK && (room = PyMem_RawMalloc(room_for(k, n) * sizeof(float))) == NULL) return PyErr_NoMemory();
    PyArrayObject *made = (PyArrayObject *)PyArray_SimpleNew(3, shape, NPY_FLOAT);
    if (made != NULL) {
        const float *x = PyArray_DATA(a), *y = PyArray_DATA(b);
        float *c = PyArray_DATA(made);
        PyThreadState *others = s * m * k * n > LONG_WORK ? PyEval_SaveThread() : NULL;
        for (size i = 0; i < s; i++, x += a_step, y += b_step, c += m * n) {
            if (m * k * n < PLAIN) multiply_plainly(x, a_row, a_column, y, b_row, b_column, m, k, n, c);
            else multiply(x, a_row, a_column, y, b_row, b_column, m, k, n, c, room, s > 1, NULL);
        }
        if (others) PyEval_RestoreThread(others);
    }
    if (room != small) PyMem_RawFree(room);
    return (PyObject *)made;
}
#else
static PyObject *product(PyObject *self, PyObject *const *args, Py_ssize_t count) { Py_RETURN_NONE; }
static PyObject *products(PyObject *self, PyObject *const *args, Py_ssize_t count) { Py_RETURN_NONE; }
#endif

PyMethodDef gemm_methods[] = {
    FUNCTION(product, "product(a, b, bias=None)"),
    FUNCTION(products, "products(a, b), of batches"),
    {NULL, NULL, 0, NULL},
};
