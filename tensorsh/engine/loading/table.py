"""The table of all operators: what exists under which name.

Families (the files of `ops/`) are imported when a name is first asked for that is not there yet."""

from __future__ import annotations

import importlib
import os
from _thread import RLock
from collections.abc import Callable
from typing import Any

from ...sandbox.whole import whole

FUNCTIONS: dict[str, Any] = {}
"""Dotted name below ``torch`` -> function."""
METHODS: dict[str, Any] = {}
"""Name of a Tensor method -> function whose first argument is the tensor."""
OPERATORS: dict[str, Any] = {}
"""Dotted name -> the record (Operator or Composite)."""

_loaded = _loading = False
watchers: list[Callable[[], None]] = []
"""Called after a family was loaded, in the order in which they came: the first is the registration's own."""
_lock = RLock()
_depth = 0
"""How many loads are under way, one within the other."""


def also(op: Any, name: str) -> None:
    """Enter an operator under one more name, as function and as method."""
    op.names.append(name)
    FUNCTIONS[name], METHODS[name] = op.make("torch." + name), op.make("Tensor." + name)
    OPERATORS[name] = op


FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "ops")
INDEX = os.path.join(os.path.dirname(__file__), "names.txt")
"""Which family has which names, so that a program loads only the families it uses. Made by ``python -m tensorsh.engine.operators.index``."""

_index: tuple[dict[str, str], dict[str, str]] | None = None
_changed: set[str] = set()
"""The families that are not as they were when the index was made: they are loaded when a name is not found in it."""


def families() -> list[str]:
    return sorted(sizes())


def sizes() -> dict[str, int]:
    """Each family (``elementwise.powers``) and the size of its file, by which the index tells whether it still holds."""
    found = {}
    for room in os.scandir(FOLDER):
        if room.is_dir():
            for file in os.scandir(room.path):
                if file.name.endswith(".py") and file.name != "__init__.py":
                    found[f"{room.name}.{file.name[:-3]}"] = file.stat().st_size
    return found


def read_index() -> tuple[dict[str, str], dict[str, str]]:
    """Functions and attributes of Tensor with their family, of all families that are as they were."""
    global _index
    if _index is None:
        found: tuple[dict[str, str], dict[str, str]] = {}, {}
        now, known = sizes(), set()
        try:
            with open(INDEX, encoding="utf-8") as lines:
                for line in lines:
                    family, size, kind, *names = line.split()
                    if now.get(family) == int(size):
                        known.add(family)
                        found[kind == "attributes"].update(dict.fromkeys(names, family))
        except (OSError, ValueError):
            pass
        _changed.update(now.keys() - known)
        _index = found
    return _index


def is_indexed() -> bool:
    """Whether the index knows every family."""
    read_index()
    return not _changed


def family_of(name: str, kind: int) -> str | None:
    """The family that has a function (kind 0) or an attribute of Tensor (1); families that changed are loaded for a miss."""
    family = read_index()[kind].get(name)
    while family is None and _changed:
        load(_changed.pop())
    return family


@whole
def load(family: str) -> None:
    """Import a family. Other threads (completion has one of its own) wait until all of it is there."""
    global _depth
    with _lock:
        _depth += 1
        try:
            importlib.import_module("tensorsh.engine.ops." + family)
            for watch in watchers:
                watch()
        finally:
            _depth -= 1


def attentive(function: Callable) -> Callable:
    """A method that is called often, and itself looks at what it is given: it is not wrapped."""
    function._attentive = True  # type: ignore[attr-defined]
    return function


def load_all() -> None:
    """Import every family."""
    global _loaded, _loading
    with _lock:
        if not _loaded and not _loading:
            _loading = True
            for family in families():
                load(family)
            _loaded = True


def _find(found: dict[str, Any], kind: int, name: str) -> Any:
    value = found.get(name)
    if value is None and not _loaded:
        if family := family_of(name, kind):
            load(family)
    elif not _depth:
        return found.get(name)  # once more: a load that has ended meanwhile may have put its public form there
    with _lock:  # what another thread is loading may stand there without its gradients
        return found.get(name)


def find_function(name: str) -> Any:
    """The function of a dotted name below ``torch``; None if there is none."""
    return _find(FUNCTIONS, 0, name)


def find_method(name: str) -> Any:
    """The Tensor method of a name; None if there is none."""
    return _find(METHODS, 1, name)


def load_attribute(name: str) -> bool:
    """Load the family that puts `name` on Tensor (an operator symbol, a property); False if there is none."""
    family = None if _loaded else family_of(name, 1)
    if family:
        load(family)
    return family is not None


def has_function(name: str) -> bool:
    """Whether there is a function of a dotted name, without loading its family where the index tells."""
    return name in FUNCTIONS or (not _loaded and family_of(name, 0) is not None) or name in FUNCTIONS


def function_names() -> list[str]:
    """The dotted names of all functions."""
    family_of("", 0)  # what has changed is loaded
    return sorted(set(FUNCTIONS) | set(() if _loaded else read_index()[0]))


def find_operator(name: str) -> Any:
    if find_function(name) is None:
        return None
    return OPERATORS.get(name)
