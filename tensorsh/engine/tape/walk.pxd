cimport cython
from ..graph.fields cimport Step

cpdef dict walk(object roots, object world, bint keep, dict targets=*, bint accumulate=*)

cdef class Way:
    cdef object world, flow
    cdef set wanted
    cdef dict targets, captured, grads, leaves, awaited
    cdef list heap
    cdef bint raw, several, special, anomaly, accumulate
    cpdef object begin(self, object roots, object world, dict targets, bint accumulate)
    @cython.locals(special=bint, grads=dict, leaves=dict, heap=list)
    cpdef object carry(self, bint keep)
    @cython.locals(watched=bint, targets=dict, wanted=set)
    cpdef object looked_at(self, object node, object gradient)
    @cython.locals(many=list)
    cpdef object gather(self, object slot, object gradient)
    @cython.locals(counts=dict)
    cpdef object counted(self, object roots)
    @cython.locals(counts=dict)
    cpdef object arrive_early(self, object node)
    @cython.locals(leaves=dict)
    cpdef object arrive(self)
    @cython.locals(targets=dict)
    cpdef object arrive_at(self, object node)
