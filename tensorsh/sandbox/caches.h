/* `functools.lru_cache` with keys that do not lie.

   Python's own cache takes an entry out of its order, then looks for it among the keys, and believes what these say: a key that calls the
   function again, or says that it is equal to another, leaves entries that are in no order, and are written to when they are gone. A
   program's cache here has a token for each key that is more than a number, text or a place in memory; which token is told by a dictionary,
   which bears all that. In the library's caches (`typing`'s, an operator's plans) a program's object that answers itself whether it is equal
   would give what it stands for to others: its calls go past them. */
#ifndef TENSORSH_CACHES
#define TENSORSH_CACHES
#include "replacing.h"
#include <stddef.h>

#define MOST_TOKENS 256 /* that stay without being looked through */
#define DEEP 8

typedef struct {
    PyObject_HEAD PyObject *args, *names;
} Token;

typedef struct {
    PyObject_HEAD vectorcallfunc call;
    PyObject *function, *tokens; /* by arguments and their classes */
    Py_ssize_t most;
} Cached;

#define GARBAGE(name, type, one, other)                    \
    static int name##_visit(PyObject *self, visitproc visit, void *arg) { \
        Py_VISIT(((type *)self)->one);                     \
        Py_VISIT(((type *)self)->other);                   \
        return 0;                                          \
    }                                                      \
    static int name##_clear(PyObject *self) {              \
        Py_CLEAR(((type *)self)->one);                     \
        Py_CLEAR(((type *)self)->other);                   \
        return 0;                                          \
    }                                                      \
    static void name##_end(PyObject *self) {               \
        PyObject_GC_UnTrack(self);                         \
        name##_clear(self);                                \
        PyObject_GC_Del(self);                             \
    }
GARBAGE(token, Token, args, names)
GARBAGE(cached, Cached, function, tokens)

static PyTypeObject TokenType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "token", .tp_basicsize = sizeof(Token), .tp_dealloc = token_end,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_traverse = token_visit, .tp_clear = token_clear};
static PyTypeObject CachedType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "function", .tp_basicsize = sizeof(Cached), .tp_dealloc = cached_end,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, .tp_traverse = cached_visit, .tp_clear = cached_clear,
    .tp_call = PyVectorcall_Call, .tp_vectorcall_offset = offsetof(Cached, call)};

/* The function, for a token with the arguments that it stands for. */
static PyObject *call_cached(PyObject *self, PyObject *const *args, size_t count, PyObject *names) {
    PyObject *function = ((Cached *)self)->function;
    if (PyVectorcall_NARGS(count) != 1 || !Py_IS_TYPE(args[0], &TokenType)) return PyObject_Vectorcall(function, args, count, names);
    PyObject *given = Py_NewRef(((Token *)args[0])->args), *named = Py_XNewRef(((Token *)args[0])->names);
    PyObject *result = PyObject_Call(function, given, named);
    Py_DECREF(given);
    Py_XDECREF(named);
    return result;
}

static ternaryfunc call_before;
static PyObject *kind_of_caches;
static PyObject *classes; /* those that programs made, by their addresses */
static richcmpfunc compared_by_python;
static hashfunc hashed_by_python;

static PyObject *know_classes(PyObject *self, PyObject *table) {
    (void)self;
    if (!PyDict_CheckExact(table)) return PyErr_Format(PyExc_TypeError, "know_classes(): a dictionary");
    Py_XSETREF(classes, Py_NewRef(table));
    Py_RETURN_NONE;
}

static int is_made_by_program(PyTypeObject *type) {
    PyObject *number = PyLong_FromVoidPtr(type);
    const int found = number != NULL && PyDict_GetItemWithError(classes, number) != NULL;
    Py_XDECREF(number);
    return found;
}

static int is_of_typing(PyTypeObject *type) {
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__");
    const int found = module != NULL && PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "typing") == 0;
    Py_XDECREF(module);
    if (module == NULL) PyErr_Clear();
    return found;
}

/* Whether a program's code says what a key is equal to. */
static int answers_itself(PyObject *key, int depth) {
    PyTypeObject *type = Py_TYPE(key);
    if (PyTuple_Check(key)) {
        if (depth > DEEP) return 1;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); k++)
            if (answers_itself(PyTuple_GET_ITEM(key, k), depth + 1)) return 1;
    }
    if (type->tp_richcompare == compared_by_python || type->tp_hash == hashed_by_python) return is_made_by_program(type) || is_of_typing(type);
    return PyFrozenSet_Check(key) || type == &Py_GenericAliasType || PySlice_Check(key);
}

/* Whether a key is a number, text, or a place in memory. */
static int is_plain(PyObject *key, int depth) {
    PyTypeObject *type = Py_TYPE(key);
    if (type == &PyTuple_Type && depth < DEEP) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); k++)
            if (!is_plain(PyTuple_GET_ITEM(key, k), depth + 1)) return 0;
        return 1;
    }
    return PyLong_CheckExact(key) || PyUnicode_CheckExact(key) || PyFloat_CheckExact(key) || PyBool_Check(key) || PyBytes_CheckExact(key) ||
           (type->tp_hash == PyBaseObject_Type.tp_hash && type->tp_richcompare == PyBaseObject_Type.tp_richcompare);
}

static int any(int (*asked)(PyObject *, int), int wanted, PyObject *args, PyObject *names) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; names != NULL && PyDict_Next(names, &at, &key, &value);)
        if (asked(value, 0) == wanted) return 1;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); k++)
        if (asked(PyTuple_GET_ITEM(args, k), 0) == wanted) return 1;
    return 0;
}

static int find_cached(PyObject *part, void *found) {
    if (!Py_IS_TYPE(part, &CachedType)) return 0;
    *(PyObject **)found = part;
    return 1;
}

/* Tokens that the cache has no more go. */
static void look_through(Cached *cached) {
    PyObject *gone = PyList_New(0), *key, *token;
    for (Py_ssize_t at = 0; gone != NULL && PyDict_Next(cached->tokens, &at, &key, &token);)
        if (Py_REFCNT(token) == 1 && PyList_Append(gone, key) < 0) break;
    for (Py_ssize_t k = 0; gone != NULL && k < PyList_GET_SIZE(gone) && !PyErr_Occurred(); k++)
        if (PyDict_DelItem(cached->tokens, PyList_GET_ITEM(gone, k)) < 0 && PyErr_ExceptionMatches(PyExc_KeyError)) PyErr_Clear();
    Py_XDECREF(gone);
    cached->most = MOST_TOKENS + 2 * PyDict_GET_SIZE(cached->tokens);
}

static PyObject *token_of(Cached *cached, PyObject *args, PyObject *names) {
    PyObject *named = names == NULL ? PyList_New(0) : PyDict_Items(names), *kinds = PyList_New(0), *key = NULL;
    int failed = named == NULL || kinds == NULL;
    for (Py_ssize_t k = 0; !failed && k < PyTuple_GET_SIZE(args); k++) failed = PyList_Append(kinds, (PyObject *)Py_TYPE(PyTuple_GET_ITEM(args, k)));
    for (Py_ssize_t k = 0; !failed && k < PyList_GET_SIZE(named); k++)
        failed = PyList_Append(kinds, (PyObject *)Py_TYPE(PyTuple_GET_ITEM(PyList_GET_ITEM(named, k), 1)));
    if (!failed) {
        PyObject *items = PyList_AsTuple(named), *types = PyList_AsTuple(kinds);
        if (items != NULL && types != NULL) key = PyTuple_Pack(3, args, items, types);
        Py_XDECREF(items);
        Py_XDECREF(types);
    }
    Py_XDECREF(named);
    Py_XDECREF(kinds);
    if (key == NULL) return NULL;
    Token *token = (Token *)Py_XNewRef(PyDict_GetItemWithError(cached->tokens, key));
    if (token == NULL && !PyErr_Occurred() && (token = PyObject_GC_New(Token, &TokenType)) != NULL) {
        token->args = Py_NewRef(args), token->names = Py_XNewRef(names);
        PyObject_GC_Track((PyObject *)token);
        if (PyDict_SetItem(cached->tokens, key, (PyObject *)token) < 0) Py_CLEAR(token);
    } else if (token != NULL) {
        Py_SETREF(token->args, Py_NewRef(args));
        Py_XSETREF(token->names, Py_XNewRef(names));
    }
    Py_DECREF(key);
    return (PyObject *)token;
}

static PyObject *call_program_cache(PyObject *self, Cached *cached, PyObject *args, PyObject *names) {
    PyObject *token = token_of(cached, args, names), *one = token == NULL ? NULL : PyTuple_Pack(1, token);
    Py_XDECREF(token);
    PyObject *result = one == NULL ? NULL : call_before(self, one, NULL);
    Py_XDECREF(one);
    if (result != NULL && PyDict_GET_SIZE(cached->tokens) > cached->most) {
        look_through(cached);
        if (PyErr_Occurred()) Py_CLEAR(result);
    }
    return result;
}

static PyObject *call_cache(PyObject *self, PyObject *args, PyObject *names) {
    PyObject *cached = NULL, *function = NULL, *result;
    if (!any(is_plain, 0, args, names)) return call_before(self, args, names);
    Py_TYPE(self)->tp_traverse(self, find_cached, &cached);
    if (cached != NULL) {
        Py_INCREF(cached);
        result = call_program_cache(self, (Cached *)cached, args, names);
        Py_DECREF(cached);
        return result;
    }
    const int asks = classes != NULL && PyDict_GET_SIZE(classes) > 0 && any(answers_itself, 1, args, names);
    if (asks && (function = PyObject_GetAttrString(self, "__wrapped__")) == NULL) PyErr_Clear();
    result = function == NULL ? call_before(self, args, names) : PyObject_Call(function, args, names);
    Py_XDECREF(function);
    return result;
}

/* cached(function, maxsize, typed, kind of what it tells): a program's cache. */
static PyObject *new_cache(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *function, *most, *typed, *told;
    if (!PyArg_ParseTuple(args, "OOOO:cached", &function, &most, &typed, &told)) return NULL;
    Cached *made = PyObject_GC_New(Cached, &CachedType);
    if (made == NULL) return NULL;
    made->call = call_cached, made->function = Py_NewRef(function), made->tokens = PyDict_New(), made->most = MOST_TOKENS;
    PyObject_GC_Track((PyObject *)made);
    PyObject *cache = made->tokens == NULL ? NULL : PyObject_CallFunctionObjArgs(kind_of_caches, made, most, typed, told, NULL);
    Py_DECREF(made);
    return cache;
}

static int keep_caches(void) {
    PyObject *module = PyImport_ImportModule("_functools"), *sets = PyImport_ImportModule("_collections_abc");
    PyObject *kind = module == NULL ? NULL : PyObject_GetAttrString(module, "_lru_cache_wrapper");
    PyObject *set = sets == NULL ? NULL : PyObject_GetAttrString(sets, "Set");
    PyObject *hashed = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){sO}", "hashed", "__hash__", &PyType_Type);
    Py_XDECREF(module);
    Py_XDECREF(sets);
    if (kind == NULL || set == NULL || hashed == NULL || PyType_Ready(&CachedType) < 0 || PyType_Ready(&TokenType) < 0) return -1;
    compared_by_python = ((PyTypeObject *)set)->tp_richcompare, hashed_by_python = ((PyTypeObject *)hashed)->tp_hash;
    Py_DECREF(set);
    Py_DECREF(hashed);
    PyTypeObject *type = (PyTypeObject *)kind;
    call_before = type->tp_call, type->tp_call = call_cache;
    if (redirect(type, "__call__", (void *)call_before, (void *)call_cache)) return -1;
    kind_of_caches = kind;
    return 0;
}
#endif
