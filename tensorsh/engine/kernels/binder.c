/* Functions for Python from the tables of numeric kernels: the one place that takes their arguments apart (see kernels.h). */
#include "common.h"
#include "loops.h"

#include <ctype.h>
#include <stdatomic.h>
#include <numpy/arrayscalars.h>

#define MOST_KERNELS 192
#define SMALL_ROOM 16384 /* bytes of scratch memory that the stack has */
#define TABLES alignment_kernels, attention_kernels, batch_norm_kernels, choices_kernels, complex_kernels, convolution_kernels, counting_kernels, distance_kernels, distribution_kernels, extremes_kernels, factor_kernels, fourier_kernels, gamma_kernels, gemm_kernels, group_norm_kernels, halves_kernels, layer_norm_kernels, losses_kernels, optimizer_kernels, order_kernels, pieces_kernels, places_kernels, pooling_kernels, random_kernels, recurrent_kernels, region_kernels, resizing_kernels, sampling_kernels, scan_kernels, series_kernels, softmax_kernels, squares_kernels, sums_kernels, tapped_kernels, triangle_kernels, whole_kernels, window_kernels

/* A kernel's letters, read once. */
typedef struct {
    char letter;
    int optional, copied, kinds, flags; /* may be None; of an array: whether it is copied where its elements do not lie side by side, the kinds that it may have as bits, numpy's flags */
} Expected;

typedef struct {
    const Kernel *kernel;
    int least, most; /* arguments */
    Expected in[MOST_ARGUMENTS];
} Function;

/* The arrays of a list among the arguments, and their places; copies of arguments. */
typedef struct {
    PyObject *few[FEW_PARTS], **arrays, *copies[MOST_ARGUMENTS];
    Part *parts;
    size count;
    int copied;
} Held;

/* bfloat16 is a type that is registered with numpy. */
int is_bfloat16(PyArray_Descr *dtype) {
    static PyTypeObject *brain;
    if (!PyTypeNum_ISUSERDEF(dtype->type_num)) return 0;
    if (dtype->typeobj != brain && strstr(dtype->typeobj->tp_name, "bfloat16") != NULL) brain = dtype->typeobj;
    return dtype->typeobj == brain;
}

INLINE Kind kind_of(PyArray_Descr *dtype) {
    static const unsigned char kinds[NPY_NTYPES_LEGACY] = {
        [NPY_FLOAT] = FLOAT32, [NPY_DOUBLE] = FLOAT64, [NPY_INT64] = INT64, [NPY_UINT32] = UINT32, [NPY_HALF] = HALF, [NPY_INT32] = INT32, [NPY_UINT8] = BYTES,
    };
    const unsigned type = (unsigned)dtype->type_num;
    return type < NPY_NTYPES_LEGACY ? kinds[type] : is_bfloat16(dtype) ? BRAIN : PLAIN;
}

#define BIT(kind) (1 << (kind))
static int kinds_of(char letter) {
    switch (letter) {
        case 'f': return BIT(FLOAT32);
        case 'd': return BIT(FLOAT64);
        case 'r': return BIT(FLOAT32) | BIT(FLOAT64);
        case 'h': return BIT(FLOAT32) | BIT(FLOAT64) | BIT(HALF) | BIT(BRAIN);
        case 'l': return BIT(INT64);
        case 'u': return BIT(UINT32);
        case 'a': case 'e': return ~0;
        default: return 0;
    }
}

static int expected(const Kernel *kernel, Function *to) {
    *to = (Function){.kernel = kernel, .least = -1};
    for (const char *at = kernel->arguments; *at; at++) {
        if (*at == '|') {
            to->least = to->most;
            continue;
        }
        if (to->most == MOST_ARGUMENTS) return 0;
        const char letter = (char)tolower((unsigned char)*at);
        const int copied = at[1] == '~';
        at += copied;
        to->in[to->most++] = (Expected){letter, at[1] == '?', copied, kinds_of(letter),
                                        NPY_ARRAY_ALIGNED | (letter == 'e' ? 0 : NPY_ARRAY_C_CONTIGUOUS) |
                                            (letter == at[-copied] ? 0 : NPY_ARRAY_WRITEABLE)};
        at += at[1] == '?';
    }
    if (to->least < 0) to->least = to->most;
    return 1;
}

INLINE int take_array(PyObject *object, const Expected *expected, Argument *to) {
    if (!PyArray_CheckExact(object)) return 0;
    PyArrayObject *a = (PyArrayObject *)object;
    PyArray_Descr *dtype = PyArray_DESCR(a);
    const int flags = PyArray_FLAGS(a), ndim = PyArray_NDIM(a);
    to->kind = kind_of(dtype);
    if ((flags & expected->flags) != expected->flags || !(expected->kinds & BIT(to->kind))) return 0;
    if (!PyArray_ISNBO(dtype->byteorder) || (to->kind == PLAIN && PyDataType_REFCHK(dtype))) return 0;
    to->contiguous = (flags & NPY_ARRAY_C_CONTIGUOUS) != 0;
    if ((to->data = PyArray_DATA(a)) == NULL) return 0;
    to->dtype = dtype;
    to->ndim = ndim;
    to->item = PyArray_ITEMSIZE(a);
    to->count = 1;
    for (int k = 0; k < ndim; k++) to->count *= to->shape[k] = PyArray_DIM(a, k);
    for (int k = 0; expected->letter == 'e' && k < ndim; k++) to->strides[k] = PyArray_STRIDE(a, k);
    return 1;
}

/* An array whose elements do not lie side by side, in a copy, which is held until the call ends. */
static int take_copy(PyObject *object, const Expected *expected, Argument *to, Held *held) {
    if (!PyArray_CheckExact(object)) return 0;
    PyArrayObject *a = (PyArrayObject *)object;
    if (!PyArray_ISBEHAVED_RO(a) || PyArray_ISCARRAY_RO(a) || !(expected->kinds & BIT(kind_of(PyArray_DESCR(a)))) || PyArray_SIZE(a) > LONG_PIECE) return 0;
    PyObject *copy = PyArray_NewCopy(a, NPY_CORDER);
    if (copy == NULL) return PyErr_Clear(), 0;
    held->copies[held->copied++] = copy;
    return take_array(copy, expected, to);
}

static void drop_copies(Held *held) {
    while (held->copied > 0) Py_DECREF(held->copies[--held->copied]);
}

static int take_whole(PyObject *object, size *to) {
    int overflow = 0;
    if (PyLong_Check(object)) *to = PyLong_AsLongLongAndOverflow(object, &overflow);
    else if (PyArray_IsScalar(object, Int64)) *to = PyArrayScalar_VAL(object, Int64);
    else return 0;
    return !overflow;
}

/* Numbers are read where they stand: a subclass of a program may have conversions of its own. */
static int take_number(PyObject *object, double *to) {
    if (PyFloat_Check(object)) *to = PyFloat_AS_DOUBLE(object);
    else if (PyArray_IsScalar(object, Float32)) *to = PyArrayScalar_VAL(object, Float32);
    else if (PyLong_Check(object)) {
        *to = PyLong_AsDouble(object);
        if (*to == -1.0 && PyErr_Occurred()) return PyErr_Clear(), 0;
    } else return 0;
    return 1;
}

static int take_shape(PyObject *object, Argument *to) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) > DIMS) return 0;
    to->ndim = (int)PyTuple_GET_SIZE(object);
    for (int k = 0; k < to->ndim; k++)
        if (!take_whole(PyTuple_GET_ITEM(object, k), &to->shape[k]) || to->shape[k] < 0) return 0;
    return 1;
}

/* The arrays of a list, of which the first stands for all; their dtype and number of dimensions are one. Each is referred to
   until the call ends: the list may change. */
static int take_list(PyObject *list, Call *call, Argument *to, Held *held) {
    static const Expected each = {.letter = 'a', .kinds = ~0, .flags = NPY_ARRAY_CARRAY_RO};
    const size many = PyList_GET_SIZE(list);
    if (held->arrays != NULL) return 0;
    held->arrays = many <= FEW_PARTS ? held->few : PyMem_New(PyObject *, many);
    Part *parts = held->parts = many <= FEW_PARTS ? call->few : PyMem_New(Part, many);
    if (held->arrays == NULL || parts == NULL) return 0;
    call->parts = parts;
    to->whole = many;
    if (many == 0 || !take_array(PyList_GET_ITEM(list, 0), &each, to)) return 0;
    for (size i = 0; i < many; i++) {
        PyObject *object = PyList_GET_ITEM(list, i);
        PyArrayObject *a = (PyArrayObject *)object;
        if (!PyArray_CheckExact(object) || !PyArray_ISCARRAY_RO(a)) return 0;
        if (PyArray_DESCR(a) != to->dtype || PyArray_NDIM(a) != to->ndim) return 0;
        parts[i] = (Part){PyArray_DATA(a), PyArray_DIMS(a)};
        held->arrays[held->count++] = Py_NewRef(object);
    }
    return 1;
}

static void let_go(const Call *call, Held *held) {
    while (held->count > 0) Py_DECREF(held->arrays[--held->count]);
    if (held->arrays != held->few) PyMem_Free(held->arrays);
    if (held->parts != call->few) PyMem_Free(held->parts);
}

/* A dtype of the machine's byte order. */
static int take_dtype(PyObject *object, Argument *to) {
    if (!PyArray_DescrCheck(object) || !PyArray_ISNBO(((PyArray_Descr *)object)->byteorder)) return 0;
    to->dtype = object;
    to->kind = kind_of((PyArray_Descr *)object);
    return 1;
}

/* The loop of an elementwise ufunc of so many arrays of float32, or one that gives the same numbers. */
static int take_ufunc(PyObject *object, int inputs, Argument *to) {
    if (!PyObject_TypeCheck(object, &PyUFunc_Type)) return 0;
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    if (ufunc->nin != inputs || ufunc->nout != 1 || ufunc->core_enabled) return 0;
    for (int i = 0; i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * ufunc->nargs;
        if (types[0] != NPY_FLOAT || types[inputs - 1] != NPY_FLOAT || !ufunc->functions[i]) continue;
        if (types[inputs] != NPY_FLOAT && types[inputs] != NPY_BOOL) continue;
        const UfuncRun own = inputs == 1 && types[inputs] == NPY_FLOAT ? exact_loop(ufunc->name, 0) : NULL;
        to->loop = (UfuncLoop){own ? own : ufunc->functions[i], ufunc->data ? ((void **)ufunc->data)[i] : NULL, types[inputs] == NPY_BOOL};
        return 1;
    }
    return 0;
}

/* An argument that is no array. */
static int take_other(PyObject *object, const Expected *expected, Call *call, Argument *to, Held *held) {
    to->data = expected->letter == 'i' ? object : NULL;
    switch (expected->letter) {
        case 'x': return take_number(object, &to->number);
        case 'i': return take_whole(object, &to->whole);
        case 'w': return PyLong_Check(object) && (to->whole = (size)PyLong_AsUnsignedLongLongMask(object), 1);
        case 'b': return PyBool_Check(object) && (to->whole = object == Py_True, 1);
        case 'n': return 0; /* None alone */
        case 't': return take_shape(object, to);
        case 'y': return take_dtype(object, to);
        case 'o': return take_ufunc(object, call->given - 1, to);
        default: return PyList_CheckExact(object) && take_list(object, call, to, held);
    }
}

INLINE int take(const Function *function, PyObject *const *args, size count, Call *call, Held *held) {
    if (count < function->least || count > function->most) return 0;
    call->given = (int)count;
    for (size k = 0; k < count; k++) {
        const Expected *expected = &function->in[k];
        Argument *to = &call->in[k];
        if (expected->optional && args[k] == Py_None) to->data = NULL, to->whole = 0;
        else if (expected->kinds ? take_array(args[k], expected, to) : take_other(args[k], expected, call, to, held)) continue;
        else if (!expected->copied || !take_copy(args[k], expected, to, held)) return 0;
    }
    for (size k = count; k < function->most; k++) call->in[k].data = NULL, call->in[k].whole = 0;
    return 1;
}

/* A step of Python, in which a thread meets what others throw at it: PyErr_CheckSignals sees to the main one alone. */
static PyObject *step, *no_names;

/* Collects nothing meanwhile: the `finally` of a program's generators would run in the middle of what asks. */
int is_interrupted(void) {
    const int collects = PyGC_Disable();
    PyObject *done = PyErr_CheckSignals() < 0 ? NULL : PyEval_EvalCode(step, no_names, no_names);
    if (collects) PyGC_Enable();
    Py_XDECREF(done);
    return done == NULL;
}

int see_signals(Call *call) {
    call->since = 0;
    if (call->others == NULL || call->ended) return call->ended;
    PyEval_RestoreThread(call->others);
    call->ended = is_interrupted();
    call->others = PyEval_SaveThread();
    return call->ended;
}

/* Lines that threads share: each thread has a copy of the call, and scratch memory of its own. */
typedef struct {
    const Kernel *kernel;
    Call *call;
    size step, room;
    char *rooms;
    atomic_int done;
} SharedLines;

static void lines_of(void *data, size piece, int thread) {
    SharedLines *s = data;
    if (!s->done) return;
    Call own = *s->call;
    const size from = piece * s->step, to = own.lines - from < s->step ? own.lines : from + s->step;
    if (thread) own.others = NULL, own.scratch = s->rooms + (thread - 1) * s->room;
    const int done = s->kernel->run(&own, from, to);
    if (!thread) s->call->since = own.since, s->call->ended = own.ended;
    if (!done || (!thread && ends(s->call, (to - from) * own.each))) s->done = 0;
}

static int work_shared(const Kernel *kernel, Call *call) {
    const int threads = sharers();
    const size pieces = call->lines < 8 * threads ? call->lines : 8 * threads, room = (call->room + 63) & ~(size)63;
    SharedLines s = {kernel, call, (call->lines + pieces - 1) / pieces, room, NULL, 1};
    size rooms = times(threads - 1, room);
    PyObject *scratch = rooms ? PyArray_SimpleNew(1, &rooms, NPY_BYTE) : NULL;
    if (scratch) s.rooms = PyArray_DATA((PyArrayObject *)scratch);
    else if (rooms) PyErr_Clear(), s.step = call->lines;
    call->others = PyEval_SaveThread();
    share_pieces(lines_of, &s, (call->lines + s.step - 1) / s.step);
    PyEval_RestoreThread(call->others);
    Py_XDECREF(scratch);
    return call->ended ? -1 : s.done;
}

/* Whether the kernel did its work; -1 for an error. */
INLINE int work(const Kernel *kernel, Call *call) {
    const size all = times(call->lines, call->each);
    if (all <= LONG_WORK && all < least_shared()) return kernel->run(call, 0, call->lines);
    if (call->apart && all >= least_shared() && call->lines > 1 && sharers() > 1) return work_shared(kernel, call);
    const size step = call->each >= LONG_PIECE ? 1 : LONG_PIECE / call->each;
    int done = 1;
    call->others = PyEval_SaveThread();
    for (size from = 0; done && from < call->lines; from += step) {
        const size to = call->lines - from < step ? call->lines : from + step;
        done = kernel->run(call, from, to);
        if (to < call->lines) see_signals(call);
        if (call->ended) done = 0;
    }
    PyEval_RestoreThread(call->others);
    return call->ended ? -1 : done;
}

/* A new array of a dtype, whose reference it takes. */
static PyObject *made(Argument *out, PyArray_Descr *dtype) {
    PyObject *array = PyArray_SimpleNewFromDescr(out->ndim, out->shape, dtype);
    if (array == NULL) return NULL;
    out->data = PyArray_DATA((PyArrayObject *)array);
    out->count = PyArray_SIZE((PyArrayObject *)array);
    return array;
}

static PyArray_Descr *dtype_like(const Call *call, int like) {
    if (like == NEW_INT64) return PyArray_DescrFromType(NPY_INT64);
    if (like == NEW_UINT32) return PyArray_DescrFromType(NPY_UINT32);
    if (like == NEW_FLOAT32) return PyArray_DescrFromType(NPY_FLOAT);
    if (like == NEW_TRUTHS) return PyArray_DescrFromType(NPY_BOOL);
    if (like == NEW_COMPLEX64) return PyArray_DescrFromType(NPY_CFLOAT);
    if (like == NEW_COMPLEX128) return PyArray_DescrFromType(NPY_CDOUBLE);
    return (PyArray_Descr *)Py_NewRef((PyObject *)call->in[like].dtype);
}

int kernel_work(const Kernel *kernel, Call *call) { return work(kernel, call); }

PyObject *recorder;
static unsigned long recording_thread;

void record_call(PyObject *callee, PyObject *const *args, size count, PyObject *answer) {
    if (answer == NULL || answer == Py_None || PyThread_get_thread_ident() != recording_thread) return;
    PyObject *given = PyTuple_New(count);
    for (size k = 0; given && k < count; k++) PyTuple_SET_ITEM(given, k, Py_NewRef(args[k]));
    PyObject *call = given ? PyTuple_Pack(3, callee, given, answer) : NULL;
    Py_XDECREF(given);
    if (call == NULL || PyList_Append(recorder, call) < 0) PyErr_Clear();
    Py_XDECREF(call);
}

static PyObject *record_calls(PyObject *self, PyObject *list) {
    if (list != Py_None && !PyList_CheckExact(list)) return PyErr_Format(PyExc_TypeError, "record_calls(): a list or None");
    recording_thread = PyThread_get_thread_ident();
    Py_XSETREF(recorder, list == Py_None ? NULL : Py_NewRef(list));
    Py_RETURN_NONE;
}

int kernel_bound(PyObject *capsule, PyObject *args, Call *call, const Kernel **kernel, unsigned *arrays, unsigned *writes) {
    if (!PyCapsule_IsValid(capsule, NULL)) return 0;
    const Function *function = PyCapsule_GetPointer(capsule, NULL);
    Held held = {.count = 0};
    call->outs = 0, call->answer = -1, call->apart = 0;
    *kernel = function->kernel;
    *arrays = *writes = 0;
    int good = take(function, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), call, &held);
    if (held.arrays != NULL) let_go(call, &held), good = 0;
    if (held.copied) drop_copies(&held), good = 0;
    if (!good || !function->kernel->plan(call)) return 0;
    const char *at = function->kernel->arguments;
    for (int k = 0; k < function->most; k++) {
        while (*at == '|' || *at == '?' || *at == '~') at++;
        const int capital = isupper((unsigned char)*at++);
        if (!function->in[k].kinds || call->in[k].data == NULL) continue;
        *arrays |= 1u << k;
        if (capital) *writes |= 1u << k;
    }
    for (int k = 0; k < call->outs; k++) {
        Argument *out = &call->out[k];
        PyArray_Descr *dtype = dtype_like(call, call->like[k]);
        out->item = PyDataType_ELSIZE(dtype);
        Py_DECREF(dtype);
        out->contiguous = 1, out->count = 1;
        for (int d = 0; d < out->ndim; d++) out->count = times(out->count, out->shape[d]);
    }
    return 1;
}

/* written(kernel, arguments): which of the arguments a kernel writes, as bits; None where it is not for them. */
static PyObject *written(PyObject *self, PyObject *args) {
    PyObject *capsule, *given;
    const Kernel *kernel;
    unsigned arrays, writes;
    Call *call = PyMem_RawMalloc(sizeof(Call));
    if (call == NULL) return PyErr_NoMemory();
    int good = PyArg_ParseTuple(args, "OO!", &capsule, &PyTuple_Type, &given) && kernel_bound(capsule, given, call, &kernel, &arrays, &writes);
    PyMem_RawFree(call);
    if (PyErr_Occurred()) return NULL;
    if (!good) Py_RETURN_NONE;
    return PyLong_FromUnsignedLong(writes);
}

static PyObject *called(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    const Function *function = PyCapsule_GetPointer(self, NULL);
    PyObject *outs[2] = {NULL, NULL}, *scratch = NULL, *answer = NULL;
    _Alignas(64) char small[SMALL_ROOM];
    Call call;
    Held held;
    held.arrays = NULL, held.parts = NULL, held.count = 0, held.copied = 0;
    call.outs = 0, call.answer = -1, call.lines = 0, call.each = 0, call.room = 0, call.apart = 0;
    call.scratch = small, call.others = NULL, call.since = 0, call.ended = 0;
    int done = 0, failed = 0;
    if (take(function, args, count, &call, &held) && function->kernel->plan(&call)) {
        for (int k = 0; k < call.outs && !failed; k++) {
            outs[k] = made(&call.out[k], dtype_like(&call, call.like[k]));
            failed = outs[k] == NULL;
        }
        if (!failed && call.room > SMALL_ROOM) {
            scratch = PyArray_SimpleNew(1, &call.room, NPY_BYTE);
            if (scratch) call.scratch = PyArray_DATA((PyArrayObject *)scratch);
            else failed = 1;
        }
        if (!failed) done = work(function->kernel, &call);
    }
    if (!failed && done >= 0 && (done || !PyErr_Occurred())) {
        if (!done) answer = Py_NewRef(Py_None);
        else if (call.outs == 2) answer = PyTuple_Pack(2, outs[0], outs[1]);
        else if (call.outs == 1) answer = Py_NewRef(outs[0]);
        else answer = Py_NewRef(call.answer < 0 ? Py_True : args[call.answer]);
    }
    Py_XDECREF(outs[0]);
    Py_XDECREF(outs[1]);
    Py_XDECREF(scratch);
    if (held.arrays != NULL) let_go(&call, &held);
    if (held.copied) drop_copies(&held);
    if (RECORDED) record_call(self, args, count, answer);
    return answer;
}

static int add_kernel(PyObject *module, const Kernel *kernel) {
    static PyMethodDef methods[MOST_KERNELS];
    static Function functions[MOST_KERNELS];
    static int n;
    if (n == MOST_KERNELS || PyObject_HasAttrString(module, kernel->name) || !expected(kernel, &functions[n])) {
        PyErr_Format(PyExc_SystemError, "two kernels are called %s, or there are too many", kernel->name);
        return -1;
    }
    PyObject *self = PyCapsule_New(&functions[n], NULL, NULL);
    methods[n] = (PyMethodDef){kernel->name, (PyCFunction)(void (*)(void))called, METH_FASTCALL, kernel->help};
    PyObject *function = self ? PyCFunction_New(&methods[n++], self) : NULL;
    Py_XDECREF(self);
    if (PyModule_AddObject(module, kernel->name, function) == 0) return 0;
    Py_XDECREF(function);
    return -1;
}

/* The loops of ufuncs, whose elements threads share. */
static void first_loop(char **places, const size *count, const size *steps, void *data) {
    const Ufunc *ufunc = data;
    share_elements(ufunc->runs[0], NULL, places, count, steps, ufunc->arguments + 1);
}
static void second_loop(char **places, const size *count, const size *steps, void *data) {
    const Ufunc *ufunc = data;
    share_elements(ufunc->runs[1], NULL, places, count, steps, ufunc->arguments + 1);
}

static int add_ufunc(PyObject *module, Ufunc *ufunc) {
#define FIVE(type) type, type, type, type, type
    static const char floats[] = {FIVE(NPY_FLOAT), FIVE(NPY_DOUBLE)}, complexes[] = {FIVE(NPY_CFLOAT), FIVE(NPY_CDOUBLE)};
    static UfuncRun loops[] = {first_loop, second_loop};
    void **data = PyMem_RawMalloc(2 * sizeof *data); /* which the ufunc refers to */
    if (data == NULL) return PyErr_NoMemory(), -1;
    data[0] = data[1] = ufunc;
    const char *types = (ufunc->of_complex ? complexes : floats) + 4 - ufunc->arguments; /* of the first loop, of the second */
    const int alone = ufunc->runs[0] == NULL; /* of doubles */
    types += alone ? ufunc->arguments + 1 : 0;
    PyObject *made = PyUFunc_FromFuncAndData(loops + alone, data, types, ufunc->runs[1] && !alone ? 2 : 1, ufunc->arguments, 1, PyUFunc_None,
                                             ufunc->name, NULL, 0);
    if (made != NULL && PyModule_AddObject(module, ufunc->name, made) == 0) return 0;
    Py_XDECREF(made);
    return -1;
}

static PyObject *use_threads(PyObject *self, PyObject *args) {
    Py_ssize_t threads, least = SHARED_WORK;
    if (!PyArg_ParseTuple(args, "n|n", &threads, &least)) return NULL;
    share_among(threads > INT_MAX ? INT_MAX : (int)threads, least);
    Py_RETURN_NONE;
}

static PyObject *work_alone(PyObject *self, PyObject *on) { return PyBool_FromLong(stay_alone(PyObject_IsTrue(on) == 1)); }

int add_kernels(PyObject *module) {
    static PyMethodDef recording[] = {{"record_calls", record_calls, METH_O, "Calls of kernels and loops that have an answer go to a list."},
                                      {"written", written, METH_VARARGS, "Which arguments a kernel writes."},
                                      {"work_alone", work_alone, METH_O, "work_alone(on): whether kernels of this thread share no work; what it was before."},
                                      {"use_threads", use_threads, METH_VARARGS, "use_threads(number, least): how many threads share work of kernels on at least so many elements."}, {0}};
    if (PyModule_AddFunctions(module, recording) < 0) return -1;
    if ((step = Py_CompileString("None", __FILE__, Py_eval_input)) == NULL || (no_names = PyDict_New()) == NULL) return -1;
    static const Kernel *const tables[] = {TABLES};
    for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const Kernel *kernel = tables[t]; kernel->name; kernel++)
            if (add_kernel(module, kernel) < 0) return -1;
    Ufunc *const ufuncs[] = {bessel_ufuncs, elementwise_ufuncs, complex_ufuncs, fused_ufuncs, gamma_ufuncs, library_ufuncs, rectifier_ufuncs, series_ufuncs};
    for (unsigned t = 0; t < sizeof ufuncs / sizeof *ufuncs; t++)
        for (Ufunc *ufunc = ufuncs[t]; ufunc->name; ufunc++)
            if (add_ufunc(module, ufunc) < 0) return -1;
    return 0;
}
