"""The types a script may hold, and the stand-ins for those it may not.

A few real types are ways out: `type` makes classes with any attribute (numpy reads memory where an
`__array_interface__` says) and with any metaclass, `numpy.ndarray` lays objects over foreign memory, `types.FunctionType` runs code.
`type(x)` therefore answers a stand-in for them: the same name, the same answers to `isinstance` and `is`, and no
constructor.
"""

from __future__ import annotations

import abc
import sys
import types
from functools import partial
from typing import Any, NoReturn

from . import classes, gate
from .copying import uncopied
from .integers import plain
from .iterating import Range, bounded
from .methods import keep_methods
from .namespace import Namespace
from .sealed import Owned, for_its_class, program_frame

_real_type = type


class Seal(_real_type):
    """The metaclass of stand-ins: `isinstance` asks the real type."""

    _real: type | tuple[type, ...]
    _text: str
    _why: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(cls._why)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._real)

    def __subclasscheck__(cls, other: type) -> bool:
        if isinstance(other, Seal):
            return other is cls or (isinstance(other._real, _real_type) and issubclass(other._real, cls._real))
        return issubclass(other, cls._real)

    def __repr__(cls) -> str:
        return cls._text

    def __setattr__(cls, name: str, value: object) -> NoReturn:
        raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")

    def __delattr__(cls, name: str) -> NoReturn:
        raise TypeError(f"cannot delete {name!r} attribute of immutable type {cls.__name__!r}")

    def __getattr__(cls, name: str) -> NoReturn:
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


classes.stand_ins.append(Seal)


class _Annotating(Seal):
    """The metaclass of stand-ins that annotations name: `type[int]`, `np.dtype | None`."""

    def __getitem__(cls, item: Any) -> Any:
        return types.GenericAlias(cls, item)

    def __or__(cls, other: Any) -> Any:
        return _union(cls, other)

    def __ror__(cls, other: Any) -> Any:
        return _union(other, cls)


class Told(_Annotating):
    """A class of numpy's that is told a dtype, which comes as plain numbers and lists of its own."""

    _looked: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._looked(cls._real(*map(plain, args), **plain(kwargs)))  # type: ignore[operator]


class _TypeSeal(_Annotating):
    """`type(x)`, and `type(name, bases, dict)` with what a class statement may have."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            return public_type(_real_type(args[0]))
        if len(args) == 3 and not kwargs:
            frame = program_frame(sys._getframe(1))
            return classes.make_class("__main__" if frame is None else frame.f_globals["__name__"], *args)
        raise TypeError("type() takes 1 or 3 arguments")


class _MethodSeal(Seal):
    """`MethodType(f, x)` binds a function of a program."""

    def __call__(cls, function: Any, instance: Any, /) -> Any:
        if not classes.is_script_function(function):
            raise TypeError("MethodType() binds functions of the program in tensorsh")
        return types.MethodType(function, instance)


def _union(left: Any, right: Any) -> Any:
    from typing import Union

    return Union[left, right]  # noqa: UP007


class Calling(Seal):
    """The metaclass of a stand-in that makes objects of a class, or by a function."""

    _made: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._made(*args, **kwargs)


def stand_in(real: type, why: str, metaclass: type = Seal, **body: Any) -> Any:
    """A sealed class that answers for `real`."""
    table = {
        "_real": real,
        "_text": repr(real),
        "_why": why,
        "__module__": real.__module__,
        "__qualname__": real.__qualname__,
        "__doc__": real.__doc__,
        "__init_subclass__": classmethod(_no_subclass),
        "__slots__": (),
        **body,
    }
    result = metaclass(real.__name__, (), table)
    STAND_INS[real] = result
    _themselves.clear()
    return result


def _no_subclass(cls: Any, **kwargs: Any) -> NoReturn:
    name = cls.__mro__[1].__name__
    raise TypeError(f"type '{name}' is not an acceptable base type")


STAND_INS: dict[type, Any] = {}


def real_types(kind: type) -> tuple[type, ...]:
    """The classes that a class which a script names stands for."""
    real = kind._real if isinstance(kind, Seal) else kind
    return real if isinstance(real, tuple) else (real,)


NO_ARRAY = "cannot create 'numpy.ndarray' instances: use np.zeros, np.array, ..."


def _subscript(cls: Any, item: Any) -> Any:
    return types.GenericAlias(cls, item)


def public_type(real: type) -> Any:
    """The class a script is shown as the type of a value."""
    if real in _themselves:
        return real
    found = STAND_INS.get(real)
    if found is not None:
        return found
    for base in real.__mro__:
        if base in _FAMILIES:
            return STAND_INS[base]
        if classes.is_script_class(base):
            continue
        if base.__name__ == "ndarray" and base.__module__ == "numpy":
            return add_family(base, NO_ARRAY, __class_getitem__=classmethod(_subscript))  # met for the first time
    if classes.is_script_class(real) or issubclass(real, BaseException):
        return real
    home = real.__module__.partition(".")[0]
    is_hidden = real.__name__[:1] == "_" and home in sys.stdlib_module_names and not hasattr(real, "__members__")
    if is_hidden or type(real) is _real_type and home == "tensorsh":
        return stand_in(
            real, cannot(real.__name__)
        )  # made for no program: its objects are refused, its class makes none
    if home in sys.stdlib_module_names:
        keep_methods(real)
    if home in sys.stdlib_module_names or home == "torch":
        _themselves.add(real)
    return real


_themselves: set[type] = set()
"""Classes of the library that are shown as they are."""


class Immutable(_real_type):
    """The metaclass of library classes that a script holds: it cannot change them, only subclasses of its own."""

    def __setattr__(cls, name: str, value: object) -> None:
        check_own(cls, name)
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        check_own(cls, name)
        super().__delattr__(name)


class Final(Immutable):
    """The metaclass of those that also have no subclasses.

    They have no `__init__` either: a script may call it on an object of its own, and would find there what it stores. Objects
    that keep something for themselves are not copied, unless they say how.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        for base in bases:
            if isinstance(base, Final):
                raise TypeError(f"type {base.__name__!r} is not an acceptable base type")
        if not any(hasattr(base, "__deepcopy__") for base in bases):
            body.setdefault("__deepcopy__", uncopied)
        made = super().__new__(cls, name, bases, body)
        for each, value in body.items():
            if type(value) is types.FunctionType and each[:1] != "_":
                _real_type.__setattr__(made, each, for_its_class(value, made))
        return made


def make(cls: Any, **slots: Any) -> Any:
    """An instance of a class without a constructor."""
    result = object.__new__(cls)
    for name, value in slots.items():
        object.__setattr__(result, name, value)
    return result


def check_own(cls: type, name: str) -> None:
    """Refuses to change a class that no script defined."""
    if not classes.is_script_class(cls):
        raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")


def cannot(name: str) -> str:
    return f"cannot create '{name}' instances"


script_type = stand_in(_real_type, "", _TypeSeal)
abstract = stand_in(abc.ABCMeta, cannot("ABCMeta"))
classes.makers.append((abstract, classes.Maker(abc.ABC)))
_FAMILIES: set[type] = {_real_type}  # a stand-in for these stands for their subclasses too
for _kind in (
    types.FunctionType, types.CodeType, types.FrameType, types.TracebackType, types.CellType,
    types.MappingProxyType, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, types.ModuleType,
    types.BuiltinFunctionType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType, memoryview, partial,
):  # fmt: skip
    stand_in(_kind, cannot(str(_kind.__name__)))
stand_in(types.MethodType, "", _MethodSeal)
STAND_INS[Owned] = property


def stands_for(kind: type, real: type) -> None:
    """Show a class of this package, and those derived from it, as one of Python's."""
    sealed = STAND_INS[kind] = STAND_INS[real]
    _themselves.clear()
    _real_type.__setattr__(sealed, "_real", (*real_types(sealed), kind))
    _FAMILIES.add(kind)


def functions_of_torch() -> tuple[type, ...]:
    """The classes, and the base of those derived from them, that are shown as Python's compiled functions; they bind as functions do."""
    return real_types(STAND_INS[types.BuiltinFunctionType])[1:]


class _RangeSeal(Seal):
    """`range(n)` makes a range that can be left where it is long."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return bounded(range(*args, **kwargs))


shown = stand_in(range, "", _RangeSeal, __doc__=range.__doc__)


def shown_range(value: Any) -> Any:
    """What a program has under the name `range`."""
    return shown if value is range else value


stands_for(Namespace, types.ModuleType)
stands_for(Range, range)


def add_family(real: type, why: str, **body: Any) -> Any:
    """A stand-in that also answers for the subclasses of `real`."""
    result = stand_in(real, why, **body)
    _FAMILIES.add(real)
    return result


gate.shown_type = public_type
