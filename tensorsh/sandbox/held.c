/* Memory that stays where it is while Python's own functions ask a program's objects.

   Until 3.15 some methods of bytearrays take the address of their bytes and then ask an argument for its number, its length or its
   text (`b.find(b"x", n)`, `b.hex(text)`, `b % value`), which may resize the bytearray meanwhile; `memoryview.hex`, and a place in a view
   (`m[n] = 1`), read what may have been released; `a[::2] = values` counts a list's places before it walks over values that may take
   them away. Importing this module puts functions in the place of these that hold the memory, so that a program that resizes it has a
   BufferError, and that walk over the values
   first. `parts.h` does the same for objects that ask what they hold, `sets.h` for sets, and
   `versions.h` keeps Python from taking one class for another. */
#include "caches.h"
#include "parts.h"
#include "sets.h"
#include "versions.h"

/* How many have a claim on an object's memory. */
static Py_ssize_t *claims(PyObject *object) {
    return PyByteArray_Check(object) ? &((PyByteArrayObject *)object)->ob_exports : &((PyMemoryViewObject *)object)->exports;
}

static PyObject *called(const Method *method, PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (all > 6) return PyErr_Format(PyExc_TypeError, "%s() takes fewer arguments", method->name);
    PyObject *given[8];
    given[0] = self;
    for (Py_ssize_t k = 0; k < all; k++) given[k + 1] = args[k];
    ++*claims(self);
    PyObject *result = PyObject_Vectorcall(method->before, given, count + 1, names);
    --*claims(self);
    return result;
}

#define METHODS(each)                                                                                                              \
    each(ByteArray, find) each(ByteArray, rfind) each(ByteArray, index) each(ByteArray, rindex) each(ByteArray, count)             \
        each(ByteArray, startswith) each(ByteArray, endswith) each(ByteArray, hex) each(ByteArray, join) each(MemoryView, hex)
#define PLACE(type, name) AT_##type##_##name,
enum { METHODS(PLACE) EXTEND, COUNT };
#define ENTRY(type, name) {&Py##type##_Type, #name, NULL},
static Method methods[] = {METHODS(ENTRY){&PyByteArray_Type, "extend", NULL}};
#define FUNCTION(type, name)                                                                                         \
    static PyObject *type##_##name(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {       \
        return called(&methods[AT_##type##_##name], self, args, count, names);                                       \
    }
METHODS(FUNCTION)

/* Whether there are values to be had; Python's own refuses all else. */
static int can_be_walked(PyObject *values) { return Py_TYPE(values)->tp_iter != NULL || PySequence_Check(values); }

/* Of values that say themselves how many they are, a list. */
static PyObject *extended(PyObject *self, PyObject *values) {
    const int as_given = PyObject_CheckBuffer(values) || PyUnicode_Check(values) || !can_be_walked(values);
    PyObject *taken = as_given ? Py_NewRef(values) : PySequence_List(values);
    if (taken == NULL) return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(methods[EXTEND].before, self, taken, NULL);
    Py_DECREF(taken);
    return result;
}

#define DEFINITION(type, name) {#name, (PyCFunction)(void (*)(void))type##_##name, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef definitions[] = {METHODS(DEFINITION){"extend", extended, METH_O, NULL}};

static binaryfunc modulo;
static objobjproc contains;
static getiterfunc walk;
static hashfunc hash;
static objobjargproc store, set_part;
static binaryfunc get_part;

static PyObject *held_modulo(PyObject *left, PyObject *right) {
    if (!PyByteArray_Check(left)) return modulo(left, right);
    ++*claims(left);
    PyObject *result = modulo(left, right);
    --*claims(left);
    return result;
}

static int held_contains(PyObject *self, PyObject *value) {
    ++*claims(self);
    const int found = contains(self, value);
    --*claims(self);
    return found;
}

/* Python's own reads the format of a view that was released, and of memory that may be gone. */
static PyObject *held_walk(PyObject *view) { return PyObject_Size(view) < 0 ? NULL : walk(view); }

static Py_hash_t held_hash(PyObject *view) {
    ++*claims(view);
    const Py_hash_t found = hash(view);
    --*claims(view);
    return found;
}

/* A place in a view is asked for its number after Python has taken the address of the format. */
static PyObject *held_get_part(PyObject *view, PyObject *place) {
    ++*claims(view);
    PyObject *found = get_part(view, place);
    --*claims(view);
    return found;
}

static int held_set_part(PyObject *view, PyObject *place, PyObject *value) {
    ++*claims(view);
    const int failed = set_part(view, place, value);
    --*claims(view);
    return failed;
}

static int taken_store(PyObject *self, PyObject *place, PyObject *value) {
    if (value == NULL || !PySlice_Check(place) || PyList_CheckExact(value) || PyTuple_CheckExact(value) || !can_be_walked(value))
        return store(self, place, value);
    PyObject *taken = PySequence_List(value);
    if (taken == NULL) return -1;
    const int failed = store(self, place, taken);
    Py_DECREF(taken);
    return failed;
}

static void mend_sequence(PyTypeObject *type) {
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_ass_subscript == store) type->tp_as_mapping->mp_ass_subscript = taken_store;
    if (type->tp_as_number != NULL && type->tp_as_number->nb_remainder == modulo) type->tp_as_number->nb_remainder = held_modulo;
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_contains == contains) type->tp_as_sequence->sq_contains = held_contains;
}

/* Before 3.14 Python takes a short cut to methods of any number of arguments that is wrong for one without an object: after
   `m = list.pop`, `m()` takes whatever was left above its stack for the list, and gives up a claim that it never had. A flag that says
   nothing of a method (METH_COEXIST) keeps Python from the short cut. */
static int call_in_full(PyTypeObject *type) {
    PyObject *names = names_of(type), *key, *value;
    for (Py_ssize_t at = 0; names != NULL && PyDict_Next(names, &at, &key, &value);) {
        if (!Py_IS_TYPE(value, &PyMethodDescr_Type)) continue;
        PyMethodDef *method = ((PyMethodDescrObject *)value)->d_method;
        if ((method->ml_flags & (METH_FASTCALL | METH_METHOD | METH_COEXIST)) == METH_FASTCALL) method->ml_flags |= METH_COEXIST;
    }
    Py_XDECREF(names);
    PyObject *derived = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    int failed = derived == NULL;
    for (Py_ssize_t k = 0; !failed && k < PyList_GET_SIZE(derived); k++) failed = call_in_full((PyTypeObject *)PyList_GET_ITEM(derived, k));
    Py_XDECREF(derived);
    return failed;
}

/* Before 3.13.4 Python 3.13 knows `one.append(1)` by the method alone, and reads a list where `list.append(1)` has none. */
static int append_in_full(void) {
    static Method append = {&PyList_Type, "append", NULL};
    static PyMethodDef other;
    if (Py_Version < 0x030d0000 || Py_Version >= 0x030d0400) return 0;
    const PyMethodDef *own = defined(&append);
    if (own == NULL) return -1;
    other = *own;
    return put(&append, &other);
}

static PyObject *call_methods_in_full(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return PY_VERSION_HEX < 0x030e0000 && call_in_full(&PyBaseObject_Type) ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"advance_alone", advance_alone, METH_VARARGS, "advance_alone(type, whole=None): iterators that nothing advances while they advance."},
    {"call_methods_in_full", call_methods_in_full, METH_NOARGS, "call_methods_in_full(): of all classes that there are, without Python's short cuts."},
    {"cached", new_cache, METH_VARARGS, "cached(function, maxsize, typed, kind): a program's cache; `kind` is made of what it tells."},
    {"can_tell", can_tell, METH_NOARGS, "can_tell(): an error where Python has hardly a number left for the state of another class."},
    {"know_classes", know_classes, METH_O, "know_classes(table): the classes that programs made, by their addresses."},
    {"tell_apart", tell_apart, METH_O, "tell_apart(last): programs change classes until that many states of classes were told apart."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "held", .m_doc = "Memory that stays where it is.", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_held(void) {
    if (store == NULL) {
        for (int k = 0; k < COUNT; k++)
            if (put(&methods[k], &definitions[k])) return NULL;
        store = PyList_Type.tp_as_mapping->mp_ass_subscript;
        modulo = PyByteArray_Type.tp_as_number->nb_remainder;
        contains = PyByteArray_Type.tp_as_sequence->sq_contains;
        walk = PyMemoryView_Type.tp_iter;
        if (walk != NULL) {
            PyMemoryView_Type.tp_iter = held_walk;
            if (redirect(&PyMemoryView_Type, "__iter__", (void *)walk, (void *)held_walk)) return NULL;
        }
        hash = PyMemoryView_Type.tp_hash, PyMemoryView_Type.tp_hash = held_hash;
        PyMappingMethods *parts = PyMemoryView_Type.tp_as_mapping;
        get_part = parts->mp_subscript, parts->mp_subscript = held_get_part;
        set_part = parts->mp_ass_subscript, parts->mp_ass_subscript = held_set_part;
        if (redirect(&PyMemoryView_Type, "__getitem__", (void *)get_part, (void *)held_get_part) ||
            redirect(&PyMemoryView_Type, "__setitem__", (void *)set_part, (void *)held_set_part) ||
            redirect(&PyMemoryView_Type, "__delitem__", (void *)set_part, (void *)held_set_part) ||
            redirect(&PyMemoryView_Type, "__hash__", (void *)hash, (void *)held_hash) ||
            redirect(&PyList_Type, "__setitem__", (void *)store, (void *)taken_store) ||
            redirect(&PyByteArray_Type, "__mod__", (void *)modulo, (void *)held_modulo) ||
            redirect(&PyByteArray_Type, "__rmod__", (void *)modulo, (void *)held_modulo) ||
            redirect(&PyByteArray_Type, "__contains__", (void *)contains, (void *)held_contains) || spread(&PyList_Type, mend_sequence) ||
            spread(&PyByteArray_Type, mend_sequence) || keep_parts() || keep_caches() || keep_sets() || append_in_full())
            return NULL;
    }
    return PyModule_Create(&definition);
}
