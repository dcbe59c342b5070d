"""``torch._C._special``: the functions of ``torch.special`` by the names that they call themselves."""

from ._nn import _named

__getattr__ = _named("special")
