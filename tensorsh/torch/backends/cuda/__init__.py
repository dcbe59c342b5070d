"""``torch.backends.cuda``."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ....engine.arrays.state import state
from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed
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


def _switches(way: str, title: str) -> tuple[Callable, Callable]:
    """What tells whether a way of attention is allowed, and what allows it or not."""

    def enabled() -> bool:
        return way in state.attention

    def enable(enabled: bool) -> None:
        _allow(way, enabled)

    enabled.__doc__, enable.__doc__ = f"Whether {title} is allowed.", f"Allow {title} or not."
    for function, name in ((enabled, f"{way}_sdp_enabled"), (enable, f"enable_{way}_sdp")):
        function.__name__ = function.__qualname__ = name
    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switches("flash", "flash attention")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switches("mem_efficient", "memory-efficient attention")
math_sdp_enabled, enable_math_sdp = _switches("math", "attention by plain products")
cudnn_sdp_enabled, enable_cudnn_sdp = _switches("cudnn", "cuDNN's attention")


def is_flash_attention_available() -> bool:
    """Whether PyTorch's flash attention is there: attention is computed here in tensorsh's own way."""
    return False


class SDPAParams(metaclass=OpenSealed):
    """The arguments of an attention, of which the functions below say in which ways a GPU can compute it."""

    def __init__(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout: float, is_causal: bool, enable_gqa: bool
    ) -> None:  # fmt: skip
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether PyTorch's flash attention would compute it: no."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> AbstractContextManager[dict]:
    """A context in which ways of attention are allowed or not; deprecated, see `torch.nn.attention.sdpa_kernel`."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    return _allowing(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)


@contextmanager
def _allowing(**ways: bool) -> Iterator[dict]:
    before = state.attention
    for way, enabled in ways.items():
        _allow(way, enabled)
    try:
        yield {}
    finally:
        state.attention = before
