from .mistake cimport node
from .targets cimport store

cpdef list _flat(list statements)
cpdef object expression_statement(list c, dict where)
cpdef object assign(list c, dict where)
