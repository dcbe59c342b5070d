cimport cython
from .fstrings cimport FStrings

cdef class _Tokenizer(FStrings):
    cdef public object lexicon
    cdef public list indents
    cdef public Py_ssize_t first
    cdef public bint opened_match
    @cython.locals(text=str, position=Py_ssize_t, size=Py_ssize_t, by_characters=bint)
    cpdef object run(self)
    @cython.locals(text=str, tokens=list, kinds=list, plain=dict, group=Py_ssize_t, start=Py_ssize_t, value=str, steps=Py_ssize_t, kind=str,
                   literal=Py_ssize_t)
    cpdef Py_ssize_t matched(self, Py_ssize_t position, bint one) except -1
    @cython.locals(column=Py_ssize_t)
    cpdef object add(self, str kind, str value, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(kind=str)
    cpdef object word(self, str value, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(brackets=list, fstrings=list, of_field=bint)
    cpdef Py_ssize_t structure(self, str value, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(text=str)
    cpdef object number(self, str value, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(column=Py_ssize_t)
    cpdef object string(self, str value, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(column=Py_ssize_t)
    cpdef Py_ssize_t next_line(self, Py_ssize_t newline) except -1
    @cython.locals(text=str, tokens=list, brackets=list, line_start=Py_ssize_t, keywords=dict, plain=dict, operators=dict, steps=Py_ssize_t,
                   size=Py_ssize_t, start=Py_ssize_t, after=Py_ssize_t, c=Py_UCS4, following=Py_UCS4, value=str, kind=str, zero=bint, points=int)
    cpdef Py_ssize_t plain(self, Py_ssize_t position) except -1
    @cython.locals(text=str, end=Py_ssize_t)
    cpdef Py_ssize_t indent(self, Py_ssize_t position) except -1
    @cython.locals(tokens=list, first=Py_ssize_t)
    cpdef object end_line(self, object line, Py_ssize_t column)
    cpdef object block(self, Py_ssize_t width, Py_ssize_t alternative, Py_ssize_t position)
