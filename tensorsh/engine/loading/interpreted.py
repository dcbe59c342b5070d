"""The modules that Cython compiles, run interpreted: where there is no compiler, or where the environment asks for it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing, and more so importlib.abc, would take longer than all that is here
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

compiled = False
"""In the place of Cython's own module: nothing is compiled."""


def cast(kind: type, value: Any) -> Any:
    """The value itself."""
    return value


class Sources:
    """Finds the source of a module also where its compiled form lies beside it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not name.startswith("tensorsh."):
            return None
        from importlib.util import spec_from_file_location

        source = os.path.join(PACKAGE, *name.split(".")[1:])
        return spec_from_file_location(name, f"{source}.py") if os.path.exists(f"{source}.pxd") else None


if os.environ.get("TENSORSH_KERNELS") == "off":
    sys.meta_path.insert(0, Sources())  # type: ignore[arg-type]
