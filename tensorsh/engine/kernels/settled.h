/* Lists of numpy's own in the place of a program's.

   numpy takes a list apart by the address of its elements, and holds none of them: what it asks meanwhile for numbers or for parts of its own (a
   UserList, a tensor of a program's class, a date in a zone of a program's) may take them away. Wherever numpy's arrays and numbers are given a list
   in which there is more than numbers, text and arrays, it gets a copy. Included by patience.c, whose hook makes it. */
/* Numbers, text and arrays, also in lists: what runs no code of a program when numpy takes it apart. */
#define DEEP 64
static int is_inert(PyObject *x, int depth) {
    if (PyLong_CheckExact(x) || PyFloat_CheckExact(x)) return 1;
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) {
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(x); k++) {
            PyObject *each = PySequence_Fast_GET_ITEM(x, k);
            if (PyFloat_CheckExact(each) || PyLong_CheckExact(each)) continue;
            if (depth == DEEP || !is_inert(each, depth + 1)) return 0;
        }
        return 1;
    }
    return PyBool_Check(x) || PyComplex_CheckExact(x) || PyUnicode_CheckExact(x) ||
           PyBytes_CheckExact(x) || x == Py_None || x == Py_Ellipsis || PyArray_CheckExact(x) || PyArray_IsScalar(x, Generic) || PySlice_Check(x) ||
           PyArray_DescrCheck(x);
}
/* Numbers, and arrays of them, which numpy may be given and answer as they are; also in one tuple. */
static int is_usual(PyObject *x) {
    if (PyArray_CheckExact(x)) return PyArray_TYPE((PyArrayObject *)x) < NPY_OBJECT && !is_long_double(x);
    if (PyArray_IsScalar(x, Number)) return !PyType_HasFeature(Py_TYPE(x), Py_TPFLAGS_HEAPTYPE) && !is_long_double(x);
    return PyLong_CheckExact(x) || PyFloat_CheckExact(x) || PyBool_Check(x) || PyComplex_CheckExact(x) || x == Py_None;
}
static PyObject *usual(PyObject *self, PyObject *x) {
    (void)self;
    if (!PyTuple_CheckExact(x)) return PyBool_FromLong(is_usual(x));
    Py_ssize_t k = 0;
    while (k < PyTuple_GET_SIZE(x) && is_usual(PyTuple_GET_ITEM(x, k))) k++;
    return PyBool_FromLong(k == PyTuple_GET_SIZE(x));
}
static PyObject *inert(PyObject *self, PyObject *x) {
    (void)self;
    return PyBool_FromLong(is_inert(x, 0));
}
/* Whether a value is none that numpy takes apart, or one that is inert. */
static inline int is_settled(PyObject *x) {
    if (PyLong_CheckExact(x) || PyArray_CheckExact(x) || PySlice_Check(x)) return 1;
    return !PySequence_Check(x) || is_inert(x, 0) || (PyArray_Check(x) || PyUnicode_Check(x) || PyBytes_Check(x));
}
/* A value, with lists of numpy's own in the place of a program's: these may be changed while numpy asks what is in them, and holds none of it. */
static PyObject *settled(PyObject *x) {
    if (is_settled(x) || PyObject_HasAttrString((PyObject *)Py_TYPE(x), "__array_struct__")) return Py_NewRef(x);
    PyObject *named = PyTuple_Pack(1, x), *plain = named ? PyObject_CallFunctionObjArgs(hook, same_handed, named, NULL) : NULL;
    PyObject *answer = plain != NULL && PyTuple_Check(plain) ? Py_NewRef(PyTuple_GET_ITEM(plain, 0)) : NULL;
    Py_XDECREF(named);
    Py_XDECREF(plain);
    return answer;
}
#define SETTLE(x, y, result, call)                                                                                     \
    PyObject *x = settled(own_##x), *y = x == NULL ? NULL : settled(own_##y), *result = y == NULL ? NULL : (call);     \
    Py_XDECREF(x);                                                                                                     \
    Py_XDECREF(y);
/* `a.flat = x`, `a.real = x`, `a.imag = x`, and single numbers, which are made of lists as well (`np.float64([1, 2])`). */
#define PARTS(each) each(flat) each(real) each(imag)
#define PART(name)                                                                 \
    static setter name##_set_before;                                               \
    static int name##_set(PyObject *a, PyObject *own_value, void *closure) {       \
        PyObject *value = own_value == NULL ? NULL : settled(own_value);           \
        const int failed = own_value != NULL && value == NULL ? -1 : name##_set_before(a, value, closure); \
        Py_XDECREF(value);                                                         \
        return failed;                                                             \
    }
PARTS(PART)
static void set_parts(PyGetSetDef *each) {
    for (; each->name != NULL; each++) {
#define SET_PART(part) if (!strcmp(each->name, #part)) part##_set_before = each->set, each->set = part##_set;
        PARTS(SET_PART)
    }
}
#define MOST_NUMBERS 40
static struct {
    PyTypeObject *type;
    newfunc before;
} numbers[MOST_NUMBERS];
static int count_numbers;
static PyObject *new_number(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    int k = 0;
    while (k < count_numbers && type != numbers[k].type) k++;
    if (k == count_numbers) /* a derived class */
        for (k = 0; k < count_numbers - 1 && !PyType_IsSubtype(type, numbers[k].type);) k++;
    if (!PyTuple_GET_SIZE(args) || is_inert(PyTuple_GET_ITEM(args, 0), 0)) return numbers[k].before(type, args, keywords);
    PyObject *first = settled(PyTuple_GET_ITEM(args, 0)), *rest = first ? PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)) : NULL;
    PyObject *one = rest ? PyTuple_Pack(1, first) : NULL, *all = one ? PySequence_Concat(one, rest) : NULL;
    PyObject *answer = all ? numbers[k].before(type, all, keywords) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(rest);
    Py_XDECREF(one);
    Py_XDECREF(all);
    return answer;
}
/* What a single number makes of another operand. */
#define OPERATIONS(each)                                                                                              \
    each(add) each(subtract) each(multiply) each(remainder) each(divmod) each(lshift) each(rshift) each(and) each(xor) \
    each(or) each(floor_divide) each(true_divide) each(matrix_multiply)
#define OPERATION(name)                                                            \
    static binaryfunc number_##name##_before;                                      \
    static PyObject *number_##name(PyObject *own_a, PyObject *own_b) {             \
        SETTLE(a, b, result, number_##name##_before(a, b))                         \
        return result;                                                             \
    }
OPERATIONS(OPERATION)
static ternaryfunc number_power_before;
static PyObject *number_power(PyObject *own_a, PyObject *own_b, PyObject *c) {
    SETTLE(a, b, result, number_power_before(a, b, c))
    return result;
}
static richcmpfunc number_compare_before;
static PyObject *number_compare(PyObject *a, PyObject *own_b, int how) {
    PyObject *b = settled(own_b), *result = b == NULL ? NULL : number_compare_before(a, b, how);
    Py_XDECREF(b);
    return result;
}
static int settle_numbers(PyTypeObject *type) {
    if (type->tp_richcompare == number_compare_before) type->tp_richcompare = number_compare;
    if (rename_slot(type, (void *)number_compare_before, (void *)number_compare) < 0) return -1;
    PyNumberMethods *slots = type->tp_as_number;
#define OPERATE(name)                                                                                                   \
    if (slots != NULL && slots->nb_##name != NULL && slots->nb_##name == number_##name##_before) slots->nb_##name = number_##name; \
    if (number_##name##_before != NULL && rename_slot(type, (void *)number_##name##_before, (void *)number_##name) < 0) return -1;
    OPERATIONS(OPERATE)
    OPERATE(power)
    PyObject *derived = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    int failed = derived == NULL;
    for (Py_ssize_t k = 0; !failed && k < PyList_GET_SIZE(derived); k++) failed = settle_numbers((PyTypeObject *)PyList_GET_ITEM(derived, k));
    Py_XDECREF(derived);
    return failed ? -1 : 0;
}
static void make_numbers_of(PyTypeObject *type) {
    if (type == NULL || type->tp_new == new_number || count_numbers == MOST_NUMBERS) return;
    numbers[count_numbers].type = type, numbers[count_numbers++].before = type->tp_new;
    type->tp_new = new_number;
}
static int settle_all(PyTypeObject *array) {
    set_parts(array->tp_getset);
#define OPERATED(name) number_##name##_before = PyGenericArrType_Type.tp_as_number->nb_##name;
    OPERATIONS(OPERATED)
    OPERATED(power)
    number_compare_before = PyGenericArrType_Type.tp_richcompare;
    if (settle_numbers(&PyGenericArrType_Type) < 0) return -1;
    for (int k = 0; k < NPY_VOID; k++) {
        PyObject *number = PyArray_TypeObjectFromType(k);
        if (number != NULL) make_numbers_of((PyTypeObject *)number);
        else PyErr_Clear();
        Py_XDECREF(number);
    }
    make_numbers_of(&PyHalfArrType_Type);
    make_numbers_of(&PyVoidArrType_Type);
    make_numbers_of(&PyArrayMultiIter_Type);
    return 0;
}
