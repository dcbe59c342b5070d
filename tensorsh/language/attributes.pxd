cpdef object attribute(object walk, object node, object scope, object depth, object gate)
