cimport cython
from .mistake cimport node
from .targets cimport split_arguments, store

cpdef object program(list c, dict where)
cdef list _flat(list statements)
cpdef object expression_statement(list c, dict where)
@cython.locals(targets=list)
cpdef object assign(list c, dict where)
