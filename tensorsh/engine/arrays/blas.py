"""The BLAS library that numpy is linked with: the number of its threads, for which numpy has no function.

Found by the names under which numpy's own OpenBLAS and usual ones export it; where there is none, callers do without.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from .state import state

THREADS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")


@cache
def library() -> Any:
    """numpy's compiled core, through which the BLAS it is linked with is found."""
    try:
        return ctypes.CDLL(str(sys.modules["numpy._core._multiarray_umath"].__file__))
    except (KeyError, OSError):
        return None


def alone(items: Iterable) -> Iterator:
    """The items, while BLAS uses one thread: small products take longer to share than to make."""
    if state.threads > 1:
        set_threads(1)
    try:
        yield from items
    finally:
        if state.threads > 1:
            set_threads(state.threads)


def set_threads(n: int) -> None:
    """The number of threads BLAS uses for one product."""
    for name in THREADS:
        found = getattr(library(), name, None)
        if found is not None:
            found(ctypes.c_int(n))
            return
