/* Long methods and products of numpy's arrays, handed to a function of Python's that can leave them.

   A program that says `a @ a` or `a.sort()` calls numpy at once, which nobody can interrupt. Here stand functions in the place of
   those of numpy's that take long: on large arrays they call a hook with the function that stood there before, and its
   arguments; on all others that function itself. So do those that put something into an array of Python objects, or put it in
   order: the hook refuses a program. */
#include "common.h"

#define MANY (1 << 20)  /* elements that take long to sort */
#define LONG (1ll << 28) /* multiplications that take about as long */
#define MOST 8          /* arguments */

static PyObject *hook; /* hook(function, *arguments) */

static int holds_objects(PyObject *a) { return PyArray_Check(a) && PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)a)); }
static int is_large(PyObject *a) { return PyArray_CheckExact(a) && PyArray_SIZE((PyArrayObject *)a) >= MANY; }

/* Multiplications of a product. */
static size of_product(PyObject *a, PyObject *b) {
    if (!PyArray_CheckExact(a) || !PyArray_CheckExact(b)) return 0;
    PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
    const size columns = PyArray_NDIM(y) > 1 ? PyArray_DIM(y, PyArray_NDIM(y) - 1) : 1;
    const size rows = PyArray_NDIM(x) > 1 ? PyArray_DIM(x, PyArray_NDIM(x) - 2) : 1;
    const size one = times(PyArray_SIZE(x), columns), other = times(PyArray_SIZE(y), rows);
    return one > other ? one : other;
}

typedef struct {
    const char *name;
    PyObject *before;
} Method;

static PyObject *asked(const Method *method, PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    PyObject *all[MOST + 2];
    if (count + named > MOST) return PyErr_Format(PyExc_TypeError, "%s() takes fewer arguments", method->name);
    all[0] = method->before, all[1] = self;
    for (Py_ssize_t k = 0; k < count + named; k++) all[k + 2] = args[k];
    if (is_large(self) || holds_objects(self) || (count && (is_large(args[0]) || of_product(self, args[0]) >= LONG)))
        return PyObject_Vectorcall(hook, all, count + 2, keywords);
    return PyObject_Vectorcall(method->before, all + 1, count + 1, keywords);
}

#define METHODS(each) each(argpartition) each(argsort) each(dot) each(fill) each(partition) each(searchsorted) each(sort)
#define PLACE(name) AT_##name,
enum { METHODS(PLACE) METHOD_COUNT };
#define ENTRY(name) {#name, NULL},
static Method methods[] = {METHODS(ENTRY)};
#define FUNCTION(name)                                                                                               \
    static PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {     \
        return asked(&methods[AT_##name], self, args, count, keywords);                                              \
    }
METHODS(FUNCTION)
#define DEFINITION(name) {#name, (PyCFunction)(void (*)(void))array_##name, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef definitions[] = {METHODS(DEFINITION)};

/* Stores, `a[i] = x` and `a.flat[i] = x`. */
static objobjargproc store_before, flat_store_before;
static PyObject *store, *flat_store; /* the same for the hook */

static PyObject *triple(objobjargproc function, PyObject *args) {
    PyObject *a, *key, *value;
    if (!PyArg_ParseTuple(args, "OOO", &a, &key, &value) || function(a, key, value) < 0) return NULL;
    Py_RETURN_NONE;
}
static PyObject *call_store(PyObject *self, PyObject *args) { return triple(store_before, args); }
static PyObject *call_flat_store(PyObject *self, PyObject *args) { return triple(flat_store_before, args); }
static int asked_to_store(PyObject *function, PyObject *a, PyObject *key, PyObject *value) {
    PyObject *done = PyObject_CallFunctionObjArgs(hook, function, a, key, value, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}
static int array_store(PyObject *a, PyObject *key, PyObject *value) {
    return value != NULL && holds_objects(a) ? asked_to_store(store, a, key, value) : store_before(a, key, value);
}
static int array_flat_store(PyObject *a, PyObject *key, PyObject *value) {
    const int asks = value != NULL && holds_objects((PyObject *)((PyArrayIterObject *)a)->ao);
    return asks ? asked_to_store(flat_store, a, key, value) : flat_store_before(a, key, value);
}

/* The operator @, and @=. */
static binaryfunc product_before, product_in_place_before;
static PyObject *product, *product_in_place; /* the same for the hook */

static PyObject *pair(binaryfunc function, PyObject *args) {
    PyObject *a, *b;
    return PyArg_ParseTuple(args, "OO", &a, &b) ? function(a, b) : NULL;
}
static PyObject *call_product(PyObject *self, PyObject *args) { return pair(product_before, args); }
static PyObject *call_product_in_place(PyObject *self, PyObject *args) { return pair(product_in_place_before, args); }
static PyMethodDef calls[] = {
    {"matmul", call_product, METH_VARARGS, NULL},
    {"imatmul", call_product_in_place, METH_VARARGS, NULL},
    {"store", call_store, METH_VARARGS, NULL},
    {"flat_store", call_flat_store, METH_VARARGS, NULL},
};
static PyObject *array_product(PyObject *a, PyObject *b) {
    return of_product(a, b) < LONG ? product_before(a, b) : PyObject_CallFunctionObjArgs(hook, product, a, b, NULL);
}
static PyObject *array_product_in_place(PyObject *a, PyObject *b) {
    if (of_product(a, b) < LONG) return product_in_place_before(a, b);
    return PyObject_CallFunctionObjArgs(hook, product_in_place, a, b, NULL);
}

static PyObject *wait_for(PyObject *self, PyObject *function) {
    PyTypeObject *type = &PyArray_Type;
    if (hook != NULL) Py_RETURN_NONE;
    product = PyCFunction_New(&calls[0], NULL);
    product_in_place = PyCFunction_New(&calls[1], NULL);
    store = PyCFunction_New(&calls[2], NULL);
    flat_store = PyCFunction_New(&calls[3], NULL);
    if (product == NULL || product_in_place == NULL || store == NULL || flat_store == NULL) return NULL;
    for (int k = 0; k < METHOD_COUNT; k++) {
        PyObject *before = PyDict_GetItemString(type->tp_dict, methods[k].name);
        if (before == NULL || !Py_IS_TYPE(before, &PyMethodDescr_Type)) Py_RETURN_NONE; /* somebody else was here */
        methods[k].before = Py_NewRef(before);
        definitions[k].ml_doc = ((PyMethodDescrObject *)before)->d_method->ml_doc;
    }
    hook = Py_NewRef(function);
    for (int k = 0; k < METHOD_COUNT; k++) {
        PyObject *now = PyDescr_NewMethod(type, &definitions[k]);
        if (now == NULL || PyDict_SetItemString(type->tp_dict, methods[k].name, now) < 0) return Py_XDECREF(now), NULL;
        Py_DECREF(now);
    }
    product_before = type->tp_as_number->nb_matrix_multiply;
    product_in_place_before = type->tp_as_number->nb_inplace_matrix_multiply;
    type->tp_as_number->nb_matrix_multiply = array_product;
    type->tp_as_number->nb_inplace_matrix_multiply = array_product_in_place;
    store_before = type->tp_as_mapping->mp_ass_subscript;
    type->tp_as_mapping->mp_ass_subscript = array_store;
    flat_store_before = PyArrayIter_Type.tp_as_mapping->mp_ass_subscript;
    PyArrayIter_Type.tp_as_mapping->mp_ass_subscript = array_flat_store;
    PyType_Modified(type);
    PyType_Modified(&PyArrayIter_Type);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"wait_for", wait_for, METH_O, "wait_for(hook): long methods of numpy's arrays are called as hook(function, *arguments) from now on."},
    {0},
};

int add_patience(PyObject *module) { return PyModule_AddFunctions(module, functions); }
