"""tensorsh: a shell and interpreter for tensor programs in PyTorch's language, on numpy.

    from tensorsh import Permissions, Session, Tensor, torch

Each of these is loaded when it is first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any

    from . import torch
    from .sandbox.files import Permissions
    from .session import Session
    from .torch import Tensor

if "free-threading build" in sys.version:
    raise ImportError(
        "tensorsh needs a Python with the global interpreter lock, by which its records and its sandbox are kept whole: "
        "use the usual build (python3.13, not python3.13t)"
    )

__version__ = "1.0.0rc1"
__all__ = ["Permissions", "Session", "Tensor", "__version__", "torch"]


def __getattr__(name: str) -> Any:
    if name == "Session":
        from .session import Session as value
    elif name == "Permissions":
        from .sandbox.files import Permissions as value
    elif name == "Tensor":
        from .engine.tensors.tensor import Tensor as value
    elif name == "torch":
        from importlib import import_module

        value = import_module("tensorsh.torch")  # which puts the namespace in place of the module
    else:
        raise AttributeError(f"module 'tensorsh' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
