cimport cython
from ..graph.fields cimport Fields
from ..wording.arguments cimport types_of
from .executor cimport Executor

cdef class Title:
    cdef public Executor executor
    cdef public str title
    cdef public set known
    cdef public tuple last
    cdef public bint news, lists
    cpdef object answer(self, tuple args, dict kwargs)
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, most=Py_ssize_t, lists=bint)
    cdef bint again(self, tuple args, dict kwargs) except -1

cdef class Function(Title):
    cdef public object run, limited
    cdef public list names
    cdef public bint out, asked
    cpdef object answer(self, tuple args, dict kwargs)
