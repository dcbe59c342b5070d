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


def placed(kind: type, **fields: Any) -> Any:
    """A class whose objects have places for fields, with these values at first, as `cdef class` gives them: what their programs add
    has a dict of its own, which copies and pickles take along."""
    body = {
        name: value for name, value in kind.__dict__.items() if name not in ("__dict__", "__weakref__", "__cinit__")
    }
    made: Any = type(kind.__name__, kind.__bases__, body | {"__slots__": (*fields, "__weakref__")})
    del made.__slots__  # which pickles would look at
    places = [(made.__dict__[name].__set__, value) for name, value in fields.items()]

    def create(cls: type, *args: Any, **kwargs: Any) -> Any:
        new: Any = object.__new__(cls)
        for put, value in places:
            put(new, value)
        return new

    made.__new__ = staticmethod(create)
    return made


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
