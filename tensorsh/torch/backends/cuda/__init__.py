"""``torch.backends.cuda``."""

from collections.abc import Iterator
from contextlib import contextmanager

from ....engine.arrays.warning import warn
from ...cuda import is_available

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "is_built", "is_flash_attention_available", "math_sdp_enabled", "mem_efficient_sdp_enabled",
    "sdp_kernel",
]  # fmt: skip


def is_built() -> bool:
    """Whether tensorsh can reach a CUDA device."""
    return is_available()


_preferred = {"blas": "default", "linalg": "default"}


def preferred_blas_library(backend: str | None = None) -> str:
    """The library for products on GPUs: what is asked for is kept, and decides nothing."""
    _preferred["blas"] = _preferred["blas"] if backend is None else backend
    return _preferred["blas"]


def preferred_linalg_library(backend: str | None = None) -> str:
    """The library for linear algebra on GPUs: what is asked for is kept, and decides nothing."""
    _preferred["linalg"] = _preferred["linalg"] if backend is None else backend
    return _preferred["linalg"]


_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}
"""The ways in which PyTorch computes attention, and whether a program allows them; here there is one way, whatever it says."""


def flash_sdp_enabled() -> bool:
    """Whether flash attention was left on. It decides nothing."""
    return _attention["flash"]


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-efficient attention was left on. It decides nothing."""
    return _attention["mem_efficient"]


def math_sdp_enabled() -> bool:
    """Whether attention by plain products was left on. It decides nothing."""
    return _attention["math"]


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's attention was left on. It decides nothing."""
    return _attention["cudnn"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allow flash attention or not: what is said is kept, and decides nothing."""
    _attention["flash"] = bool(enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow memory-efficient attention or not: what is said is kept, and decides nothing."""
    _attention["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Allow attention by plain products or not: what is said is kept, and decides nothing."""
    _attention["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow cuDNN's attention or not: what is said is kept, and decides nothing."""
    _attention["cudnn"] = bool(enabled)


def is_flash_attention_available() -> bool:
    """Whether PyTorch's flash attention is there: attention is computed here in tensorsh's own way."""
    return False


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict]:
    """A context in which ways of attention are allowed or not; deprecated, see `torch.nn.attention.sdpa_kernel`. It decides
    nothing."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _attention.update(before)
