"""A read-only table of values that looks like a module to a script.

A real module leads to everything it imported (`random._os`, `typing.sys`); a table leads to what is in it. An entry
is a value, or a `Lazy` that makes the value when it is first read. A value that was read once stands in the instance's
dictionary, so that every later `np.sin` costs what it costs on a module.
"""

from __future__ import annotations

from weakref import WeakSet

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, NoReturn

_ABSENT = object()
_namespaces: WeakSet[Namespace] = WeakSet()
loads = 0
"""How often a value was put into a namespace."""
when_loaded: Callable[[Any], None] = lambda value: None
"""Told each value that is put into one: restored.py remembers classes."""
_put = object.__setattr__


class Linked:
    """A switch of ``torch.backends`` that is another setting in other words."""

    def __init__(self, get: Any, set: Any) -> None:
        self.get, self.set = get, set


class Lazy:
    """A table's entry whose value is made when it is first read."""

    __slots__ = ("load",)

    def __init__(self, load: Callable[[], Any]) -> None:
        self.load = load


def lazily(package: str, layout: Mapping[str, str]) -> dict[str, Any]:
    """Names with entries that import their file when they are read: ``{"sgd": "SGD"}`` below a package."""

    def entry(module: str, name: str) -> Any:
        def load() -> Any:
            from importlib import import_module

            return getattr(import_module(f"{package}.{module}"), name)

        return Lazy(load)

    return {name: entry(module, name) for module, names in layout.items() for name in names.split()}


class Namespace:
    """`Namespace("math", {"pi": 3.14, "sqrt": sqrt})`.

    table    a mapping from names to values or `Lazy` values, or a function that makes the mapping when it is needed;
             it is read through, so names added to it later are seen
    missing  called with a name that is not in the table; returns the value or raises AttributeError
    public   the names of `from m import *`; by default those of the table without a leading underscore
    doc      what `__doc__` answers
    """

    __slots__ = ("__dict__", "_missing", "_public", "_table", "__weakref__")

    def __init__(
        self, name: str, table: Mapping[str, Any] | Callable[[], Mapping[str, Any]], *,
        missing: Callable[[str], Any] | None = None, public: Iterable[str] | None = None, doc: str | None = None,
    ) -> None:  # fmt: skip
        _put(self, "_table", table)
        _put(self, "_missing", missing)
        _put(self, "_public", public)
        _namespaces.add(self)
        own = self.__dict__
        own["__name__"] = name
        own["__doc__"] = doc

    def __getattr__(self, name: str) -> Any:
        # Only what is not yet in the instance's dictionary comes here.
        global loads
        entry = names(self).get(name, _ABSENT)
        if entry is _ABSENT:
            if name == "__all__":
                return public_names(self)
            if name[:2] == "__" or self._missing is None:
                raise absent(self, name)
            entry = self._missing(name)
        value = entry.load() if type(entry) is Lazy else entry
        loads += 1
        when_loaded(value)
        return self.__dict__.setdefault(name, value)  # of two threads that ask at once, both get the first one's

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"module {self.__name__!r} is read-only: its attribute {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"module {self.__name__!r} is read-only: its attribute {name!r} cannot be deleted")

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}>"

    def __dir__(self) -> list[str]:
        return sorted(names(self))

    def __copy__(self) -> Namespace:
        return self

    def __deepcopy__(self, memo: object) -> Namespace:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")

    def __init_subclass__(cls) -> None:
        if cls.__module__.partition(".")[0] != "tensorsh":
            raise TypeError("type 'module' is not an acceptable base type")


Namespace.__name__ = "module"  # in what Python says of one


def every_namespace() -> list[Namespace]:
    """All that there are, of all sessions."""
    return list(_namespaces)


def names(namespace: Namespace) -> Mapping[str, Any]:
    """The table itself, made if it was not yet."""
    table = namespace._table
    if callable(table):
        table = table()
        _put(namespace, "_table", table)
    return table


def public_names(namespace: Namespace) -> list[str]:
    """The names that `from m import *` binds."""
    public = namespace._public
    return list(public) if public is not None else [name for name in names(namespace) if name[:1] != "_"]


def absent(namespace: Namespace, name: str) -> AttributeError:
    """The error of a name that a module has not, worded as Python's."""
    return AttributeError(f"module {namespace.__name__!r} has no attribute {name!r}", name=name, obj=namespace)


def nearest(namespace: Namespace, name: str, count: int = 3) -> list[str]:
    """The names of a namespace that a person may have meant. Not part of the error: a failing `hasattr` must be
    cheap."""
    from difflib import get_close_matches

    return get_close_matches(name, public_names(namespace), count, 0.7)


def submodule(namespace: object, name: str) -> Namespace | None:
    """The namespace `name` within another, or None if there is none of that name or it is no namespace."""
    try:
        value = getattr(namespace, name)
    except AttributeError:
        return None
    return value if isinstance(value, Namespace) else None
