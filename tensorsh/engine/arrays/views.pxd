cimport cython

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
    #include <numpy/arrayobject.h>
    /* A dimension counted from the front where it is a plain integer of one of n dimensions, else -1. */
    static CYTHON_INLINE Py_ssize_t tensorsh_placed(PyObject *dim, Py_ssize_t n) {
        int overflow;
        if (!PyLong_CheckExact(dim)) return -1;
        long long at = PyLong_AsLongLongAndOverflow(dim, &overflow);
        return overflow || at < -n || at >= n ? -1 : (Py_ssize_t)(at < 0 ? at + n : at);
    }
    static CYTHON_UNUSED int tensorsh_views_ready(void) { import_array1(-1); return 0; }

    /* An array of numpy in row order in a shape of plain integers, one of which may be -1; None for others. */
    static CYTHON_UNUSED PyObject *tensorsh_shaped(PyObject *object, PyObject *shape) {
        PyArrayObject *array = (PyArrayObject *)object;
        npy_intp sizes[NPY_MAXDIMS], product = 1, count;
        Py_ssize_t n, open = -1;
        if (!PyArray_CheckExact(object) || !PyTuple_CheckExact(shape) || !PyArray_IS_C_CONTIGUOUS(array)) Py_RETURN_NONE;
        if (PyDataType_REFCHK(PyArray_DESCR(array))) Py_RETURN_NONE;
        count = PyArray_SIZE(array), n = PyTuple_GET_SIZE(shape);
        if (n > NPY_MAXDIMS || count == 0) Py_RETURN_NONE;
        for (Py_ssize_t k = 0; k < n; k++) {
            int overflow = 1;
            PyObject *number = PyTuple_GET_ITEM(shape, k);
            if (PyLong_CheckExact(number)) sizes[k] = PyLong_AsLongLongAndOverflow(number, &overflow);
            if (overflow) Py_RETURN_NONE;
            if (sizes[k] == -1 && open < 0) open = k;
            else if (sizes[k] < 1 || __builtin_mul_overflow(product, sizes[k], &product)) Py_RETURN_NONE;
        }
        if (open >= 0) {
            if (count % product) Py_RETURN_NONE;
            sizes[open] = count / product, product = count;
        }
        if (product != count) Py_RETURN_NONE;
        Py_INCREF(PyArray_DESCR(array));
        PyObject *made = PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(array), (int)n, sizes, NULL, PyArray_DATA(array),
                                              PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL);
        if (made != NULL && PyArray_SetBaseObject((PyArrayObject *)made, Py_NewRef(object)) < 0) Py_CLEAR(made);
        return made;
    }
    """
    int ready "tensorsh_views_ready"() except -1
    object shaped "tensorsh_shaped"(object array, object shape)
    Py_ssize_t placed "tensorsh_placed"(object dim, Py_ssize_t n)

cdef object ndarray

cpdef object viewed(object array, object shape, object dtype=*)
cpdef object transposed(object array)
cpdef object infer_size(object shape, object count)
cpdef object in_shape(object array, object shape)
@cython.locals(n=Py_ssize_t, at=Py_ssize_t, shape=tuple, strides=tuple)
cpdef object unsqueezed(object array, object dim)
@cython.locals(n=Py_ssize_t, first=Py_ssize_t, second=Py_ssize_t)
cpdef object exchanged(object array, object dim0, object dim1)
@cython.locals(i=Py_ssize_t, extra=Py_ssize_t, shape=tuple, strides=tuple, new_shape=list, new_strides=list)
cpdef object expanded(object array, tuple size)
@cython.locals(n=Py_ssize_t, at=Py_ssize_t, order=list)
cpdef object permuted(object array, tuple dims)
