"""Installed packages that a person allows by name (`--allow-import=einops`): plain Python, outside the gate.

A program holds what such a package makes, functions, classes and objects as they are; it never holds the package's modules. In
their place it gets a `PackageModule`, which offers the public names that the package itself defines: not what its modules
have imported (`einops.einops.sys`), nothing that begins with an underscore. Where packages are allowed, programs are compiled with
every attribute they read on `read`, because an object may lead to a module by any name, and a call may return one.
"""

from __future__ import annotations

import sys
import types
from functools import lru_cache, partial
from operator import attrgetter, methodcaller
from types import ModuleType
from typing import Any

from . import gate, process
from .builtins import call_in_full
from .classes import is_foreign_module
from .files import Permissions, acting
from .kinds import public_type
from .names import GATED, TOLD, is_special
from .namespace import Namespace
from .sealed import Sealed

_PLAIN = (int, float, complex, str, bytes, type(None), slice, range)
_COPIED = (list, tuple, dict, set, frozenset)
_SHOWN = frozenset(("__version__", "__doc__", "__name__"))
WAYS_OUT = frozenset(
    "os posix nt _io io marshal _pickle pickle _ctypes ctypes _imp sys gc _thread _posixsubprocess _socket _winapi mmap importlib "
    "_frozen_importlib subprocess shutil socket runpy code codeop inspect pty builtins".split()
)
"""Modules whose functions do not come to programs as attributes of a package's objects (`class Opener: open = open`)."""
_HARMLESS = frozenset(
    "abs all any ascii bin callable chr divmod format hash hex id isinstance issubclass iter len max min next oct ord pow print "
    "repr round sorted sum cpu_count getrecursionlimit getsizeof intern isgeneratorfunction".split()
)
_OWN = ("builtins", "io", "_io")  # whose classes programs have


class PackageModule(Namespace):
    """A module of an allowed package as programs hold it. Each name is looked up when it is read, and nothing is set."""

    __slots__ = ("_packages", "_real")

    def __init__(self, packages: Packages, real: ModuleType) -> None:
        super().__init__(real.__name__, {}, doc=real.__doc__)
        object.__setattr__(self, "_packages", packages)
        object.__setattr__(self, "_real", real)

    def __getattr__(self, name: str) -> Any:
        return self._packages.offered(self._real, name)

    def __dir__(self) -> list[str]:
        return self._packages.public(self._real)


def holds_objects() -> bool:
    """Whether the program that runs has imported a package."""
    permissions = acting()
    return permissions is not None and permissions.packages is not None and permissions.packages.used


class Packages:
    """The packages of one session.

    permissions  whose `imports` are the names allowed
    prepare      called before the first import: `torch` comes to mean tensorsh in the process
    """

    def __init__(self, permissions: Permissions, prepare: Any = None) -> None:
        self.permissions, self.prepare = permissions, prepare
        self.shown: dict[str, PackageModule] = {}
        self.used = False
        """Whether one was imported: arrays may hold Python objects."""

    def allows(self, name: str) -> bool:
        """Whether a module belongs to a package that was allowed."""
        return name.partition(".")[0] in self.permissions.imports

    def find(self, name: str) -> PackageModule | None:
        """The module of a dotted name, imported if need be; None where it is not allowed.

        Raises:
            ModuleNotFoundError: There is no such module.
        """
        if not self.allows(name) or any(part[:1] == "_" for part in name.split(".")):
            return None
        from importlib import import_module
        from importlib.util import find_spec

        if self.prepare is not None:
            prepare, self.prepare = self.prepare, None
            prepare()
        gate.read_checked = read_by_name
        self.used, process.holds_objects = True, holds_objects
        top = name.partition(".")[0]
        if name == top and name not in sys.modules and find_spec(name) is None:
            error = ModuleNotFoundError(f"No module named {name!r}", name=name)
            error.__notes__ = [f"no package of that name is installed: pip install --no-deps {name}"]
            raise error
        module = import_module(name)
        call_in_full()
        return self.present(module)

    def present(self, module: ModuleType) -> PackageModule:
        """What a program gets in place of a module.

        Raises:
            AttributeError: It belongs to no package that was allowed.
        """
        own: Any = vars(ModuleType)["__dict__"]  # past what a class of the package's says
        name = own.__get__(module).get("__name__")
        if type(name) is not str or not self.allows(name):
            raise AttributeError(f"module {name!r} is not available in tensorsh: no --allow-import names it")
        found = self.shown.get(name)
        if found is None or found._real is not module:
            found = self.shown[name] = PackageModule(self, module)
        return found

    def offered(self, module: ModuleType, name: str) -> Any:
        """The value of `module.name` for a program."""
        if name == "__all__":
            return self.public(module)
        if name[:1] == "_" and name not in _SHOWN:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r} that is public", name=name)
        value = getattr(module, name)
        if not self.passes(value):
            raise AttributeError(
                f"module {module.__name__!r} only imports {name!r}: programs get what an allowed package defines itself",
                name=name,
            )
        if type(value) in _COPIED:
            look_into(value)
            return type(value)(value)
        return self.present(value) if isinstance(value, ModuleType) else value

    def passes(self, value: Any) -> bool:
        """Whether a value of a module's dictionary is the package's own."""
        if isinstance(value, ModuleType):
            return self.allows(str(getattr(value, "__name__", "")))
        if isinstance(value, _PLAIN) or value is Ellipsis:
            return True
        if type(value) in _COPIED:
            items = value.values() if type(value) is dict else value
            return not any(isinstance(each, ModuleType) for each in items) and not _is_shared(value)
        if isinstance(value, type) and issubclass(value, type):
            return False  # a metaclass makes classes past the gate
        if type(value) is partial:
            return self.passes(value.func)
        home = getattr(value, "__module__", None)
        if home is None and isinstance(value, types.BuiltinFunctionType):
            home = getattr(value.__self__, "__name__", None)
        if type(home) is not str:
            return False
        return self.allows(home) or _is_array(value)

    def public(self, module: ModuleType) -> list[str]:
        """The names that a module offers."""
        own = vars(module)
        listed: Any = own.get("__all__")
        names: Any = listed if type(listed) in (list, tuple) else [name for name in own if name[:1] != "_"]
        return [
            name for name in names if type(name) is str and name[:1] != "_" and name in own and self.passes(own[name])
        ]

    def names(self, module: PackageModule, wanted: tuple[str, ...]) -> Namespace:
        """What `from module import ...` binds."""
        title, real = module.__name__, module._real
        names = tuple(self.public(real)) if "*" in wanted else wanted
        table: dict[str, Any] = {}
        for name in names:
            if not hasattr(real, name) and hasattr(real, "__path__"):
                try:
                    self.find(f"{title}.{name}")
                except ModuleNotFoundError as error:
                    if error.name != f"{title}.{name}":
                        raise
            try:
                table[name] = self.offered(real, name)
            except AttributeError as error:
                why = f": {error}" if hasattr(real, name) else f" ({getattr(real, '__file__', 'unknown location')})"
                raise ImportError(f"cannot import name {name!r} from {title!r}{why}", name=title) from None
        return Namespace(title, table, public=list(table))


def _is_shared(value: Any) -> bool:
    """Whether a container is one of the interpreter's own (`from sys import path`)."""
    return any(value is each for each in vars(sys).values() if type(each) in _COPIED and each)


def _is_array(value: Any) -> bool:
    """Arrays and numbers of numpy, tensors."""
    kind = type(value)
    return kind.__module__ == "numpy" and hasattr(value, "dtype") and not value.dtype.hasobject


def present(module: ModuleType) -> Any:
    """What a program gets in place of a module that an object or a call has led it to."""
    permissions = acting()
    if permissions is None or permissions.packages is None:
        raise AttributeError("modules are not available in tensorsh")
    return permissions.packages.present(module)


def read_by_name(value: Any, name: str) -> Any:
    """`getattr(value, name)` in a process in which a program has imported a package."""
    permissions = acting()
    return gate.plain_attribute(value, name) if permissions is None or not permissions.imports else read(value, name)


class Enclosed(metaclass=Sealed):
    """A value in a pattern (`case Color.RED`), read on the gate."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def shown(value: Any) -> Any:
    """A value as programs may hold it, where it is a module."""
    return value if not isinstance(value, ModuleType) or not is_foreign_module(value) else present(value)


def kept(*values: Any) -> bool:
    """True, behind values that are bound in its arguments."""
    return True


_GIVEN = (ModuleType, Namespace)
_FUNCTIONS = (types.BuiltinFunctionType, types.FunctionType, types.MethodType, type, partial, attrgetter, methodcaller)
_USUAL = frozenset((*_PLAIN, bool, type(Ellipsis), bytearray))
_FEW = 256
"""Elements of a container that are looked at."""


def read(value: Any, name: str) -> Any:
    """`value.name` in a program of a session that may import packages."""
    if issubclass(type(value), _GIVEN):
        value = shown(value)
        if type(value) is not PackageModule:  # a namespace's every entry is vetted
            return getattr(value, name) if name[0] != "_" else gate.plain_attribute(value, name)
    if type(value) in _CODES or issubclass(type(value), _FUNCTIONS) and name == "__call__":
        inner(value, name)
    if name[0] != "_" and name not in GATED:
        found = getattr(value, name) if name not in TOLD else gate.told(value, name)
    elif name[0] != "_" or is_special(name):
        found = gate.attribute(value, name)
    else:
        found = gate.private_attribute(value, name)
    return found if type(found) in _USUAL else checked(found)


_CODES = (types.CodeType, types.FrameType, types.TracebackType)


def inner(value: Any, name: str) -> None:
    """Refuse what would call a function past the gate, or make other code."""
    if type(value) not in _CODES:
        vetted(value)
    elif name[:1] != "_":
        raise AttributeError(f"attribute {name!r} of {type(value).__name__!r} object is not available in tensorsh")


def look_into(container: Any) -> None:
    """Refuse functions that lead out, in a container and those within it."""
    pending, seen, looked = [container], {id(container)}, 0
    while pending and looked <= _FEW:
        items = pending.pop()
        looked += len(items)
        if len(items) > _FEW:
            continue
        for each in items.values() if type(items) is dict else items:
            if type(each) in _COPIED:
                if id(each) not in seen:
                    seen.add(id(each))
                    pending.append(each)
            elif issubclass(type(each), _FUNCTIONS):
                checked(each)


def checked(found: Any) -> Any:
    """A value that an attribute gave, as programs may hold it. Modules within a container are looked at when they are read."""
    kind = type(found)
    if kind in _COPIED:
        look_into(found)
        return found
    if issubclass(kind, ModuleType):
        return shown(found)
    if issubclass(kind, partial):
        checked(found.func)
        return found
    if issubclass(kind, (attrgetter, methodcaller)):
        raise AttributeError(f"a package's {kind.__name__} reads past the gate: make one in the program")
    if not issubclass(kind, _FUNCTIONS):
        return own_kind(found)
    if kind is types.MethodType:
        own_kind(found.__self__)
    home = found.__module__
    if home in WAYS_OUT and found.__name__ not in _HARMLESS:
        if not isinstance(found, type) or home not in _OWN or found.__name__ == "FileIO":
            raise AttributeError(f"{home}.{found.__name__} is not available in tensorsh")
    return public_type(found) if isinstance(found, type) else found


_MAKERS = (types.CodeType, types.FunctionType, types.CellType, types.ModuleType, type)
_WRAPPED = type(lru_cache(len))


def vetted(value: Any) -> Any:
    """What a program calls, or gives to a call, as it is, wherever it came from: a call, an index, an iterator.

    Raises:
        AttributeError: It is a function of the interpreter's that leads out, or makes code, functions or classes.
    """
    kind = type(value)
    if kind in _USUAL:
        return value
    if kind is partial or issubclass(kind, partial):
        vetted(value.func)
    elif kind is _WRAPPED:
        vetted(value.__wrapped__)
    elif kind is types.MethodWrapperType:
        vetted(value.__self__)
    elif issubclass(kind, (attrgetter, methodcaller)):
        raise AttributeError(f"a package's {kind.__name__} reads past the gate: make one in the program")
    elif issubclass(kind, _FUNCTIONS):
        if value in _MAKERS:
            raise AttributeError(f"{value.__module__}.{value.__name__} is not available in tensorsh")
        home = value.__module__
        if home in WAYS_OUT and value.__name__ not in _HARMLESS:
            if not isinstance(value, type) or home not in _OWN or value.__name__ == "FileIO":
                raise AttributeError(f"{home}.{value.__name__} is not available in tensorsh")
    return value


def several(values: Any) -> Any:
    """What is spread out as the arguments of a call."""
    if type(values) in _COPIED and len(values) <= _FEW:
        for each in values.values() if type(values) is dict else values:
            vetted(each)
    return values


def own_kind(found: Any) -> Any:
    """An object that is not one of the interpreter's own, as `os.environ` is."""
    home = type(found).__module__
    if home in WAYS_OUT and home not in _OWN:
        raise AttributeError(f"an object of the module {home!r} is not available in tensorsh")
    return found
