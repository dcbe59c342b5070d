/* Chains: elementwise steps one after another on pieces of arrays that stay in the cache.

   A Chain holds the inner loops that its steps have one by one and runs them in their order on each piece, so the numbers are
   the same; what only the next steps need lives in a few pieces of scratch memory, and never in an array. Its arguments are
   arrays of numpy, which the caller holds, and some of which it writes over, and numbers; it answers None to whatever is not
   usual, before anything was written. */
#include "loops.h"

#define PIECE 512 /* elements: those of ten arrays lie in the nearest cache */
#define MOST_PLACES 64
#define MOST_NUMBERS 32 /* of Python */
#define NEAR 4096 /* bytes of scratch memory on the stack */

enum { ONE, READ, WRITTEN }; /* what an input is: one number, an array, an array that steps write over */

typedef struct {
    Inner inner;
    int inputs, in[MOST_OPERANDS], out;
} Step;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    int kind, inputs, slots, numbers, count;
    size item;
    char wide[MOST_PLACES]; /* what each input is */
    Number *constants;
    Step *steps;
    PyObject *loops; /* which keep the ufuncs that the inner loops are of */
} Chain;

/* Places are numbered: inputs, slots of scratch memory, constants. */

/* An argument as memory of the chain's dtype; its number of elements, -1 for what is not usual. */
static size usual(const Chain *chain, PyObject *object, int written) {
    if (!PyArray_CheckExact(object)) return -1;
    PyArrayObject *a = (PyArrayObject *)object;
    if (PyArray_TYPE(a) != (chain->kind == FLOATS ? NPY_FLOAT : NPY_DOUBLE)) return -1;
    return (written ? PyArray_ISCARRAY(a) : PyArray_ISCARRAY_RO(a)) ? PyArray_SIZE(a) : -1;
}

/* The steps on n elements, piece by piece; memory: of the inputs. */
static void run(const Chain *chain, char **memory, char *scratch, size n) {
    const size item = chain->item, room = (n < PIECE ? n : PIECE) * item;
    const int arrays = chain->inputs, temporary = arrays + chain->slots;
    for (size done = 0; done < n; done += PIECE) {
        size m = n - done < PIECE ? n - done : PIECE;
        for (const Step *step = chain->steps; step < chain->steps + chain->count; step++) {
            char *at[MOST_OPERANDS + 1];
            size steps[MOST_OPERANDS + 1];
            for (int k = 0; k <= step->inputs; k++) {
                int place = k < step->inputs ? step->in[k] : step->out;
                steps[k] = item;
                if (place < arrays) {
                    at[k] = memory[place] + (chain->wide[place] ? done * item : 0);
                    if (!chain->wide[place]) steps[k] = 0;
                } else if (place < temporary) {
                    at[k] = scratch + (place - arrays) * room;
                } else {
                    at[k] = (char *)&chain->constants[place - temporary];
                    steps[k] = 0;
                }
            }
            step->inner.run(at, &m, steps, step->inner.data);
        }
    }
}

/* A Python number as an element of the chain's dtype; NULL for one that is too large. */
static void *number_at(const Chain *chain, PyObject *object, Number *to) {
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) return PyErr_Clear(), NULL;
    if (chain->kind == FLOATS) to->f = (float)value;
    else to->d = value;
    return to;
}

/* chain(*inputs): True, when the steps were taken. */
static PyObject *answer(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Chain *chain = (Chain *)self;
    if (keywords || PyVectorcall_NARGS(flags) != chain->inputs) Py_RETURN_NONE;
    char *memory[MOST_PLACES];
    Number numbers[MOST_NUMBERS];
    size n = -1, count = 0;
    for (int k = 0; k < chain->inputs; k++) {
        if (chain->wide[k] == ONE && (PyFloat_Check(args[k]) || PyLong_CheckExact(args[k]))) {
            if (count == MOST_NUMBERS || (memory[k] = number_at(chain, args[k], &numbers[count++])) == NULL) Py_RETURN_NONE;
            continue;
        }
        size own = usual(chain, args[k], chain->wide[k] == WRITTEN);
        if (own < 1) Py_RETURN_NONE;
        memory[k] = PyArray_DATA((PyArrayObject *)args[k]);
        if (chain->wide[k] && n < 0) n = own;
        else if (own != (chain->wide[k] ? n : 1)) Py_RETURN_NONE;
    }
    if (n < 0) Py_RETURN_NONE;
    _Alignas(64) char near[NEAR];
    size room = chain->slots * (n < PIECE ? n : PIECE) * chain->item;
    char *scratch = room <= NEAR ? near : PyMem_RawMalloc(room);
    if (scratch == NULL) return PyErr_NoMemory();
    if (n > LONG_WORK / 4) {
        Py_BEGIN_ALLOW_THREADS run(chain, memory, scratch, n);
        Py_END_ALLOW_THREADS
    } else {
        run(chain, memory, scratch, n);
    }
    if (scratch != near) PyMem_RawFree(scratch);
    Py_RETURN_TRUE;
}

/* A step of (loop, its operands, where the result goes); 0 where there is no such step. */
static int step_of(Chain *chain, PyObject *told, Step *step) {
    Loop *loop;
    const int arrays = chain->inputs, places = arrays + chain->slots + chain->numbers;
    if (!PyTuple_Check(told) || PyTuple_GET_SIZE(told) < 2 || !PyObject_TypeCheck(PyTuple_GET_ITEM(told, 0), &LoopType)) return 0;
    loop = (Loop *)PyTuple_GET_ITEM(told, 0);
    step->inputs = loop->inputs;
    if (PyTuple_GET_SIZE(told) != step->inputs + 2) return 0;
    for (int k = 0; k <= step->inputs; k++) {
        long place = PyLong_AsLong(PyTuple_GET_ITEM(told, k + 1));
        if (place < 0 || place >= places) return 0;
        *(k < step->inputs ? &step->in[k] : &step->out) = (int)place;
    }
    step->inner = loop->inner[chain->kind];
    int good = step->inner.run != NULL && step->inner.out == (chain->kind == FLOATS ? NPY_FLOAT : NPY_DOUBLE);
    return good && step->out < arrays + chain->slots && (step->out >= arrays || chain->wide[step->out] == WRITTEN);
}

/* Chain(wide, slots, constants, steps, double): wide, bytes that say for each input what it is. */
static PyObject *chain_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    const char *wide;
    Py_ssize_t inputs;
    int slots, twice;
    PyObject *constants, *steps;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "y#iO!O!p", &wide, &inputs, &slots, &PyTuple_Type, &constants, &PyTuple_Type, &steps, &twice))
        return NULL;
    if (slots < 0 || slots > 1024 || inputs > MOST_PLACES || PyTuple_GET_SIZE(constants) > 1 << 20 ||
        PyTuple_GET_SIZE(steps) > 1 << 20)
        return PyErr_Format(PyExc_ValueError, "Chain(): too many places");
    Chain *chain = (Chain *)type->tp_alloc(type, 0);
    if (chain == NULL) return NULL;
    chain->call = answer;
    chain->kind = twice ? DOUBLES : FLOATS;
    chain->item = twice ? sizeof(double) : sizeof(float);
    chain->inputs = (int)inputs;
    chain->slots = slots;
    chain->numbers = (int)PyTuple_GET_SIZE(constants);
    chain->count = (int)PyTuple_GET_SIZE(steps);
    chain->loops = Py_NewRef(steps);
    memcpy(chain->wide, wide, inputs);
    chain->constants = PyMem_RawCalloc(chain->numbers + 1, sizeof(Number));
    chain->steps = PyMem_RawCalloc(chain->count + 1, sizeof(Step));
    if (chain->constants == NULL || chain->steps == NULL) return Py_DECREF(chain), PyErr_NoMemory();
    for (int k = 0; k < chain->numbers; k++) {
        double value = PyFloat_AsDouble(PyTuple_GET_ITEM(constants, k));
        if (value == -1.0 && PyErr_Occurred()) return Py_DECREF(chain), NULL;
        if (twice) chain->constants[k].d = value;
        else chain->constants[k].f = (float)value;
    }
    for (int k = 0; k < chain->count; k++)
        if (!step_of(chain, PyTuple_GET_ITEM(steps, k), &chain->steps[k])) {
            Py_DECREF(chain);
            return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "Chain(): no such step");
        }
    return (PyObject *)chain;
}

static void chain_dealloc(PyObject *self) {
    Chain *chain = (Chain *)self;
    PyMem_RawFree(chain->constants);
    PyMem_RawFree(chain->steps);
    Py_XDECREF(chain->loops);
    Py_TYPE(self)->tp_free(self);
}

static CALLABLE(Chain, chain_new, chain_dealloc, "Elementwise steps in one pass, or None for what is not usual.")

int add_chains(PyObject *module) { return PyModule_AddType(module, &ChainType); }
