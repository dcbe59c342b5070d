"""The BLAS library that numpy is linked with, called directly for what numpy has no function for.

Sums of the form ``y + a * x`` in one pass, rounded once (a fused multiply-add, as PyTorch has it), and the number of
threads. Found by the names under which numpy's own OpenBLAS and usual ones export them; where there is none, or it rounds
twice, callers do without.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from .state import state

NAMES = (("scipy_cblas_{}64_", ctypes.c_int64), ("cblas_{}64_", ctypes.c_int64), ("cblas_{}", ctypes.c_int))
THREADS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")

SHORT = 8192


@cache
def library() -> Any:
    """numpy's compiled core, through which the BLAS it is linked with is found."""
    try:
        return ctypes.CDLL(str(sys.modules["numpy._core._multiarray_umath"].__file__))
    except (KeyError, OSError):
        return None


@cache
def saxpy() -> Any:
    """``f(n, a, x, y)`` on addresses of contiguous float32, if BLAS has it and rounds once; else None."""
    for name, integer in NAMES:
        found = getattr(library(), name.format("saxpy"), None)
        if found is None:
            continue
        found.argtypes = [integer, ctypes.c_float, ctypes.c_void_p, integer, ctypes.c_void_p, integer]
        found.restype = None

        def add(n: int, a: float, x: int, y: int, found: Any = found) -> None:
            # Shorter than what OpenBLAS would share among threads, which takes longer than the sum itself.
            for at in range(0, n, SHORT):
                found(min(SHORT, n - at), a, x + 4 * at, 1, y + 4 * at, 1)

        return add if rounds_once(add) else None
    return None


def rounds_once(add: Any) -> bool:
    """Whether each of some sums, in the middle and at the end of an array, is the exact one rounded."""
    x = np.sin(np.arange(1.0, 2040.0)).astype(np.float32)
    y = np.cos(np.arange(1.0, 2040.0)).astype(np.float32)
    a = np.float32(-0.0123)
    expected = (x.astype(np.float64) * float(a) + y).astype(np.float32)
    add(len(x), float(a), x.ctypes.data, y.ctypes.data)
    return bool((y == expected).all())


def axpy(y: Any, x: Any, a: float) -> bool:
    """``y += a * x`` for contiguous float32 arrays of one size; False if that cannot be done here."""
    add = saxpy()
    if add is None:
        return False
    add(y.size, a, x.ctypes.data, y.ctypes.data)
    return True


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
