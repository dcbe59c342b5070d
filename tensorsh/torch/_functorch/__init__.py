"""``torch._functorch``: the inner names of function transforms that libraries import. Plain Python's alone."""
