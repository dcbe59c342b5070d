/* numpy's arithmetic, choices and comparisons of float16, which convert one element after the other, by loops that convert many at once.

   The loops of numpy's own ufuncs are replaced in a process that is the command line's, since formulas are written with its operators:
   the same numbers, bit for bit, in a tenth of the time. What is short, does not lie side by side, or reads what it has written itself, as a reduction does, is left to numpy's. */
#include "common.h"

#include "conversions.h"
#include "kernels.h"

#define PIECE 1024
#define SHORT 32

typedef enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, COPYSIGN, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL, COUNT } Operation;

static PyUFuncGenericFunction before[COUNT];

WIDE static void computed(Operation operation, const float *x, const float *y, float *out, size n) {
    switch (operation) {
        case ADD: for (size i = 0; i < n; i++) out[i] = x[i] + y[i]; break;
        case SUBTRACT: for (size i = 0; i < n; i++) out[i] = x[i] - y[i]; break;
        case MULTIPLY: for (size i = 0; i < n; i++) out[i] = x[i] * y[i]; break;
        case DIVIDE: for (size i = 0; i < n; i++) out[i] = x[i] / y[i]; break;
        case MAXIMUM: for (size i = 0; i < n; i++) out[i] = (x[i] >= y[i]) | (x[i] != x[i]) ? x[i] : y[i]; break;
        case MINIMUM: for (size i = 0; i < n; i++) out[i] = (x[i] <= y[i]) | (x[i] != x[i]) ? x[i] : y[i]; break;
        default: for (size i = 0; i < n; i++) out[i] = copysignf(x[i], y[i]); break;
    }
}

WIDE static void compared(Operation operation, const float *x, const float *y, npy_bool *out, size n) {
    switch (operation) {
        case LESS: for (size i = 0; i < n; i++) out[i] = x[i] < y[i]; break;
        case LESS_EQUAL: for (size i = 0; i < n; i++) out[i] = x[i] <= y[i]; break;
        case GREATER: for (size i = 0; i < n; i++) out[i] = x[i] > y[i]; break;
        case GREATER_EQUAL: for (size i = 0; i < n; i++) out[i] = x[i] >= y[i]; break;
        case EQUAL: for (size i = 0; i < n; i++) out[i] = x[i] == y[i]; break;
        default: for (size i = 0; i < n; i++) out[i] = x[i] != y[i]; break;
    }
}

/* Operands lie side by side, or one of them is a number. */
static void loop(Operation operation, char **args, const npy_intp *count, const npy_intp *steps, void *data) {
    const size n = *count, half = sizeof(uint16_t), one = operation < LESS ? half : 1;
    const int still[2] = {steps[0] == 0, steps[1] == 0};
    int left = n < SHORT || steps[2] != one;
    for (int k = 0; k < 2; k++) left |= (!still[k] && steps[k] != half) || crosses(args[k], steps[k], args[2], one, n, half);
    if (left) {
        before[operation](args, count, steps, data);
        return;
    }
    float wide[2][PIECE], made[PIECE];
    for (int k = 0; k < 2; k++) {
        if (!still[k]) continue;
        halves_to_floats(0, (const uint16_t *)args[k], wide[k], 1);
        for (size i = 1; i < PIECE; i++) wide[k][i] = wide[k][0];
    }
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        for (int k = 0; k < 2; k++)
            if (!still[k]) halves_to_floats(0, (const uint16_t *)args[k] + done, wide[k], m);
        if (operation >= LESS) {
            compared(operation, wide[0], wide[1], (npy_bool *)args[2] + done, m);
            continue;
        }
        computed(operation, wide[0], wide[1], made, m);
        floats_to_halves(0, made, (uint16_t *)args[2] + done, m);
    }
}

#define LOOP(name, operation)                                                                           \
    static void name##_halves(char **args, const npy_intp *count, const npy_intp *steps, void *data) { \
        loop(operation, args, count, steps, data);                                                      \
    }
LOOP(add, ADD)
LOOP(subtract, SUBTRACT)
LOOP(multiply, MULTIPLY)
LOOP(divide, DIVIDE)
LOOP(maximum, MAXIMUM)
LOOP(minimum, MINIMUM)
LOOP(copysign, COPYSIGN)
LOOP(less, LESS)
LOOP(less_equal, LESS_EQUAL)
LOOP(greater, GREATER)
LOOP(greater_equal, GREATER_EQUAL)
LOOP(equal, EQUAL)
LOOP(not_equal, NOT_EQUAL)

static PyObject *quick_halves(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    static const struct {
        const char *name;
        PyUFuncGenericFunction loop;
    } made[COUNT] = {
        [ADD] = {"add", add_halves}, [SUBTRACT] = {"subtract", subtract_halves}, [MULTIPLY] = {"multiply", multiply_halves},
        [DIVIDE] = {"divide", divide_halves}, [MAXIMUM] = {"maximum", maximum_halves}, [MINIMUM] = {"minimum", minimum_halves},
        [COPYSIGN] = {"copysign", copysign_halves}, [LESS] = {"less", less_halves}, [LESS_EQUAL] = {"less_equal", less_equal_halves},
        [GREATER] = {"greater", greater_halves}, [GREATER_EQUAL] = {"greater_equal", greater_equal_halves},
        [EQUAL] = {"equal", equal_halves}, [NOT_EQUAL] = {"not_equal", not_equal_halves},
    };
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL) return NULL;
    for (int k = 0; k < COUNT; k++) {
        int types[3] = {NPY_HALF, NPY_HALF, k < LESS ? NPY_HALF : NPY_BOOL};
        replace_loop(numpy, made[k].name, 2, types, made[k].loop, &before[k]);
    }
    Py_DECREF(numpy);
    Py_RETURN_NONE;
}

PyMethodDef half_methods[] = {
    {"quick_halves", quick_halves, METH_NOARGS, "quick_halves(): numpy's loops of float16 are replaced by faster ones"}, {0}};
