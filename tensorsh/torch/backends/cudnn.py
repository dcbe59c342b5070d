"""``torch.backends.cudnn``: how convolutions are computed on a GPU, where cuDNN is installed beside CuPy."""

from ...engine.arrays import cupy_module, dtype
from ...engine.arrays.state import state
from ...engine.tensors.tensor import Tensor
from . import switching

__all__ = ["flags", "is_acceptable", "is_available", "set_flags", "version"]

SWITCHES = {"enabled": True, "benchmark": False, "benchmark_limit": 10, "deterministic": False, "allow_tf32": True}


def is_available() -> bool:
    """Whether there is a GPU, and cuDNN for it."""
    return version() is not None


def is_acceptable(tensor: Tensor) -> bool:
    """Whether cuDNN computes with such a tensor: it is enabled, and the tensor is one of floating-point numbers on a GPU."""
    on = state.__dict__.get("switches", {}).get("backends.cudnn.enabled", True)
    return bool(on and tensor.device.type == "cuda" and tensor.dtype in FLOATS and is_available())


FLOATS = (dtype.float16, dtype.bfloat16, dtype.float32, dtype.float64)


def version() -> int | None:
    """The number of cuDNN's version, as 92000 of 9.20; None where it is not found."""
    return None if cupy_module.cupy() is None else cupy_module.accelerator().cudnn.version()


set_flags, flags = switching("cudnn", SWITCHES, SWITCHES | {"enabled": False})
