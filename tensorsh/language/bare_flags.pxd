cimport cython
from .scopes cimport Scope, Walk

@cython.locals(questions=dict)
cpdef dict lower_flags(Walk walk, object bound)
@cython.locals(scope=Scope, flags=list, found=list, pair=tuple)
cpdef list bare_flags(Walk walk, object bound, dict questions)
