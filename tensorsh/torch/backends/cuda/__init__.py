"""``torch.backends.cuda``."""

from ...cuda import is_available

__all__ = ["is_built"]


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
