"""The BLAS libraries that numpy and scipy are linked with: the number of their threads, for which these have no function.

Found by the names under which numpy's own OpenBLAS and usual ones export it; where there is none, callers do without.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from .state import state

NAMES = "scipy_openblas_set_num_threads64_ scipy_openblas_set_num_threads openblas_set_num_threads64_ openblas_set_num_threads"
LINKED = "numpy._core._multiarray_umath", "scipy.linalg._flapack"
"""The compiled modules through which the libraries are found, the second once it is loaded."""


@cache
def setter(module: str) -> Any:
    """The function that sets the number of threads of the library that a loaded module is linked with, or None."""
    try:
        library = ctypes.CDLL(str(sys.modules[module].__file__))
    except OSError:
        return None
    return next((getattr(library, name) for name in NAMES.split() if hasattr(library, name)), None)


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
    for module in LINKED:
        if module in sys.modules and (found := setter(module)) is not None:
            found(ctypes.c_int(n))
