"""The attribute gate at run time: what a gated name of an object gives, decided by the object's type.

x._prev, x.__dict__     instances and classes that the script itself defined: yes
t._version              what the engine registered with `allow(type, names)`: yes
f.__name__, x.__len__   harmless special names, listed in names.py: yes
f.__code__              a stand-in that knows the parameters only
everything else         AttributeError
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodDescriptorType, MethodType
from typing import Any

from .classes import absent, is_allowed, is_kept, is_script_function, owner, owns, pure_classes, refused, script_classes
from .copying import taking
from .formatting import formatted, is_plain
from .instance import InstanceVariables
from .integers import plain
from .methods import of_a_property
from .names import DEFINABLE, GATED, READABLE, TOLD, is_read_on_gate, is_special, normalize
from .sealed import Sealed, Super, for_its_class, foreign, reserved, unguarded
from .stores import delete_attribute, set_attribute, store
from .wrapping import wraps

_MISSING: Any = object()
_str_format = str.format
_real_new = object.__new__
SUPERS = (Super, super)  # as programs have it, and what Python code outside of one has given
# what `x.__class__` answers: kinds.py puts stand-ins here
shown_type: Callable[[type], Any] = lambda kind: kind


# how programs read any attribute where one of them has imported a package: packages.py puts it here
read_checked: Callable[[Any, str], Any] | None = None


# ---- reading


def private_attribute(value: Any, name: str) -> Any:
    """`value._name` in a script, of what is no object of its own; the name is checked already and not special."""
    return _gated(value, name)


def attribute(value: Any, name: str) -> Any:
    """`value.name` in a script for a gated name."""
    if name == "format" and type(value) is str:
        return partial(format_string, value)
    return _gated(value, name)


def view(value: Any) -> Any:
    """`value.view` in a script: the gate's own way for a name that tensors are asked for all the time."""
    found = value.view
    return found if type(found) is MethodType else _reread(value, "view")


def told(value: Any, name: str) -> Any:
    """`value.reshape` and its like in a script, where the call may give a list."""
    found = getattr(value, name)
    kind = type(found)
    if kind is not BuiltinMethodType and kind is not MethodDescriptorType or not _is_method_of_numpy(value, name):
        return found
    from .numpy_guards import plainly

    return plainly(found)


def get_attribute(value: Any, name: str, default: Any = _MISSING, /) -> Any:
    """getattr for scripts."""
    if type(name) is str and name in _plain and read_checked is None:
        return getattr(value, name) if default is _MISSING else getattr(value, name, default)
    name = normalize(name)
    try:
        if read_checked is not None:
            return read_checked(value, name)
        return plain_attribute(value, name)
    except AttributeError:
        if default is _MISSING:
            raise
        return default


def plain_attribute(value: Any, name: str) -> Any:
    """`value.name` for a name that came as a string."""
    if is_read_on_gate(name):
        return _gated(value, name)
    if len(_plain) < PLAIN_KEPT:
        _plain.add(name)
    return getattr(value, name)


_plain: set[str] = set()
"""Names that came as strings and are not read on the gate."""
PLAIN_KEPT = 10_000


def has_attribute(value: Any, name: str, /) -> bool:
    """hasattr for scripts."""
    if type(name) is str and name in _plain and read_checked is None:
        return hasattr(value, name)
    return get_attribute(value, name, _MISSING2) is not _MISSING2


_MISSING2: Any = object()


def _gated(value: Any, name: str) -> Any:
    kind = type(value)
    if name in GATED:
        return _listed(value, kind, name)
    if name in TOLD:
        return told(value, name)
    if is_special(name):
        return _special(value, kind, name)
    if owns(value, kind, name) or is_allowed(kind, name):
        found = _of_its_class(value, kind, name, getattr(value, name))
        return _object_new if found is _real_new else found  # what enumerations keep as `_new_member_`
    if kind in SUPERS:
        is_own = owner(value.__self_class__, name, value.__thisclass__) is not None  # before a program's code may run
        found = getattr(value, name)  # raises what Python would
        if is_own:
            return _of_its_class(value, kind, name, found)
    if is_script_function(value):
        return getattr(value, name)
    if isinstance(value, tuple) and name in ("_asdict", "_replace", "_fields", "_make") and hasattr(kind, "_fields"):
        return getattr(value, name)
    if isinstance(value, type) and issubclass(value, tuple) and name in ("_fields", "_make", "_field_defaults"):
        found = getattr(value, name)
        return dict(found) if name == "_field_defaults" else found
    raise refused(value, name)


def _is_numpy(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] == "numpy" for base in kind.__mro__)


def _is_method_of_numpy(value: Any, name: str) -> bool:
    """Whether an attribute is numpy's own method, kept by another object."""
    found = getattr(value, name, None)
    kind = getattr(found, "__objclass__", None) or type(getattr(found, "__self__", None))
    return isinstance(kind, type) and _is_numpy(kind)


OF_ARRAYS = frozenset("astype byteswap choose clip data numpy put repeat resize take view".split())
"""Names that are gated for numpy's arrays, of which programs derive no classes."""


def _listed(value: Any, kind: type, name: str) -> Any:
    """A name of GATED."""
    origin = getattr(value, "__origin__", None)
    if origin is not None and id(kind) not in script_classes:  # `Sequence[int]` passes what it is asked on to Sequence
        return _listed(origin, type(origin), name)
    if id(kind) in pure_classes and name not in ("data", "format", "format_map", "obj", "with_traceback"):
        return getattr(value, name)
    if kind in SUPERS:
        made = owner(value.__self_class__, name, value.__thisclass__)
        if made is None and name not in ("format", "format_map") and name not in OF_ARRAYS:
            raise refused(value, name)
        return _safe_format(getattr(value, name))
    if kind is Parameters or is_allowed(kind, name):
        return getattr(value, name)
    if name == "data":
        return data(value)
    if name == "base" and _is_numpy(kind):
        # An array of its own on the same memory: the real base may be a tensor's, whose shape is the tensor's.
        from .numpy_guards import answered

        found = answered(value.base)
        return found.view() if _is_numpy(type(found)) else found
    if name in ("format", "format_map"):
        return _safe_format(getattr(value, name))
    if name == "astype" and _is_numpy(kind):
        return _astype(value)
    if name in ("clip", "repeat", "take", "put", "choose") and _is_numpy(kind):
        return _guarded(value, name)
    if name == "numpy":
        return _numpy(value)
    if name in ("view", "byteswap"):
        return _reread(value, name)
    is_refused = False
    if name[:3] in ("gi_", "cr_", "ag_", "tb_", "co_") or name[:2] == "f_" or name[:5] == "func_":
        is_refused = owner(kind, name) is None and name not in getattr(value, "__dict__", ())
    elif name == "with_traceback":
        is_refused = isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException))
    elif name == "mro":
        is_refused = id(kind) not in script_classes
    elif name == "obj":
        is_refused = isinstance(value, (BaseException, memoryview))
    elif name in ("fget", "fset", "fdel"):
        found = getattr(value, name)
        is_own = found is None or is_script_function(found) or id(kind) in script_classes
        return found if is_own else of_a_property(value, found)
    elif name in ("readinto", "readinto1", "pack_into", "buffer_info"):
        is_refused = True
    elif name == "register":
        # The metaclass's own: an instance does not lead to it. A class of the library asks those that are derived from it.
        above = value.__mro__ if isinstance(value, type) else ()
        library = [base for base in above if "_abc_impl" in base.__dict__ and id(base) not in script_classes]
        is_refused = value is ABC or any(base is not ABC for base in library)
    elif name == "parser":
        is_refused = any(base.__name__ == "PurePath" for base in (value if isinstance(value, type) else kind).__mro__)
    elif name == "evaluate":
        is_refused = any(base.__name__ == "ForwardRef" for base in (value if isinstance(value, type) else kind).__mro__)
    elif name == "cast":
        is_refused = kind is memoryview or value is memoryview
    elif name in (
        "tofile",
        "dump",
        "dumps",
        "ctypes",
        "cffi",
        "capsule",
        "setflags",
        "getfield",
        "setfield",
        "resize",
        "iters",
    ):
        is_refused = _is_numpy(value if isinstance(value, type) else kind) or _is_method_of_numpy(value, name)
    if is_refused:
        raise refused(value, name) if hasattr(value, name) else absent(value, name)
    return getattr(value, name)


def _astype(array: Any) -> Callable[..., Any]:
    def astype(dtype: Any, *arguments: Any, **keywords: Any) -> Any:
        result = array.astype(plain(dtype), *arguments, **plain(keywords))
        if result.dtype.hasobject:
            raise TypeError("arrays of Python objects do not exist in tensorsh")
        from .numpy_views import without_gaps

        return without_gaps(result)

    return astype


def _numpy(value: Any) -> Any:
    found = value.numpy
    if getattr(getattr(value, "_array", None), "size", 0) > 1 << 28:
        from .numpy_guards import bounded

        return bounded(found)
    return found


def _reread(value: Any, name: str) -> Any:
    from .numpy_views import reread

    return reread(value, name)


def _guarded(array: Any, name: str) -> Any:
    from .numpy_guards import method

    return method(array, name)


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
        if kind in SUPERS or isinstance(value, type) or id(kind) in script_classes:
            is_made = kind in SUPERS and name == "__init__" and _is_made(value.__self_class__)
            found = getattr(value, name)
            if is_made or name in ("__set_name__", "__init_subclass__") and _alters(value, kind, name, found):
                raise refused(value, name)
            return _object_new if found is _real_new else _of_its_class(value, kind, name, found)
    elif name == "__setstate__":
        where, after = (value.__self_class__, value.__thisclass__) if kind in SUPERS else (kind, None)
        found = owner(value, name) if isinstance(value, type) else owner(where, name, after)
        if found is not None and (not isinstance(value, type) or id(found) in script_classes):
            return _of_its_class(value, kind, name, getattr(value, name))
    elif name == "__deepcopy__":
        return taking(_of_its_class(value, kind, name, getattr(value, name)))
    elif name == "__annotations__":
        return dict(getattr(value, name))
    elif name in ("__defaults__", "__kwdefaults__"):
        if is_script_function(value):
            found = getattr(value, name)
            return dict(found) if isinstance(found, dict) else found
    elif name == "__members__":
        return dict(getattr(value, name))
    elif name == "__format__" or name in READABLE or is_allowed(kind, name):
        return _of_its_class(value, kind, name, getattr(value, name))
    elif isinstance(value, type) and id(value) in script_classes and name in DEFINABLE:
        return _of_its_class(value, kind, name, getattr(value, name))
    raise refused(value, name)


def _alters(value: Any, kind: type, name: str, found: Any) -> bool:
    """Whether a function of the library, which Python calls as a class is made, may write to a class that is no program's: `enum`'s
    `__set_name__` sets any name of any class, `__init_subclass__` of a protocol changes the class that it is asked of."""
    if is_script_function(getattr(found, "__func__", found)):
        return False
    asked = value.__self_class__ if kind in SUPERS else value if isinstance(value, type) else kind
    owned = asked is object or any(id(base) in script_classes for base in asked.__mro__)  # also while the class is made
    return name == "__set_name__" or not owned


def _of_its_class(value: Any, kind: type, name: str, found: Any) -> Any:
    """A special or private method as a class gives it."""
    if type(found) is not FunctionType or is_script_function(found):
        return found
    where, after = (value.__self_class__, value.__thisclass__) if kind in SUPERS else (value, None)
    bases = where.__mro__ if isinstance(where, type) else ()
    for base in bases[bases.index(after) + 1 if after in bases else 0 :]:
        if name in base.__dict__:
            return _kept_to(base, name, found) if is_special(name) or id(base) not in script_classes else found
    return found


def _is_made(kind: type, owner: Any = None) -> bool:
    """Whether an object is the library's, whose `__init__` was called when it was made (torch.float32 is all sessions'), and of no class
    of a program, which may be in the making still."""
    owned = any(id(base) in script_classes for base in kind.__mro__)
    return not owned and (kind is owner or not hasattr(kind, "__members__"))


def _kept_to(owner: type, name: str, found: Any) -> Any:
    """A special method that no program wrote, for objects of its class alone, as Python's compiled ones are: what a dataclass
    generates, what makes and copies objects of the library, stores past the gate. Whose object one is, no program's class tells
    (`ABC.register`)."""
    is_static = name != "__new__" and type(owner.__dict__.get(name)) is staticmethod
    if type(found) is not FunctionType or is_script_function(found) or is_static:
        return found
    if name not in ("__init__", "__new__"):
        return for_its_class(found, owner)

    @wraps(found)
    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if owner not in (self if name == "__new__" and isinstance(self, type) else type(self)).__mro__:
            raise foreign(name, owner, type(self))
        if name == "__init__" and _is_made(type(self), owner):
            raise TypeError(f"'{type(self).__name__}' objects are made once in tensorsh")
        return found(self, *arguments, **keywords)

    return method


def _attribute_method(value: Any, kind: type, name: str) -> Callable[..., Any]:
    """`super().__setattr__(name, value)` and its like, on the gate."""
    if kind in SUPERS:
        target = value.__self__
        if id(type(target)) not in script_classes:
            raise refused(value, name)
        method = getattr(value, name)

        def call(attribute: str, *rest: Any) -> Any:
            attribute = normalize(attribute)
            if is_special(attribute) or (attribute.startswith("_") and not owns(target, type(target), attribute)):
                raise refused(target, attribute)
            if attribute in GATED:
                return (
                    get_attribute(target, attribute) if not rest and name[:5] == "__get" else method(attribute, *rest)
                )
            return method(attribute, *rest)

        return call
    if name == "__getattr__" and id(kind) not in script_classes:
        raise refused(value, name)
    plain: Any = {"__setattr__": set_attribute, "__delattr__": delete_attribute}.get(name, get_attribute)
    if value is object:
        return _object_setattr if name == "__setattr__" else plain
    if isinstance(value, type):
        return plain
    return lambda *arguments: plain(value, *arguments)


def _object_new(cls: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """`object.__new__(cls)`: of library classes it would make what their own constructors never made."""
    if not isinstance(cls, type) or id(cls) not in script_classes:
        raise TypeError(f"object.__new__({getattr(cls, '__name__', cls)}) is not available in tensorsh")
    return _real_new(cls)


def _object_setattr(value: Any, name: str, new: Any) -> None:
    """`object.__setattr__(self, name, value)`, with which frozen classes fill themselves."""
    name = normalize(name)
    if id(type(value)) not in script_classes or is_special(name) or is_kept(value, name):
        raise refused(value, name)
    object.__setattr__(value, name, new)


class Parameters(metaclass=Sealed):
    """The answer of `function.__code__`: names of parameters and variables, nothing that leads into the code."""

    __slots__ = ("co_argcount", "co_kwonlyargcount", "co_name", "co_posonlyargcount", "co_varnames")

    def __init__(self, function: Any) -> None:
        function = unguarded(function.__func__ if isinstance(function, MethodType) else function)
        if not isinstance(function, FunctionType):
            raise absent(function, "__code__")
        for name in self.__slots__:
            setattr(self, name, getattr(function.__code__, name))
        self.co_varnames = tuple(name for name in function.__code__.co_varnames if name[0] != "<")


def variables(value: Any) -> Any:
    """`vars(x)` and `x.__dict__` for scripts."""
    if id(type(value)) in script_classes:
        own = object.__getattribute__(value, "__dict__")
        hidden = reserved(type(value))
        return {name: own[name] for name in own.keys() - hidden} if hidden else InstanceVariables(own)
    if isinstance(value, type) and id(value) in script_classes:
        shown = {name: entry for name, entry in value.__dict__.items() if not is_special(name) or name in READABLE}
        shown |= {name: _object_new for name, entry in shown.items() if entry is _real_new}
        return {name: _kept_to(value, name, entry) if is_special(name) else entry for name, entry in shown.items()}
    raise refused(value, "__dict__")


def data(value: Any) -> Any:
    """`value.data` in a script. The memory of an array of Python objects can be copied past their reference counts."""
    found = value.data
    if type(found) is memoryview and "O" in found.format:
        raise refused(value, "data")
    return found


class Place(metaclass=Sealed):
    """Target of a gated assignment: `x._n = v` is `Place(x)._n = v`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        _value.__set__(self, value)

    def __getattribute__(self, name: str) -> Any:
        return _gated(_value.__get__(self), name)

    def __setattr__(self, name: str, new: Any) -> None:
        store(new, _value.__get__(self), name)

    def __delattr__(self, name: str) -> None:
        delete_attribute(_value.__get__(self), name)


_value: Any = Place.__dict__["value"]


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
    if "." not in template or is_plain(template):
        return _str_format(template, *arguments, **keywords)
    return formatted(template, arguments, keywords, get_attribute)


def format_map(template: str, mapping: Any, /) -> str:
    """str.format_map for scripts."""
    if not isinstance(template, str):
        raise TypeError(
            f"descriptor 'format_map' for 'str' objects doesn't apply to a '{type(template).__name__}' object"
        )
    template = str.__str__(template)
    if is_plain(template):
        return str.format_map(template, mapping)
    return formatted(template, (), mapping, get_attribute)
