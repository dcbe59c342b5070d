/* Long methods and operators of numpy's arrays, handed to a function of Python's that can leave them.

   A program that says `a @ a` or `a.sort()` calls numpy at once, which nobody can interrupt. Here stand functions in the place of
   those of numpy's that take long: on large arrays they call a hook with the function that stood there before, and its
   arguments; on all others they end in that function itself (as their last step: numpy looks at the stack to see whether it
   may write over an intermediate result).

   Arrays of Python objects no program gets: numpy holds what is in them by its address alone. What arithmetic makes of lists and
   numbers beyond 64 bits is shown to the hook, and so are stores and orders of arrays that came by other ways: it refuses. It makes
   plain text of the names of fields by which structures are brought in order. It is shown, too, what an index takes of structures, and refuses those with memory between their fields.

   numpy divides by the number of units in the name of a dtype of times, `m8[0s]`, wherever it meets one: a text that has one may be shown to
   the hook before. */
#include "common.h"

#define MANY (1 << 20)  /* elements that take long to sort */
#define HUGE_COUNT (1 << 25) /* elements that take long to read */
#define LONG (1ll << 28) /* multiplications that take about as long */
#define MOST 8          /* arguments */

static PyObject *hook; /* hook(function, *arguments) */

static int holds_objects(PyObject *a) { return PyArray_Check(a) && PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)a)); }
/* Whether arithmetic with an operand, and others of which that is true, makes no array of Python objects. */
static int is_plain(PyObject *x) {
    if (PyArray_CheckExact(x)) return !holds_objects(x);
    if (PyLong_CheckExact(x)) {
        int is_beyond;
        PyLong_AsLongAndOverflow(x, &is_beyond);
        return !is_beyond;
    }
    return PyFloat_CheckExact(x) || PyBool_Check(x) || PyComplex_CheckExact(x) || PyArray_IsScalar(x, Number) || PyArray_IsScalar(x, Bool);
}
static int has_fields(PyObject *a) { return PyArray_Check(a) && PyDataType_HASFIELDS(PyArray_DESCR((PyArrayObject *)a)); }
/* Long doubles, the last bytes of which nobody writes. */
static int is_long_double(PyObject *a) {
    if (!PyArray_Check(a)) return PyArray_IsScalar(a, LongDouble) || PyArray_IsScalar(a, CLongDouble);
    return PyArray_TYPE((PyArrayObject *)a) == NPY_LONGDOUBLE || PyArray_TYPE((PyArrayObject *)a) == NPY_CLONGDOUBLE;
}
/* An answer, unless it holds objects, or memory that nobody wrote, which a program would get: the hook refuses it. */
static int is_structure(PyObject *a) { return PyArray_IsScalar(a, Void); }
static PyObject *same(PyObject *self, PyObject *answer) { return Py_NewRef(answer); }
static PyMethodDef same_method = {"same", same, METH_O, NULL};
static PyObject *same_handed;
static PyObject *looked_at(PyObject *answer) {
    if (answer == NULL || (!holds_objects(answer) && !has_fields(answer) && !is_long_double(answer) && !is_structure(answer))) return answer;
    PyObject *seen = PyObject_CallFunctionObjArgs(hook, same_handed, answer, NULL);
    Py_DECREF(answer);
    return seen;
}
#include "settled.h"
/* What numpy asks for no dtype of its own. */
static int is_known(PyObject *x) {
    return x == Py_None || PyLong_CheckExact(x) || PyBool_Check(x) || PyFloat_CheckExact(x) || PyArray_Check(x) || PyArray_DescrCheck(x) ||
           PyArray_IsScalar(x, Generic) || (PyType_Check(x) && !(((PyTypeObject *)x)->tp_flags & Py_TPFLAGS_HEAPTYPE));
}
/* Whether the name of a dtype may have a number of no units in it. */
static int may_count_none(PyObject *x) {
    if (PyUnicode_Check(x)) {
        const Py_ssize_t n = PyUnicode_GET_LENGTH(x);
        return PyUnicode_FindChar(x, '[', 0, n, 1) >= 0 && PyUnicode_FindChar(x, '0', 0, n, 1) >= 0;
    }
    if (PyBytes_Check(x)) return memchr(PyBytes_AS_STRING(x), '[', PyBytes_GET_SIZE(x)) != NULL;
    if (!PyList_CheckExact(x) && !PyTuple_Check(x)) return !is_known(x);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(x); k++) {
        PyObject *each = PySequence_Fast_GET_ITEM(x, k);
        if (PyList_Check(each) || PyTuple_Check(each) || may_count_none(each)) return 1;
    }
    return 0;
}
static int is_large(PyObject *a) {
    return PyArray_CheckExact(a) && PyArray_SIZE((PyArrayObject *)a) >= (PyArray_TYPE((PyArrayObject *)a) == NPY_VOID ? MANY / 4 : MANY);
}

static int is_huge(PyObject *a) { return PyArray_CheckExact(a) && PyArray_SIZE((PyArrayObject *)a) >= HUGE_COUNT; }

/* Whether two operands, or the grid that they make together, take long to read. */
static int are_huge(PyObject *a, PyObject *b) {
    if (is_huge(a) || is_huge(b)) return 1;
    if (!PyArray_CheckExact(a) || !PyArray_CheckExact(b)) return 0;
    PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
    if (times(PyArray_SIZE(x), PyArray_SIZE(y)) < HUGE_COUNT) return 0;
    size all = 1;
    for (int k = 1; k <= PyArray_NDIM(x) || k <= PyArray_NDIM(y); k++) {
        const size m = k <= PyArray_NDIM(x) ? PyArray_DIM(x, PyArray_NDIM(x) - k) : 1;
        const size n = k <= PyArray_NDIM(y) ? PyArray_DIM(y, PyArray_NDIM(y) - k) : 1;
        all = times(all, m == 1 ? n : m);
    }
    return all >= HUGE_COUNT;
}

/* Elements that an index takes at most, or writes. */
static size chosen(PyArrayObject *a, PyObject *key) {
    size all = 1;
    const int many = PyTuple_CheckExact(key) ? (int)PyTuple_GET_SIZE(key) : 1;
    int axis = 0, widened = 0;
    for (int k = 0; k < many; k++) {
        PyObject *each = PyTuple_CheckExact(key) ? PyTuple_GET_ITEM(key, k) : key;
        if (PyArray_CheckExact(each)) {
            widened = 1, all = times(all, PyArray_SIZE((PyArrayObject *)each));
            axis += PyArray_TYPE((PyArrayObject *)each) == NPY_BOOL ? PyArray_NDIM((PyArrayObject *)each) : 1;
        } else if (PySlice_Check(each) && axis < PyArray_NDIM(a)) {
            Py_ssize_t begin, end, step, n = PyArray_DIM(a, axis);
            PySliceObject *slice = (PySliceObject *)each;
            if ((slice->start == Py_None || PyLong_CheckExact(slice->start)) && (slice->stop == Py_None || PyLong_CheckExact(slice->stop)) &&
                (slice->step == Py_None || PyLong_CheckExact(slice->step))) {
                if (PySlice_Unpack(each, &begin, &end, &step) < 0) PyErr_Clear();
                else n = PySlice_AdjustIndices(n, &begin, &end, step);
            }
            all = times(all, n), axis++;
        } else if (each == Py_Ellipsis) {
            return widened ? all : PyArray_SIZE(a);
        } else if (each != Py_None) {
            axis++;
        }
    }
    for (; axis < PyArray_NDIM(a); axis++) all = times(all, PyArray_DIM(a, axis));
    return all;
}
static int has_array(PyObject *key) {
    if (!PyTuple_CheckExact(key)) return PyArray_CheckExact(key);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); k++)
        if (PyArray_CheckExact(PyTuple_GET_ITEM(key, k))) return 1;
    return 0;
}

/* Multiplications of a product. */
static size of_product(PyObject *a, PyObject *b) {
    if (!PyArray_CheckExact(a) || !PyArray_CheckExact(b)) return 0;
    PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
    const size columns = PyArray_NDIM(y) > 1 ? PyArray_DIM(y, PyArray_NDIM(y) - 1) : 1;
    const size rows = PyArray_NDIM(x) > 1 ? PyArray_DIM(x, PyArray_NDIM(x) - 2) : 1;
    const size one = times(PyArray_SIZE(x), columns), other = times(PyArray_SIZE(y), rows);
    return one > other ? one : other;
}

/* Decimals to which `round` rounds: numpy multiplies by ten as often as there are, and 400 tens are infinity already. */
static PyObject *rounds, *most, *least;
static PyObject *within_bounds(PyObject *decimals) {
    int is_beyond;
    const long count = PyLong_CheckExact(decimals) ? PyLong_AsLongAndOverflow(decimals, &is_beyond) : 0;
    return count > 400 && count <= INT_MAX ? most : count < -400 && count >= INT_MIN ? least : decimals;
}

typedef struct {
    const char *name;
    int orders; /* not only reads */
    PyObject *before;
} Method;

static PyObject *asked(const Method *method, PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    PyObject *all[MOST + 2];
    if (count + named > MOST) return PyErr_Format(PyExc_TypeError, "%s() takes fewer arguments", method->name);
    all[0] = method->before, all[1] = self;
    int names = 0;
    for (Py_ssize_t k = 0; k < count + named; k++)
        all[k + 2] = method->before == rounds ? within_bounds(args[k]) : args[k], names |= may_count_none(args[k]);
    const int asks = names      ? 1
                     : method->orders
                         ? is_large(self) || holds_objects(self) || (count + named && has_fields(self)) || (count && (is_large(args[0]) || of_product(self, args[0]) >= LONG))
                         : is_huge(self);
    if (asks)
        return PyObject_Vectorcall(hook, all, count + 2, keywords);
    PyObject *answer = NULL;
    Py_ssize_t taken = 0;
    while (taken < count + named && (all[taken + 2] = settled(all[taken + 2])) != NULL) taken++;
    if (taken == count + named) answer = PyObject_Vectorcall(method->before, all + 1, count + 1, keywords);
    while (taken) Py_DECREF(all[--taken + 2]);
    return is_long_double(self) ? answer : looked_at(answer); /* the library's own: no program has one */
}

#define METHODS(each)                                                                                                \
    each(argpartition, 1) each(argsort, 1) each(dot, 1) each(fill, 1) each(partition, 1) each(searchsorted, 1) each(sort, 1) \
    each(all, 0) each(any, 0) each(argmax, 0) each(argmin, 0) each(astype, 0) each(compress, 0) each(copy, 0)        \
    each(cumprod, 0) each(cumsum, 0) each(flatten, 0) each(max, 0) each(mean, 0) each(min, 0) each(nonzero, 0)       \
    each(prod, 0) each(ravel, 0) each(round, 0) each(std, 0) each(sum, 0) each(trace, 0) each(var, 0)
#define PLACE(name, orders) AT_##name,
enum { METHODS(PLACE) METHOD_COUNT };
#define ENTRY(name, orders) {#name, orders, NULL},
static Method methods[] = {METHODS(ENTRY)};
#define FUNCTION(name, orders)                                                                                               \
    static PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {     \
        return asked(&methods[AT_##name], self, args, count, keywords);                                              \
    }
METHODS(FUNCTION)
#define DEFINITION(name, orders) {#name, (PyCFunction)(void (*)(void))array_##name, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef definitions[] = {METHODS(DEFINITION)};

/* Slots: what stood there before, the same as a function for the hook, and what stands there now. */
static PyObject *put_apart(PyObject *function, PyObject *a, PyObject *b, PyObject *c) {
    return PyObject_CallFunctionObjArgs(hook, function, a, b, c, NULL); /* up to the first that is NULL */
}
#define HANDED(name, kind, call)                                                   \
    static kind name##_before;                                                     \
    static PyObject *name##_handed;                                                \
    static PyObject *name##_call(PyObject *self, PyObject *args) {                 \
        PyObject *a, *b = NULL, *c = NULL;                                         \
        if (!PyArg_UnpackTuple(args, #name, 1, 3, &a, &b, &c)) return NULL;        \
        return call;                                                               \
    }                                                                              \
    static PyMethodDef name##_method = {#name, name##_call, METH_VARARGS, NULL};
#define UNARY(name)                                                                \
    HANDED(name, unaryfunc, name##_before(a))                                      \
    static PyObject *array_##name(PyObject *a) {                                   \
        if (__builtin_expect(is_huge(a) || holds_objects(a), 0)) return put_apart(name##_handed, a, NULL, NULL); \
        return name##_before(a);                                                   \
    }
#define BINARY_IF(name, asks)                                                      \
    HANDED(name, binaryfunc, b ? name##_before(a, b) : NULL)                       \
    static PyObject *name##_settled(PyObject *own_a, PyObject *own_b) {            \
        SETTLE(a, b, result, name##_before(a, b))                                  \
        return looked_at(result);                                                  \
    }                                                                              \
    static PyObject *array_##name(PyObject *a, PyObject *b) {                      \
        if (__builtin_expect(asks, 0)) return put_apart(name##_handed, a, b, NULL); \
        if (__builtin_expect(!is_plain(a) || !is_plain(b), 0)) return name##_settled(a, b); \
        return name##_before(a, b);                                                \
    }
#define BINARY(name) BINARY_IF(name, are_huge(a, b))
#define PRODUCT(name) BINARY_IF(name, of_product(a, b) >= LONG)
#define POWER(name)                                                                \
    HANDED(name, ternaryfunc, b ? name##_before(a, b, c ? c : Py_None) : NULL)     \
    static PyObject *name##_settled(PyObject *own_a, PyObject *own_b, PyObject *c) { \
        SETTLE(a, b, result, name##_before(a, b, c))                               \
        return looked_at(result);                                                  \
    }                                                                              \
    static PyObject *array_##name(PyObject *a, PyObject *b, PyObject *c) {         \
        if (__builtin_expect(are_huge(a, b), 0)) return put_apart(name##_handed, a, b, c); \
        if (__builtin_expect(!is_plain(a) || !is_plain(b), 0)) return name##_settled(a, b, c); \
        return name##_before(a, b, c);                                             \
    }
#define NUMBERS(each)                                                              \
    each(add, BINARY) each(subtract, BINARY) each(multiply, BINARY) each(remainder, BINARY) each(divmod, BINARY) \
    each(power, POWER) each(negative, UNARY) each(positive, UNARY) each(absolute, UNARY) each(invert, UNARY)     \
    each(lshift, BINARY) each(rshift, BINARY) each(and, BINARY) each(xor, BINARY) each(or, BINARY)               \
    each(floor_divide, BINARY) each(true_divide, BINARY) each(matrix_multiply, PRODUCT)                          \
    each(inplace_add, BINARY) each(inplace_subtract, BINARY) each(inplace_multiply, BINARY)                      \
    each(inplace_remainder, BINARY) each(inplace_power, POWER) each(inplace_lshift, BINARY)                      \
    each(inplace_rshift, BINARY) each(inplace_and, BINARY) each(inplace_xor, BINARY) each(inplace_or, BINARY)    \
    each(inplace_floor_divide, BINARY) each(inplace_true_divide, BINARY) each(inplace_matrix_multiply, PRODUCT)
#define MADE(name, KIND) KIND(name)
NUMBERS(MADE)

static PyObject *done(int failed) { return failed < 0 ? NULL : Py_NewRef(Py_None); }
static int stored(PyObject *answer) {
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

HANDED(compare, richcmpfunc, b && c ? compare_before(a, b, (int)PyLong_AsLong(c)) : NULL)
static PyObject *compared(PyObject *a, PyObject *b, int how) {
    if (__builtin_expect(!are_huge(a, b), 1)) return compare_before(a, b, how);
    PyObject *number = PyLong_FromLong(how), *answer = number ? put_apart(compare_handed, a, b, number) : NULL;
    Py_XDECREF(number);
    return answer;
}

static PyObject *array_compare(PyObject *a, PyObject *own_b, int how) {
    if (is_settled(own_b)) return compared(a, own_b, how);
    PyObject *b = settled(own_b), *found = b == NULL ? NULL : compared(a, b, how);
    Py_XDECREF(b);
    return found;
}

HANDED(index, binaryfunc, b ? index_before(a, b) : NULL)
static PyObject *index_of(PyObject *a, PyObject *key) {
    if (__builtin_expect(has_array(key) && chosen((PyArrayObject *)a, key) >= HUGE_COUNT, 0)) return put_apart(index_handed, a, key, NULL);
    return __builtin_expect(has_fields(a), 0) ? looked_at(index_before(a, key)) : index_before(a, key);
}
static PyObject *array_index(PyObject *a, PyObject *own_key) {
    if (is_settled(own_key)) return index_of(a, own_key);
    PyObject *key = settled(own_key), *found = key == NULL ? NULL : index_of(a, key);
    Py_XDECREF(key);
    return found;
}

/* `a[i] = x` and `a.flat[i] = x`. */
HANDED(store, objobjargproc, b && c ? done(store_before(a, b, c)) : NULL)
static int store_in(PyObject *a, PyObject *key, PyObject *value) {
    const int asks = holds_objects(a) || (is_huge(a) && chosen((PyArrayObject *)a, key) >= HUGE_COUNT);
    return asks ? stored(put_apart(store_handed, a, key, value)) : store_before(a, key, value);
}
static int array_store(PyObject *a, PyObject *own_key, PyObject *own_value) {
    if (own_value == NULL) return store_before(a, own_key, NULL);
    if (is_settled(own_key) && is_settled(own_value)) return store_in(a, own_key, own_value);
    PyObject *key = settled(own_key), *value = key == NULL ? NULL : settled(own_value);
    const int failed = value == NULL ? -1 : store_in(a, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return failed;
}
HANDED(flat_store, objobjargproc, b && c ? done(flat_store_before(a, b, c)) : NULL)
static int array_flat_store(PyObject *a, PyObject *own_key, PyObject *own_value) {
    if (own_value == NULL) return flat_store_before(a, own_key, NULL);
    int failed = -1;
    PyObject *key = settled(own_key), *value = key == NULL ? NULL : settled(own_value);
    if (value != NULL)
        failed = holds_objects((PyObject *)((PyArrayIterObject *)a)->ao) ? stored(put_apart(flat_store_handed, a, key, value))
                                                                         : flat_store_before(a, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return failed;
}
/* `dtype == text`, and a number of times that is told its unit. */
static int seen(PyObject *name) {
    PyObject *named = PyTuple_Pack(1, name), *answer = named ? PyObject_CallFunctionObjArgs(hook, same_handed, named, NULL) : NULL;
    Py_XDECREF(named);
    Py_XDECREF(answer);
    return answer != NULL;
}
static richcmpfunc dtype_compare_before;
static PyObject *dtype_compare(PyObject *a, PyObject *b, int how) {
    return may_count_none(b) && !seen(b) ? NULL : dtype_compare_before(a, b, how);
}
static newfunc datetime_before, timedelta_before;
static PyObject *new_time(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *unit = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : NULL, *text = NULL;
    if (unit && PyUnicode_Check(unit)) text = PyUnicode_FromObject(unit);
    else if (unit && PyBytes_Check(unit)) text = PyUnicode_DecodeLatin1(PyBytes_AS_STRING(unit), PyBytes_GET_SIZE(unit), NULL);
    else unit = NULL;
    if (unit) {
        PyObject *name = text ? PyUnicode_FromFormat("m8[%U]", text) : NULL;
        const int good = name && (!may_count_none(name) || seen(name));
        Py_XDECREF(text);
        Py_XDECREF(name);
        if (!good) return NULL;
    }
    return (PyType_IsSubtype(type, &PyTimedeltaArrType_Type) ? timedelta_before : datetime_before)(type, args, keywords);
}
/* A structure of one dtype, which is shown to the hook before, as is what was made of it. */
static newfunc void_before;
static PyObject *new_void(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *given = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : keywords ? PyDict_GetItemString(keywords, "dtype") : NULL;
    if (given == NULL || given == Py_None) return looked_at(void_before(type, args, keywords));
    PyArray_Descr *dtype = NULL;
    PyObject *named = PyTuple_Pack(1, given), *plain = named ? PyObject_CallFunctionObjArgs(hook, same_handed, named, NULL) : NULL, *made = NULL;
    const int failed = plain == NULL || !PyTuple_Check(plain) || PyArray_DescrConverter(PyTuple_GET_ITEM(plain, 0), &dtype) != NPY_SUCCEED;
    Py_XDECREF(named);
    Py_XDECREF(plain);
    if (failed) return NULL;
    PyObject *seen = PyObject_CallFunctionObjArgs(hook, same_handed, dtype, NULL);
    if (seen != NULL && PyTuple_GET_SIZE(args)) made = PyTuple_Pack(2, PyTuple_GET_ITEM(args, 0), dtype);
    else if (seen != NULL) PyErr_SetString(PyExc_TypeError, "void() takes at least 1 positional argument (0 given)");
    PyObject *answer = made ? looked_at(void_before(type, made, NULL)) : NULL;
    Py_XDECREF(made);
    Py_XDECREF(seen);
    Py_DECREF(dtype);
    return answer;
}
/* The classes of dtypes have taken the slot over from the first. */
static int compare_dtypes(PyTypeObject *type) {
    if (type->tp_richcompare == dtype_compare_before) type->tp_richcompare = dtype_compare;
    if (rename_slot(type, (void *)dtype_compare_before, (void *)dtype_compare) < 0) return -1;
    PyObject *derived = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    int failed = derived == NULL;
    for (Py_ssize_t k = 0; !failed && k < PyList_GET_SIZE(derived); k++) failed = compare_dtypes((PyTypeObject *)PyList_GET_ITEM(derived, k));
    Py_XDECREF(derived);
    return failed ? -1 : 0;
}

/* Puts a function into a slot; -1 with an error. */
#define REPLACED(type, slot, name)                                                                         \
    if ((name##_handed = PyCFunction_New(&name##_method, NULL)) == NULL) return NULL;                      \
    name##_before = (type)->slot, (type)->slot = array_##name;                                             \
    if (rename_slot(type, (void *)name##_before, (void *)array_##name) < 0) return NULL;

static PyObject *wait_for(PyObject *self, PyObject *function) {
    PyTypeObject *type = &PyArray_Type;
    if (hook != NULL) Py_RETURN_NONE;
    for (int k = 0; k < METHOD_COUNT; k++) {
        PyObject *before = PyDict_GetItemString(type->tp_dict, methods[k].name);
        if (before == NULL || !Py_IS_TYPE(before, &PyMethodDescr_Type)) Py_RETURN_NONE; /* somebody else was here */
        Py_XSETREF(methods[k].before, Py_NewRef(before));
        definitions[k].ml_doc = ((PyMethodDescrObject *)before)->d_method->ml_doc;
    }
    if ((most = PyLong_FromLong(400)) == NULL || (least = PyLong_FromLong(-400)) == NULL) return NULL;
    rounds = methods[AT_round].before;
    if ((same_handed = PyCFunction_New(&same_method, NULL)) == NULL) return NULL;
    hook = Py_NewRef(function);
    for (int k = 0; k < METHOD_COUNT; k++) {
        PyObject *now = PyDescr_NewMethod(type, &definitions[k]);
        if (now == NULL || PyDict_SetItemString(type->tp_dict, methods[k].name, now) < 0) return Py_XDECREF(now), NULL;
        Py_DECREF(now);
    }
#define NUMBER(name, KIND) REPLACED(type, tp_as_number->nb_##name, name)
    NUMBERS(NUMBER)
    REPLACED(type, tp_richcompare, compare)
    REPLACED(type, tp_as_mapping->mp_subscript, index)
    REPLACED(type, tp_as_mapping->mp_ass_subscript, store)
    REPLACED(&PyArrayIter_Type, tp_as_mapping->mp_ass_subscript, flat_store)
    dtype_compare_before = PyArrayDescr_Type.tp_richcompare;
    datetime_before = PyDatetimeArrType_Type.tp_new, timedelta_before = PyTimedeltaArrType_Type.tp_new;
    PyDatetimeArrType_Type.tp_new = PyTimedeltaArrType_Type.tp_new = new_time;
    void_before = PyVoidArrType_Type.tp_new, PyVoidArrType_Type.tp_new = new_void;
    if (settle_all(type) < 0) return NULL;
    if (compare_dtypes(&PyArrayDescr_Type) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"wait_for", wait_for, METH_O, "wait_for(hook): long methods and operators of numpy's arrays are called as hook(function, *arguments) from now on."},
    {"is_inert", inert, METH_O, "is_inert(x): whether numpy runs no code of a program's as it takes x apart."},
    {"is_usual", usual, METH_O, "is_usual(x): whether x, or each value in a tuple, is a number, None or an array of plain numbers."},
    {0},
};

int add_patience(PyObject *module) { return PyModule_AddFunctions(module, functions); }
