"""Classes of Python's library that a program could change, and what they were before.

Most of them are refused when a program names them (`Counter.update = f`). What gets to one by another way (a class in
a variable or a parameter) is undone when the program ends, so that nothing of it is seen by another session. Special
methods cannot be set on a library class in any way.
"""

from __future__ import annotations

import sys

from .namespace import Namespace

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

_before: dict[type, tuple[tuple[int, ...], dict[str, Any]]] = {}
_seen: set[str] = set()


def watch(name: str, table: Namespace | dict[str, Any]) -> None:
    """Remember the classes of a module that a program is given."""
    if name in _seen:
        return
    _seen.add(name)
    values = list((vars(table) if isinstance(table, Namespace) else table).values())
    values += [each for value in values if isinstance(value, Namespace) for each in vars(value).values()]
    if name != "numpy":
        values += [
            each for other in (name, *_BESIDE.get(name, ())) for each in vars(sys.modules.get(other, sys)).values()
        ]
    for value in values:
        kind = value if isinstance(value, type) else type(value)
        if kind.__flags__ & _HEAP and not kind.__flags__ & _IMMUTABLE and kind.__module__[:9] != "tensorsh.":
            _before.setdefault(kind, _state(kind))


def _state(kind: type) -> tuple[tuple[int, ...], dict[str, Any]]:
    own = dict(kind.__dict__)
    return tuple(map(id, own.values())), own


def restore() -> None:
    """Undo what a program did to these classes."""
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
