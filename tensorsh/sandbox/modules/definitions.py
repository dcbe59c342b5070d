"""Library functions that make classes and functions for a script: functools, dataclasses, enum, collections.

They are written in Python and trust what they are given: `update_wrapper` copies any attribute, a dataclass is made
with `exec` from the names of its fields, `Enum("E", {...})` and `make_dataclass` put any name into a class (numpy
would read memory where an `__array_interface__` says). Each is given here only names and classes that were checked.
"""

from __future__ import annotations

import functools
import sys
from types import BuiltinMethodType, FunctionType
from typing import Any

from ..builtins import held
from ..classes import TAKEN, is_in, is_kept, is_reserved, is_script_class, refused, register_class
from ..copying import same
from ..gate import get_attribute
from ..kinds import Final, check_own, make, real_types
from ..names import check_keywords, composed, is_gated, is_read_on_gate
from ..sealed import OpenSealed
from ..stores import own
from ..wrapping import annotations_of, check_functions
from ..wrapping import wraps as dressed


def is_own(cls: Any) -> bool:
    """Whether a class was written by a script; a library's may not be changed."""
    return isinstance(cls, type) and is_script_class(cls)


def check_name(name: Any) -> str:
    """A name that a script may give to an attribute."""
    # Python normalises identifiers when it reads generated code: a name must already be what it becomes.
    if type(name) is not str or not name.isidentifier() or name[:2] == "__" or composed("NFKC", name) != name:
        raise ValueError(f"{name!r} cannot be the name of an attribute")
    return name


def plain_function(function: Any) -> Any:
    """A function whose attributes may be copied: a class passed for one would lend its methods."""
    if type(function) is FunctionType:
        return function
    if not callable(function):
        raise TypeError("the first argument must be callable")
    return lambda *args, **kwargs: function(*args, **kwargs)


# functools

MOST_NESTED = 1000


def partial() -> type:
    """`functools.partial` for programs: Python calls one that holds another without looking how deep its stack is."""
    real = functools.partial

    def __new__(cls: Any, /, *args: Any, **keywords: Any) -> Any:
        depth, inner = 0, args[0] if args else None
        while isinstance(inner, real):  # it has attributes: Python takes others apart
            depth, inner = depth + 1, inner.func
            if depth > MOST_NESTED:
                raise RecursionError("partial objects with attributes of their own are nested too deep")
        return real.__new__(cls, *args, **keywords)

    def __repr__(self: Any) -> str:
        return "functools." * (type(self) is made) + real.__repr__(self)

    body = {"__new__": __new__, "__repr__": __repr__, "__module__": "functools", "__doc__": real.__doc__}
    made: type = OpenSealed("partial", (real,), body)
    return made


def update_wrapper(wrapper: Any, wrapped: Any) -> Any:
    """Gives a function the name and the docstring of the function that it wraps."""
    if type(wrapper) is not FunctionType or wrapper.__module__ != "__main__":
        return wrapper  # a library's function keeps its name
    own_module = wrapper.__module__
    dressed(wrapped)(wrapper)
    wrapper.__module__ = own_module
    return wrapper


def wraps(wrapped: Any) -> Any:
    """The decorator form of update_wrapper."""
    return lambda wrapper: update_wrapper(wrapper, wrapped)


def _cached(function: Any, maxsize: Any, typed: bool) -> Any:
    if held is None:
        return functools.lru_cache(maxsize, typed)(function)
    told = functools._CacheInfo  # type: ignore[attr-defined]
    made = dressed(function)(held.cached(function, maxsize, typed, told))
    made.__doc__ = getattr(function, "__doc__", None)
    made.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return made


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    if callable(maxsize):
        return _cached(plain_function(maxsize), 128, typed)
    functools.lru_cache(maxsize, typed)  # for its errors
    size = None if maxsize is None else max(0, int(maxsize))
    return lambda function: _cached(plain_function(function), size, typed)


def cache(user_function: Any) -> Any:
    return _cached(plain_function(user_function), None, False)


def total_ordering(cls: Any) -> Any:
    if not is_own(cls):
        raise TypeError("total_ordering is for classes that the script defines")
    return functools.total_ordering(cls)


class SingleDispatch(metaclass=Final):
    """A function that is chosen by the class of the first argument. functools' own evaluates annotations that are text."""

    __slots__ = ("__name__", "_first", "_functions")
    __deepcopy__ = same

    __name__: str
    _functions: dict
    _first: tuple

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"{self.__name__} requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*self._first, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

    def dispatch(self, cls: Any) -> Any:
        """The function for a class: its own, or that of the nearest class it comes from."""
        return next(self._functions[k] for kind in real_types(cls) for k in type.mro(kind) if k in self._functions)

    def register(self, cls: Any, func: Any = None) -> Any:
        """Use a function for a class: ``@f.register(int)``, or ``@f.register`` with an annotation."""
        if not isinstance(cls, type):
            found = [v for k, v in getattr(cls, "__annotations__", {}).items() if k != "return"]
            if not found:
                raise TypeError(
                    f"Invalid first argument to `register()`: {cls!r}. Use either `@register(some_class)` or plain "
                    "`@register` on an annotated function."
                )
            if not isinstance(found[0], type):
                raise TypeError(f"Invalid annotation: {found[0]!r} is not a class.")
            return self.register(found[0], cls)
        if func is None:
            return lambda function: self.register(cls, function)
        for kind in real_types(cls):
            self._functions[kind] = func
        return func


def singledispatch(func: Any) -> Any:
    """Makes a function that has others beside it, for classes of the first argument."""
    return make(SingleDispatch, __name__=getattr(func, "__name__", "function"), _first=(), _functions={object: func})


class singledispatchmethod(metaclass=Final):  # noqa: N801
    """A method that is chosen by the class of the argument after the object itself."""

    __slots__ = ("_functions",)

    def __init__(self, func: Any) -> None:
        self._functions = singledispatch(func)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        name, known = self._functions.__name__, self._functions._functions
        return make(SingleDispatch, __name__=name, _first=() if instance is None else (instance,), _functions=known)

    def register(self, cls: Any, method: Any = None) -> Any:
        """Use a method for a class: ``@f.register(int)``, or ``@f.register`` with an annotation."""
        return self._functions.register(cls, method)


class cached_property(metaclass=Final):  # noqa: N801
    """A property that is worked out once. functools' own keeps its key where a script could change it."""

    __slots__ = ("_function", "_name")

    def __init__(self, func: Any) -> None:
        self._function = func
        self._name: str | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        if self._name is None:
            self._name = check_name(name)
        elif name != self._name:
            raise TypeError(
                f"Cannot assign the same cached_property to two different names ({self._name!r} and {name!r})."
            )

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self._name is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        own = object.__getattribute__(instance, "__dict__")
        if is_kept(instance, self._name):
            raise refused(instance, self._name)
        if self._name not in own:
            own[self._name] = self._function(instance)
        return own[self._name]


# dataclasses


class _FieldOptions(metaclass=Final):
    """The result of `field(...)`: the real Field, whose name goes into generated code, is made when the class is."""

    __slots__ = ("_options",)

    def __repr__(self) -> str:
        return f"Field({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


def field(**options: Any) -> Any:
    import dataclasses

    dataclasses.field(**check_keywords(options))  # for its errors
    return make(_FieldOptions, _options=options)


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Adds `__init__`, `__repr__` and `__eq__` made from the annotated fields of a class."""
    check_keywords(options)
    return _make_dataclass(cls, options) if cls is not None else lambda cls: _make_dataclass(cls, options)


def _make_dataclass(cls: Any, options: dict[str, Any]) -> Any:
    import dataclasses

    if not is_own(cls):
        raise TypeError("dataclass is for classes that the script defines")
    annotations = annotations_of(cls)
    for name in annotations:
        _check_field(cls, name)
    for name, value in list(cls.__dict__.items()):
        if type(value) is _FieldOptions:
            setattr(cls, name, dataclasses.field(**value._options))
    check_functions(cls)
    if type(cls) is not type and any(map(is_read_on_gate, (*getattr(cls, "__dataclass_fields__", ()), *annotations))):
        options["match_args"] = False  # read past the gate, of what only passes for an object of an abstract class
    marked = {name: text for name, text in annotations.items() if type(text) is str and _mark(text)}
    # A dataclass reads texts by the names of its module; a script is no module.
    annotations.update({name: _mark(text) for name, text in marked.items()})
    result = register_class(dataclasses.dataclass(cls, **options))  # with slots=True it is another class
    annotations.update(marked)
    return result


def _check_field(cls: type, name: Any) -> None:
    """A field's name: the functions that a dataclass generates read and set it past the gate."""
    above = [base for base in cls.__mro__ if not is_script_class(base)]
    if is_reserved(cls, check_name(name)) or is_gated(name) and is_in(above, name):
        raise TypeError(TAKEN.format(name))


def _mark(text: str) -> Any:
    """The kind of field that an annotation kept as text tells (`from __future__ import annotations`), if it tells any."""
    import dataclasses
    import typing

    name = text.partition("[")[0].rpartition(".")[2].strip()
    kinds = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
    return kinds.get(name)


def make_dataclass(cls_name: str, fields: Any, *, bases: tuple[type, ...] = (), **options: Any) -> Any:
    import dataclasses

    check_name(cls_name)
    bases = tuple(bases)  # a program's class of tuples may give others than it has
    if any(not is_own(base) for base in bases):
        raise TypeError("make_dataclass: a base must be a class that the script defines")
    if check_keywords(options).keys() & {"namespace", "module", "decorator"}:
        raise TypeError("make_dataclass: write a class statement to give methods")
    for base in bases:
        check_functions(base)
    checked = []
    for entry in fields:
        parts = (entry, "typing.Any") if isinstance(entry, str) else tuple(entry)
        for base in (object, *bases):
            _check_field(base, parts[0])
        if len(parts) == 3 and type(parts[2]) is _FieldOptions:
            parts = (*parts[:2], dataclasses.field(**parts[2]._options))
        checked.append(parts)
    # `make_dataclass` names the caller's module; a script's classes belong to "__main__".
    result = dataclasses.make_dataclass(cls_name, checked, bases=bases, **options)
    result.__module__ = "__main__"
    return register_class(result)


class Field(metaclass=Final):
    """A field of a dataclass as `fields()` tells of it; read-only."""

    __slots__ = ("_field",)
    __deepcopy__ = same

    def __repr__(self) -> str:
        return repr(self._field)


def _field_property(name: str) -> property:
    return property(lambda self: getattr(self._field, name))


for _name in "name type default default_factory init repr hash compare metadata kw_only".split():
    type.__setattr__(Field, _name, _field_property(_name))


def fields(class_or_instance: Any) -> tuple[Field, ...]:
    import dataclasses

    return tuple(make(Field, _field=real) for real in dataclasses.fields(class_or_instance))


# enum


def _of_its_class(new: Any, metaclass: type, library: dict[str, Any]) -> Any:
    @dressed(new)
    def __new__(cls: Any, *args: Any, **options: Any) -> Any:
        if type(cls) is metaclass and cls not in library.values() and not is_script_class(cls):
            register_class(cls)  # in the making: its `__new__` gives members their values (`made._value_ = 1`)
        made = new(cls, *args, **options)
        if type(made) is not cls:
            raise TypeError(
                f"{cls.__name__}.__new__() should have made a {cls.__name__!r} object, not a {type(made).__name__!r} object"
            )
        return made

    return __new__


ASKED = ("_missing_", "_generate_next_value_")
"""What a program may give an enumeration later. What else it keeps it trusts."""


@functools.cache
def enum_classes() -> dict[str, Any]:
    """Enum and its kin, with a functional form that checks the names it is given."""
    import enum

    classes: dict[str, Any] = {}

    class EnumType(enum.EnumMeta):
        def __setattr__(cls, name: str, value: Any) -> None:
            if cls in classes.values():  # those that scripts define are filled attribute by attribute
                check_own(cls, name)
            is_sunder = len(name) > 2 and name[0] == name[-1] == "_" != name[1]
            if is_sunder and name not in ASKED and sys._getframe(1).f_globals is not vars(enum):
                raise ValueError(f"_sunder_ names, such as {name!r}, are reserved for future Enum use")
            super().__setattr__(name, value)

        def __delattr__(cls, name: str) -> None:
            if cls in classes.values():
                check_own(cls, name)
            super().__delattr__(name)

        @classmethod
        def _find_new_(mcls, *told: Any) -> Any:
            """How members are made: whatever it gives gets a name, a value and a call of its `__init__`."""
            found, *rest = super()._find_new_(*told)  # type: ignore[misc]
            is_compiled = type(found) is BuiltinMethodType and found.__name__ == "__new__"
            return (found if is_compiled else _of_its_class(found, mcls, classes), *rest)

        def __call__(cls, value: Any, *args: Any, **options: Any) -> Any:  # type: ignore[override]
            if not args and not options:
                return super().__call__(value)
            names = check_keywords(options).pop("names", args[0] if len(args) == 1 else None)
            if names is None or options.keys() - {"start"}:
                raise TypeError("Enum: a name and the members' names are expected")
            if isinstance(names, str):
                names = names.replace(",", " ").split()
            pairs = list(names.items()) if isinstance(names, dict) else list(names)
            for index, pair in enumerate(pairs):
                if isinstance(pair, str):
                    check_name(pair)
                else:
                    name, member = pair
                    pairs[index] = (check_name(name), member)
            made = super().__call__(check_name(value), pairs, module="__main__", **options)
            if not isinstance(made, EnumType) or made in classes.values():
                raise TypeError(
                    f"{cls.__name__}() should have made an enumeration"
                )  # a program's own `_create_` did not
            return register_class(made)

    for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"):
        base = getattr(enum, name)
        body = EnumType.__prepare__(name, (base,))
        body["__module__"] = "enum"
        body["__qualname__"] = name
        body["__doc__"] = base.__doc__
        classes[name] = EnumType(name, (base,), body)
    return classes


# abc, typing, collections


def abstractmethod(funcobj: Any) -> Any:
    """Marks a method that subclasses must define."""
    import abc

    return abc.abstractmethod(own(funcobj))


def final(f: Any) -> Any:
    """Marks what should not be overridden or derived from."""
    import typing

    return f if isinstance(f, type) and not is_own(f) else typing.final(own(f))


def runtime_checkable(cls: Any) -> Any:
    """Makes a protocol one that `isinstance` takes. Those of the library, which all programs share, stay what they are."""
    import typing

    return typing.runtime_checkable(cls) if is_own(cls) else cls


def namedtuple(typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None) -> Any:
    """A tuple class with named fields."""
    import collections

    names = field_names.replace(",", " ").split() if isinstance(field_names, str) else list(map(str, field_names))
    for name in (typename, *names):
        composed("NFKC", str(name))  # which Python does without a bound
    made = collections.namedtuple(typename, names, rename=rename, defaults=defaults, module="__main__")
    return register_class(made)


# operator


def attrgetter(attr: str, *attrs: str) -> Any:
    """A function that reads attributes, each through the gate."""

    if any(type(text) is not str for text in (attr, *attrs)):
        raise TypeError("attribute name must be a string")
    wanted = [text.split(".") for text in (attr, *attrs)]

    def read(obj: Any, path: list[str]) -> Any:
        for name in path:
            obj = get_attribute(obj, name)
        return obj

    if not attrs:
        return lambda obj: read(obj, wanted[0])
    return lambda obj: tuple(read(obj, path) for path in wanted)


def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """A function that calls a method, found through the gate."""
    if type(name) is not str:
        raise TypeError("method name must be a string")
    return lambda obj: get_attribute(obj, name)(*args, **kwargs)
