cimport cython
from ..tape.record cimport dtype_of, in_rows, size_of

cdef object widened, narrowed_to, ndarray, FLOAT32, FLOAT64, COMPLEX_HALF, apart, channels_are_last, ordered, with_channels_last
cdef long long LONG

@cython.locals(n=Py_ssize_t)
cpdef object applied(object function, object xp, list arrays)
cpdef object brought(object x, object dtype)
cpdef object facing(list arrays)
cpdef object turned_back(object result, object back)
cpdef object returned(object result, object narrow)
cpdef tuple plainly(tuple values)

cdef extern from *:
    """
    static CYTHON_INLINE int tensorsh_has_derived(PyObject *values) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(values); k++) {
            PyTypeObject *kind = Py_TYPE(PyTuple_GET_ITEM(values, k));
            if (!PyType_HasFeature(kind, Py_TPFLAGS_HEAPTYPE)) continue;
            if (PyType_HasFeature(kind, Py_TPFLAGS_LONG_SUBCLASS)) return 1;
            for (; kind != NULL; kind = kind->tp_base) /* which leads to the class whose memory it has */
                if (kind == &PyFloat_Type || kind == &PyComplex_Type) return 1;
        }
        return 0;
    }
    """
    bint has_derived "tensorsh_has_derived"(tuple values)

cdef class Around:
    cdef public object kernel
    cdef dict __dict__
    cdef long long many
    cdef int images, most
    @cython.locals(work="long long", largest="long long", n="long long")
    cdef bint takes_long(self, tuple given) except -1
