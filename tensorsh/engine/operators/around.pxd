cimport cython
from ..tape.record cimport size_of

cdef object ndarray, apart, channels_are_last, with_channels_last
cdef long long LONG

cdef class Around:
    cdef public object kernel
    cdef dict __dict__
    cdef long long many
    cdef int images, most
    @cython.locals(work="long long", largest="long long", n="long long")
    cdef bint takes_long(self, tuple given) except -1
