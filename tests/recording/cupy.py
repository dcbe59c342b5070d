"""What cupy has: names, parameters and loops of its modules, for the stand-in of the device tests.

``python -m tests.recording cupy`` with an interpreter that has cupy (no GPU needed) writes ``tests/data/cupy.jsonl``.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from ..support import tables

MODULES = (
    "cupy cupy.linalg cupy.fft cupy.random cupy.lib.stride_tricks cupyx cupyx.scipy.special cupyx.scipy.linalg "
    "cupyx.scipy.signal cupyx.scipy.ndimage"
).split()


def parameters(function: Any) -> Any:
    """Names of the parameters; None where they cannot be known or are any."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return None if any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in found) else [p.name for p in found]


def surface(module: Any) -> dict[str, Any]:
    """Each public name: a ufunc's loops, a function's parameters, None for anything else."""
    found: dict[str, Any] = {}
    for name in dir(module):
        value = getattr(module, name, None)
        if name[0] == "_" or inspect.ismodule(value):
            continue
        types = getattr(value, "types", None)
        found[name] = " ".join(types) if isinstance(types, list) else parameters(value)
    return found


def record() -> None:
    import cupy

    found = {name: surface(importlib.import_module(name)) for name in MODULES}
    found["cupy.ndarray"] = {n: parameters(getattr(cupy.ndarray, n)) for n in dir(cupy.ndarray) if n[0] != "_"}
    cases = [[module, name, value] for module, names in found.items() for name, value in names.items()]
    tables.write("cupy", f"python -m tests.recording cupy, CuPy {cupy.__version__}", cases)
