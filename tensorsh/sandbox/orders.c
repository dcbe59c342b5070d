/* The order of lists, and compiled functions that compiled code calls, in the midst of which a thread can be interrupted.

   `a.sort(key=a.count)` asks compiled code a million times for what takes a moment, and a million times the same long tuple is brought
   in order by reading it twenty million times. `with_steps` makes a function with a step of Python's before each call. `list.sort` stands
   here once more, for the process: it asks for keys in such steps, compares what takes long to compare in steps, too, and hands a
   long list to a hook, which sorts it in pieces. `sorted` calls it. */
#define PY_SSIZE_T_CLEAN
#include "leaving.h"

#define LONG (1ll << 20)   /* numbers that are sorted at once */
#define SLOW (1ll << 20)   /* what is compared by code that nobody knows */
#define HEAVY (1ll << 24)  /* what takes some milliseconds */
#define MANY 16            /* elements of a tuple that are looked at */
#define AVERAGE 16         /* of an element whose comparison costs little */
#define FEW 4096           /* keys that are made in a moment */

static PyObject *kinds;

static PyObject *called(PyObject *function, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    return is_left() ? NULL : PyObject_Vectorcall(function, args, count, names);
}
static PyMethodDef calling = {"function", (PyCFunction)(void (*)(void))called, METH_FASTCALL | METH_KEYWORDS, NULL};

static PyObject *with_steps(PyObject *self, PyObject *function) {
    (void)self;
    if (PyFunction_Check(function) || !PyCallable_Check(function)) return Py_NewRef(function);
    return PyCFunction_New(&calling, function);
}

/* A key whose comparisons are steps. */
typedef struct {
    PyObject_HEAD PyObject *value;
} Key;

static PyTypeObject KeyType;

static PyObject *compare(PyObject *a, PyObject *b, int how) {
    if (!Py_IS_TYPE(a, &KeyType) || !Py_IS_TYPE(b, &KeyType)) Py_RETURN_NOTIMPLEMENTED;
    return is_left() ? NULL : PyObject_RichCompare(((Key *)a)->value, ((Key *)b)->value, how);
}
static void end(PyObject *self) {
    Py_DECREF(((Key *)self)->value);
    PyObject_Free(self);
}
static PyTypeObject KeyType = { /* without the collector: nobody but a sort has keys */
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "key", .tp_basicsize = sizeof(Key), .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = end, .tp_richcompare = compare, .tp_hash = PyObject_HashNotImplemented};

/* What the comparison of a value takes, as that of two numbers is one. */
static long long weight(PyObject *value, int depth) {
    if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value)) return 1;
    if (PyUnicode_CheckExact(value)) return 1 + (PyUnicode_GET_LENGTH(value) >> 5);
    if (!PyTuple_CheckExact(value) || depth == 3 || PyTuple_GET_SIZE(value) > MANY) return SLOW;
    long long sum = 1;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(value); k++) sum += weight(PyTuple_GET_ITEM(value, k), depth + 1);
    return sum;
}
static int is_heavy(PyObject *keys, int *is_long) {
    long long sum = 0, levels = 0;
    const Py_ssize_t count = PyList_GET_SIZE(keys);
    for (Py_ssize_t n = count; n > 1; n >>= 1) levels++;
    for (Py_ssize_t k = 0; k < count; k++) sum += weight(PyList_GET_ITEM(keys, k), 0);
    *is_long = sum > LONG;
    return sum > AVERAGE * (long long)count && sum * levels > HEAVY;
}

static int in_steps(PyObject *keys) {
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(keys); k++) {
        Key *made = k % FEW == 0 && is_left() ? NULL : PyObject_New(Key, &KeyType);
        if (made == NULL) return -1;
        made->value = Py_NewRef(PyList_GET_ITEM(keys, k));
        PyList_SetItem(keys, k, (PyObject *)made);
    }
    return 0;
}

static PyObject *next_key(PyObject *iterator, PyObject *item) {
    (void)item;
    PyObject *found = PyIter_Next(iterator);
    if (found == NULL && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "list modified during sort");
    return found;
}
static PyMethodDef next_of = {"key", next_key, METH_O, NULL};

static PyObject *before, *hook; /* Python's own method; hook(sort, list, keys, reverse) */

/* The keys of a list, a list of its own. */
static PyObject *keys_of(PyObject *list, PyObject *key) {
    PyObject *items = PyList_AsTuple(list);
    PyObject *keys = items ? PyList_New(0) : NULL;
    for (Py_ssize_t k = 0; keys != NULL && k < PyTuple_GET_SIZE(items); k++) {
        PyObject *found = is_left() ? NULL : PyObject_CallOneArg(key, PyTuple_GET_ITEM(items, k));
        if (found == NULL || PyList_Append(keys, found) < 0) Py_CLEAR(keys);
        Py_XDECREF(found);
    }
    if (keys != NULL && PyList_GET_SIZE(list) != PyTuple_GET_SIZE(items)) {
        PyErr_SetString(PyExc_ValueError, "list modified during sort");
        Py_CLEAR(keys);
    }
    Py_XDECREF(items);
    return keys;
}

static PyObject *sort(PyObject *list, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    PyObject *key = Py_None, *reverse = Py_False;
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    int is_known = count == 0;
    for (Py_ssize_t k = 0; k < named && is_known; k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        if (PyUnicode_CompareWithASCIIString(name, "key") == 0)
            key = args[k];
        else if (PyUnicode_CompareWithASCIIString(name, "reverse") == 0)
            reverse = args[k];
        else
            is_known = 0;
    }
    PyObject *all[4] = {before, list};
    if (!is_known) { /* what Python refuses */
        if (count + named > 2) return PyErr_Format(PyExc_TypeError, "sort() takes at most 2 arguments (%zd given)", count + named);
        for (Py_ssize_t k = 0; k < count + named; k++) all[k + 2] = args[k];
        return PyObject_Vectorcall(before, all + 1, count + 1, names);
    }
    const Py_ssize_t length = PyList_GET_SIZE(list);
    PyObject *keys = NULL, *found = NULL, *iterator = NULL, *following = NULL;
    if (key != Py_None && length > 0 && (keys = keys_of(list, key)) == NULL) return NULL;
    int is_long;
    const int heavy = is_heavy(keys ? keys : list, &is_long);
    if (is_long && !heavy) {
        found = PyObject_CallFunction(hook, "OOOO", before, list, keys ? keys : Py_None, reverse);
        goto done;
    }
    if (keys == NULL && heavy && (keys = PyList_GetSlice(list, 0, length)) == NULL) goto done;
    if (heavy && in_steps(keys) < 0) goto done;
    if (keys != NULL) {
        if ((iterator = PyObject_GetIter(keys)) == NULL || (following = PyCFunction_New(&next_of, iterator)) == NULL) goto done;
    }
    all[2] = following ? following : Py_None, all[3] = reverse;
    found = PyObject_Vectorcall(before, all + 1, 1, kinds);
done:
    Py_XDECREF(keys), Py_XDECREF(iterator), Py_XDECREF(following);
    return found;
}

static PyMethodDef sorting = {"sort", (PyCFunction)(void (*)(void))sort, METH_FASTCALL | METH_KEYWORDS, NULL};

static PyObject *wait_for_orders(PyObject *self, PyObject *function) {
    (void)self;
    if (hook != NULL) Py_RETURN_NONE;
    PyObject *own = PyObject_GetAttrString((PyObject *)&PyList_Type, "sort");
    if (own == NULL || !Py_IS_TYPE(own, &PyMethodDescr_Type)) { /* somebody else was here */
        Py_XDECREF(own);
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_NONE;
    }
    sorting.ml_doc = ((PyMethodDescrObject *)own)->d_method->ml_doc;
    PyObject *now = PyDescr_NewMethod(&PyList_Type, &sorting);
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(&PyList_Type);
#else
    PyObject *names = Py_NewRef(PyList_Type.tp_dict);
#endif
    before = own, hook = Py_NewRef(function);
    const int failed = now == NULL || PyDict_SetItemString(names, "sort", now) < 0;
    Py_DECREF(names);
    Py_XDECREF(now);
    PyType_Modified(&PyList_Type);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"with_steps", with_steps, METH_O, "with_steps(function): a function with a step of Python's before each call, unless it is Python's own."},
    {"wait_for_orders", wait_for_orders, METH_O, "wait_for_orders(hook): long lists are sorted by hook(sort, list, keys, reverse)."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "builtins", .m_doc = "The order of lists, in steps.", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_orders(void) {
    if (kinds == NULL) kinds = Py_BuildValue("(ss)", "key", "reverse");
    if (kinds == NULL || prepare_steps() < 0 || PyType_Ready(&KeyType) < 0) return NULL;
    return PyModule_Create(&definition);
}
