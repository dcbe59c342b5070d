/* Sets that are not changed while a new element is compared.

   A set remembers a place that an element was taken from, asks the others whether they are equal, and then puts the new one there: an
   `__eq__` that adds an element meanwhile has it overwritten, the set counts one too many, and looks for that behind its memory. While an
   element is being added here nothing changes the set. */
#ifndef TENSORSH_SETS
#define TENSORSH_SETS
#include "replacing.h"

#define CHANGES(each)                                                                                       \
    each(add, METH_O) each(discard, METH_O) each(remove, METH_O) each(symmetric_difference_update, METH_O)  \
        each(pop, METH_NOARGS) each(clear, METH_NOARGS) each(update, METH_VARARGS)                          \
        each(difference_update, METH_VARARGS) each(intersection_update, METH_VARARGS)
#define SET_PLACE(name, flags) SET_##name,
enum { CHANGES(SET_PLACE) SET_CHANGES };
#define SET_ENTRY(name, flags) {&PySet_Type, #name, NULL},
static Method set_methods[] = {CHANGES(SET_ENTRY)};
static PyCFunction set_before[SET_CHANGES]; /* NULL where this Python's takes its arguments otherwise */

static int can_change(PyObject *set) {
    if (count_busy == 0 || !is_busy(set)) return 1;
    PyErr_SetString(PyExc_RuntimeError, "Set changed while its elements are compared");
    return 0;
}

static PyObject *set_called(int which, PyObject *set, PyObject *args, int flags) {
    if (set_before[which] != NULL) return set_before[which](set, args);
    if (flags == METH_VARARGS) return passed_on(&set_methods[which], set, args, NULL);
    return PyObject_CallFunctionObjArgs(set_methods[which].before, set, args, NULL);
}

#define CHANGE(name, flags)                                                                                                        \
    static PyObject *set_##name(PyObject *set, PyObject *args) {                                                                   \
        return can_change(set) ? set_called(SET_##name, set, args, flags) : NULL;                                                  \
    }
CHANGE(discard, METH_O) CHANGE(remove, METH_O) CHANGE(pop, METH_NOARGS) CHANGE(clear, METH_NOARGS)
CHANGE(difference_update, METH_VARARGS) CHANGE(intersection_update, METH_VARARGS)

static PyObject *set_add(PyObject *set, PyObject *key) {
    if (!can_change(set) || !begin(set)) return NULL;
    PyObject *result = set_called(SET_add, set, key, METH_O);
    end(set);
    return result;
}

static binaryfunc set_or_before, set_xor_before, set_subtract_before, set_and_before;

/* What walks over values leaves the set alone between two of them: a generator may add to it. */
static int set_extend(PyObject *set, PyObject *values) {
    if (PyAnySet_Check(values) || PyList_CheckExact(values) || PyTuple_CheckExact(values) || PyDict_CheckExact(values)) {
        if (!can_change(set) || !begin(set)) return -1;
        PyObject *none = PyObject_CallFunctionObjArgs(set_methods[SET_update].before, set, values, NULL);
        end(set);
        Py_XDECREF(none);
        return none == NULL ? -1 : 0;
    }
    PyObject *walk = PyObject_GetIter(values), *value;
    if (walk == NULL) return -1;
    while ((value = PyIter_Next(walk)) != NULL) {
        PyObject *none = set_add(set, value);
        Py_DECREF(value);
        if (none == NULL) break;
        Py_DECREF(none);
    }
    Py_DECREF(walk);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *set_update(PyObject *set, PyObject *args) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); k++)
        if (set_extend(set, PyTuple_GET_ITEM(args, k))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_symmetric_difference_update(PyObject *set, PyObject *values) {
    PyObject *other = PyAnySet_Check(values) ? Py_NewRef(values) : PySet_New(values), *result = NULL;
    if (other != NULL && can_change(set) && begin(set)) {
        result = set_called(SET_symmetric_difference_update, set, other, METH_O);
        end(set);
    }
    Py_XDECREF(other);
    return result;
}

#define SET_OPERATOR(name, adds)                                          \
    static PyObject *set_##name(PyObject *set, PyObject *other) {         \
        if (!can_change(set) || (adds && !begin(set))) return NULL;       \
        PyObject *result = set_##name##_before(set, other);               \
        if (adds) end(set);                                               \
        return result;                                                    \
    }
SET_OPERATOR(or, 1) SET_OPERATOR(xor, 1) SET_OPERATOR(subtract, 0) SET_OPERATOR(and, 0)

static initproc set_init_before;

static int set_init(PyObject *set, PyObject *args, PyObject *names) {
    if (!can_change(set)) return -1;
    if (names != NULL || PyTuple_GET_SIZE(args) != 1) return set_init_before(set, args, names);
    PyObject *nothing = PyTuple_New(0), *values = PyTuple_GET_ITEM(args, 0);
    const int failed = nothing == NULL || set_init_before(set, nothing, NULL) < 0 || set_extend(set, values);
    Py_XDECREF(nothing);
    return failed ? -1 : 0;
}

static void mend_set(PyTypeObject *type) {
    PyNumberMethods *own = type->tp_as_number;
    if (type->tp_init == set_init_before) type->tp_init = set_init;
    if (own == NULL) return;
    if (own->nb_inplace_or == set_or_before) own->nb_inplace_or = set_or;
    if (own->nb_inplace_xor == set_xor_before) own->nb_inplace_xor = set_xor;
    if (own->nb_inplace_subtract == set_subtract_before) own->nb_inplace_subtract = set_subtract;
    if (own->nb_inplace_and == set_and_before) own->nb_inplace_and = set_and;
}

#define SET_DEFINITION(name, flags) {#name, set_##name, flags, NULL},
static PyMethodDef set_definitions[] = {CHANGES(SET_DEFINITION)};

static int keep_sets(void) {
    for (int k = 0; k < SET_CHANGES; k++) {
        const PyMethodDef *own = defined(&set_methods[k]);
        if (own == NULL) return -1;
        if ((own->ml_flags & ~METH_COEXIST) == set_definitions[k].ml_flags) set_before[k] = own->ml_meth;
        if (put(&set_methods[k], &set_definitions[k])) return -1;
    }
    const PyNumberMethods *own = PySet_Type.tp_as_number;
    set_init_before = PySet_Type.tp_init;
    set_or_before = own->nb_inplace_or, set_xor_before = own->nb_inplace_xor;
    set_subtract_before = own->nb_inplace_subtract, set_and_before = own->nb_inplace_and;
    return redirect(&PySet_Type, "__init__", (void *)set_init_before, (void *)set_init) ||
           redirect(&PySet_Type, "__ior__", (void *)set_or_before, (void *)set_or) ||
           redirect(&PySet_Type, "__ixor__", (void *)set_xor_before, (void *)set_xor) ||
           redirect(&PySet_Type, "__isub__", (void *)set_subtract_before, (void *)set_subtract) ||
           redirect(&PySet_Type, "__iand__", (void *)set_and_before, (void *)set_and) || spread(&PySet_Type, mend_set);
}
#endif
