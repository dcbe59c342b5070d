/* What Python's own functions ask for without bounds, within them.

   `t = (t, t)` forty times over, asked for by `isinstance(x, t)`, is 2**40 questions: `isinstance` and `issubclass` stand here once
   more, for programs, and refuse so many. A search from the end of a text for a long one, and what is taken off its ends, take the
   product of both lengths: functions stand here in the place of Python's own methods, for the process, that hand long calls to a hook. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define MOST_CLASSES (1 << 20)
#define LONG (1ll << 26) /* comparisons that take about 50 ms */

static int is_one(PyObject *value, PyObject *kinds, int (*asked)(PyObject *, PyObject *), Py_ssize_t *left) {
    if (!PyTuple_Check(kinds)) return asked(value, kinds);
    if (Py_EnterRecursiveCall(" in __instancecheck__")) return -1;
    int found = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kinds) && !found; k++) {
        if (--*left < 0) {
            PyErr_SetString(PyExc_TypeError, "isinstance() and issubclass() ask for 1048576 classes at most in tensorsh");
            found = -1;
        } else {
            found = is_one(value, PyTuple_GET_ITEM(kinds, k), asked, left);
        }
    }
    Py_LeaveRecursiveCall();
    return found;
}

static PyObject *answer(const char *name, PyObject *const *args, Py_ssize_t count, int (*asked)(PyObject *, PyObject *)) {
    Py_ssize_t left = MOST_CLASSES;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "%s expected 2 arguments, got %zd", name, count);
    const int found = is_one(args[0], args[1], asked, &left);
    return found < 0 ? NULL : PyBool_FromLong(found);
}
static PyObject *is_instance(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self;
    return answer("isinstance", args, count, PyObject_IsInstance);
}
static PyObject *is_subclass(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self;
    return answer("issubclass", args, count, PyObject_IsSubclass);
}

static PyObject *hook; /* hook(function, text, *arguments) */

static Py_ssize_t length(PyObject *text) {
    if (PyUnicode_Check(text)) return PyUnicode_GET_LENGTH(text);
    return PyBytes_Check(text) || PyByteArray_Check(text) ? Py_SIZE(text) : 0;
}

typedef struct {
    PyTypeObject *type;
    const char *name;
    PyObject *before;
} Method;

typedef PyObject *(*Fast)(PyObject *, PyObject *const *, Py_ssize_t);

static PyObject *called(const Method *method, PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    const PyMethodDef *own = ((PyMethodDescrObject *)method->before)->d_method;
    const int is_long = count && (long long)length(args[0]) * length(self) >= LONG;
    if ((own->ml_flags & ~METH_COEXIST) == METH_FASTCALL && names == NULL && !is_long) return ((Fast)(void (*)(void))own->ml_meth)(self, args, count);
    PyObject *all[6];
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (count + named > 4) return PyErr_Format(PyExc_TypeError, "%s() takes fewer arguments", method->name);
    all[0] = method->before, all[1] = self;
    for (Py_ssize_t k = 0; k < count + named; k++) all[k + 2] = args[k];
    return is_long ? PyObject_Vectorcall(hook, all, count + 2, names) : PyObject_Vectorcall(method->before, all + 1, count + 1, names);
}

#define NAMES(each, type) each(type, rfind) each(type, rindex) each(type, rsplit) each(type, rpartition) each(type, strip) each(type, lstrip) each(type, rstrip)
#define METHODS(each) NAMES(each, Unicode) NAMES(each, Bytes) NAMES(each, ByteArray)
#define PLACE(type, name) AT_##type##_##name,
enum { METHODS(PLACE) COUNT };
#define ENTRY(type, name) {&Py##type##_Type, #name, NULL},
static Method methods[] = {METHODS(ENTRY)};
#define FUNCTION(type, name)                                                                                         \
    static PyObject *type##_##name(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {       \
        return called(&methods[AT_##type##_##name], self, args, count, names);                                       \
    }
METHODS(FUNCTION)
#define DEFINITION(type, name) {#name, (PyCFunction)(void (*)(void))type##_##name, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef definitions[] = {METHODS(DEFINITION)};

static PyObject *wait_for_texts(PyObject *self, PyObject *function) {
    (void)self;
    if (hook != NULL) Py_RETURN_NONE;
    PyObject *now[COUNT] = {NULL};
    int failed = 0;
    for (int k = 0; k < COUNT && !failed; k++) {
        PyObject *before = PyObject_GetAttrString((PyObject *)methods[k].type, methods[k].name);
        failed = before == NULL || !Py_IS_TYPE(before, &PyMethodDescr_Type); /* somebody else was here */
        Py_XSETREF(methods[k].before, before);
        if (failed) break;
        definitions[k].ml_doc = ((PyMethodDescrObject *)before)->d_method->ml_doc;
        failed = (now[k] = PyDescr_NewMethod(methods[k].type, &definitions[k])) == NULL;
    }
    if (!failed) hook = Py_NewRef(function);
    for (int k = 0; k < COUNT; k++) {
#if PY_VERSION_HEX >= 0x030c0000
        PyObject *names = PyType_GetDict(methods[k].type);
#else
        PyObject *names = Py_NewRef(methods[k].type->tp_dict);
#endif
        if (!failed) failed = PyDict_SetItemString(names, methods[k].name, now[k]) < 0;
        Py_DECREF(names);
        Py_XDECREF(now[k]);
        PyType_Modified(methods[k].type);
    }
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"isinstance", (PyCFunction)(void (*)(void))is_instance, METH_FASTCALL,
     "isinstance($module, obj, class_or_tuple, /)\n--\n\nReturn whether an object is an instance of a class or of a subclass thereof."},
    {"issubclass", (PyCFunction)(void (*)(void))is_subclass, METH_FASTCALL,
     "issubclass($module, cls, class_or_tuple, /)\n--\n\nReturn whether 'cls' is derived from another class or is the same class."},
    {"wait_for_texts", wait_for_texts, METH_O, "wait_for_texts(hook): long searches from the end of texts are called as hook(function, *arguments)."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "builtins", .m_doc = "Python's own functions, within bounds.", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_bounds(void) { return PyModule_Create(&definition); }
