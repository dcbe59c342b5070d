cimport cython

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
    #include <numpy/arrayobject.h>
    static CYTHON_UNUSED int tensorsh_ready(void) { import_array1(-1); return 0; }

    /* First and one past the last byte of elements from `start` on, none where a size is zero; 0 where 64 bits do not hold
       them. */
    static CYTHON_INLINE int tensorsh_span(int n, const npy_intp *shape, const npy_intp *strides, npy_intp item, npy_intp start,
                                           npy_intp *first, npy_intp *end) {
        npy_intp low = start, high, far;
        if (__builtin_add_overflow(start, item, &high)) return 0;
        for (int k = 0; k < n; k++)
            if (shape[k] == 0) return *first = *end = start, 1;
        for (int k = 0; k < n; k++) {
            if (__builtin_mul_overflow(shape[k] - 1, strides[k], &far)) return 0;
            if (far < 0 ? __builtin_add_overflow(low, far, &low) : __builtin_add_overflow(high, far, &high)) return 0;
        }
        return *first = low, *end = high, 1;
    }

    /* The addresses that an array of numpy reaches, as the caller has made sure it is; 0 with an error set. */
    static CYTHON_INLINE int tensorsh_reach(PyObject *object, npy_intp *first, npy_intp *end) {
        PyArrayObject *a = (PyArrayObject *)object;
        if (tensorsh_span(PyArray_NDIM(a), PyArray_DIMS(a), PyArray_STRIDES(a), PyArray_ITEMSIZE(a), (npy_intp)PyArray_DATA(a),
                          first, end)) return 1;
        PyErr_SetString(PyExc_OverflowError, "an array reaches beyond 64 bits");
        return 0;
    }

    static CYTHON_UNUSED PyObject *tensorsh_reached(PyObject *a) {
        npy_intp first, end;
        return tensorsh_reach(a, &first, &end) ? Py_BuildValue("nn", first, end) : NULL;
    }

    static CYTHON_UNUSED int tensorsh_meet(PyObject *a, PyObject *b) {
        npy_intp first, end, low, high;
        if (!tensorsh_reach(a, &first, &end) || !tensorsh_reach(b, &low, &high)) return -1;
        return first < high && low < end && first != end && low != high;
    }

    static CYTHON_INLINE int tensorsh_numbers(PyObject *tuple, npy_intp *to) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); k++) {
            int overflow = 1;
            PyObject *number = PyTuple_GET_ITEM(tuple, k);
            if (PyLong_CheckExact(number)) to[k] = PyLong_AsLongLongAndOverflow(number, &overflow);
            if (overflow) return 0;
        }
        return 1;
    }

    /* An array of sizes, strides and dtype on another's memory; None where it does not lie in memory known to be whole. */
    static CYTHON_UNUSED PyObject *tensorsh_laid(PyObject *object, PyObject *shape, PyObject *strides, PyObject *offset,
                                                 PyObject *dtype) {
        npy_intp sizes[NPY_MAXDIMS], steps[NPY_MAXDIMS], first, end, low, high;
        PyArrayObject *array = (PyArrayObject *)object, *root = array;
        PyArray_Descr *kind = (PyArray_Descr *)dtype;
        const Py_ssize_t n = PyTuple_CheckExact(shape) ? PyTuple_GET_SIZE(shape) : NPY_MAXDIMS + 1;
        int overflow = 1;
        if (n > NPY_MAXDIMS || !PyTuple_CheckExact(strides) || PyTuple_GET_SIZE(strides) != n) Py_RETURN_NONE;
        if (!PyArray_DescrCheck(dtype) || PyDataType_REFCHK(kind) || PyDataType_REFCHK(PyArray_DESCR(array))) Py_RETURN_NONE;
        if (!tensorsh_numbers(shape, sizes) || !tensorsh_numbers(strides, steps)) Py_RETURN_NONE;
        npy_intp start = PyLong_CheckExact(offset) ? (npy_intp)PyLong_AsLongLongAndOverflow(offset, &overflow) : 0;
        if (overflow || __builtin_add_overflow(start, (npy_intp)PyArray_DATA(array), &start)) Py_RETURN_NONE;
        npy_intp bytes = PyDataType_ELSIZE(kind);
        for (int k = 0; k < n; k++)
            if (sizes[k] < 0 || (sizes[k] > 0 && __builtin_mul_overflow(bytes, sizes[k], &bytes))) Py_RETURN_NONE;
        while (PyArray_BASE(root) != NULL && PyArray_CheckExact(PyArray_BASE(root))) root = (PyArrayObject *)PyArray_BASE(root);
        if (!PyArray_ISONESEGMENT(root) || !tensorsh_reach((PyObject *)root, &first, &end)) return PyErr_Clear(), Py_NewRef(Py_None);
        if (!tensorsh_span((int)n, sizes, steps, PyDataType_ELSIZE(kind), start, &low, &high)) Py_RETURN_NONE;
        if (low < first || high > end) Py_RETURN_NONE;
        Py_INCREF(dtype);
        PyObject *made = PyArray_NewFromDescr(&PyArray_Type, kind, (int)n, sizes, steps, (void *)start,
                                              PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL);
        if (made != NULL && PyArray_SetBaseObject((PyArrayObject *)made, Py_NewRef(object)) < 0) Py_CLEAR(made);
        return made;
    }
    static CYTHON_UNUSED Py_ssize_t tensorsh_place(PyObject *a) { return (Py_ssize_t)PyArray_DATA((PyArrayObject *)a); }
    """
    int ready "tensorsh_ready"() except -1
    object reached "tensorsh_reached"(object array)
    int meet "tensorsh_meet"(object a, object b) except -1
    object laid "tensorsh_laid"(object array, object shape, object strides, object offset, object dtype)
    Py_ssize_t place "tensorsh_place"(object array)

cdef object ndarray

cpdef object address(object array)
cpdef object owner(object array)
cpdef object extent(object array)
cpdef bint meets(object target, object array) except -1
cpdef object strided(object array, object shape, object strides, object offset=*, object dtype=*)
@cython.locals(
    i=Py_ssize_t, at=Py_ssize_t, step=Py_ssize_t, old_count=Py_ssize_t, new_count=Py_ssize_t,
    strides=list,
)
cpdef object viewing_strides(object array, object shape)
