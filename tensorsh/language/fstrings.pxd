cdef class FStrings:
    cdef public str text
    cdef public bint ascii
    cdef public object line
    cdef public Py_ssize_t line_start, known, counted
    cdef public list tokens, brackets, fstrings
    cpdef Py_ssize_t column(self, Py_ssize_t position) except -1
    cpdef object new_line(self, Py_ssize_t start, object count=*)
