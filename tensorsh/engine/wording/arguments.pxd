cimport cython

@cython.locals(kinds=list, lists=bint)
cpdef tuple types_of(tuple args, dict kwargs)
