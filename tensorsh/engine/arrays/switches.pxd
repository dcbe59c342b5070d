cdef class Switches:
    cdef public bint grad_enabled, inference
    cdef public object places
    cdef public long long born
