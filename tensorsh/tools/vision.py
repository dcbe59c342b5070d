"""``import torchvision`` and ``import tensorsh`` in a program: the data sets and the transforms."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from ..sandbox.namespace import Lazy, Namespace, absent


def vision(name: str) -> Namespace:
    """What a program gets under a name."""
    parts = ("datasets", "transforms")
    table = {part: Lazy(lambda part=part: shown(import_module(f"tensorsh.{part}"), f"{name}.{part}")) for part in parts}

    def missing(wanted: str) -> NoReturn:
        error = absent(made, wanted)
        error.add_note(
            "of torchvision there are datasets and transforms here; the rest is torchvision's: pip install --no-deps torchvision, "
            "--allow-import=torchvision"
        )
        raise error

    made = Namespace(name, table, missing=missing if name == "torchvision" else None)
    return made


def shown(module: ModuleType, title: str) -> Namespace:
    """A module's public names as a program holds them."""
    table: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        table[name] = shown(value, f"{title}.{name}") if isinstance(value, ModuleType) else value
    return Namespace(title, table, doc=module.__doc__)
