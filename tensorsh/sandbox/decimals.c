/* Numbers that become decimal, and decimal numbers that become whole, within bounds.

   Python turns one into the other digit by digit, and each digit walks the number: a million of them take half a minute, in which
   nothing is heard. What `Decimal` does with integers, and what makes integers of it, looks here how long the number is first, for
   the whole process, and calls a hook with a long one, which refuses it where a program asks. Compiled code that does so again and
   again (`sum`, `list.count`) can be interrupted. */
#define PY_SSIZE_T_CLEAN
#include "leaving.h"

#define BITS (1 << 18)     /* of an integer that becomes decimal in a moment */
#define DIGITS 100000      /* of a decimal number that becomes whole in a moment */
#define BYTES (DIGITS / 2) /* that hold them */
#define FEW 8              /* arguments */

static PyObject *hook, *adjusted, *size, *length;
static PyTypeObject *decimal;

/* What a function gives of a number: 0 and an error where it fails. */
static long long told(PyObject *function, PyObject *number) {
    int over = 0;
    PyObject *found = PyObject_CallOneArg(function, number);
    const long long value = found ? PyLong_AsLongLongAndOverflow(found, &over) : 0;
    Py_XDECREF(found);
    return over ? LLONG_MAX : value;
}

static int is_refused(PyObject *number) {
    PyObject *found = PyObject_CallOneArg(hook, number);
    Py_XDECREF(found);
    return found == NULL;
}

/* Whether a number that meets a Decimal is refused, by an error that is set. */
static int is_long(PyObject *number) {
    int over = 0;
    if (!PyLong_Check(number)) return 0;
    PyLong_AsLongLongAndOverflow(number, &over);
    return over != 0 && told(length, number) > BITS && is_refused(number);
}

/* Whether a Decimal that is to become whole is refused. */
static int is_large(PyObject *number) {
    const long long digits = told(adjusted, number);
    if (PyErr_Occurred()) return 1;
    const long long bytes = told(size, number);
    if (PyErr_Occurred()) return 1;
    return (digits > DIGITS || digits < -DIGITS || bytes > BYTES) && is_refused(number);
}

#define OPERATORS(X) X(add) X(subtract) X(multiply) X(remainder) X(divmod) X(true_divide) X(floor_divide)
#define LOOKING(name)                                        \
    static binaryfunc name##_before;                         \
    static PyObject *name##_(PyObject *a, PyObject *b) {     \
        return is_left() || is_long(a) || is_long(b) ? NULL : name##_before(a, b); \
    }
OPERATORS(LOOKING)

static ternaryfunc power_before;
static PyObject *power(PyObject *a, PyObject *b, PyObject *c) {
    return is_left() || is_long(a) || is_long(b) || is_long(c) ? NULL : power_before(a, b, c);
}
static richcmpfunc compare_before;
static PyObject *compare(PyObject *a, PyObject *b, int how) {
    if (is_left() || is_long(b)) return NULL;
    if (PyLong_Check(b) || PyFloat_Check(b) || Py_IS_TYPE(b, decimal)) return compare_before(a, b, how);
    const PyTypeObject *kind = Py_TYPE(b);
    while (kind != NULL && strcmp(kind->tp_name, "Fraction") != 0) kind = kind->tp_base;
    for (int k = 0; k < 2 && kind != NULL; k++) { /* of a fraction, both integers become decimal */
        PyObject *part = PyObject_GetAttrString(b, k ? "denominator" : "numerator");
        const int refused = part == NULL || is_long(part);
        Py_XDECREF(part);
        if (refused) return NULL;
    }
    return compare_before(a, b, how);
}
static unaryfunc whole_before;
static PyObject *whole(PyObject *a) { return is_left() || is_large(a) ? NULL : whole_before(a); }
static hashfunc hash_before;
static Py_hash_t hash(PyObject *a) { return is_left() ? -1 : hash_before(a); }

/* Methods: those that take numbers, and those that make whole ones. */
#define METHODS(X)                                                                                                             \
    X(compare, 0) X(compare_signal, 0) X(compare_total, 0) X(compare_total_mag, 0) X(copy_sign, 0) X(fma, 0) X(logical_and, 0) \
    X(logical_or, 0) X(logical_xor, 0) X(max, 0) X(max_mag, 0) X(min, 0) X(min_mag, 0) X(next_toward, 0) X(quantize, 0)        \
    X(remainder_near, 0) X(rotate, 0) X(same_quantum, 0) X(scaleb, 0) X(shift, 0) X(as_integer_ratio, 1) X(__ceil__, 1)        \
    X(__floor__, 1) X(__round__, 1) X(__trunc__, 1)

static PyObject *called(PyObject *before, int makes_whole, PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    PyObject *all[FEW + 1] = {self};
    const Py_ssize_t n = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (is_left()) return NULL;
    if (n > FEW) return PyErr_Format(PyExc_TypeError, "function takes fewer arguments (%zd given)", n);
    for (Py_ssize_t k = 0; k < n; k++) {
        if (is_long(args[k])) return NULL;
        all[k + 1] = args[k];
    }
    if (makes_whole && is_large(self)) return NULL;
    return PyObject_Vectorcall(before, all, count + 1, names);
}

#define METHOD(name, makes_whole)                                                                                  \
    static PyObject *name##_method;                                                                                \
    static PyObject *name##_called(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {      \
        return called(name##_method, makes_whole, self, args, count, names);                                       \
    }
METHODS(METHOD)
#define DEFINITION(name, makes_whole) {#name, (PyCFunction)(void (*)(void))name##_called, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef definitions[] = {METHODS(DEFINITION)};
#define PLACE(name, makes_whole) &name##_method,
static PyObject **const places[] = {METHODS(PLACE)};

/* What a class says of a slot by name is exchanged with the slot. */
static void rename_slot(PyObject *names, void *before, void *now) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(names, &at, &key, &value);)
        if (Py_IS_TYPE(value, &PyWrapperDescr_Type) && ((PyWrapperDescrObject *)value)->d_wrapped == before)
            ((PyWrapperDescrObject *)value)->d_wrapped = now;
}

static int exchange(PyObject *names) {
    PyNumberMethods *numbers = decimal->tp_as_number;
#define EXCHANGE(slot, before, now) before = slot, slot = now, rename_slot(names, (void *)before, (void *)now)
#define OPERATOR(name) EXCHANGE(numbers->nb_##name, name##_before, name##_);
    OPERATORS(OPERATOR)
    EXCHANGE(numbers->nb_power, power_before, power);
    EXCHANGE(numbers->nb_int, whole_before, whole);
    EXCHANGE(decimal->tp_richcompare, compare_before, compare);
    EXCHANGE(decimal->tp_hash, hash_before, hash);
    for (size_t k = 0; k < sizeof(definitions) / sizeof(definitions[0]); k++) {
        PyObject *own = PyDict_GetItemString(names, definitions[k].ml_name);
        if (own == NULL || !Py_IS_TYPE(own, &PyMethodDescr_Type)) continue;
        definitions[k].ml_doc = ((PyMethodDescrObject *)own)->d_method->ml_doc;
        *places[k] = Py_NewRef(own);
        PyObject *now = PyDescr_NewMethod(decimal, &definitions[k]);
        const int failed = now == NULL || PyDict_SetItemString(names, definitions[k].ml_name, now) < 0;
        Py_XDECREF(now);
        if (failed) return -1;
    }
    return 0;
}

static PyObject *look_at(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *kind, *function;
    if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &kind, &function)) return NULL;
    PyTypeObject *type = (PyTypeObject *)kind;
    if (hook != NULL) Py_RETURN_NONE;
    adjusted = PyObject_GetAttrString(kind, "adjusted"), size = PyObject_GetAttrString(kind, "__sizeof__");
    length = PyObject_GetAttrString((PyObject *)&PyLong_Type, "bit_length");
    if (adjusted == NULL || size == NULL || length == NULL) return NULL;
    if (!Py_IS_TYPE(adjusted, &PyMethodDescr_Type)) Py_RETURN_NONE; /* Python's own in Python */
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(type);
#else
    PyObject *names = Py_NewRef(type->tp_dict);
#endif
    decimal = type, hook = Py_NewRef(function);
    const int failed = exchange(names);
    Py_DECREF(names);
    PyType_Modified(type);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"look_at", look_at, METH_VARARGS, "look_at(Decimal, hook): numbers that take long to become decimal, or whole, are told to hook(number)."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "builtins", .m_doc = "Decimal numbers, within bounds.", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_decimals(void) { return prepare_steps() < 0 ? NULL : PyModule_Create(&definition); }
