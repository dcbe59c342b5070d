"""``import torchvision`` and ``import tensorsh`` in a program: the data sets and the transforms."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from ..sandbox.namespace import Lazy, Namespace, absent


def vision(name: str) -> Namespace:
    """What a program gets under a name."""
    parts = {"datasets": "datasets", "transforms": "transforms"} | (
        {"utils": "transforms.utils"} if name == "torchvision" else {}
    )
    table = {part: Lazy(partial(loaded, path, f"{name}.{part}")) for part, path in parts.items()}

    def missing(wanted: str) -> NoReturn:
        error = absent(made, wanted)
        error.add_note(
            "of torchvision there are datasets, transforms and utils here; the rest is torchvision's: pip install --no-deps torchvision, "
            "--allow-import=torchvision"
        )
        raise error

    made = Namespace(name, table, missing=missing if name == "torchvision" else None)
    return made


def loaded(path: str, title: str) -> Namespace:
    """A module of the package, as a program holds it."""
    return shown(import_module(f"tensorsh.{path}"), title)


def shown(module: ModuleType, title: str) -> Namespace:
    """A module's public names as a program holds them."""
    table: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        table[name] = shown(value, f"{title}.{name}") if isinstance(value, ModuleType) else value
    return Namespace(title, table, doc=module.__doc__)
