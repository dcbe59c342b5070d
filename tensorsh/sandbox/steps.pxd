cdef extern from "Python.h":
    object id "PyLong_FromVoidPtr" (object)

cdef set pure_classes
cdef object _exception, _range
cdef Py_ssize_t _SOON
