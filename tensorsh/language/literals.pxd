cimport cython
from .mistake cimport node

@cython.locals(token=tuple)
cpdef object number(list c, dict where)
cpdef object number_value(str text, dict where)
cpdef object strings(list c, dict where)
