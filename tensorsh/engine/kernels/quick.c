/* The shortest way of elementwise operators: small contiguous tensors of one dtype, straight to the loop of their ufunc.

   numpy takes most of the time of a ufunc on a few elements to find out what is asked of it. Here that was found out before:
   a Quick object has the loops of its ufunc, makes the result's tensor and its node, and answers None to whatever is not
   usual, so that the operator's way in Python goes on. It is the same loop that numpy would run: the numbers are the same. */
#include "tensors.h"
#include <stddef.h>

typedef struct {
    PyUFuncGenericFunction run;
    void *data;
    int out;
} Loop;

enum { FLOATS, DOUBLES, LONGS, KINDS };
static const int kinds[KINDS] = {NPY_FLOAT, NPY_DOUBLE, NPY_INT64};

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    Loop loops[KINDS];
    int numbers;      /* whether the second operand may be a Python number */
    PyObject *record; /* (class of nodes, what is kept where ...); False where nothing is recorded; None: not known yet */
} Quick;

static int loop_of(PyObject *object, int inputs, int type, Loop *found) {
    found->run = NULL;
    if (object == Py_None) return 0;
    if (!PyObject_TypeCheck(object, &PyUFunc_Type)) return -1;
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    if (ufunc->nin != inputs || ufunc->nout != 1 || ufunc->core_enabled) return -1;
    for (int i = 0; i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * ufunc->nargs;
        if (types[0] != type || types[inputs - 1] != type || !ufunc->functions[i]) continue;
        *found = (Loop){ufunc->functions[i], ufunc->data ? ((void **)ufunc->data)[i] : NULL, types[inputs]};
        return 0;
    }
    return 0;
}

/* The kind of an array that has a loop and few elements, or -1. */
INLINE int kind_of(const Quick *quick, PyObject *object) {
    if (object == NULL || !PyArray_CheckExact(object)) return -1;
    PyArrayObject *a = (PyArrayObject *)object;
    if (!PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) > LONG_WORK) return -1;
    int type = PyArray_TYPE(a);
    int kind = type == NPY_FLOAT ? FLOATS : type == NPY_DOUBLE ? DOUBLES : type == NPY_INT64 ? LONGS : -1;
    return kind < 0 || quick->loops[kind].run == NULL ? -1 : kind;
}

/* The result's array in its tensor, once a node (NULL: none) is known. */
static PyObject *finished(PyArrayObject *out, PyObject *node) {
    PyObject *t = tensor_of((PyObject *)out);
    if (t && node) {
        Py_SETREF(FIELDS(t)->node, node);
    } else {
        Py_XDECREF(node);
    }
    return t;
}

static PyObject *single(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Quick *quick = (Quick *)self;
    if (PyVectorcall_NARGS(flags) != 1 || keywords || !IS_TENSOR(args[0]) || !tensor_class) Py_RETURN_NONE;
    Fields *x = FIELDS(args[0]);
    int kind = kind_of(quick, x->array);
    if (kind < 0) Py_RETURN_NONE;
    PyObject *record = NULL;
    if (!UNSET(x->node) && setting(name_grad_enabled) == Py_True && (record = quick->record) != Py_False) {
        if (!PyTuple_Check(record) || x->inference == Py_True) Py_RETURN_NONE;
    } else {
        record = NULL;
    }
    PyArrayObject *a = (PyArrayObject *)x->array;
    const Loop *loop = &quick->loops[kind];
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), loop->out);
    if (out == NULL) return NULL;
    char *places[2] = {PyArray_DATA(a), PyArray_DATA(out)};
    size n = PyArray_SIZE(a), steps[2] = {PyArray_ITEMSIZE(a), PyArray_ITEMSIZE(out)};
    loop->run(places, &n, steps, loop->data);
    if (record == NULL || record == Py_False) return finished(out, NULL);

    /* (class, "i" for the argument, "r" for the result or nothing) */
    Py_UCS4 keeps = PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(record, 1)) ? PyUnicode_READ_CHAR(PyTuple_GET_ITEM(record, 1), 0) : 0;
    PyObject *kept = keeps == 'i' ? Py_NewRef(args[0]) : NULL;
    if (keeps == 'r') {
        kept = PyObject_CallNoArgs(saved_class);
        if (kept == NULL || PyObject_SetAttr(kept, name_array, (PyObject *)out) < 0) goto failed;
        PyObject_GC_UnTrack(kept); /* an array and numbers make no cycle */
    }
    PyObject *node = node_of((PyTypeObject *)PyTuple_GET_ITEM(record, 0), PyTuple_Pack(1, x->node),
                             keeps ? PyTuple_Pack(1, kept) : PyTuple_New(0), Py_NewRef(Py_None));
    if (node == NULL) goto failed;
    PyObject *t = finished(out, node);
    if (t && keeps == 'r') {
        Py_SETREF(FIELDS(t)->cell, kept);
    } else {
        Py_XDECREF(kept);
    }
    return t;
failed:
    Py_XDECREF(kept);
    Py_DECREF(out);
    return NULL;
}

/* How often the second operand repeats along the first: 0 where it is not its last dimensions, or all of them. */
static size repeats(PyArrayObject *a, PyArrayObject *b) {
    int more = PyArray_NDIM(a) - PyArray_NDIM(b);
    size times = 1;
    if (more < 0) return 0;
    for (int k = 0; k < more; k++) times *= PyArray_DIM(a, k);
    for (int k = more; k < PyArray_NDIM(a); k++)
        if (PyArray_DIM(a, k) != PyArray_DIM(b, k - more)) return 0;
    return PyArray_SIZE(b) ? times : more ? 0 : 1;
}

static PyObject *record_pair(Quick *quick, PyObject *const *args, PyObject *edge, PyArrayObject *a, PyArrayObject *b,
                             PyArrayObject *out) {
    Fields *x = FIELDS(args[0]);
    int first = !UNSET(x->node), second = !UNSET(edge);
    /* (class, both, first only, second only): of these each (constants that are kept, letters or None) */
    PyObject *plan = PyTuple_GET_ITEM(quick->record, first && second ? 1 : first ? 2 : 3);
    PyObject *letters = PyTuple_GET_ITEM(plan, 1), *saved, *metas = NULL;
    if (letters == Py_None) {
        saved = Py_NewRef(PyTuple_GET_ITEM(plan, 0));
    } else {
        Py_ssize_t count = PyUnicode_GET_LENGTH(letters);
        if ((saved = PyTuple_New(count)) == NULL) return NULL;
        for (Py_ssize_t k = 0; k < count; k++) {
            Py_UCS4 letter = PyUnicode_READ_CHAR(letters, k);
            PyObject *kept = letter == 'i' ? Py_NewRef(args[0]) : letter == 'o' ? Py_NewRef(args[1]) : Py_NewRef(Py_None);
            if (letter == 'o' && b == NULL) {
                /* PyTorch keeps a number as a tensor. */
                Py_SETREF(kept, PyObject_CallNoArgs(wrapped_class));
                if (kept == NULL || PyObject_SetAttr(kept, name_value, args[1]) < 0) {
                    Py_XDECREF(kept);
                    Py_DECREF(saved);
                    return NULL;
                }
                PyObject_GC_UnTrack(kept); /* a number makes no cycle */
            }
            PyTuple_SET_ITEM(saved, k, kept);
        }
    }
    if (second && PyArray_NDIM(a) != PyArray_NDIM(b)) {
        PyObject *shape = shape_of(b), *meta = shape ? PyTuple_Pack(2, shape, PyArray_DESCR(b)) : NULL;
        metas = meta ? PyTuple_Pack(2, Py_None, meta) : NULL;
        Py_XDECREF(shape);
        Py_XDECREF(meta);
    } else {
        metas = Py_NewRef(Py_None);
    }
    return node_of((PyTypeObject *)PyTuple_GET_ITEM(quick->record, 0),
                   PyTuple_Pack(2, first ? x->node : Py_None, second ? edge : Py_None), saved, metas);
}

static PyObject *pair(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Quick *quick = (Quick *)self;
    if (PyVectorcall_NARGS(flags) != 2 || keywords || !IS_TENSOR(args[0]) || !tensor_class) Py_RETURN_NONE;
    Fields *x = FIELDS(args[0]);
    PyObject *other = args[1], *edge = NULL;
    int kind = kind_of(quick, x->array), second_inference = 0;
    if (kind < 0) Py_RETURN_NONE;
    PyArrayObject *a = (PyArrayObject *)x->array, *b = NULL;
    size one = PyArray_ITEMSIZE(a), n = PyArray_SIZE(a), times = 1;
    union { float f; double d; npy_int64 i; } number;
    char *second;
    if (IS_TENSOR(other)) {
        Fields *y = FIELDS(other);
        if (kind_of(quick, y->array) != kind) Py_RETURN_NONE;
        b = (PyArrayObject *)y->array;
        times = repeats(a, b);
        if (times == 0 || (times > 1 && PyArray_SIZE(b) < 4 && PyArray_NDIM(b))) Py_RETURN_NONE;
        second = PyArray_DATA(b);
        edge = y->node;
        second_inference = y->inference == Py_True;
    } else {
        if (!quick->numbers) Py_RETURN_NONE;
        if (PyFloat_CheckExact(other) && kind != LONGS) {
            number.d = PyFloat_AS_DOUBLE(other);
            if (kind == FLOATS) number.f = (float)number.d;
        } else if (PyLong_CheckExact(other)) {
            int overflow = 0;
            long long whole = PyLong_AsLongLongAndOverflow(other, &overflow);
            if (overflow || whole > 0x7fffffff || whole < -0x80000000LL) Py_RETURN_NONE;
            if (kind == FLOATS) number.f = (float)whole;
            else if (kind == DOUBLES) number.d = (double)whole;
            else number.i = whole;
        } else {
            Py_RETURN_NONE;
        }
        second = (char *)&number;
    }
    int recorded = 0;
    if ((!UNSET(x->node) || !UNSET(edge)) && setting(name_grad_enabled) == Py_True && quick->record != Py_False) {
        if (!PyTuple_Check(quick->record) || x->inference == Py_True || second_inference) Py_RETURN_NONE;
        recorded = 1;
    }
    const Loop *loop = &quick->loops[kind];
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), loop->out);
    if (out == NULL) return NULL;
    size near = b == NULL || PyArray_NDIM(b) == 0 ? 0 : one;
    char *places[3] = {PyArray_DATA(a), second, PyArray_DATA(out)};
    size steps[3] = {one, near, PyArray_ITEMSIZE(out)};
    if (near && times > 1) {
        size m = n / times;
        for (size row = 0; row < times; row++) {
            char *at[3] = {places[0] + row * m * one, second, places[2] + row * m * steps[2]};
            loop->run(at, &m, steps, loop->data);
        }
    } else {
        loop->run(places, &n, steps, loop->data);
    }
    if (!recorded) return finished(out, NULL);
    PyObject *node = record_pair(quick, args, edge, a, b, out);
    if (node == NULL) {
        Py_DECREF(out);
        return NULL;
    }
    return finished(out, node);
}

static int is_plan(PyObject *plan) {
    return PyTuple_Check(plan) && PyTuple_GET_SIZE(plan) == 2 && PyTuple_Check(PyTuple_GET_ITEM(plan, 0)) &&
           (PyTuple_GET_ITEM(plan, 1) == Py_None || PyUnicode_Check(PyTuple_GET_ITEM(plan, 1)));
}

/* Only what the ways above can follow is taken as a record; with anything else they leave recording to Python. */
static int set_record(PyObject *self, PyObject *value, void *unused) {
    Quick *quick = (Quick *)self;
    int good = value == Py_False || value == Py_None;
    if (value && PyTuple_Check(value) && PyTuple_GET_SIZE(value) >= 2 && PyType_Check(PyTuple_GET_ITEM(value, 0)) &&
        PyType_IsSubtype((PyTypeObject *)PyTuple_GET_ITEM(value, 0), &StepType)) {
        Py_ssize_t count = PyTuple_GET_SIZE(value);
        if (quick->call == single)
            good = count == 2 && PyUnicode_Check(PyTuple_GET_ITEM(value, 1));
        else
            good = count == 4 && is_plan(PyTuple_GET_ITEM(value, 1)) && is_plan(PyTuple_GET_ITEM(value, 2)) &&
                   is_plan(PyTuple_GET_ITEM(value, 3));
    }
    if (!good) {
        PyErr_SetString(PyExc_TypeError, "what is recorded: a class of nodes and what they keep");
        return -1;
    }
    Py_XSETREF(quick->record, Py_NewRef(value));
    return 0;
}
static PyObject *get_record(PyObject *self, void *unused) { return Py_NewRef(((Quick *)self)->record); }
static PyGetSetDef quick_fields[] = {{"record", get_record, set_record, "what nodes keep", NULL}, {NULL}};

static void quick_dealloc(PyObject *self) {
    Py_XDECREF(((Quick *)self)->record);
    Py_TYPE(self)->tp_free(self);
}

/* Quick(inputs, ufunc of float32, ufunc of float64, ufunc of int64, numbers): None for a dtype that has no short way. */
static PyObject *quick_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    int inputs, numbers;
    PyObject *ufuncs[KINDS];
    if (!PyArg_ParseTuple(args, "iOOOp", &inputs, &ufuncs[0], &ufuncs[1], &ufuncs[2], &numbers)) return NULL;
    Quick *quick = (Quick *)type->tp_alloc(type, 0);
    if (quick == NULL) return NULL;
    quick->call = inputs == 1 ? single : pair;
    quick->numbers = numbers;
    quick->record = Py_NewRef(Py_None);
    for (int k = 0; k < KINDS; k++)
        if (inputs < 1 || inputs > 2 || loop_of(ufuncs[k], inputs, kinds[k], &quick->loops[k]) < 0) {
            Py_DECREF(quick);
            return PyErr_Format(PyExc_TypeError, "Quick(): no ufunc of so many arguments");
        }
    return (PyObject *)quick;
}

static PyTypeObject QuickType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tensorsh.engine.kernels.Quick",
    .tp_doc = "The short way of an elementwise operator: a tensor, or None for what is not usual.",
    .tp_basicsize = sizeof(Quick),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Quick, call),
    .tp_call = PyVectorcall_Call,
    .tp_new = quick_new,
    .tp_dealloc = quick_dealloc,
    .tp_getset = quick_fields,
};

int add_quick(PyObject *module) { return PyModule_AddType(module, &QuickType); }
