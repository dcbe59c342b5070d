"""``torch._C._fft``: the functions of ``torch.fft`` by the names that they call themselves."""

from ._nn import _named

__getattr__ = _named("fft")
