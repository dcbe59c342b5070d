"""``torch.backends.cuda``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ....engine.arrays.state import state
from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ...cuda import is_available

__all__ = [
    "SDPAParams", "can_use_cudnn_attention", "can_use_efficient_attention", "can_use_flash_attention", "cudnn_sdp_enabled",
    "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built",
    "is_flash_attention_available", "math_sdp_enabled", "mem_efficient_sdp_enabled", "sdp_kernel",
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


def _allow(way: str, enabled: bool) -> None:
    """Allow a way of attention, or rule it out."""
    state.attention = state.attention | {way} if enabled else state.attention - {way}


def flash_sdp_enabled() -> bool:
    """Whether flash attention is allowed."""
    return "flash" in state.attention


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-efficient attention is allowed."""
    return "mem_efficient" in state.attention


def math_sdp_enabled() -> bool:
    """Whether attention by plain products is allowed."""
    return "math" in state.attention


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's attention is allowed."""
    return "cudnn" in state.attention


def enable_flash_sdp(enabled: bool) -> None:
    """Allow flash attention or not."""
    _allow("flash", enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow memory-efficient attention or not."""
    _allow("mem_efficient", enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Allow attention by plain products or not."""
    _allow("math", enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow cuDNN's attention or not."""
    _allow("cudnn", enabled)


def is_flash_attention_available() -> bool:
    """Whether PyTorch's flash attention is there: attention is computed here in tensorsh's own way."""
    return False


class SDPAParams(NamedTuple):
    """The arguments of an attention, of which the functions below say in which ways a GPU can compute it."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None
    dropout: float
    is_causal: bool
    enable_gqa: bool


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether PyTorch's flash attention would compute it: no."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict]:
    """A context in which ways of attention are allowed or not; deprecated, see `torch.nn.attention.sdpa_kernel`."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    before = state.attention
    for way, enabled in zip(
        ("flash", "math", "mem_efficient", "cudnn"),
        (enable_flash, enable_math, enable_mem_efficient, enable_cudnn),
        strict=True,
    ):
        _allow(way, enabled)
    try:
        yield {}
    finally:
        state.attention = before
