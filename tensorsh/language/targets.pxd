cpdef object store(object target, str how)
cpdef tuple split_arguments(list arguments, object end=*)
