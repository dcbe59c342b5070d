cimport cython
from cpython.object cimport PyObject
from ..arrays.switches cimport Holder, opened
from ..graph.fields cimport Fields, wrap
from .around cimport plainly
from .executor cimport Executor
from .titles cimport Title

cdef extern from *:
    """
    /* A form is called with a vector of arguments, as a function of C is, and a method of a class without a bound method between.
       What Python says of it, it says of the kind of function that it is in PyTorch. */
    static CYTHON_UNUSED int tensorsh_takes_vectors(PyObject *kind, Py_ssize_t offset, int method, const char *name) {
        PyTypeObject *type = (PyTypeObject *)kind;
        if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) type->tp_name = name;
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | (method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
        PyType_Modified(type);
        return 0;
    }
    #define tensorsh_vector_offset \
        offsetof(struct __pyx_obj_8tensorsh_6engine_9operators_11public_form_PublicForm, vector)
    /* Whether arguments have the names and the types of others, which lie in tuples that nobody changes; `object` stands for a
       plain number. */
    static CYTHON_INLINE int tensorsh_alike(PyObject *const *args, PyObject *words, PyObject *names, PyObject *kinds) {
        Py_ssize_t named = words == NULL ? 0 : PyTuple_GET_SIZE(words), n = PyTuple_GET_SIZE(kinds);
        if (named != PyTuple_GET_SIZE(names)) return 0;
        for (Py_ssize_t k = 0; k < named; k++)
            if (PyTuple_GET_ITEM(words, k) != PyTuple_GET_ITEM(names, k)) return 0;
        for (Py_ssize_t k = 0; k < n; k++) {
            PyTypeObject *kind = (PyTypeObject *)PyTuple_GET_ITEM(kinds, k);
            if (Py_TYPE(args[k]) != kind &&
                !(kind == &PyBaseObject_Type && (PyFloat_CheckExact(args[k]) || PyLong_CheckExact(args[k])))) return 0;
        }
        return 1;
    }
    #if PY_VERSION_HEX < 0x030C0000
    #define tensorsh_short(x) ((size_t)(Py_SIZE(x) + 1) <= 2)
    #else
    #define tensorsh_short(x) PyUnstable_Long_IsCompact((PyLongObject *)(x))
    #endif
    /* Whether one of the arguments is an integer of more than 64 bits. */
    static CYTHON_INLINE int tensorsh_wide(PyObject *const *args, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k++) {
            int over = 0;
            if (!PyLong_CheckExact(args[k]) || tensorsh_short(args[k])) continue;
            PyLong_AsLongLongAndOverflow(args[k], &over);
            if (over) return 1;
        }
        return 0;
    }
    /* Whether a list or tuple has elements, all of one type, and so many of them (-1: any number). */
    static CYTHON_INLINE int tensorsh_all_of(PyObject *many, PyObject *kind, Py_ssize_t length) {
        Py_ssize_t n = PySequence_Fast_GET_SIZE(many);
        if (n == 0 || (length >= 0 && n != length)) return 0;
        for (Py_ssize_t k = 0; k < n; k++)
            if ((PyObject *)Py_TYPE(PySequence_Fast_GET_ITEM(many, k)) != kind) return 0;
        return 1;
    }
    static CYTHON_INLINE PyObject *tensorsh_packed(PyObject *const *args, Py_ssize_t n) {
        PyObject *made = PyTuple_New(n); /* the caller holds the arguments */
        if (made != NULL)
            for (Py_ssize_t k = 0; k < n; k++) PyTuple_SET_ITEM(made, k, Py_NewRef(args[k]));
        return made;
    }
    /* The arguments at their places in an operator's record, of which no two are one, and its defaults at the others. */
    static CYTHON_INLINE PyObject *tensorsh_in_order(PyObject *const *args, PyObject *places, PyObject *defaults) {
        Py_ssize_t n = PyList_GET_SIZE(defaults), given = PyBytes_GET_SIZE(places);
        PyObject *made = PyTuple_New(n);
        if (made == NULL) return NULL;
        for (Py_ssize_t k = 0; k < given; k++) {
            Py_ssize_t at = (unsigned char)PyBytes_AS_STRING(places)[k];
            if (at < n && PyTuple_GET_ITEM(made, at) == NULL) PyTuple_SET_ITEM(made, at, Py_NewRef(args[k]));
        }
        for (Py_ssize_t k = 0; k < n; k++)
            if (PyTuple_GET_ITEM(made, k) == NULL) PyTuple_SET_ITEM(made, k, Py_NewRef(PyList_GET_ITEM(defaults, k)));
        return made;
    }
    """
    ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) except NULL
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(object, PyObject *const *, size_t, PyObject *)
    int takes_vectors "tensorsh_takes_vectors"(object kind, Py_ssize_t offset, bint method, const char *name) except -1
    Py_ssize_t vector_offset "tensorsh_vector_offset"
    bint alike "tensorsh_alike"(PyObject *const *args, PyObject *words, tuple names, tuple kinds)
    bint all_of "tensorsh_all_of"(PyObject *many, object kind, Py_ssize_t length)
    bint any_wide "tensorsh_wide"(PyObject *const *args, Py_ssize_t n)
    tuple packed "tensorsh_packed"(PyObject *const *args, Py_ssize_t n)
    tuple in_order "tensorsh_in_order"(PyObject *const *args, bytes places, list defaults)

cdef object Tensor, PROCEED, ask, explain, too_wide, ndarray, types_of, MOST
cdef tuple NUMBERS
cdef int ASKED
cdef Holder threads

cdef class Fit:
    cdef Executor executor
    cdef tuple names, kinds
    cdef bytes places
    cdef object element
    cdef Py_ssize_t n, listed, length, floats
    cdef bint every

cpdef bint suits(Fit fit, object a) except -1

cdef class PublicForm:
    cdef vectorcallfunc vector
    cdef dict __dict__
    cdef object __weakref__
    cdef str _titled
    cdef Executor _executor
    cdef Title _typed
    cdef object _own
    cdef int _door
    cdef bint _of_tensors
    cdef tuple _names
    cdef list _fits
    cdef object _one(self, object input)
    cdef object _two(self, object input, object other)
    cdef object _general(self, tuple args, dict kwargs)
    cdef object _widely(self, tuple args, dict kwargs)
    cdef object _failed(self, tuple args, dict kwargs, object error)
    cdef object _learn(self, tuple args, dict kwargs)
    cdef object _check_tensor(self, tuple args)

cdef class Method(PublicForm):
    pass

cdef class Bound(PublicForm):
    cdef object _bound

cdef class Straight(PublicForm):
    pass

cdef class StraightMethod(Method):
    pass

cdef class Written(Method):
    pass

cdef class Symbol(Method):
    cdef bint _arrays

cdef inline object called(PyObject *callee, PyObject *const *args, size_t flags, PyObject *words):
    cdef PublicForm form = <PublicForm>callee
    cdef Py_ssize_t n = PyVectorcall_NARGS(flags)
    cdef Fit fit
    if any_wide(args, n if words is NULL else n + len(<tuple>words)):
        return form._widely(packed(args, n), named(args + n, words))
    if opened(threads) < form._door:
        if n > 0 and words is NULL and form._executor is not None and form._executor.operands == n:
            result = form._one(<object>args[0]) if n == 1 else form._two(<object>args[0], <object>args[1])
            if result is not None:
                return result
        if form._fits is not None:
            fit = fitting(form, args, n, words)
            if fit is not None:
                try:
                    return fit.executor.carry_out(in_order(args, fit.places, fit.executor.defaults))
                except Exception as error:
                    if fit.floats < 0:  # else the form has the words
                        return form._failed(packed(args, n), named(args + n, words), error)
    return form._general(packed(args, n), named(args + n, words))

cdef inline object called_bound(PyObject *callee, PyObject *const *args, size_t flags, PyObject *words):
    return PyObject_Vectorcall((<Bound>callee)._bound, args, flags, words)

cdef inline object called_straight(PyObject *callee, PyObject *const *args, size_t flags, PyObject *words):
    cdef PublicForm form = <PublicForm>callee
    if form._of_tensors and (PyVectorcall_NARGS(flags) == 0 or not isinstance(<object>args[0], Fields)):
        form._check_tensor(packed(args, PyVectorcall_NARGS(flags)))
    return PyObject_Vectorcall((<PublicForm>callee)._own, args, flags, words)

cdef inline int takes_tensors(Bound form) except -1:
    form.vector = <vectorcallfunc>called_bound
    return 0

cdef inline int goes_straight(PublicForm form) except -1:
    form.vector = <vectorcallfunc>called_straight
    return 0

cdef inline dict named(PyObject *const *values, PyObject *words):
    cdef dict keywords = {}
    cdef Py_ssize_t k
    if words is not NULL:
        for k in range(len(<tuple>words)):
            keywords[(<tuple>words)[k]] = <object>values[k]
    return keywords

cdef inline Fit fitting(PublicForm form, PyObject *const *args, Py_ssize_t n, PyObject *words):
    cdef list fits = form._fits
    cdef Fit fit
    for fit in fits:
        if fit.n == n and alike(args, words, fit.names, fit.kinds):
            if fit.listed >= 0 and not all_of(args[fit.listed], fit.element, fit.length):
                continue
            if fit.floats >= 0:
                array = (<Fields?><object>args[fit.floats])._array
                if not fit.executor.floats(array) and not suits(fit, array):
                    continue
            return fit
    return None

cdef inline int take_vectors(PublicForm form) except -1:
    form.vector = <vectorcallfunc>called
    return 0

cdef inline int vectors() except -1:
    takes_vectors(PublicForm, vector_offset, False, b"builtin_function_or_method")
    takes_vectors(Bound, vector_offset, False, b"builtin_function_or_method")
    takes_vectors(Straight, vector_offset, False, b"builtin_function_or_method")
    takes_vectors(StraightMethod, vector_offset, True, b"method_descriptor")
    takes_vectors(Written, vector_offset, True, b"function")
    takes_vectors(Method, vector_offset, True, b"method_descriptor")
    return takes_vectors(Symbol, vector_offset, True, b"method_descriptor")
