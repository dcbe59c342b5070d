/* Hashes, comparisons and texts of Python's own objects, in the midst of which a thread can be interrupted.

   `t = (t, t)`, forty times over, costs nothing and is hashed, compared and shown for ever; so is a list that holds one long number
   ten million times, and a table of numbers whose hashes are alike. Here stand functions in the place of Python's own that count
   what is asked for, and look every now and then whether the thread is to be left, before they call Python's own. */
#include "common.h"

#define OFTEN (1 << 16) /* elements that are compared in about a millisecond */

static size asked; /* since somebody looked. Interpreters with locks of their own may count at once: then it is too few. */

/* Whether the thread is to be left, by an error that is set. */
INLINE int is_left(size more) {
    const size now = __atomic_load_n(&asked, __ATOMIC_RELAXED) + more;
    __atomic_store_n(&asked, now < OFTEN ? now : 0, __ATOMIC_RELAXED);
    if (__builtin_expect(now < OFTEN, 1)) return 0;
    return !PyErr_Occurred() && PyInterpreterState_Get() == PyInterpreterState_Main() && is_interrupted();
}

#define ONE(x) 1
#define CALLED(x) (OFTEN / 32) /* a call of any function, which may take some hundredths of a second */
#define INDEXED(x) (OFTEN / 8192) /* an element of an array that becomes an object */
#define HELD(x) (1 + Py_SIZE(x))
#define KEPT(x) (1 + PyDict_GET_SIZE(x))
#define BYTES(x) (1 + (Py_SIZE(x) >> 7))
#define TEXT(x) (1 + (PyUnicode_GET_LENGTH(x) >> 5))
#if PY_VERSION_HEX >= 0x030c0000
#define DIGITS(x) (1 + (size)(((PyLongObject *)(x))->long_value.lv_tag >> 7))
#else
#define DIGITS(x) (1 + ((Py_SIZE(x) < 0 ? -Py_SIZE(x) : Py_SIZE(x)) >> 4))
#endif

/* Each: a name of its own, its slot, what it answers and is called with, how it fails, what it counts. */
#define WALKS(each)                                                                                   \
    each(tuple_hash, tp_hash, Py_hash_t, (PyObject * a), (a), -1, HELD)                               \
    each(int_hash, tp_hash, Py_hash_t, (PyObject * a), (a), -1, DIGITS)                               \
    each(tuple_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, HELD) \
    each(list_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, HELD)  \
    each(dict_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, KEPT)  \
    each(set_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, ONE)    \
    each(frozenset_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, ONE) \
    each(deque_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, HELD) \
    each(int_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, DIGITS) \
    each(complex_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, ONE) \
    each(str_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, TEXT)   \
    each(bytes_compare, tp_richcompare, PyObject *, (PyObject * a, PyObject * b, int how), (a, b, how), NULL, BYTES) \
    each(tuple_text, tp_repr, PyObject *, (PyObject * a), (a), NULL, HELD)                            \
    each(list_text, tp_repr, PyObject *, (PyObject * a), (a), NULL, HELD)                             \
    each(dict_text, tp_repr, PyObject *, (PyObject * a), (a), NULL, KEPT)                             \
    each(slice_text, tp_repr, PyObject *, (PyObject * a), (a), NULL, ONE)                             \
    each(map_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, CALLED)                        \
    each(starmap_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, CALLED)                    \
    each(repeat_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, ONE)                        \
    each(reversed_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, INDEXED)                  \
    each(sequence_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, INDEXED)                  \
    each(flat_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, INDEXED)                      \
    each(broadcast_next, tp_iternext, PyObject *, (PyObject * a), (a), NULL, INDEXED)

#define PYTHONS(name, slot, kind, taken, given, failure, count)       \
    static kind(*name##_before) taken;                                \
    static kind name taken { return is_left(count(a)) ? failure : name##_before given; }
WALKS(PYTHONS)

int rename_slot(PyTypeObject *type, void *before, void *now) {
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(type);
#else
    PyObject *names = Py_XNewRef(type->tp_dict);
#endif
    if (names == NULL) return PyErr_Occurred() ? -1 : 0;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(names, &at, &key, &value);)
        if (Py_IS_TYPE(value, &PyWrapperDescr_Type) && ((PyWrapperDescrObject *)value)->d_wrapped == before)
            ((PyWrapperDescrObject *)value)->d_wrapped = now;
    Py_DECREF(names);
    PyType_Modified(type);
    return 0;
}

/* Gives a class, and those derived from it that have the same, another function. */
#define REPLACING(slot, function)                                                                    \
    static int replace_##slot(PyTypeObject *type, function before, function now) {                   \
        PyObject *derived = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type); \
        if (derived == NULL) return -1;                                                              \
        int failed = 0;                                                                              \
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(derived) && !failed; k++) {                       \
            PyTypeObject *each = (PyTypeObject *)PyList_GET_ITEM(derived, k);                        \
            if (each->slot == before) failed = replace_##slot(each, before, now);                    \
        }                                                                                            \
        Py_DECREF(derived);                                                                          \
        if (failed) return -1;                                                                       \
        type->slot = now;                                                                            \
        return rename_slot(type, (void *)before, (void *)now);                                       \
    }
REPLACING(tp_hash, hashfunc)
REPLACING(tp_richcompare, richcmpfunc)
REPLACING(tp_repr, reprfunc)
REPLACING(tp_iternext, iternextfunc)

static int installed;

static PyObject *look_while_walking(PyObject *self, PyObject *types) {
    if (installed) Py_RETURN_NONE;
    if (!PyTuple_Check(types)) return PyErr_Format(PyExc_TypeError, "look_while_walking(): a tuple of classes");
    Py_ssize_t place = 0, count = PyTuple_GET_SIZE(types);
#define COUNTED(...) +1
    if (count != 0 WALKS(COUNTED)) return PyErr_Format(PyExc_ValueError, "look_while_walking(): %zd classes", count);
    for (Py_ssize_t k = 0; k < count; k++)
        if (!PyType_Check(PyTuple_GET_ITEM(types, k))) return PyErr_Format(PyExc_TypeError, "look_while_walking(): no class");
#define INSTALLED(name, slot, kind, taken, given, failure, counts)                    \
    {                                                                                 \
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(types, place++);        \
        if (type->slot != name) name##_before = type->slot; /* else an earlier try got so far */ \
        if (replace_##slot(type, name##_before, name) < 0) return NULL;               \
    }
    WALKS(INSTALLED)
    installed = 1;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"look_while_walking", look_while_walking, METH_O, "look_while_walking(classes): long walks of Python's own can be left from now on."},
    {0},
};

int add_walks(PyObject *module) { return PyModule_AddFunctions(module, functions); }
