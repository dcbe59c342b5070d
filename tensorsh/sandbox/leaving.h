/* A step of Python's in the midst of compiled code, in which a thread can be interrupted. */
#ifndef TENSORSH_LEAVING
#define TENSORSH_LEAVING
#include <Python.h>
#include <time.h>

#define OFTEN 4000000 /* nanoseconds between two steps */

static PyObject *step, *no_names;

static int prepare_steps(void) {
    if (step == NULL) step = Py_CompileString("None", "<step>", Py_eval_input);
    if (no_names == NULL) no_names = PyDict_New();
    return step == NULL || no_names == NULL ? -1 : 0;
}

/* Whether the thread is to be left, by an error that is set. */
static int is_left(void) {
#ifdef CLOCK_MONOTONIC_COARSE
    static long long last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const long long at = now.tv_sec * 1000000000ll + now.tv_nsec;
    if (at - __atomic_load_n(&last, __ATOMIC_RELAXED) < OFTEN) return 0;
    __atomic_store_n(&last, at, __ATOMIC_RELAXED);
#endif
    PyObject *done = PyErr_CheckSignals() < 0 ? NULL : PyEval_EvalCode(step, no_names, no_names);
    Py_XDECREF(done);
    return done == NULL;
}
#endif
