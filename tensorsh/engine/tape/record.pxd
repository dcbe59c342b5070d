cimport cython
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from ..arrays.switches cimport Holder, inferring, recording
from ..graph.fields cimport Fields, Saved, Step, Version, keep_result, link, wrap, wrapped

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
    #include <numpy/ndarraytypes.h>
    static CYTHON_INLINE PyObject *tensorsh_dtype_of(PyObject *a) {
        return Py_NewRef((PyObject *)PyArray_DESCR((PyArrayObject *)a));
    }
    static CYTHON_INLINE Py_ssize_t tensorsh_size_of(PyObject *a) {
        PyArrayObject *x = (PyArrayObject *)a;
        Py_ssize_t n = 1;
        for (int k = 0; k < PyArray_NDIM(x); k++) n *= PyArray_DIM(x, k); /* numpy makes no array of more than 63 bits */
        return n;
    }
    static CYTHON_INLINE int tensorsh_is_added(PyObject *a) {
        return PyArray_TYPE((PyArrayObject *)a) >= NPY_USERDEF;
    }
    static CYTHON_INLINE int tensorsh_in_rows(PyObject *a) {
        return PyArray_NDIM((PyArrayObject *)a) < 2 || PyArray_IS_C_CONTIGUOUS((PyArrayObject *)a);
    }
    static CYTHON_INLINE PyObject *tensorsh_meta_of(PyObject *a) {
        PyArrayObject *x = (PyArrayObject *)a;
        PyObject *shape = PyTuple_New(PyArray_NDIM(x)), *meta;
        if (shape == NULL) return NULL;
        for (int k = 0; k < PyArray_NDIM(x); k++) {
            PyObject *n = PyLong_FromSsize_t(PyArray_DIM(x, k));
            if (n == NULL) return Py_DECREF(shape), NULL;
            PyTuple_SET_ITEM(shape, k, n);
        }
        meta = PyTuple_Pack(2, shape, (PyObject *)PyArray_DESCR(x));
        Py_DECREF(shape);
        return meta;
    }
    static CYTHON_INLINE PyObject *tensorsh_weak(PyObject *a) { return PyWeakref_NewRef(a, NULL); }
    /* Of two arrays of numpy, as the caller has made sure: 1 if they have one dtype, 2 if they have one shape; 0 where there
       are no elements. */
    static CYTHON_INLINE int tensorsh_likeness(PyObject *a, PyObject *b) {
        PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
        int same = PyArray_DESCR(x) == PyArray_DESCR(y), n = PyArray_NDIM(x), alike = n == PyArray_NDIM(y);
        for (int k = 0; k < n; k++) {
            if (PyArray_DIM(x, k) == 0) return 0;
            if (alike && PyArray_DIM(x, k) != PyArray_DIM(y, k)) alike = 0;
        }
        return same | alike << 1;
    }
    """
    object dtype_of "tensorsh_dtype_of"(object a)
    Py_ssize_t size_of "tensorsh_size_of"(object a)
    bint is_added "tensorsh_is_added"(object a)
    bint in_rows "tensorsh_in_rows"(object a)
    object meta_of "tensorsh_meta_of"(object a)
    object weak "tensorsh_weak"(object a)
    int likeness "tensorsh_likeness"(object a, object b)

cdef Holder threads
cdef object ndarray, FLOAT32, FLOAT64
cdef int NOTHING, TENSOR, ARGUMENT, LIST, SHAPE, SHAPES, STRIDES, RESULT

cdef class Recording:
    cdef public object node, usual_class, last_title, last_class, nondifferentiable, joint, promote, name
    cdef public bytes tensors, lists, fixed
    cdef public tuple params, saved_names
    cdef public list formulas, sources, defaults
    cdef public bint view, real_gradient, keeps, broadcast
    cdef public int outputs
    cdef public long last_mask
    cdef public bytes last_sources
    cdef public tuple last_usual, last_kept
    cdef public object last_number
    cdef public Py_ssize_t last_place
    cdef public dict kept, classes
    cpdef object node_class(self, object title, bint narrow=*)
    cpdef object step(self, object edge, tuple saved)
    @cython.locals(t=Fields, each=Fields, node=Step)
    cdef object recorded(self, tuple values, object result)
    @cython.locals(t=Fields, k=Py_ssize_t, mask=long, other=long, like=int, narrow=bint, plain=bint, mixed=bint, places=bytes)
    cdef Step made_node(self, tuple values, Fields result, list tensors, list outs, object title)
    cdef Step node_of_lists(self, object node_class, tuple values, Fields result, list tensors, list outs)
    cdef tuple kept_where(self, long mask)
    @cython.locals(sources=bytes, usual=tuple, saved=list, count=Py_ssize_t, at=Py_ssize_t, place=Py_ssize_t,
                   made=tuple)
    cdef tuple keep(self, long mask, tuple values, Fields result, list tensors, list outs)
    @cython.locals(t=Fields)
    cdef object value(self, int kind, Py_ssize_t i, tuple values, Fields result, list tensors, list outs)
    cdef object refuse(self, tuple values, object out)

cdef inline tuple nodes_of(tuple values, bytes places, long mask):
    cdef Py_ssize_t k, n = len(places)
    cdef tuple made = PyTuple_New(n)
    for k in range(n):
        node = (<Fields?>values[places[k]])._node if mask >> k & 1 else None
        Py_INCREF(node)
        PyTuple_SET_ITEM(made, k, node)
    return made

cdef inline tuple metas_of(tuple values, bytes places, long mask):
    cdef Py_ssize_t k, n = len(places)
    cdef tuple made = PyTuple_New(n)
    for k in range(n):
        meta = None
        if mask >> k & 1:
            a = (<Fields?>values[places[k]])._array
            meta = meta_of(a) if type(a) is ndarray else (a.shape, a.dtype)
        Py_INCREF(meta)
        PyTuple_SET_ITEM(made, k, meta)
    return made

cpdef object beside(object x, object result)
@cython.locals(t=Fields)
cpdef Fields view_of(object array, Fields source, object node=*)
@cython.locals(root=Fields, n=Py_ssize_t, views=list)
cpdef object attach(Fields t, Fields source, object origin=*)
