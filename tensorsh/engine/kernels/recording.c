/* How a call in the general way is recorded on the tape: `Recording.record` of record.py for one result of floats. */
#include "general.h"

static PyObject *name_recording, *name_title, *name_node_class;

/* (class of nodes, ((letter, place) of each value that is kept)) where the operands of a mask have nodes, as
   `Recording.recording` says; a borrowed reference, False where recording is left to Python. The class is None where it
   depends on the arguments: see class_of. */
static PyObject *plan_of(General *it, long mask) {
    PyObject *key = PyLong_FromLong(mask), *plan = key ? PyDict_GetItemWithError(it->plans, key) : NULL;
    if (plan == NULL && key && !PyErr_Occurred()) {
        plan = method(it->owner, name_recording, key, NULL);
        if (plan && PyDict_SetItem(it->plans, key, plan) < 0) Py_CLEAR(plan);
        Py_XDECREF(plan); /* the dictionary has it */
    }
    Py_XDECREF(key);
    return plan;
}

static PyObject *class_of(General *it, PyObject *plan, PyObject *values) {
    PyObject *class = PyTuple_GET_ITEM(plan, 0);
    if (class != Py_None) return Py_NewRef(class);
    PyObject *title = method(it->owner, name_title, values, NULL);
    class = method(it->owner, name_node_class, title, NULL);
    Py_XDECREF(title);
    if (class && !(PyType_Check(class) && PyType_IsSubtype((PyTypeObject *)class, &StepType))) {
        Py_CLEAR(class);
        PyErr_SetString(PyExc_TypeError, "node_class(): no class of nodes");
    }
    return class;
}

/* What stands for a result that its own node keeps. */
static PyObject *kept_of(PyObject *result) {
    PyObject *kept = PyObject_CallNoArgs(saved_class);
    if (kept && PyObject_SetAttr(kept, name_array, result) < 0) Py_CLEAR(kept);
    if (kept) PyObject_GC_UnTrack(kept); /* an array and numbers make no cycle */
    return kept;
}

/* What a node keeps of the arguments and, by `kept`, of the result. NULL without an error: not usual. */
static PyObject *saved_of(PyObject *plan, PyObject *values, PyObject *result, PyObject **kept) {
    Py_ssize_t count = PyTuple_GET_SIZE(plan);
    PyObject *saved = PyTuple_New(count);
    for (Py_ssize_t k = 0; saved && k < count; k++) {
        PyObject *entry = PyTuple_GET_ITEM(plan, k), *x, *value = NULL;
        Py_UCS4 letter = PyUnicode_READ_CHAR(PyTuple_GET_ITEM(entry, 0), 0);
        x = PyList_GET_ITEM(values, PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 1)));
        int is_plain = IS_TENSOR(x) && FIELDS(x)->array && PyArray_CheckExact(FIELDS(x)->array) && FIELDS(x)->inference != Py_True;
        if (letter == 'n') value = Py_NewRef(Py_None);
        else if (letter == 'r') value = Py_XNewRef(*kept ? *kept : (*kept = kept_of(result)));
        else if (letter == 't' && (is_plain || x == Py_None)) value = Py_NewRef(x);
        else if (letter == 'a' && !IS_TENSOR(x)) value = Py_NewRef(x);
        else if (letter == 's' && is_plain) value = shape_of((PyArrayObject *)FIELDS(x)->array);
        if (value == NULL) Py_CLEAR(saved);
        else PyTuple_SET_ITEM(saved, k, value);
    }
    return saved;
}

PyObject *recorded(General *it, PyObject *values, PyObject *result) {
    if (!PyArray_CheckExact(result) || !tensor_class || it->view) return NULL;
    PyArrayObject *out = (PyArrayObject *)result;
    PyArray_Descr *type = PyArray_DESCR(out);
    if (type != float32 && type != float64) return NULL;
    long mask = 0;
    int changed = 0; /* operands of another shape or type than the result */
    for (Py_ssize_t k = 0; k < it->arrays; k++) {
        PyObject *x = PyList_GET_ITEM(values, it->places[k]);
        if (!IS_TENSOR(x) || !PyArray_CheckExact(FIELDS(x)->array)) {
            if (x != Py_None) return NULL;
            continue;
        }
        PyArrayObject *a = (PyArrayObject *)FIELDS(x)->array;
        if (it->promotes && PyArray_DESCR(a) != type) return NULL;
        if (UNSET(FIELDS(x)->node)) continue;
        mask |= 1L << k;
        changed |= PyArray_DESCR(a) != type || !PyArray_SAMESHAPE(a, out);
    }
    PyObject *plan = plan_of(it, mask), *edges = NULL, *saved = NULL, *metas = NULL, *kept = NULL, *node = NULL, *t = NULL;
    if (plan == NULL || plan == Py_False) return NULL;
    PyObject *class = class_of(it, plan, values);
    if (class == NULL) return NULL;
    if ((saved = saved_of(PyTuple_GET_ITEM(plan, 1), values, result, &kept)) == NULL) goto done;
    edges = PyTuple_New(it->arrays);
    metas = changed ? PyTuple_New(it->arrays) : Py_NewRef(Py_None);
    for (Py_ssize_t k = 0; edges && metas && k < it->arrays; k++) {
        PyObject *x = PyList_GET_ITEM(values, it->places[k]), *meta = Py_None;
        int on = mask >> k & 1;
        PyTuple_SET_ITEM(edges, k, Py_NewRef(on ? FIELDS(x)->node : Py_None));
        if (!changed) continue;
        if (on) {
            PyObject *shape = shape_of((PyArrayObject *)FIELDS(x)->array);
            meta = shape ? PyTuple_Pack(2, shape, PyArray_DESCR((PyArrayObject *)FIELDS(x)->array)) : NULL;
            Py_XDECREF(shape);
            if (meta == NULL) goto done;
        }
        PyTuple_SET_ITEM(metas, k, on ? meta : Py_NewRef(meta));
    }
    node = node_of((PyTypeObject *)class, edges, saved, metas);
    edges = saved = metas = NULL; /* the node's */
    if (node && (t = tensor_of(Py_NewRef(result)))) {
        Py_SETREF(FIELDS(t)->node, Py_NewRef(node));
        if (kept) Py_SETREF(FIELDS(t)->cell, Py_NewRef(kept));
    }
done:
    Py_XDECREF(edges);
    Py_XDECREF(saved);
    Py_XDECREF(metas);
    Py_XDECREF(kept);
    Py_XDECREF(node);
    Py_DECREF(class);
    return t;
}

int add_recording(void) {
    name_recording = PyUnicode_InternFromString("recording");
    name_title = PyUnicode_InternFromString("title");
    name_node_class = PyUnicode_InternFromString("node_class");
    return name_recording && name_title && name_node_class ? 0 : -1;
}
