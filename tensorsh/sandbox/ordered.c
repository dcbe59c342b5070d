/* Ordered dictionaries that are not changed while their keys are compared.

   An OrderedDict keeps the places of its entries while keys are compared, and a key's `__eq__` may take entries away. While one of the
   functions here is at work on one, nothing changes it; what takes several steps asks for each entry anew. What changes a dictionary
   (`dict.clear(d)`) changes an ordered one as its own methods do: Python's leaves places of entries that are gone. Importing this module
   puts the functions in the place of Python's own. */
#include "replacing.h"

static int is_free(PyObject *self) {
    if (is_busy(self)) PyErr_SetString(PyExc_RuntimeError, "OrderedDict mutated while its keys are compared");
    return !is_busy(self);
}

static objobjargproc ordered_store_before;
static richcmpfunc ordered_compare_before;
static reprfunc ordered_repr_before;
static iternextfunc ordered_next_before;
enum { POP, POPITEM, COPY, CLEAR, MOVE, DEFAULT, ORDERED };
static Method ordered_methods[] = {
    {&PyODict_Type, "pop", NULL},   {&PyODict_Type, "popitem", NULL},     {&PyODict_Type, "copy", NULL},
    {&PyODict_Type, "clear", NULL}, {&PyODict_Type, "move_to_end", NULL}, {&PyODict_Type, "setdefault", NULL},
};

static int ordered_store(PyObject *self, PyObject *key, PyObject *value) {
    if (!is_free(self) || !begin(self)) return -1;
    const int failed = ordered_store_before(self, key, value);
    end(self);
    return failed;
}

static PyObject *ordered_compare(PyObject *self, PyObject *other, int how) {
    if (!begin(self)) return NULL;
    if (!begin(other)) return end(self), NULL;
    PyObject *result = ordered_compare_before(self, other, how);
    end(other), end(self);
    return result;
}

static PyObject *ordered_repr(PyObject *self) {
    if (!begin(self)) return NULL;
    PyObject *result = ordered_repr_before(self);
    end(self);
    return result;
}

static int first_ordered(PyObject *object, void *found) {
    if (*(PyObject **)found == NULL && object != NULL && PyODict_Check(object)) *(PyObject **)found = object;
    return 0;
}

static PyObject *ordered_next(PyObject *iterator) {
    PyObject *self = NULL;
    PyODictIter_Type.tp_traverse(iterator, first_ordered, &self);
    if (self == NULL) return ordered_next_before(iterator); /* at its end */
    if (!begin(self)) return NULL;
    Py_INCREF(self);
    PyObject *result = ordered_next_before(iterator);
    end(self);
    Py_DECREF(self);
    return result;
}

static PyObject *taken_entry(PyObject *self, PyObject *key, PyObject *other) {
    const int there = PySequence_Contains(self, key);
    if (there < 0) return NULL;
    if (!there && other != NULL) return Py_NewRef(other);
    if (!there) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    PyObject *value = PyObject_GetItem(self, key);
    if (value != NULL && PyObject_DelItem(self, key) < 0) Py_CLEAR(value);
    return value;
}

static PyObject *ordered_pop(PyObject *self, PyObject *args, PyObject *names) {
    static char *known[] = {"key", "default", NULL};
    PyObject *key, *other = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, names, "O|O:pop", known, &key, &other)) return NULL;
    return taken_entry(self, key, other);
}

static PyObject *ordered_popitem(PyObject *self, PyObject *args, PyObject *names) {
    static char *known[] = {"last", NULL};
    int last = 1;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|p:popitem", known, &last)) return NULL;
    PyObject *keys = last ? PyObject_CallMethod((PyObject *)&PyODict_Type, "__reversed__", "O", self) : PyODict_Type.tp_iter(self);
    PyObject *key = keys == NULL ? NULL : PyIter_Next(keys);
    Py_XDECREF(keys);
    if (key == NULL) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_KeyError, "dictionary is empty");
        return NULL;
    }
    PyObject *value = taken_entry(self, key, NULL), *item = value == NULL ? NULL : PyTuple_Pack(2, key, value);
    Py_DECREF(key);
    Py_XDECREF(value);
    return item;
}

static PyObject *ordered_copy(PyObject *self, PyObject *none) {
    (void)none;
    PyObject *made = PyObject_CallNoArgs((PyObject *)Py_TYPE(self)), *keys = made == NULL ? NULL : PySequence_List(self);
    for (Py_ssize_t k = 0; keys != NULL && k < PyList_GET_SIZE(keys); k++) {
        PyObject *key = PyList_GET_ITEM(keys, k), *value = PyObject_GetItem(self, key);
        if (value == NULL || PyObject_SetItem(made, key, value) < 0) Py_CLEAR(keys);
        Py_XDECREF(value);
    }
    if (keys == NULL) Py_CLEAR(made);
    Py_XDECREF(keys);
    return made;
}

static PyObject *ordered_clear(PyObject *self, PyObject *none) {
    (void)none;
    return is_free(self) ? PyObject_CallOneArg(ordered_methods[CLEAR].before, self) : NULL;
}

static PyObject *ordered_move(PyObject *self, PyObject *args, PyObject *names) {
    if (!is_free(self) || !begin(self)) return NULL;
    PyObject *result = passed_on(&ordered_methods[MOVE], self, args, names);
    end(self);
    return result;
}

static PyObject *ordered_default(PyObject *self, PyObject *args, PyObject *names) {
    const int whole = PyODict_CheckExact(self); /* one derived from it is asked step by step */
    if (!is_free(self) || (whole && !begin(self))) return NULL;
    PyObject *result = passed_on(&ordered_methods[DEFAULT], self, args, names);
    if (whole) end(self);
    return result;
}

#define NAMED(name, function) {name, (PyCFunction)(void (*)(void))function, METH_VARARGS | METH_KEYWORDS, NULL}
static PyMethodDef ordered_definitions[] = {
    NAMED("pop", ordered_pop),
    NAMED("popitem", ordered_popitem),
    {"copy", ordered_copy, METH_NOARGS, NULL},
    {"clear", ordered_clear, METH_NOARGS, NULL},
    NAMED("move_to_end", ordered_move),
    NAMED("setdefault", ordered_default),
};

static void mend_ordered(PyTypeObject *type) {
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_ass_subscript == ordered_store_before)
        type->tp_as_mapping->mp_ass_subscript = ordered_store;
    if (type->tp_richcompare == ordered_compare_before) type->tp_richcompare = ordered_compare;
    if (type->tp_repr == ordered_repr_before) type->tp_repr = ordered_repr;
}

static int keep_order(void) {
    for (int k = 0; k < ORDERED; k++)
        if (put(&ordered_methods[k], &ordered_definitions[k])) return -1;
    ordered_store_before = PyODict_Type.tp_as_mapping->mp_ass_subscript;
    ordered_compare_before = PyODict_Type.tp_richcompare;
    ordered_repr_before = PyODict_Type.tp_repr;
    ordered_next_before = PyODictIter_Type.tp_iternext;
    static const char *const compared[] = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"};
    for (int k = 0; k < 6; k++)
        if (redirect(&PyODict_Type, compared[k], (void *)ordered_compare_before, (void *)ordered_compare)) return -1;
    if (redirect(&PyODict_Type, "__setitem__", (void *)ordered_store_before, (void *)ordered_store) ||
        redirect(&PyODict_Type, "__delitem__", (void *)ordered_store_before, (void *)ordered_store) ||
        redirect(&PyODict_Type, "__repr__", (void *)ordered_repr_before, (void *)ordered_repr) ||
        redirect(&PyODictIter_Type, "__next__", (void *)ordered_next_before, (void *)ordered_next))
        return -1;
    PyODictIter_Type.tp_iternext = ordered_next;
    PyType_Modified(&PyODictIter_Type);
    return spread(&PyODict_Type, mend_ordered);
}

/* What a dictionary's own methods do to an ordered one. Each is called as Python's own is, so that it costs no more. */
enum { D_POP, D_DEFAULT, D_POPITEM, D_CLEAR, D_UPDATE, D_METHODS };
static Method dict_methods[] = {
    {&PyDict_Type, "pop", NULL},   {&PyDict_Type, "setdefault", NULL}, {&PyDict_Type, "popitem", NULL},
    {&PyDict_Type, "clear", NULL}, {&PyDict_Type, "update", NULL},
};
static void *dict_functions[D_METHODS];

static PyObject *as_ordered(int which, PyObject *self, PyObject *args, PyObject *names) {
    Method method = {&PyODict_Type, "", PyObject_GetAttrString((PyObject *)&PyODict_Type, dict_methods[which].name)};
    PyObject *result = method.before == NULL || args == NULL ? NULL : passed_on(&method, self, args, names);
    Py_XDECREF(method.before);
    return result;
}

static PyObject *fast_as_ordered(int which, PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *given = PyTuple_New(count);
    for (Py_ssize_t k = 0; given != NULL && k < count; k++) PyTuple_SET_ITEM(given, k, Py_NewRef(args[k]));
    PyObject *result = as_ordered(which, self, given, NULL);
    Py_XDECREF(given);
    return result;
}

#define OF_MANY(name, place)                                                                      \
    static PyObject *dict_##name(PyObject *self, PyObject *const *args, Py_ssize_t count) {       \
        if (PyODict_Check(self)) return fast_as_ordered(place, self, args, count);                \
        return ((_PyCFunctionFast)dict_functions[place])(self, args, count);                      \
    }
#define OF_NONE(name, place)                                                                      \
    static PyObject *dict_##name(PyObject *self, PyObject *none) {                                \
        if (PyODict_Check(self)) return fast_as_ordered(place, self, NULL, 0);                    \
        return ((PyCFunction)dict_functions[place])(self, none);                                  \
    }
OF_MANY(pop, D_POP)
OF_MANY(setdefault, D_DEFAULT)
OF_NONE(popitem, D_POPITEM)
OF_NONE(clear, D_CLEAR)

static PyObject *dict_update(PyObject *self, PyObject *args, PyObject *names) {
    if (PyODict_Check(self)) return as_ordered(D_UPDATE, self, args, names);
    return ((PyCFunctionWithKeywords)dict_functions[D_UPDATE])(self, args, names);
}

#define AS_PYTHONS(name, flags) {#name, (PyCFunction)(void (*)(void))dict_##name, flags, NULL}
static PyMethodDef dict_definitions[] = {
    AS_PYTHONS(pop, METH_FASTCALL), AS_PYTHONS(setdefault, METH_FASTCALL), AS_PYTHONS(popitem, METH_NOARGS),
    AS_PYTHONS(clear, METH_NOARGS), AS_PYTHONS(update, METH_VARARGS | METH_KEYWORDS),
};

static objobjargproc dict_store_before;
static initproc dict_init_before;
static binaryfunc dict_or_before;

static int dict_store(PyObject *self, PyObject *key, PyObject *value) {
    return PyODict_Check(self) ? ordered_store(self, key, value) : dict_store_before(self, key, value);
}

static int dict_init(PyObject *self, PyObject *args, PyObject *names) {
    return PyODict_Check(self) ? PyODict_Type.tp_init(self, args, names) : dict_init_before(self, args, names);
}

static PyObject *dict_or(PyObject *self, PyObject *other) {
    return PyODict_Check(self) ? PyODict_Type.tp_as_number->nb_inplace_or(self, other) : dict_or_before(self, other);
}

static int keep_dicts(void) {
    for (int k = 0; k < D_METHODS; k++) {
        const PyMethodDef *own = defined(&dict_methods[k]);
        if (own == NULL) return -1;
        dict_functions[k] = (void *)own->ml_meth;
        if ((own->ml_flags & ~METH_COEXIST) == dict_definitions[k].ml_flags && put(&dict_methods[k], &dict_definitions[k])) return -1;
    }
    dict_store_before = PyDict_Type.tp_as_mapping->mp_ass_subscript;
    dict_init_before = PyDict_Type.tp_init;
    dict_or_before = PyDict_Type.tp_as_number->nb_inplace_or;
    return redirect(&PyDict_Type, "__setitem__", (void *)dict_store_before, (void *)dict_store) ||
           redirect(&PyDict_Type, "__delitem__", (void *)dict_store_before, (void *)dict_store) ||
           redirect(&PyDict_Type, "__init__", (void *)dict_init_before, (void *)dict_init) ||
           redirect(&PyDict_Type, "__ior__", (void *)dict_or_before, (void *)dict_or);
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "ordered", .m_doc = "Ordered dictionaries, kept.", .m_size = -1};

PyMODINIT_FUNC PyInit_ordered(void) {
    if (ordered_store_before == NULL && (keep_order() || keep_dicts())) return NULL;
    return PyModule_Create(&definition);
}
