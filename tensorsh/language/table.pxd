cimport cython

cdef class Table:
    cdef public list actions, gotos, rules, reached
    cdef public Py_ssize_t start, end
    cdef public object lexicon
    cdef public dict literals
    @cython.locals(token=tuple, first=tuple, last=tuple, actions=list, reached=list, states=list, values=list, starts=list, index=Py_ssize_t,
                   state=Py_ssize_t, code=Py_ssize_t, number=Py_ssize_t, before=Py_ssize_t, top=Py_ssize_t, end=Py_ssize_t, kind=str, size=Py_ssize_t, children=list, after=dict, where=dict,
                   row=dict, steps=Py_ssize_t)
    cpdef object parse(self, list tokens, list rules)

@cython.locals(chosen=list, index=Py_ssize_t)
cdef list _selected(tuple select, list children)
