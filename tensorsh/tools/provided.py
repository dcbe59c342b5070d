"""What a session's programs are provided with, made when it is first asked for: torch and numpy."""

from __future__ import annotations

from functools import cache

from ..language.collector import Held

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


@cache
def torch_names() -> Any:
    """The container of the names that scripts may use without `torch.`"""
    with Held():
        from ..torch.root import torch_names as names
    return names()
