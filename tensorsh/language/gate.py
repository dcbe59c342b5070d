"""The attribute gate at run time: what a gated name of an object gives, decided by the object's type.

x._prev, x.__dict__     instances and classes that the script itself defined: yes
t._version              what the engine registered with `allow(type, names)`: yes
f.__name__, x.__len__   harmless special names, listed in names.py: yes
f.__code__              a stand-in that knows the parameters only
everything else         AttributeError
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from types import (
    BuiltinMethodType,
    FunctionType,
    GenericAlias,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from ..sealed import Sealed, joined, reserved
from .instance import InstanceVariables
from .names import DEFINABLE, GATED, READABLE, is_gated, is_special, normalize

_MISSING: Any = object()
_classes: dict[int, weakref.ref[type]] = {}  # classes that scripts defined, by id
_pure: set[int] = set()  # those with nothing but `object` and Python's own containers and exceptions above them
_made_classes = False
_allowed: dict[type, frozenset[str]] = {}  # gated names that scripts may read
_open: set[type] = set()
_writable: dict[type, frozenset[str]] = {}  # those that they may set, too
_build_class: Callable[..., Any] = __build_class__  # type: ignore[name-defined]  # noqa: F821
_str_format = str.format
_real_new = object.__new__
# special methods whose definition by a script somebody wants to know of
when_defined: dict[str, Callable[[], None]] = {}
# what `x.__class__` answers: modules/kinds.py puts stand-ins here
shown_type: Callable[[type], Any] = lambda kind: kind


def allow(kind: type, *names: str) -> None:
    """Let scripts read these gated names of instances of a type (and of its subclasses); `_saved_*` is all of these."""
    _allowed[kind] = _allowed.get(kind, frozenset()) | frozenset(names)


def open_to_own(kind: type) -> None:
    """Let scripts keep private names of their own on instances of a library class (`ctx._mine`)."""
    _open.add(kind)


def allow_writing(kind: type, *names: str) -> None:
    """Let scripts also set these gated names."""
    allow(kind, *names)
    _writable[kind] = _writable.get(kind, frozenset()) | frozenset(names)


def _is_writable(kind: type, name: str) -> bool:
    return any(name in _writable.get(base, ()) for base in kind.__mro__)


def _is_allowed(kind: type, name: str) -> bool:
    for base in kind.__mro__:
        names = _allowed.get(base, ())
        if name in names or ("_saved_*" in names and name.startswith("_saved_")):
            return True
    return False


# ---- classes that scripts define


def is_script_class(kind: type) -> bool:
    return id(kind) in _classes


def has_made_classes() -> bool:
    """Whether any script of this process ever made a class."""
    return _made_classes


def register_class(kind: type) -> type:
    """Remember that a script made this class (a class statement, dataclass(slots=True), namedtuple ...)."""
    global _made_classes
    _made_classes = True
    number = id(kind)

    def forget(_: object, number: int = number) -> None:
        _classes.pop(number, None)
        _pure.discard(number)

    _classes[number] = weakref.ref(kind, forget)
    if all(id(base) in _classes or base.__module__ == "builtins" for base in kind.__mro__):
        _pure.add(number)
    return kind


def is_script_function(value: Any) -> bool:
    """A function that a script defined: it was made with builtins that hold the gate."""
    return isinstance(value, FunctionType) and "<private>" in value.__builtins__  # type: ignore[attr-defined]


def build_class(function: Callable[..., Any], name: str, /, *bases: Any, **keywords: Any) -> Any:
    """What a class statement calls: Python's own, without metaclasses."""
    if "metaclass" in keywords:
        raise TypeError("metaclasses do not exist in tensorsh")
    for base in bases:
        if not isinstance(base, type):
            continue
        if issubclass(base, type):
            raise TypeError("metaclasses do not exist in tensorsh")
        if issubclass(base, _PROXIES):  # would answer for another object, past the gate
            raise TypeError(f"type '{base.__name__}' is not an acceptable base type")
    metaclass = joined(bases)
    made = _build_class(function, name, *bases, **keywords, **({"metaclass": metaclass} if metaclass else {}))
    if isinstance(made, type):
        own = made.__dict__.get("__getattr__")
        if own is not None:
            type.__setattr__(made, "__getattr__", _guarded_getattr(own))
        for special, told in when_defined.items():
            if special in made.__dict__:
                told()
        register_class(made)
        _check_reserved(made)
    return made


def _check_reserved(made: type) -> None:
    """A script's class must not answer for the engine's own attributes, nor may one that it inherits from."""
    names = reserved(made) - _OVERWRITTEN
    if names:
        for base in made.__mro__:
            if id(base) in _classes and not names.isdisjoint(base.__dict__):
                name = min(names.intersection(base.__dict__))
                raise TypeError(f"a class derived from the library's cannot define '{name}'")


_OVERWRITTEN = {"_backward_cls"}  # `autograd.Function` gives each class its own, whatever its body says


def is_reserved(cls: type, name: str) -> bool:
    """Whether a name is the engine's own in a script's class, or in one that is derived from it."""
    if name[:1] != "_":
        return False
    pending = [cls]
    while pending:
        kind = pending.pop()
        if name in reserved(kind):
            return True
        pending += type.__subclasses__(kind)
    return False


_PROXIES = (super, GenericAlias, ModuleType)


def _guarded_getattr(function: Any) -> FunctionType:
    """Libraries ask objects for names like `__array_interface__`: a script's `__getattr__` must not answer them."""
    of_dict = isinstance(function, (MethodDescriptorType, WrapperDescriptorType)) and function.__objclass__ is dict
    if not isinstance(function, FunctionType) and not of_dict:  # `__getattr__ = dict.get` is an idiom
        raise TypeError("__getattr__ must be a function in tensorsh")

    def __getattr__(self: Any, name: str) -> Any:
        if is_special(name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return function(self, name)

    __getattr__.__doc__ = function.__doc__
    return __getattr__  # type: ignore[return-value]


# ---- reading


def private_attribute(value: Any, name: str) -> Any:
    """`value._name` in a script; the name is checked already and not special."""
    if id(type(value)) in _pure:
        return getattr(value, name)
    return _gated(value, name)


def attribute(value: Any, name: str) -> Any:
    """`value.name` in a script for a gated name."""
    if name == "format" and type(value) is str:
        return partial(format_string, value)
    return _gated(value, name)


def get_attribute(value: Any, name: str, default: Any = _MISSING, /) -> Any:
    """getattr for scripts."""
    name = normalize(name)
    try:
        return _gated(value, name) if is_gated(name) else getattr(value, name)
    except AttributeError:
        if default is _MISSING:
            raise
        return default


def has_attribute(value: Any, name: str, /) -> bool:
    """hasattr for scripts."""
    return get_attribute(value, name, _MISSING2) is not _MISSING2


_MISSING2: Any = object()


def _refused(value: Any, name: str) -> AttributeError:
    what = f"type object '{value.__name__}'" if isinstance(value, type) else f"'{type(value).__name__}' object"
    return AttributeError(f"attribute '{name}' of {what} is not available in tensorsh")


def _absent(value: Any, name: str) -> AttributeError:
    if isinstance(value, type):
        return AttributeError(f"type object '{value.__name__}' has no attribute '{name}'")
    return AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'")


def _gated(value: Any, name: str) -> Any:
    kind = type(value)
    if name in GATED:
        return _listed(value, kind, name)
    if is_special(name):
        return _special(value, kind, name)
    if _owns(value, kind, name) or _is_allowed(kind, name):
        return getattr(value, name)
    if kind is super:
        found = getattr(value, name)  # raises what Python would
        if _owner(value.__self_class__, name, value.__thisclass__) is not None:
            return found
    if is_script_function(value):
        return getattr(value, name)
    if isinstance(value, tuple) and name in ("_asdict", "_replace", "_fields", "_make") and hasattr(kind, "_fields"):
        return getattr(value, name)
    if isinstance(value, type) and issubclass(value, tuple) and name in ("_fields", "_make", "_field_defaults"):
        return getattr(value, name)
    raise _refused(value, name)


def _owner(kind: type, name: str, after: type | None = None) -> type | None:
    """The class among the bases that has the name, if a script made that class or the engine allows the name."""
    bases = kind.__mro__
    if after is not None:
        bases = bases[bases.index(after) + 1 :]
    for base in bases:
        if name in base.__dict__:
            allowed = id(base) in _classes or name in _allowed.get(base, ())
            return base if allowed else None
    return None


def _owns(value: Any, kind: type, name: str) -> bool:
    """Does a private name belong to the script: of an instance or class that it defined, not of a library's base?"""
    if id(kind) in _pure:
        return True
    if id(kind) in _classes:
        where: type = kind
    elif isinstance(value, type) and id(value) in _classes:
        where = value
    elif _open and not _open.isdisjoint(kind.__mro__):
        return all(name not in base.__dict__ for base in kind.__mro__)
    else:
        return False
    for base in where.__mro__:
        if name in base.__dict__ or name in base.__dict__.get("__annotations__", ()):
            return id(base) in _classes or name in _allowed.get(base, ())
    return True  # the instance's own, or nobody's


def _is_numpy(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] == "numpy" for base in kind.__mro__)


def _is_method_of_numpy(value: Any, name: str) -> bool:
    """Whether an attribute is numpy's own method, kept by another object."""
    found = getattr(value, name, None)
    owner = getattr(found, "__objclass__", None) or type(getattr(found, "__self__", None))
    return isinstance(owner, type) and _is_numpy(owner)


def _listed(value: Any, kind: type, name: str) -> Any:
    """A name of GATED."""
    if id(kind) in _pure and name not in ("data", "format", "format_map", "obj", "with_traceback"):
        return getattr(value, name)
    if kind is super:
        owner = _owner(value.__self_class__, name, value.__thisclass__)
        if owner is None and name not in ("format", "format_map"):
            raise _refused(value, name)
        return _safe_format(getattr(value, name))
    if kind is Parameters or _is_allowed(kind, name):
        return getattr(value, name)
    if name == "data":
        return data(value)
    if name == "base" and _is_numpy(kind):
        # An array of its own on the same memory: the real base may be a tensor's, whose shape is the tensor's.
        found = value.base
        return found.view() if _is_numpy(type(found)) else found
    if name in ("format", "format_map"):
        return _safe_format(getattr(value, name))
    if name == "astype" and _is_numpy(kind):
        return _astype(value)
    refused = False
    if name[:3] in ("gi_", "cr_", "ag_", "tb_", "co_") or name[:2] == "f_":
        refused = _owner(kind, name) is None and name not in getattr(value, "__dict__", ())
    elif name == "with_traceback":
        refused = isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException))
    elif name == "mro":
        refused = id(kind) not in _classes
    elif name == "obj":
        refused = isinstance(value, (BaseException, memoryview))
    elif name in ("readinto", "readinto1", "pack_into", "buffer_info"):
        refused = True
    elif name == "register":
        # The metaclass's own: an instance does not lead to it.
        refused = isinstance(value, type) and hasattr(value, "_abc_impl") and id(value) not in _classes
    elif name == "parser":
        refused = any(base.__name__ == "PurePath" for base in (value if isinstance(value, type) else kind).__mro__)
    elif name == "cast":
        refused = kind is memoryview or value is memoryview
    elif name in ("tofile", "dump", "dumps", "ctypes", "cffi", "capsule", "setflags", "getfield", "setfield", "resize"):
        refused = _is_numpy(value if isinstance(value, type) else kind) or _is_method_of_numpy(value, name)
    if refused:
        raise _refused(value, name) if hasattr(value, name) else _absent(value, name)
    return getattr(value, name)


def _astype(array: Any) -> Callable[..., Any]:
    def astype(dtype: Any, *arguments: Any, **keywords: Any) -> Any:
        result = array.astype(dtype, *arguments, **keywords)
        if result.dtype.hasobject:
            raise TypeError("arrays of Python objects do not exist in tensorsh")
        return result

    return astype


def _special(value: Any, kind: type, name: str) -> Any:
    """A name with two underscores on both sides."""
    if name == "__class__":
        return shown_type(kind)
    if name == "__dict__":
        return variables(value)
    if name == "__code__":
        return Parameters(value)
    if name in ("__setattr__", "__delattr__", "__getattribute__", "__getattr__"):
        return _attribute_method(value, kind, name)
    if name in ("__init__", "__new__", "__init_subclass__", "__class_getitem__", "__set_name__"):
        if kind is super or isinstance(value, type) or id(kind) in _classes:
            found = getattr(value, name)
            return _object_new if found is _real_new else found
    elif name == "__annotations__":
        return dict(getattr(value, name))
    elif name in ("__defaults__", "__kwdefaults__"):
        if is_script_function(value):
            found = getattr(value, name)
            return dict(found) if isinstance(found, dict) else found
    elif name == "__members__":
        return dict(getattr(value, name))
    elif name == "__format__" or name in READABLE or _is_allowed(kind, name):
        return getattr(value, name)
    elif isinstance(value, type) and id(value) in _classes and name in DEFINABLE:
        return getattr(value, name)
    raise _refused(value, name)


def _attribute_method(value: Any, kind: type, name: str) -> Callable[..., Any]:
    """`super().__setattr__(name, value)` and its like, on the gate."""
    if kind is super:
        target = value.__self__
        if id(type(target)) not in _classes:
            raise _refused(value, name)
        method = getattr(value, name)

        def call(attribute: str, *rest: Any) -> Any:
            attribute = normalize(attribute)
            if is_special(attribute) or (attribute.startswith("_") and not _owns(target, type(target), attribute)):
                raise _refused(target, attribute)
            if attribute in GATED:
                return (
                    get_attribute(target, attribute) if not rest and name[:5] == "__get" else method(attribute, *rest)
                )
            return method(attribute, *rest)

        return call
    if name == "__getattr__" and id(kind) not in _classes:
        raise _refused(value, name)
    from .stores import delete_attribute, set_attribute

    plain: Any = {"__setattr__": set_attribute, "__delattr__": delete_attribute}.get(name, get_attribute)
    if value is object:
        return _object_setattr if name == "__setattr__" else plain
    if isinstance(value, type):
        return plain
    return lambda *arguments: plain(value, *arguments)


def _object_new(cls: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """`object.__new__(cls)`: of library classes it would make what their own constructors never made."""
    if not isinstance(cls, type) or id(cls) not in _classes:
        raise TypeError(f"object.__new__({getattr(cls, '__name__', cls)}) is not available in tensorsh")
    return _real_new(cls)


def _object_setattr(value: Any, name: str, new: Any) -> None:
    """`object.__setattr__(self, name, value)`, with which frozen classes fill themselves."""
    name = normalize(name)
    if id(type(value)) not in _classes or is_special(name):
        raise _refused(value, name)
    object.__setattr__(value, name, new)


class Parameters(metaclass=Sealed):
    """What `function.__code__` answers: names of parameters and variables, nothing that leads into the code."""

    __slots__ = ("co_argcount", "co_kwonlyargcount", "co_name", "co_posonlyargcount", "co_varnames")

    def __init__(self, function: Any) -> None:
        function = function.__func__ if isinstance(function, MethodType) else function
        if not isinstance(function, FunctionType):
            raise _absent(function, "__code__")
        for name in self.__slots__:
            setattr(self, name, getattr(function.__code__, name))


def variables(value: Any) -> Any:
    """`vars(x)` and `x.__dict__` for scripts."""
    if id(type(value)) in _classes:
        own = object.__getattribute__(value, "__dict__")
        hidden = reserved(type(value))
        return {name: own[name] for name in own.keys() - hidden} if hidden else InstanceVariables(own)
    if isinstance(value, type) and id(value) in _classes:
        return {name: entry for name, entry in value.__dict__.items() if not is_special(name) or name in READABLE}
    raise _refused(value, "__dict__")


def data(value: Any) -> Any:
    """`value.data` in a script. The memory of an array of Python objects can be copied past their reference counts."""
    found = value.data
    if type(found) is memoryview and "O" in found.format:
        raise _refused(value, "data")
    return found


# ---- str.format


def _safe_format(method: Any) -> Any:
    """str.format and str.format_map become their gated twins, however they were reached."""
    if isinstance(method, BuiltinMethodType) and isinstance(method.__self__, str):
        text = method.__self__
        return partial(format_string if method.__name__ == "format" else format_map, text)
    if isinstance(method, MethodDescriptorType) and method.__objclass__ is str:
        return format_string if method.__name__ == "format" else format_map
    return method


def format_string(template: str, /, *arguments: Any, **keywords: Any) -> str:
    """str.format for scripts."""
    if not isinstance(template, str):
        raise TypeError(f"descriptor 'format' for 'str' objects doesn't apply to a '{type(template).__name__}' object")
    template = str.__str__(template)  # a subclass could lie about what is in it
    if "." not in template:
        return _str_format(template, *arguments, **keywords)
    from .formatting import is_plain, vformat

    if is_plain(template):
        return _str_format(template, *arguments, **keywords)
    return vformat(template, arguments, keywords)


def format_map(template: str, mapping: Any, /) -> str:
    """str.format_map for scripts."""
    from .formatting import is_plain, vformat

    if not isinstance(template, str):
        raise TypeError(
            f"descriptor 'format_map' for 'str' objects doesn't apply to a '{type(template).__name__}' object"
        )
    template = str.__str__(template)
    if is_plain(template):
        return str.format_map(template, mapping)
    return vformat(template, (), mapping)
