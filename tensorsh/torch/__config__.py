"""``torch.__config__``: how the library was built, as text."""

from __future__ import annotations

__all__ = ["parallel_info", "show"]


def show() -> str:
    """How tensorsh was built."""
    return "tensorsh, on numpy: no build of PyTorch\n"


def parallel_info() -> str:
    """How many threads compute."""
    from .settings import get_num_threads

    return f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
