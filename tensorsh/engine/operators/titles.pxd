cimport cython
from ..wording.arguments cimport types_of
from .executor cimport Executor

cdef class Title:
    cdef public Executor executor
    cdef public str title
    cdef public set known
    cdef public tuple last
    cdef public bint news
    cpdef object answer(self, tuple args, dict kwargs)
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, most=Py_ssize_t, lists=bint)
    cdef bint again(self, tuple args, dict kwargs) except -1

cdef class Choice:
    cdef public dict choices
    cdef public object otherwise
    @cython.locals(executor=Executor)
    cpdef object answer(self, tuple args, dict kwargs)
