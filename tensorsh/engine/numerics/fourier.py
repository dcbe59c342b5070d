"""scipy's Fourier transforms: several signals at a time in vector instructions, and in single precision with the digits that
PyTorch's have. numpy's compute single precision in double, ten times as slowly.

Of scipy only the extension that has them is loaded: with its package around it, it would take half a second. Where it is not
found, numpy goes on.
"""

from __future__ import annotations

import os
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

import numpy as np

SCALINGS = {"none": 0, "root": 1, "by_n": 2}
KINDS = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128")))
NAMES = ("c2c", "r2c", "c2r")

_loaded: Any = None


def loaded() -> dict:
    """The transforms by their names; none where scipy has them elsewhere."""
    global _loaded
    if _loaded is None:
        _loaded = {}
        try:
            package = find_spec("scipy")
            folders = [os.path.join(f, "fft", "_pocketfft") for f in package.submodule_search_locations or ()]  # type: ignore[union-attr]
            spec = PathFinder.find_spec("pypocketfft", folders)
            module = module_from_spec(spec)  # type: ignore[arg-type]
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            _loaded = {name: getattr(module, name) for name in NAMES}
        except (ImportError, AttributeError):
            pass
    return _loaded


def transformed(name: str, a: Any, dim: Any, forward: bool, mode: str, *size: int) -> Any:
    """An array of the CPU transformed ("c2c", "r2c" or, given its last size, "c2r"); None for others."""
    if type(a) is not np.ndarray or a.dtype not in KINDS:
        return None
    transform = loaded().get(name)
    return transform and transform(a, tuple(dim), *size, forward, SCALINGS[mode], None, 1)
