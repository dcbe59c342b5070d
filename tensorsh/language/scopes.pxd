cimport cython

cdef class Scope:
    cdef public str kind, class_name, first
    cdef public Scope parent
    cdef public object definition
    cdef public bint asks, star
    cdef public set bound, globals, reads
    cpdef object bind(self, str name)
    @cython.locals(scope=Scope)
    cpdef Scope module(self)
    @cython.locals(scope=Scope)
    cpdef Scope finds(self, str name)

cdef class Walk:
    cdef public bint checked
    cdef public list scopes, candidates, nodes, bindings, documented, stores, private, ranges, calls, stack
    cdef public object depth
    cpdef Scope scope(self, str kind, Scope parent, str class_name=*)
    cpdef object bind(self, Scope scope, str name, object node)
    @cython.locals(stack=list, visitors=dict, scope=Scope, fields=list, name=str, steps=Py_ssize_t, count=Py_ssize_t, top=Scope, one=tuple)
    cpdef object run(self, object module, bint gate=*)
    @cython.locals(names=set, scope=Scope, found=Scope)
    cpdef object global_names(self)

cpdef object _bind_target(Scope scope, str name)
