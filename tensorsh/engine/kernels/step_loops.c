/* numpy's loops of elements that lie in steps, which it reads one by one, by its loops of elements that lie side by side.

   They are replaced in a process that is the command line's, since formulas are written with its operators: a piece at a time the
   elements are laid side by side, in the nearest cache, for numpy's own loop. The same numbers, in half the time. What is
   short, a reduction, or reads what it has written itself (`accumulate`) is left as it was. */
#include "common.h"

#define PIECE 2048
#define SHORT 32
#define MOST 3 /* operands */

WIDE static void side_by_side(const char *from, size step, size wide, void *to, size n) { gather(from, step, wide, to, n); }

/* numpy's loop of `inputs` operands of `wide` bytes each, on all elements; its results have `made` bytes. Where more than `most`
   operands lie in steps it is as quick as it stands. */
INLINE void in_pieces(PyUFuncGenericFunction loop, int inputs, int most, size wide, size made, char **args, const npy_intp *count, const npy_intp *steps, void *data) {
    const size n = *count, to = steps[inputs];
    int apart = 0, left = n < SHORT || to == 0;
    for (int k = 0; k < inputs; k++) {
        apart += steps[k] != wide && steps[k] != 0;
        left |= crosses(args[k], steps[k], args[inputs], to, n, wide);
    }
    if (left || !apart || apart > most) {
        loop(args, count, steps, data);
        return;
    }
    uint64_t buffers[MOST + 1][PIECE];
    for (size done = 0, m; done < n; done += m) {
        char *at[MOST + 1];
        npy_intp near[MOST + 1];
        m = n - done < PIECE ? n - done : PIECE;
        for (int k = 0; k <= inputs; k++) {
            at[k] = args[k] + done * steps[k], near[k] = steps[k];
            if (k == inputs || near[k] == wide || near[k] == 0) continue;
            side_by_side(at[k], near[k], wide, buffers[k], m);
            at[k] = (char *)buffers[k], near[k] = wide;
        }
        const npy_intp some = m;
        if (to == made) {
            loop(at, &some, near, data);
            continue;
        }
        char *out = at[inputs];
        at[inputs] = (char *)buffers[inputs], near[inputs] = made;
        loop(at, &some, near, data);
        for (size i = 0; i < m; i++, out += to) memcpy(out, (char *)buffers[inputs] + i * made, made);
    }
}

/* Each: a name, its operands, whether its results are truth values. Other loops of numpy's are not slower in steps than this way. */
#define COMPARISONS(each, T, type)                                                                            \
    each(equal, 2, 1, T, type) each(not_equal, 2, 1, T, type) each(less, 2, 1, T, type) each(less_equal, 2, 1, T, type) \
    each(greater, 2, 1, T, type) each(greater_equal, 2, 1, T, type)
#define LOOPS(each)                                                                                           \
    each(negative, 1, 0, float, NPY_FLOAT) each(maximum, 2, 0, float, NPY_FLOAT) each(minimum, 2, 0, float, NPY_FLOAT) \
    each(fmax, 2, 0, float, NPY_FLOAT) each(fmin, 2, 0, float, NPY_FLOAT) each(clip, 3, 0, float, NPY_FLOAT) \
    COMPARISONS(each, float, NPY_FLOAT) COMPARISONS(each, double, NPY_DOUBLE) COMPARISONS(each, int64_t, NPY_INT64)

#define LOOP(name, inputs, truths, T, type)                                                                         \
    static PyUFuncGenericFunction name##_##T##_before;                                                              \
    static void name##_##T(char **args, const npy_intp *count, const npy_intp *steps, void *data) {                 \
        in_pieces(name##_##T##_before, inputs, truths ? 1 : MOST, sizeof(T), truths ? 1 : sizeof(T), args, count, steps, data);        \
    }
LOOPS(LOOP)

static const struct {
    const char *name;
    int inputs, truths, type;
    PyUFuncGenericFunction loop, *before;
} loops[] = {
#define ENTRY(name, inputs, truths, T, type) {#name, inputs, truths, type, name##_##T, &name##_##T##_before},
    LOOPS(ENTRY)
};

void replace_loop(PyObject *numpy, const char *name, int inputs, const int *types, PyUFuncGenericFunction loop, PyUFuncGenericFunction *before) {
    PyObject *ufunc = PyObject_GetAttrString(numpy, name);
    PyUFuncGenericFunction found = NULL;
    if (ufunc != NULL && PyObject_TypeCheck(ufunc, &PyUFunc_Type) && ((PyUFuncObject *)ufunc)->nin == inputs)
        PyUFunc_ReplaceLoopBySignature((PyUFuncObject *)ufunc, loop, types, &found);
    if (found != NULL && found != loop) *before = found;
    Py_XDECREF(ufunc);
    PyErr_Clear();
}

static PyObject *quick_steps(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    PyObject *numpy = PyImport_ImportModule("numpy._core.umath"); /* numpy's own clip is no ufunc */
    if (numpy == NULL) return NULL;
    for (size k = 0; k < (size)(sizeof loops / sizeof *loops); k++) {
        int types[MOST + 1] = {loops[k].type, loops[k].type, loops[k].type, loops[k].type};
        if (loops[k].truths) types[loops[k].inputs] = NPY_BOOL;
        replace_loop(numpy, loops[k].name, loops[k].inputs, types, loops[k].loop, loops[k].before);
    }
    Py_DECREF(numpy);
    Py_RETURN_NONE;
}

PyMethodDef step_methods[] = {
    {"quick_steps", quick_steps, METH_NOARGS, "quick_steps(): numpy's loops of elements in steps are replaced by faster ones"}, {0}};
