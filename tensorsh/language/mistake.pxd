cpdef object node(type kind, dict where)
