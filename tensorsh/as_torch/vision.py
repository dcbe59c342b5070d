"""``torchvision`` and ``functorch`` where they are not installed: their parts are tensorsh's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

NAME = "torchvision"
PARTS = ("datasets", "transforms", "transforms.functional", "transforms.v2", "transforms.v2.functional")


class VisionFinder(MetaPathFinder, Loader):
    """Steps back where torchvision is installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "functorch" and PathFinder.find_spec(fullname) is None:
            return ModuleSpec(fullname, self)
        if fullname != NAME and fullname not in [f"{NAME}.{part}" for part in PARTS]:
            return None
        there = sys.modules.get(NAME)
        if PathFinder.find_spec(NAME) is not None if there is None else getattr(there, "__loader__", None) is not self:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "functorch":
            sys.modules["functorch"] = importlib.import_module("tensorsh.torch.functional_modules")
            return
        if module.__name__ == NAME:
            module.__version__ = "0.28.0+tensorsh"  # type: ignore[attr-defined]
            for part in ("datasets", "transforms"):
                setattr(module, part, importlib.import_module(f"tensorsh.{part}"))
            return
        path = module.__name__.removeprefix(f"{NAME}.").replace("v2.functional", "functional")
        sys.modules[module.__name__] = importlib.import_module(f"tensorsh.{path}")


FINDER = VisionFinder()
