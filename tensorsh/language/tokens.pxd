cimport cython
from .fstrings cimport FStrings

cdef class _Tokenizer(FStrings):
    cdef public object lexicon
    cdef public list indents
    cdef public Py_ssize_t first
    cdef public bint opened_match
    @cython.locals(text=str, tokens=list, brackets=list, fstrings=list, kinds=list, keywords=dict, plain=dict, operators=dict, ascii_only=bint,
                   position=Py_ssize_t, size=Py_ssize_t, group=Py_ssize_t, start=Py_ssize_t, column=Py_ssize_t, end_column=Py_ssize_t,
                   value=str, steps=Py_ssize_t, kind=str, by_characters=bint)
    cpdef object run(self)
    @cython.locals(text=str, tokens=list, brackets=list, line_start=Py_ssize_t, keywords=dict, plain=dict, operators=dict, steps=Py_ssize_t,
                   size=Py_ssize_t, start=Py_ssize_t, after=Py_ssize_t, c=Py_UCS4, following=Py_UCS4, value=str, kind=str, zero=bint, points=int)
    cpdef Py_ssize_t plain(self, Py_ssize_t position) except -1
    @cython.locals(text=str, end=Py_ssize_t)
    cpdef Py_ssize_t indent(self, Py_ssize_t position) except -1
    @cython.locals(tokens=list, first=Py_ssize_t)
    cpdef object end_line(self, object line, Py_ssize_t column)
    cpdef object block(self, Py_ssize_t width, Py_ssize_t alternative, Py_ssize_t position)
