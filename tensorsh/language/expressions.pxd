cimport cython
from .mistake cimport node
from .targets cimport split_arguments, store

@cython.locals(opening=tuple)
cpdef object call(list c, dict where)
@cython.locals(token=tuple)
cpdef object name(list c, dict where)
@cython.locals(token=tuple)
cpdef object binary(list c, dict where)
cpdef object compare(list c, dict where)
@cython.locals(token=tuple)
cpdef object attribute(list c, dict where)
cpdef object subscript(list c, dict where)
cpdef object tuple_(list c, dict where)
cpdef object list_(list c, dict where)
cpdef object keyword_argument(list c, dict where)
