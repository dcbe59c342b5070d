"""``torch._C._linalg``: the functions of ``torch.linalg`` by the names that they call themselves."""

from ._nn import _named

__getattr__ = _named("linalg")
