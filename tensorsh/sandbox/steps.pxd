cimport cython

cdef extern from "Python.h":
    object id "PyLong_FromVoidPtr" (object)

cdef set pure_classes
cdef dict script_classes, settable
cdef object _exception, _range
cdef Py_ssize_t _SOON

@cython.locals(each=dict, i=Py_ssize_t)
cpdef bint are_as_long(list many, bytes lengths)
