"""The modules that Cython compiles, run interpreted: where there is no compiler, or where the environment asks for it."""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

compiled = False
"""In the place of Cython's own module: nothing is compiled."""


def cast(kind: type, value: Any) -> Any:
    """The value itself."""
    return value


class Sources(MetaPathFinder):
    """Finds the source of a module also where its compiled form lies beside it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not name.startswith("tensorsh."):
            return None
        source = Path(__file__).parents[2].joinpath(*name.split(".")[1:]).with_suffix(".py")
        return spec_from_file_location(name, source) if source.with_suffix(".pxd").exists() else None


if os.environ.get("TENSORSH_KERNELS") == "off":
    sys.meta_path.insert(0, Sources())
