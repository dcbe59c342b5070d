"""``torch._C._distributed_c10d``: names of classes that hold groups of processes together."""


class Reducer:
    """What sums gradients over processes; there is none."""
