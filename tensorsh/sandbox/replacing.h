/* Functions in the place of those that Python's own types have: methods, special methods, slots. */
#ifndef TENSORSH_REPLACING
#define TENSORSH_REPLACING
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyTypeObject *type;
    const char *name;
    PyObject *before;
} Method;

static inline PyObject *names_of(PyTypeObject *type) {
#if PY_VERSION_HEX >= 0x030c0000
    return PyType_GetDict(type);
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

static inline int put(Method *method, PyMethodDef *definition) {
    method->before = PyObject_GetAttrString((PyObject *)method->type, method->name);
    if (method->before == NULL) return -1;
    if (!Py_IS_TYPE(method->before, &PyMethodDescr_Type)) return 0; /* somebody else was here */
    definition->ml_doc = ((PyMethodDescrObject *)method->before)->d_method->ml_doc;
    PyObject *now = PyDescr_NewMethod(method->type, definition);
    PyObject *names = names_of(method->type);
    const int failed = now == NULL || PyDict_SetItemString(names, method->name, now) < 0;
    Py_DECREF(names);
    Py_XDECREF(now);
    PyType_Modified(method->type);
    return failed ? -1 : 0;
}

/* How Python itself defines a method. */
static inline const PyMethodDef *defined(const Method *method) {
    PyObject *there = PyObject_GetAttrString((PyObject *)method->type, method->name);
    const PyMethodDef *own = there != NULL && Py_IS_TYPE(there, &PyMethodDescr_Type) ? ((PyMethodDescrObject *)there)->d_method : NULL;
    Py_XDECREF(there);
    if (own == NULL && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s is no method of Python's", method->name);
    return own;
}

/* Lets a special method call another function. */
static inline int redirect(PyTypeObject *type, const char *name, void *before, void *now) {
    PyObject *method = PyObject_GetAttrString((PyObject *)type, name);
    if (method == NULL) return -1;
    if (Py_IS_TYPE(method, &PyWrapperDescr_Type) && ((PyWrapperDescrObject *)method)->d_wrapped == before)
        ((PyWrapperDescrObject *)method)->d_wrapped = now;
    Py_DECREF(method);
    return 0;
}

/* Mends the slots of a type and of those derived from it. */
static inline int spread(PyTypeObject *type, void (*mend)(PyTypeObject *)) {
    mend(type);
    PyType_Modified(type);
    PyObject *derived = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    if (derived == NULL) return -1;
    int failed = 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(derived) && !failed; k++) failed = spread((PyTypeObject *)PyList_GET_ITEM(derived, k), mend);
    Py_DECREF(derived);
    return failed;
}

/* What stood there before, called. */
static inline PyObject *passed_on(const Method *method, PyObject *self, PyObject *args, PyObject *names) {
    PyObject *first = PyTuple_Pack(1, self), *all = first == NULL ? NULL : PySequence_Concat(first, args);
    PyObject *result = all == NULL ? NULL : PyObject_Call(method->before, all, names);
    Py_XDECREF(all);
    Py_XDECREF(first);
    return result;
}

/* Objects that one of these functions is at work on. */
#define MOST_BUSY (1 << 14)
static PyObject *busy[MOST_BUSY];
static int count_busy;

static inline int is_busy(PyObject *self) {
    for (int k = count_busy - 1; k >= 0; k--)
        if (busy[k] == self) return 1;
    return 0;
}

static inline int begin(PyObject *self) {
    if (count_busy == MOST_BUSY) {
        PyErr_SetString(PyExc_RecursionError, "calls that ask objects of the program are nested too deep");
        return 0;
    }
    busy[count_busy++] = self;
    return 1;
}

static inline void end(PyObject *self) { /* of several threads, whichever began last need not end first */
    int k = count_busy - 1;
    while (k > 0 && busy[k] != self) k--;
    busy[k] = busy[--count_busy];
}
#endif
