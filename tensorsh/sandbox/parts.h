/* What an object holds stays alive while Python's own functions ask it.

   Python's functions look at what an object holds (the arguments of an error, the elements of a list, the factory of a defaultdict) and
   ask it for its text, its order or its result, without a claim on it of their own: a program's method may take it away meanwhile, and
   with it what it holds. The functions here have such claims; what a descriptor was made of stays; and an iterator that is being advanced is
   not advanced by what it asks. */
#ifndef TENSORSH_PARTS
#define TENSORSH_PARTS
#include "replacing.h"
#include <datetime.h>

#define FEW 8
typedef struct {
    PyObject *few[FEW], **at;
    Py_ssize_t count, room;
} Parts;

static int take(PyObject *part, void *all) {
    Parts *parts = all;
    if (parts->count == parts->room) {
        PyObject **more = PyMem_New(PyObject *, 2 * parts->room);
        if (more == NULL) return -1;
        memcpy(more, parts->at, parts->count * sizeof(PyObject *));
        if (parts->at != parts->few) PyMem_Free(parts->at);
        parts->at = more, parts->room *= 2;
    }
    parts->at[parts->count++] = Py_NewRef(part);
    return 0;
}

/* Of a dictionary, as well what is in it: it may be emptied, and its keys are as good as parts. */
static int take_all(PyObject *part, void *all) {
    PyObject *key, *value;
    if (take(part, all)) return -1;
    for (Py_ssize_t at = 0; PyDict_CheckExact(part) && PyDict_Next(part, &at, &key, &value);)
        if (take(key, all) || take(value, all)) return -1;
    return 0;
}

static void release(Parts *parts) {
    for (Py_ssize_t k = 0; k < parts->count; k++) Py_DECREF(parts->at[k]);
    if (parts->at != parts->few) PyMem_Free(parts->at);
}

/* Claims on all that an object holds itself. */
static int hold(PyObject *self, Parts *parts) {
    parts->at = parts->few, parts->count = 0, parts->room = FEW;
    if (Py_TYPE(self)->tp_traverse == NULL || Py_TYPE(self)->tp_traverse(self, take_all, parts) == 0) return 0;
    release(parts);
    PyErr_NoMemory();
    return -1;
}

static PyTypeObject *partial;

/* Each: a name of its own, the type, its slot, the special method. */
#define HOLDERS(each)                                                             \
    each(error_text, (PyTypeObject *)PyExc_BaseException, tp_repr, "__repr__")    \
    each(error_words, (PyTypeObject *)PyExc_BaseException, tp_str, "__str__")     \
    each(key_words, (PyTypeObject *)PyExc_KeyError, tp_str, "__str__")            \
    each(system_words, (PyTypeObject *)PyExc_OSError, tp_str, "__str__")          \
    each(import_words, (PyTypeObject *)PyExc_ImportError, tp_str, "__str__")      \
    each(syntax_words, (PyTypeObject *)PyExc_SyntaxError, tp_str, "__str__")      \
    each(called_next, &PyCallIter_Type, tp_iternext, "__next__")                  \
    each(partial_text, partial, tp_repr, "__repr__")
#define HOLDER(name, type, slot, special)                                         \
    static PyObject *(*name##_before)(PyObject *);                                \
    static PyObject *name(PyObject *self) {                                       \
        Parts parts;                                                              \
        if (hold(self, &parts)) return NULL;                                      \
        PyObject *result = name##_before(self);                                   \
        release(&parts);                                                          \
        return result;                                                            \
    }                                                                             \
    static void mend_##name(PyTypeObject *each) {                                 \
        if (each->slot == name##_before) each->slot = name;                       \
    }
HOLDERS(HOLDER)

static reprfunc list_text_before;

/* A list's text is that of a copy, which nobody changes. */
static PyObject *list_text(PyObject *self) {
    const int inside = Py_ReprEnter(self);
    if (inside) return inside > 0 ? PyUnicode_FromString("[...]") : NULL;
    PyObject *copy = PyList_GetSlice(self, 0, PyList_GET_SIZE(self)), *text = copy == NULL ? NULL : list_text_before(copy);
    Py_XDECREF(copy);
    Py_ReprLeave(self);
    return text;
}

static reprfunc alias_text_before;

/* The text of `list[[...]]` is that of one with copies of the lists among its arguments (from Python 3.12 on it walks over these). */
static PyObject *alias_text(PyObject *self) {
    PyObject *args = PyObject_GetAttrString(self, "__args__"), *origin = NULL, *starred = NULL, *copies = NULL, *copy = NULL, *text = NULL;
    int lists = 0;
    for (Py_ssize_t k = 0; args != NULL && PyTuple_CheckExact(args) && k < PyTuple_GET_SIZE(args); k++)
        lists |= PyList_CheckExact(PyTuple_GET_ITEM(args, k));
    if (args == NULL || !lists) {
        text = args == NULL ? NULL : alias_text_before(self);
        Py_XDECREF(args);
        return text;
    }
    if ((origin = PyObject_GetAttrString(self, "__origin__")) == NULL || (starred = PyObject_GetAttrString(self, "__unpacked__")) == NULL) goto end;
    if ((copies = PyTuple_New(PyTuple_GET_SIZE(args))) == NULL) goto end;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); k++) {
        PyObject *part = PyTuple_GET_ITEM(args, k);
        part = PyList_CheckExact(part) ? PyList_GetSlice(part, 0, PyList_GET_SIZE(part)) : Py_NewRef(part);
        if (part == NULL) goto end;
        PyTuple_SET_ITEM(copies, k, part);
    }
    if ((copy = Py_GenericAlias(origin, copies)) == NULL || (text = alias_text_before(copy)) == NULL) goto end;
    if (starred == Py_True) Py_SETREF(text, PyUnicode_FromFormat("*%U", text));
end:
    Py_DECREF(args);
    Py_XDECREF(origin);
    Py_XDECREF(starred);
    Py_XDECREF(copies);
    Py_XDECREF(copy);
    return text;
}

static void mend_alias(PyTypeObject *type) {
    if (type->tp_repr == alias_text_before) type->tp_repr = alias_text;
}

/* In a list's order each element has a claim while it is asked. */
static PyObject *list_compare(PyObject *a, PyObject *b, int how) {
    if (!PyList_Check(a) || !PyList_Check(b)) Py_RETURN_NOTIMPLEMENTED;
    if (PyList_GET_SIZE(a) != PyList_GET_SIZE(b) && (how == Py_EQ || how == Py_NE)) return PyBool_FromLong(how == Py_NE);
    PyObject *x = NULL, *y = NULL, *result = NULL;
    int same = 1;
    for (Py_ssize_t k = 0; same > 0 && k < PyList_GET_SIZE(a) && k < PyList_GET_SIZE(b); k++) {
        if (PyList_GET_ITEM(a, k) == PyList_GET_ITEM(b, k)) continue;
        Py_XSETREF(x, Py_NewRef(PyList_GET_ITEM(a, k)));
        Py_XSETREF(y, Py_NewRef(PyList_GET_ITEM(b, k)));
        same = PyObject_RichCompareBool(x, y, Py_EQ);
    }
    if (same == 0 && (how == Py_EQ || how == Py_NE)) result = PyBool_FromLong(how == Py_NE);
    else if (same == 0) result = PyObject_RichCompare(x, y, how);
    else if (same > 0) {
        const Py_ssize_t first = PyList_GET_SIZE(a), second = PyList_GET_SIZE(b);
        const int is_less = first < second, is_more = first > second;
        result = PyBool_FromLong(how == Py_LT ? is_less : how == Py_LE ? !is_more : how == Py_GT ? is_more : how == Py_GE ? !is_less
                                                                                  : (is_less || is_more) == (how == Py_NE));
    }
    Py_XDECREF(x);
    Py_XDECREF(y);
    return result;
}

static richcmpfunc list_compare_before;

static void mend_list(PyTypeObject *type) {
    if (type->tp_repr == list_text_before) type->tp_repr = list_text;
    if (type->tp_richcompare == list_compare_before) type->tp_richcompare = list_compare;
}

/* A view of a dictionary that nobody may write to (the fields of a dtype, the groups of a pattern) is compared and joined as a copy: the other
   operand would be handed the dictionary itself. */
typedef struct {
    PyObject_HEAD
    PyObject *mapping;
} Proxy;

static PyObject *copied(PyObject *view) {
    if (!Py_IS_TYPE(view, &PyDictProxy_Type)) return Py_NewRef(view);
    PyObject *mapping = ((Proxy *)view)->mapping;
    if (PyDict_CheckExact(mapping)) return PyDict_Copy(mapping);
    return PyDict_Check(mapping) ? PyObject_CallMethod(mapping, "copy", NULL) : Py_NewRef(mapping); /* a mapping of the program's */
}

static PyObject *proxy_compare(PyObject *view, PyObject *other, int how) {
    PyObject *copy = copied(view), *result = copy == NULL ? NULL : PyObject_RichCompare(copy, other, how);
    Py_XDECREF(copy);
    return result;
}

static PyObject *proxy_or(PyObject *left, PyObject *right) {
    PyObject *first = copied(left), *second = first == NULL ? NULL : copied(right), *result = second == NULL ? NULL : PyNumber_Or(first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return result;
}

static int keep_proxies(void) {
    PyTypeObject *type = &PyDictProxy_Type;
    static const char *const compared[] = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"};
    for (int k = 0; k < 6; k++)
        if (redirect(type, compared[k], (void *)type->tp_richcompare, (void *)proxy_compare)) return -1;
    if (redirect(type, "__or__", (void *)type->tp_as_number->nb_or, (void *)proxy_or) ||
        redirect(type, "__ror__", (void *)type->tp_as_number->nb_or, (void *)proxy_or))
        return -1;
    type->tp_richcompare = proxy_compare, type->tp_as_number->nb_or = proxy_or;
    PyType_Modified(type);
    return 0;
}

/* What a descriptor was made of, or `super(...)`, it keeps: it is not made again. `super(A).__init__()`, which beginners write for that of
   A, changes nothing. */
static int is_part(PyObject *part, void *nothing) {
    (void)nothing;
    return part != Py_None && !PyDict_CheckExact(part);
}

#define DESCRIPTORS(each)                                                                         \
    each(property, PyProperty_Type) each(staticmethod, PyStaticMethod_Type)                       \
    each(classmethod, PyClassMethod_Type) each(super, PySuper_Type)
#define MADE_ONCE(name, type)                                                                        \
    static initproc name##_before;                                                                   \
    static int make_##name(PyObject *self, PyObject *args, PyObject *names) {                        \
        if (!type.tp_traverse(self, is_part, NULL)) return name##_before(self, args, names);         \
        if (&type == &PySuper_Type && !PyTuple_GET_SIZE(args) && names == NULL) return 0;            \
        PyErr_SetString(PyExc_TypeError, "a " #name " is made once");                                \
        return -1;                                                                                   \
    }                                                                                                \
    static void mend_##name(PyTypeObject *each) {                                                    \
        if (each->tp_init == name##_before) each->tp_init = make_##name;                             \
    }
DESCRIPTORS(MADE_ONCE)

enum { NAME, INDEX, MISSING, ASKING };
static Method asking[] = {{&PyProperty_Type, "__set_name__", NULL}, {NULL, "index", NULL}, {NULL, "__missing__", NULL}};
static PyObject *factory; /* the member of defaultdicts */

static PyObject *name_property(PyObject *self, PyObject *args) {
    if (PyTuple_GET_SIZE(args) == 2 && !PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 1)))
        return PyErr_Format(PyExc_TypeError, "the name of a property is text");
    return passed_on(&asking[NAME], self, args, NULL);
}

static PyObject *place_in_deque(PyObject *self, PyObject *args) {
    Parts parts;
    if (hold(self, &parts)) return NULL;
    PyObject *result = passed_on(&asking[INDEX], self, args, NULL);
    release(&parts);
    return result;
}

static PyObject *missing_entry(PyObject *self, PyObject *key) {
    PyObject *made_by = Py_TYPE(factory)->tp_descr_get(factory, self, (PyObject *)Py_TYPE(self));
    PyObject *result = made_by == NULL ? NULL : PyObject_CallFunctionObjArgs(asking[MISSING].before, self, key, NULL);
    Py_XDECREF(made_by);
    return result;
}

static PyMethodDef asking_definitions[] = {
    {"__set_name__", name_property, METH_VARARGS, NULL},
    {"index", place_in_deque, METH_VARARGS, NULL},
    {"__missing__", missing_entry, METH_O, NULL},
};

/* Iterators that nothing advances while they are being advanced, and those that belong to one: what they walk over, or have counted,
   would be gone or told twice. */
#define MOST_ALONE 16
static struct {
    PyTypeObject *type, *whole;
    iternextfunc before;
} alone[MOST_ALONE];
static int count_alone;

static int find_whole(PyObject *part, void *found) {
    PyObject **pair = found; /* a type, and the object of it */
    if (pair[1] == NULL && PyObject_TypeCheck(part, (PyTypeObject *)pair[0])) pair[1] = part;
    return 0;
}

static PyObject *next_alone(PyObject *self) {
    int k = 0;
    while (k < count_alone && !Py_IS_TYPE(self, alone[k].type)) k++;
    if (k == count_alone) /* of a class derived from one */
        for (k = 0; k < count_alone - 1 && !PyType_IsSubtype(Py_TYPE(self), alone[k].type);) k++;
    PyObject *pair[] = {(PyObject *)alone[k].whole, NULL}, *whole = self;
    if (pair[0] != NULL) alone[k].type->tp_traverse(self, find_whole, pair);
    if (pair[1] != NULL) whole = pair[1];
    if (is_busy(whole)) return PyErr_Format(PyExc_ValueError, "%s already advancing", Py_TYPE(whole)->tp_name);
    if (!begin(whole)) return NULL;
    Py_INCREF(whole);
    PyObject *result = alone[k].before(self);
    end(whole);
    Py_DECREF(whole);
    return result;
}

static iternextfunc next_before;

static void mend_next(PyTypeObject *type) {
    if (type->tp_iternext == next_before) type->tp_iternext = next_alone;
}

static int keep_alone(PyTypeObject *type, PyTypeObject *whole) {
    if (type->tp_iternext == next_alone) return 0;
    if (count_alone == MOST_ALONE || type->tp_iternext == NULL) return PyErr_BadArgument(), -1;
    next_before = type->tp_iternext;
    alone[count_alone].before = next_before;
    alone[count_alone].whole = (PyTypeObject *)Py_XNewRef((PyObject *)whole);
    alone[count_alone++].type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    return redirect(type, "__next__", (void *)next_before, (void *)next_alone) || spread(type, mend_next) ? -1 : 0;
}

static PyObject *advance_alone(PyObject *self, PyObject *args) {
    (void)self;
    PyTypeObject *type, *whole = NULL;
    if (!PyArg_ParseTuple(args, "O!|O!:advance_alone", &PyType_Type, &type, &PyType_Type, &whole)) return NULL;
    return keep_alone(type, whole) ? NULL : Py_NewRef(Py_None);
}

static PyObject *entry_or(PyObject *dict, PyObject *key, PyObject *other) {
    PyObject *found = PyDict_GetItemWithError(dict, key);
    return found != NULL ? Py_NewRef(found) : PyErr_Occurred() ? NULL : Py_NewRef(other);
}

static int has_dicts(PyObject *object, const char *name) {
    PyObject *its = PyObject_GetAttrString((PyObject *)Py_TYPE(object), name), *dicts = PyObject_GetAttrString((PyObject *)&PyDict_Type, name);
    Py_XDECREF(its);
    Py_XDECREF(dicts);
    return its != NULL && its == dicts;
}

/* `collections._count_elements`, which asks the counts in an entry that may be taken away meanwhile. */
static PyObject *count_elements(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *counts, *elements, *element;
    if (!PyArg_ParseTuple(args, "OO:_count_elements", &counts, &elements)) return NULL;
    const int plainly = PyDict_Check(counts) && has_dicts(counts, "get") && has_dicts(counts, "__setitem__");
    PyObject *get = PyObject_GetAttrString(counts, "get"), *walk = get == NULL ? NULL : PyObject_GetIter(elements);
    if (walk == NULL) {
        Py_XDECREF(get);
        return NULL;
    }
    PyObject *none = PyLong_FromLong(0), *one = PyLong_FromLong(1);
    while ((element = PyIter_Next(walk)) != NULL) {
        PyObject *before = plainly ? entry_or(counts, element, none) : PyObject_CallFunctionObjArgs(get, element, none, NULL);
        PyObject *now = before == NULL ? NULL : PyNumber_Add(before, one);
        const int failed = now == NULL || (plainly ? PyDict_SetItem : PyObject_SetItem)(counts, element, now) < 0;
        Py_XDECREF(before);
        Py_XDECREF(now);
        Py_DECREF(element);
        if (failed) break;
    }
    Py_DECREF(get);
    Py_DECREF(walk);
    Py_XDECREF(none);
    Py_XDECREF(one);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef counting = {"_count_elements", count_elements, METH_VARARGS, "_count_elements(mapping, iterable): each element counts one more."};

static int keep_collections(void) {
    PyObject *module = PyImport_ImportModule("collections");
    if (module == NULL) return -1;
    asking[INDEX].type = (PyTypeObject *)PyObject_GetAttrString(module, "deque");
    asking[MISSING].type = (PyTypeObject *)PyObject_GetAttrString(module, "defaultdict");
    if (asking[MISSING].type != NULL) factory = PyObject_GetAttrString((PyObject *)asking[MISSING].type, "default_factory");
    PyObject *count = PyCFunction_New(&counting, NULL);
    const int failed = asking[INDEX].type == NULL || factory == NULL || Py_TYPE(factory)->tp_descr_get == NULL || count == NULL ||
                       PyObject_SetAttrString(module, "_count_elements", count) < 0;
    Py_XDECREF(count);
    Py_DECREF(module);
    return failed ? -1 : 0;
}

/* Dates that are made of bytes, as pickles keep them, of which Python looks at the month alone: in the year 0 the names of the days of
   the week are sought in front of their table. */
static PyObject *in_years(PyObject *made) {
    if (made == NULL || PyDateTime_GET_YEAR(made) > 0) return made;
    Py_DECREF(made);
    PyErr_SetString(PyExc_ValueError, "year 0 is out of range");
    return NULL;
}

#define DATES(each) each(date, PyDateTimeAPI->DateType) each(datetime, PyDateTimeAPI->DateTimeType)
#define DATED(name, type)                                                                                    \
    static newfunc name##_before;                                                                            \
    static PyObject *new_##name(PyTypeObject *kind, PyObject *args, PyObject *names) {                       \
        return in_years(name##_before(kind, args, names));                                                   \
    }                                                                                                        \
    static void mend_##name(PyTypeObject *each) {                                                            \
        if (each->tp_new == name##_before) each->tp_new = new_##name;                                        \
    }
DATES(DATED)

static int keep_dates(void) {
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == NULL) return -1;
#define DATE(name, type)                                                                                     \
    name##_before = type->tp_new;                                                                            \
    if (spread(type, mend_##name)) return -1;
    DATES(DATE)
    return 0;
}

static int keep_parts(void) {
    PyObject *functions = PyImport_ImportModule("functools");
    partial = functions == NULL ? NULL : (PyTypeObject *)PyObject_GetAttrString(functions, "partial");
    Py_XDECREF(functions);
    if (partial == NULL) return -1;
#define HOLD(name, kind, slot, special)                                                                      \
    name##_before = (kind)->slot;                                                                            \
    if (redirect(kind, special, (void *)name##_before, (void *)name) || spread(kind, mend_##name)) return -1;
    HOLDERS(HOLD)
#define KEEP(name, type)                                                                                     \
    name##_before = type.tp_init;                                                                            \
    if (redirect(&type, "__init__", (void *)name##_before, (void *)make_##name) || spread(&type, mend_##name)) return -1;
    DESCRIPTORS(KEEP)
    list_text_before = PyList_Type.tp_repr;
    list_compare_before = PyList_Type.tp_richcompare;
    static const char *const compared[] = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"};
    for (int k = 0; k < 6; k++)
        if (redirect(&PyList_Type, compared[k], (void *)list_compare_before, (void *)list_compare)) return -1;
    if (redirect(&PyList_Type, "__repr__", (void *)list_text_before, (void *)list_text) || spread(&PyList_Type, mend_list)) return -1;
    alias_text_before = Py_GenericAliasType.tp_repr;
    if (redirect(&Py_GenericAliasType, "__repr__", (void *)alias_text_before, (void *)alias_text) || spread(&Py_GenericAliasType, mend_alias)) return -1;
    if (keep_proxies() || keep_collections() || keep_dates() || keep_alone(&PySeqIter_Type, NULL)) return -1;
    for (int k = 0; k < ASKING; k++)
        if (put(&asking[k], &asking_definitions[k])) return -1;
    return 0;
}
#endif
