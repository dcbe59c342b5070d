"""Walks everything a script can reach from some objects by attributes that the gate permits."""

from __future__ import annotations

import builtins
import io
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tensorsh.sandbox import gate

REAL_TYPES = (
    types.ModuleType,
    types.CodeType,
    types.FrameType,
    types.TracebackType,
    types.CellType,
    io.FileIO,
    io.TextIOWrapper,
    io.BufferedReader,
    io.BufferedWriter,
    io.BufferedRandom,
    np.random.BitGenerator,
    np.random.RandomState,
    np.random.Generator,
)
FORBIDDEN = {
    id(value): f"builtins.{name}"
    for name, value in vars(builtins).items()
    if name
    in ("eval", "exec", "compile", "open", "__import__", "breakpoint", "memoryview", "vars", "globals", "locals")
}
FORBIDDEN |= {id(getattr): "getattr", id(setattr): "setattr", id(delattr): "delattr", id(hasattr): "hasattr"}
FORBIDDEN |= {
    id(kind): f"types.{kind.__name__}" for kind in (types.FunctionType, types.CodeType, types.SimpleNamespace)
}
FORBIDDEN |= {id(type): "type", id(types.ModuleType): "ModuleType", id(object.__subclasshook__): "subclasshook"}
# Functions of forbidden modules that were looked at: they tell a number or change nothing.
VETTED = frozenset(
    """sys.getrecursionlimit sys.getsizeof sys.intern inspect.isgeneratorfunction inspect.ismethod
    posix.cpu_count""".split()
)
FORBIDDEN_MODULES = frozenset(
    """os posix nt subprocess _posixsubprocess ctypes _ctypes sys socket _socket shutil pickle _pickle importlib imp
    marshal signal threading _thread multiprocessing tempfile mmap resource code codeop inspect gc runpy pty""".split()
)


def why_not(value: Any) -> str | None:
    """The reason why a script must not hold this object, or None."""
    if id(value) in FORBIDDEN:
        return FORBIDDEN[id(value)]
    if isinstance(value, REAL_TYPES):
        return f"a real {type(value).__name__}"
    if isinstance(value, type):
        if issubclass(value, type):
            return f"the metaclass {value.__name__}"
        if issubclass(value, np.ndarray):
            return "the constructor of ndarray"
        if issubclass(value, REAL_TYPES):
            return f"the type {value.__name__}"
    elif isinstance(value, types.BuiltinFunctionType | types.FunctionType):
        if value.__module__ in FORBIDDEN_MODULES and value.__name__[:2] != "__":
            return f"{value.__module__}.{value.__name__}"
        if value.__name__ in ("__subclasses__", "__reduce__", "__reduce_ex__", "__getattribute__"):
            return value.__name__
    return None


PROBES = frozenset(
    """__class__ __dict__ __code__ __globals__ __self__ __func__ __builtins__ __closure__ __wrapped__ __loader__
    __spec__ __traceback__ __mro__ __bases__ __subclasses__ __origin__ __objclass__ func_globals func_code
    func_closure func_dict gi_frame gi_code cr_frame ag_frame tb_frame tb_next f_back f_globals f_builtins f_locals
    f_code co_code co_consts mro obj fget fset func args gen pyfunc parser modules""".split()
)  # not all of them are listed by dir


Known = dict[type, set[str]]
"""The names of each type that lead nowhere new in another object of it: methods, and what it has not."""


def children(value: Any, known: Known | None = None) -> Iterator[tuple[str, Any]]:
    """What the attributes of an object, and the entries of a container, lead to; but what is known of its type."""
    names = {*dir(value), *dir(type(value))}
    absent = PROBES - names
    first = known is not None and not isinstance(value, type | types.ModuleType) and type(value) not in known
    passed = known.setdefault(type(value), set()) if first else (known or {}).get(type(value), set())
    own = getattr(value, "__dict__", ()) if passed else ()
    for name in sorted(names | absent, key=str):
        if type(name) is not str or (name in passed and name not in own):
            continue
        try:
            found = gate.get_attribute(value, name)
        except (AttributeError, TypeError, ValueError, NotImplementedError, RuntimeError, PermissionError, OSError):
            if first and name in absent and not hasattr(type(value), "__getattr__"):
                passed.add(name)
            continue
        if first and isinstance(found, METHODS) and found.__self__ is value:
            passed.add(name)
        yield f".{name}", found
    if type(value) is dict:
        yield from ((f"[{key!r}]", entry) for key, entry in value.items())
    elif type(value) in (list, tuple, set, frozenset):
        yield from ((f"[{index}]", entry) for index, entry in enumerate(value))


METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


def key_of(value: Any) -> Any:
    """What makes an object worth one visit: methods are made anew each time they are read, numbers are all alike."""
    kind = type(value)
    if isinstance(value, types.MethodType):
        return kind, type(value.__self__), value.__name__
    if isinstance(value, METHODS[1:]) and value.__self__ is not None:
        owner = value.__self__
        return kind, owner.__name__ if isinstance(owner, types.ModuleType) else type(owner), value.__name__
    if kind in (int, float, complex, str, bytes, bool) or isinstance(value, np.generic | np.ndarray | np.dtype):
        return kind
    if kind in (types.FunctionType, types.GenericAlias):
        return kind, value.__module__, getattr(value, "__qualname__", ""), getattr(value, "__code__", None)
    return id(value)


class Fake:
    """An object of the script, given to library functions in place of theirs."""


def left_in_a_fake(cls: type) -> list[str]:
    """What a constructor leaves of value in an object that is not of its class."""
    try:
        function = gate.get_attribute(cls, "__init__")
    except AttributeError:
        return []
    found = []
    for count in range(4):
        for argument in (0, "x", print, (), b""):
            fake = Fake()
            try:
                function(fake, *[argument] * count)
            except Exception:
                continue
            found += [
                f"{cls.__qualname__}.__init__: {why_not(value)}" for value in vars(fake).values() if why_not(value)
            ]
    return found


def crawl(roots: dict[str, Any], depth: int) -> tuple[list[str], int, dict[str, set[str]]]:
    """The paths to what is forbidden, how many objects were seen, and the attributes (but the special ones, which names.py lists)
    that may be read of each type and of its class."""
    seen: dict[Any, Any] = {}
    bad: list[str] = []
    names: dict[str, set[str]] = {}
    known: Known = {}
    level = list(roots.items())
    for distance in range(depth + 1):
        following = []
        for path, value in level:
            key = key_of(value)
            if key in seen:
                continue
            reason = why_not(value)
            if reason is not None and reason not in VETTED:
                bad.append(f"{path}: {reason}")
                continue
            seen[key] = value  # kept, so that no other object gets its id
            if isinstance(value, type):
                bad += left_in_a_fake(value)
            if distance == depth:
                continue
            kind = value if isinstance(value, type) else type(value)
            read = names.setdefault(f"{kind.__module__}.{kind.__qualname__}", set())
            for step, found in children(value, known):
                if step[0] == "." and step[1:3] != "__":
                    read.add(step[1:])
                if key_of(found) not in seen:
                    following.append((path + step, found))
        level = following
    return bad, len(seen), names
