"""What a session's programs are provided with, made when it is first asked for: torch and numpy."""

from __future__ import annotations

from functools import cache

from ..language.collector import Held
from . import VISION

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any


def heeding(make: Any) -> Any:
    """What makes a session's numpy, after the kernels, by which its long methods can be left."""

    def numpy() -> Any:
        from ..engine import kernels  # noqa: F401

        return make()

    return numpy


def torch_namespace() -> Any:
    """The namespace that scripts see as `torch`."""
    from importlib import import_module

    with Held():
        return import_module("tensorsh.torch")  # which puts the namespace in place of the module


def pickles() -> Any:
    """The namespace that scripts see as `pickle`."""
    with Held():
        from ..torch.pickles import pickles as made

        return made()


@cache
def torch_names() -> Any:
    """The container of the names that scripts may use without `torch.`"""
    with Held():
        from ..torch.root import torch_names as names
    return names()


LATER = {
    "torch": torch_namespace,
    "multiprocessing": lambda: torch_namespace().multiprocessing,
    "pickle": pickles,
    **VISION,
}
"""Modules that programs import and that stand above the sandbox."""
