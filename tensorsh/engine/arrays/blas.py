"""The BLAS libraries that numpy and scipy are linked with: the number of their threads, for which these have no function.

Found by the names under which numpy's own OpenBLAS and usual ones export it; where there is none, callers do without.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from .state import THREADS, state

NAMES = "scipy_openblas_set_num_threads64_ scipy_openblas_set_num_threads openblas_set_num_threads64_ openblas_set_num_threads"
LINKED = "numpy._core._multiarray_umath", "scipy.linalg._flapack"
"""The compiled modules through which the libraries are found, the second once it is loaded."""


@cache
def library(module: str) -> tuple[Any, int] | None:
    """The function that sets the number of threads of the library that a loaded module is linked with, and the number it began with."""
    try:
        found = ctypes.CDLL(str(sys.modules[module].__file__))
    except OSError:
        return None
    name = next((name for name in NAMES.split() if hasattr(found, name)), None)
    return None if name is None else (getattr(found, name), getattr(found, name.replace("set_num", "get_num"))())


def alone(items: Iterable) -> Iterator:
    """The items, while BLAS uses one thread: small products take longer to share than to make."""
    if state.threads > 1:
        set_threads(1)
    try:
        yield from items
    finally:
        if state.threads > 1:
            set_usual_threads()


def set_threads(n: int | None) -> None:
    """The number of threads BLAS uses for one product; None: as many as it began with,
    and no more than the environment says."""
    for module in LINKED:
        if module in sys.modules and (found := library(module)) is not None:
            found[0](ctypes.c_int(min(found[1], THREADS) if n is None else n))


def set_usual_threads() -> None:
    """As many threads as a program says; where it says nothing, as many as BLAS began with, which the environment may decide."""
    set_threads(None if state.threads == THREADS else state.threads)
