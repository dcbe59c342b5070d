cpdef object node(object kind, dict where)
