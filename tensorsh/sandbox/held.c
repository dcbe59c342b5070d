/* Memory that stays where it is while Python's own functions ask a program's objects.

   Until 3.15 some methods of bytearrays take the address of their bytes and then ask an argument for its number, its length or its
   text (`b.find(b"x", n)`, `b.hex(text)`, `b % value`), which may resize the bytearray meanwhile; `memoryview.hex` reads what may have
   been released; `a[::2] = values` counts a list's places before it walks over values that may take them away; an OrderedDict keeps
   entries that are taken away while keys are compared. Importing this module puts functions in the place of these that hold the memory,
   so that a program that resizes it has a BufferError, that walk over the values first, and that ask for entries anew. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyTypeObject *type;
    const char *name;
    PyObject *before;
} Method;

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

static int put(Method *method, PyMethodDef *definition) {
    method->before = PyObject_GetAttrString((PyObject *)method->type, method->name);
    if (method->before == NULL) return -1;
    if (!Py_IS_TYPE(method->before, &PyMethodDescr_Type)) return 0; /* somebody else was here */
    definition->ml_doc = ((PyMethodDescrObject *)method->before)->d_method->ml_doc;
    PyObject *now = PyDescr_NewMethod(method->type, definition);
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(method->type);
#else
    PyObject *names = Py_NewRef(method->type->tp_dict);
#endif
    const int failed = now == NULL || PyDict_SetItemString(names, method->name, now) < 0;
    Py_DECREF(names);
    Py_XDECREF(now);
    PyType_Modified(method->type);
    return failed ? -1 : 0;
}

static binaryfunc modulo;
static objobjproc contains;
static objobjargproc store;

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

static int taken_store(PyObject *self, PyObject *place, PyObject *value) {
    if (value == NULL || !PySlice_Check(place) || PyList_CheckExact(value) || PyTuple_CheckExact(value) || !can_be_walked(value))
        return store(self, place, value);
    PyObject *taken = PySequence_List(value);
    if (taken == NULL) return -1;
    const int failed = store(self, place, taken);
    Py_DECREF(taken);
    return failed;
}

/* Lets a special method call another function. */
static int redirect(PyTypeObject *type, const char *name, void *before, void *now) {
    PyObject *method = PyObject_GetAttrString((PyObject *)type, name);
    if (method == NULL) return -1;
    if (Py_IS_TYPE(method, &PyWrapperDescr_Type) && ((PyWrapperDescrObject *)method)->d_wrapped == before)
        ((PyWrapperDescrObject *)method)->d_wrapped = now;
    Py_DECREF(method);
    return 0;
}

/* Mends the slots of a type and of those derived from it. */
static int spread(PyTypeObject *type, void (*mend)(PyTypeObject *)) {
    mend(type);
    PyType_Modified(type);
    PyObject *derived = PyObject_CallMethod((PyObject *)type, "__subclasses__", NULL);
    if (derived == NULL) return -1;
    int failed = 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(derived) && !failed; k++) failed = spread((PyTypeObject *)PyList_GET_ITEM(derived, k), mend);
    Py_DECREF(derived);
    return failed;
}

static void mend_sequence(PyTypeObject *type) {
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_ass_subscript == store) type->tp_as_mapping->mp_ass_subscript = taken_store;
    if (type->tp_as_number != NULL && type->tp_as_number->nb_remainder == modulo) type->tp_as_number->nb_remainder = held_modulo;
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_contains == contains) type->tp_as_sequence->sq_contains = held_contains;
}

/* An OrderedDict keeps the places of its entries while keys are compared, and a key's `__eq__` may take entries away. While one of
   these functions is at work on one, nothing changes it; what takes several steps asks for each entry anew. */
#define MOST_BUSY 1024
static PyObject *busy[MOST_BUSY];
static int count_busy;

static int is_free(PyObject *self) {
    for (int k = 0; k < count_busy; k++)
        if (busy[k] == self) {
            PyErr_SetString(PyExc_RuntimeError, "OrderedDict mutated while its keys are compared");
            return 0;
        }
    return 1;
}

static int begin(PyObject *self) {
    if (count_busy == MOST_BUSY) {
        PyErr_SetString(PyExc_RecursionError, "comparisons of keys of OrderedDicts are nested too deep");
        return 0;
    }
    busy[count_busy++] = self;
    return 1;
}

static void end(PyObject *self) { /* of several threads, whichever began last need not end first */
    int k = count_busy - 1;
    while (k > 0 && busy[k] != self) k--;
    busy[k] = busy[--count_busy];
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

static PyObject *passed_on(int which, PyObject *self, PyObject *args, PyObject *names) {
    PyObject *first = PyTuple_Pack(1, self), *all = first == NULL ? NULL : PySequence_Concat(first, args);
    PyObject *result = all == NULL ? NULL : PyObject_Call(ordered_methods[which].before, all, names);
    Py_XDECREF(all);
    Py_XDECREF(first);
    return result;
}

static PyObject *ordered_move(PyObject *self, PyObject *args, PyObject *names) {
    if (!is_free(self) || !begin(self)) return NULL;
    PyObject *result = passed_on(MOVE, self, args, names);
    end(self);
    return result;
}

static PyObject *ordered_default(PyObject *self, PyObject *args, PyObject *names) {
    const int whole = PyODict_CheckExact(self); /* one derived from it is asked step by step */
    if (!is_free(self) || (whole && !begin(self))) return NULL;
    PyObject *result = passed_on(DEFAULT, self, args, names);
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

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "held", .m_doc = "Memory that stays where it is.", .m_size = -1};

PyMODINIT_FUNC PyInit_held(void) {
    if (store == NULL) {
        for (int k = 0; k < COUNT; k++)
            if (put(&methods[k], &definitions[k])) return NULL;
        store = PyList_Type.tp_as_mapping->mp_ass_subscript;
        modulo = PyByteArray_Type.tp_as_number->nb_remainder;
        contains = PyByteArray_Type.tp_as_sequence->sq_contains;
        if (redirect(&PyList_Type, "__setitem__", (void *)store, (void *)taken_store) ||
            redirect(&PyByteArray_Type, "__mod__", (void *)modulo, (void *)held_modulo) ||
            redirect(&PyByteArray_Type, "__rmod__", (void *)modulo, (void *)held_modulo) ||
            redirect(&PyByteArray_Type, "__contains__", (void *)contains, (void *)held_contains) || spread(&PyList_Type, mend_sequence) ||
            spread(&PyByteArray_Type, mend_sequence) || keep_order())
            return NULL;
    }
    return PyModule_Create(&definition);
}
