cimport cython
from ..graph.fields cimport Step

@cython.locals(several=bint, special=bint, watched=bint, raw=bint, grads=dict, leaves=dict, captured=dict, heap=list)
cpdef dict walk(object roots, object world, bint keep, dict targets=*, bint accumulate=*)
