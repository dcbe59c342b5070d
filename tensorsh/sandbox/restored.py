"""The state of what a program could change of the library in a roundabout way, kept and restored.

Most of it is refused when a program does it (`Counter.update = f`, `torch.relu.x = 1`). Only one way is left: a method of the
program, or of the library, that is called with a class or a function of the library for its object, `A.set(Counter)`: that is
undone when the program ends, so that nothing of it is seen by another session. Special names cannot be set on either in any way, names
with an underscore not on a function.
"""

from __future__ import annotations

import sys
from types import FunctionType

from . import classes, gate, namespace, process, sealed, stores
from .methods import keep_methods
from .namespace import Namespace
from .steps import are_as_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_BESIDE = {
    "collections": ("_collections_abc",),
    "json": ("json.encoder", "json.decoder"),
    "re": ("re._constants",),
    "pathlib": ("pathlib._local", "pathlib._abc"),
}
"""Modules whose classes a program meets by the module of another name."""


def _forget_formats() -> None:
    """Those of `strptime`."""
    if "_strptime" in sys.modules:
        sys.modules["_strptime"]._regex_cache.clear()


caches: dict[Any, None] = {_forget_formats: None}
"""Functions that empty caches of Python's own: these keep what a program gives them, and ask it whether it is what others give."""

_before: dict[type, tuple[tuple[int, ...], dict[str, Any]]] = {}
_seen: set[str] = set()


def watch(name: str, table: Namespace | dict[str, Any]) -> None:
    """Remember the classes of a module that a program is given."""
    if name in _seen:
        return
    _seen.add(name)
    values = list((vars(table) if isinstance(table, Namespace) else table).values())
    values += [each for value in values if isinstance(value, Namespace) for each in vars(value).values()]
    for value in values:
        keep_methods(getattr(value, "__origin__", value if isinstance(value, type) else type(value)))
    if name != "numpy":
        values += [
            each for other in (name, *_BESIDE.get(name, ())) for each in vars(sys.modules.get(other, sys)).values()
        ]
    for value in values:
        _note(value if isinstance(value, type) else type(value))


def _note(value: Any) -> None:
    """Remember a class that a program could change, and those above it."""
    for kind in value.__mro__ if isinstance(value, type) else ():
        if kind.__flags__ & _HEAP and not kind.__flags__ & _IMMUTABLE and not sealed.is_sealed(kind):
            if kind.__module__[:9] != "tensorsh.":
                _before.setdefault(kind, _state(kind))


namespace.when_loaded = _note


def _state(kind: type) -> tuple[tuple[int, ...], dict[str, Any]]:
    own = dict(kind.__dict__)
    return tuple(map(id, own.values())), own


_known: tuple[tuple[int, int, int], list[Any], list[dict[str, Any]], bytes] = ((0, 0, 0), [], [], b"")
"""For a state of the library, the objects that are looked at, the attributes of each, and how many these were when nothing of a
program's was among them; `UNSEEN` where nobody has looked yet. Exchanged at once: a session that Python frees in the midst looks, too."""


UNSEEN = 255


def _functions() -> tuple[tuple[int, int, int], list[Any], list[dict[str, Any]], bytes]:
    """The functions and other objects with attributes that programs meet, in namespaces and in classes, as in `_known`."""
    global _known
    key = (sealed.changes, namespace.loads, len(_before))
    if _known[0] != key:
        tables = [
            vars(each) for each in (*namespace.every_namespace(), *sealed.classes(), *_before, classes, gate, stores)
        ]
        takes = _Takes()
        values = [value for table in tables for value in [*table.values()]]
        values = [value.__func__ if type(value) in (classmethod, staticmethod) else value for value in values]
        found = {id(value): value for value in values if takes[type(value)]}
        sizes = dict(zip(map(id, _known[1]), _known[3], strict=True))
        _known = (
            key, [*found.values()], [value.__dict__ for value in found.values()],
            bytes([sizes.get(number, UNSEEN) for number in found]),
        )  # fmt: skip
    return _known


class _Takes(dict[type, bool]):
    """Of each class, whether its objects take attributes that programs may set; asked once for all of its objects."""

    def __missing__(self, kind: type) -> bool:
        if kind is FunctionType:
            takes = True
        elif (
            kind.__name__ in ("ufunc", "_ArrayFunctionDispatcher") or kind.__module__ in ("dataclasses", "typing")
        ) or not stores.unwritable.isdisjoint(kind.__mro__):
            shows = any("__dict__" in vars(base) for base in kind.__mro__)  # which TypeVar in 3.12 does not
            takes = shows and kind.__dictoffset__ != 0 and not issubclass(kind, type)
        else:
            takes = hasattr(kind, "__members__") and not issubclass(kind, type)  # of an enumeration
        self[kind] = takes
        return takes


def restore() -> None:
    """Undo what a program did to these classes and functions, where there may be another."""
    global _known
    if process.one_program:
        return
    if classes.has_made_classes():
        for empty in caches:
            empty()
    key, functions, attributes, sizes = _functions()
    if not are_as_long(attributes, sizes):  # a program only adds: what it may set has no name that is there
        for value, own_names, size in zip(functions, attributes, sizes, strict=True):
            if len(own_names) != size:
                kept = getattr(type(value), "_fields", ())  # where no compiler has given them places of their own
                for name in [name for name in own_names if name[0] != "_" and name not in kept]:
                    del own_names[name]
        _known = key, functions, attributes, bytes([min(len(each), UNSEEN) for each in attributes])
    if not are_as_long(sealed.attributes, bytes(sealed.sizes)):
        for own_names in sealed.attributes:
            for name in own_names.keys() - own_names["__wrapped__"].__dict__.keys():
                if name[0] != "_":
                    del own_names[name]
    for kind, (numbers, own) in _before.items():
        if tuple(map(id, kind.__dict__.values())) == numbers:
            continue
        now = dict(kind.__dict__)
        for name in now.keys() - own.keys():
            if name[:2] != "__":  # what Python itself adds (`__abstractmethods__`) stays
                type.__delattr__(kind, name)
        for name, value in own.items():
            if now.get(name) is not value and name[:2] != "__":
                type.__setattr__(kind, name, value)
        _before[kind] = _state(kind)
