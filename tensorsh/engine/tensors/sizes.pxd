cimport cython

cpdef object ints(object function, object name, object value, object position=*)
cpdef object size_of(object name, object size, object position=*)
