cimport cython
from ..arrays.switches cimport Holder, inferring, recording
from ..tape.record cimport Recording, attach, dtype_of, is_added, size_of
from .around cimport applied, brought, facing, plainly, returned, turned_back
from ..graph.fields cimport Fields, fresh, wrap

cdef Holder threads
cdef object ndarray, FLOAT32, FLOAT64, COMPLEX_HALF
cdef tuple INTEGERS
cdef long long HUGE

cdef class Plan:
    cdef public list targets
    cdef public object narrow, rounds

cdef class Executor(Recording):
    cdef public object kernel, check, fast, same, loop, direct, limited, wide, otherwise
    cdef public list names
    cdef public bytes arrays, promoted
    cdef public tuple keywords, rest
    cdef public dict index, plans
    cdef public int packed, positional, required, first, operands
    cdef public bint scalars, unmixed, mingles, differentiable, out, exact_numbers, takes_floats, lone, demands
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, packed=Py_ssize_t, values=list)
    cdef tuple bound(self, tuple args, dict kwargs)
    @cython.locals(i=Py_ssize_t, tracked=bint, t=Fields, taken=list)
    cdef bint take(self, tuple values, list arrays) except -1
    cdef object single(self, Fields input)
    @cython.locals(y=Fields, tracked=bint)
    cdef object pair(self, Fields input, object other)
    cdef object answered(self, tuple args, dict kwargs)
    @cython.locals(n=Py_ssize_t, rest=tuple)
    cdef tuple filled(self, object input, object other)
    @cython.locals(x=Fields, tracked=bint, tried=bint, arrays=list)
    cdef object carry_out(self, tuple values)
    @cython.locals(i=Py_ssize_t)
    cdef object apply(self, list arrays, bint tried)
    @cython.locals(i=Py_ssize_t, usual=bint)
    cdef object calculated(self, list arrays, bint tried)
    @cython.locals(i=Py_ssize_t, some=bint)
    cdef bint fractions(self, list arrays) except -1
    cdef object fast_again(self, list arrays)
    cdef bint floats(self, object a) except -1
    @cython.locals(n=Py_ssize_t)
    cdef object quickly(self, object a, tuple values)
    @cython.locals(i=Py_ssize_t, numbers=bint)
    cdef bint alike(self, list arrays) except -1
    @cython.locals(i=Py_ssize_t)
    cdef bint plain(self, list arrays) except -1
    cdef bint defers(self, list arrays) except -1
    cdef object check_shapes(self, list arrays)
    @cython.locals(i=Py_ssize_t, key=list, plan=Plan)
    cdef object cast(self, list arrays)
    cdef Plan planned(self, list operands)
    cdef object widen(self, list arrays)
    cdef object bare(self, tuple values, object result)
