"""The classes that scripts define, the names that the library opens to them, and whose an attribute is."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from itertools import takewhile
from types import (
    BuiltinFunctionType,
    FunctionType,
    GenericAlias,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from . import copying, integers, sealed
from .iterating import with_steps
from .names import DEFINABLE, is_gated, is_read_on_gate, is_special, normalize
from .sealed import MARK, believed, is_builtin, is_underived, joined, keeps, reserved
from .thrown import kept_out
from .unseen import NUMBERS, UNSEEN, is_alive

script_classes: dict[int, weakref.ref[type]] = {}  # classes that scripts defined, by id
pure_classes: set[int] = set()  # those with nothing but `object` and Python's own containers and exceptions above them
_made_classes = False
_allowed: dict[type, frozenset[str]] = {}  # gated names that scripts may read
_open: set[type] = set()
_writable: dict[type, frozenset[str]] = {}  # those that they may set, too
_owned: dict[
    int, tuple[int, set[str]]
] = {}  # private names that a class of a script's has for its own, while the library's stay
_build_class: Callable[..., Any] = __build_class__  # type: ignore[name-defined]  # noqa: F821
# special methods whose definition by a script somebody wants to know of
when_defined: dict[str, Callable[[], None]] = {}
# raises where Python could not tell another class from those that there are: builtins.py puts it here
before_another: Callable[[], None] = lambda: None
# a context in which no class of a program overrides functions of torch: torch puts it here with the first that does
unasked: Callable[[], Any] = nullcontext


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


def is_writable(kind: type, name: str) -> bool:
    return any(name in _writable.get(base, ()) for base in kind.__mro__)


def is_allowed(kind: type, name: str) -> bool:
    for base in kind.__mro__:
        names = _allowed.get(base, ())
        if name in names or ("_saved_*" in names and name.startswith("_saved_")):
            return True
    return False


def is_script_class(kind: type) -> bool:
    return id(kind) in script_classes


integers.of_program = is_script_class
copying.is_own = is_script_class


def has_made_classes() -> bool:
    """Whether any script of this process ever made a class."""
    return _made_classes


def register_class(kind: type) -> type:
    """Remember that a script made this class (a class statement, dataclass(slots=True), namedtuple ...)."""
    global _made_classes
    before_another()
    _made_classes = True
    number = id(kind)

    def forget(_: object, number: int = number) -> None:
        script_classes.pop(number, None)
        pure_classes.discard(number)
        _owned.pop(number, None)

    script_classes[number] = weakref.ref(kind, forget)
    if all(id(base) in script_classes or is_builtin(base) for base in kind.__mro__):
        pure_classes.add(number)
    _keep_places([kind], type(kind), {})
    return kind


def _keep_places(kinds: list[type], metaclass: Any, body: dict) -> None:
    """Python reads past the gate what a pattern (`case Point(x, y)`) names by its place alone, also of what only passes for an object of
    a class (`ABC.register`, protocols). Such names of a class, and of those that it is derived from, are no names of the gate but where
    they can only be a program's own. Functions of dataclasses read and set fields past the gate, too."""
    above = {base: id(base) in script_classes for kind in kinds for base in kind.__mro__}
    foreign = [base for base, is_own in above.items() if not is_own]
    is_plain = metaclass is type and all(map(is_builtin, foreign))

    def is_kept(name: Any) -> bool:
        return type(name) is str and (not is_read_on_gate(name) or is_plain and not is_in(foreign, name))

    for base, is_own in above.items():
        for name in base.__dict__.get("__dataclass_fields__", ()) if is_own else ():
            if is_gated(name) and is_in(foreign, name):
                raise TypeError(TAKEN.format(name))
        names = base.__dict__.get("__match_args__")
        if type(names) is not tuple or all(map(is_kept, names)):
            continue
        if is_own:
            type.__setattr__(base, "__match_args__", tuple(takewhile(is_kept, names)))
        else:
            dict.setdefault(body, "__match_args__", names)
    if type(body.get("__match_args__", ())) not in (tuple, list):  # Python would ask for what it gives, each time
        raise TypeError("__match_args__ must be a tuple")
    if "__match_args__" in body:
        dict.__setitem__(body, "__match_args__", tuple(takewhile(is_kept, body["__match_args__"])))


def is_in(kinds: Iterable[type], name: str) -> bool:
    """Whether one of some classes has a name of its own."""
    return any(name in kind.__dict__ for kind in kinds)


TAKEN = "a class derived from the library's cannot define '{}'"


def is_foreign_module(value: Any) -> bool:
    """A module of Python's: not one that a script brings along, and not a table that stands for one."""
    return isinstance(value, ModuleType) and type(value).__module__ != "tensorsh.sandbox.beside"


def is_script_function(value: Any) -> bool:
    """A function that a script defined: it was made with builtins that hold the gate."""
    return isinstance(value, FunctionType) and MARK in value.__builtins__  # type: ignore[attr-defined]


def build_class(function: Callable[..., Any], name: str, /, *bases: Any, **keywords: Any) -> Any:
    """The class statement's call: Python's own, without metaclasses but ABCMeta."""
    given = keywords.pop("metaclass", type)
    maker = next((each for kind, each in makers if kind is given), None)
    if maker is None:
        raise TypeError("metaclasses do not exist in tensorsh")
    return _checked(_build_class(function, name, *bases, **keywords, metaclass=maker))


def make_class(module: Any, name: Any, bases: Any, body: Any) -> Any:
    """`type(name, bases, body)` of a program in a module: what a class statement with this body makes.

    Raises:
        AttributeError: The body has a special name that no class of a program defines.
    """
    for place, given, kind in ((1, name, str), (2, bases, tuple), (3, body, dict)):
        if type(given) is not kind:
            raise TypeError(f"type.__new__() argument {place} must be {kind.__name__}, not {type(given).__name__}")
    if not all(isinstance(base, type) for base in bases):
        raise TypeError(
            "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases"
        )
    own = _maker.__prepare__(name, bases)
    own["__module__"] = module
    for key, value in [*body.items()]:
        key = normalize(key)
        if key == "__match_args__" or is_special(key) and key not in DEFINABLE:
            raise AttributeError(f"'{key}' cannot be defined in a class in tensorsh")
        own[key] = value
    return _checked(_maker(name, bases, own))


def _check_bases(bases: tuple) -> None:
    for base in bases:
        if not isinstance(base, type):
            continue
        if issubclass(base, type):
            raise TypeError("metaclasses do not exist in tensorsh")
        is_proxy = issubclass(base, _PROXIES) or hasattr(base, "__mro_entries__")
        # would answer for another object, past the gate
        if is_proxy or isinstance(base, tuple(stand_ins)) or is_underived(base):
            raise TypeError(f"type '{_title(base)}' is not an acceptable base type")


_title: Any = type.__dict__["__name__"].__get__
"""A class's name as Python has it."""


def _checked(made: Any) -> Any:
    """A program's new class, registered."""
    if isinstance(made, type):
        if "__array_struct__" in made.__dict__ and not is_alive(made):
            for special in UNSEEN:
                type.__delattr__(made, special)
        for special, told in when_defined.items():
            if special in made.__dict__:
                told()
        register_class(made)
        _check_reserved(made)
    return made


class Maker:
    """Stands in the place of a metaclass: what a class's text has defined is looked at, and put on the gate, before there is a class,
    which Python shows to `__init_subclass__` and `__set_name__` at once. The class has the metaclass of another one, too."""

    def __init__(self, *beside: type) -> None:
        self.beside = beside

    def __prepare__(self, name: str, bases: tuple, **keywords: Any) -> Any:
        _check_bases(bases)
        kind = _metaclass((*bases, *self.beside))
        return kind.__prepare__(name, bases, **keywords) if hasattr(kind, "__prepare__") else {}

    def __call__(self, name: str, bases: tuple, body: dict, **keywords: Any) -> Any:
        for base in bases:
            if not isinstance(base, type) and type(base) not in NUMBERS:  # whose class, called, says what is wrong
                raise TypeError(
                    "bases must be types"
                )  # Python would call the class of what is none, which may answer any class
        bases = tuple([part for base in bases for part in (_unseen(base), base) if part is not None])
        kinds = [base for base in bases if isinstance(base, type)]
        taken = set().union(*map(reserved, kinds)) - _OVERWRITTEN
        slots = _slots(name, body)
        if taken:
            for names in (
                body,
                slots,
                *[b.__dict__ for kind in kinds for b in kind.__mro__ if is_script_class(b)],
            ):
                _refuse_taken(taken, names)
        for special, value in [*body.items()]:
            guard = GUARDS.get(special)
            if guard is not None:
                dict.__setitem__(body, special, guard(value))
            elif isinstance(value, COMPILED) and is_special(special):
                dict.__setitem__(body, special, heard(special, value))
        if not any(hasattr(base, "__array__") or base in _protocols for base in kinds):
            for special, value in UNSEEN.items():
                dict.__setitem__(body, special, value)
        metaclass = _metaclass((*bases, *self.beside, *believed(kinds)))
        _keep_places(kinds, metaclass, body)
        return metaclass(name, bases, body, **keywords)


stand_ins: list[type] = []
"""The metaclasses of what stands for classes that programs do not get."""
_maker = Maker()
makers: list[tuple[Any, Maker]] = [(type, _maker)]
"""What stands for a metaclass in a program, and what makes its classes."""


_protocols: dict[type, type] = {}


def _unseen(base: Any) -> type | None:
    """What a program's protocol has in front of `typing.Protocol`, and keeps numpy from its objects; None for other classes. In the
    protocol itself the names would be members, which Python looks for only in classes that are not called so."""
    if (
        getattr(base, "__name__", "") != "Protocol"
        or getattr(base, "__module__", "") != "typing"
        or is_script_class(base)
    ):
        return None
    if base not in _protocols:
        _protocols[base] = type(base)("Protocol", (base,), {"__module__": "typing", **UNSEEN})
    return _protocols[base]


def _slots(name: str, body: dict) -> list[str]:
    """The names of a class's slots, which are asked for once."""
    given = body.get("__slots__", ())
    if "__slots__" not in body:
        return []
    found = (given,) if isinstance(given, str) else tuple(given)
    if any(type(slot) is not str or is_special(slot) and slot not in ("__dict__", "__weakref__") for slot in found):
        raise TypeError("__slots__ items must be strings, and no special names")
    body["__slots__"] = found  # which copies read by, past the gate
    own = f"_{name.lstrip('_')}"
    return [own + slot if slot[:2] == "__" and slot[-2:] != "__" else slot for slot in found]


def _metaclass(bases: tuple) -> Any:
    """What Python would call to make a class with these bases."""
    found = joined(bases) or (type(bases[0]) if bases else type)
    for base in bases:
        if not issubclass(found, type(base)):
            found = type(base) if issubclass(type(base), found) else type  # which says that they are in conflict
    return found


def _refuse_taken(taken: set[str], names: Any) -> None:
    found = taken.intersection(names)
    if found:
        raise TypeError(TAKEN.format(min(found)))


def _check_reserved(made: type) -> None:
    """A script's class must not answer for the engine's own attributes, nor may one that it inherits from; a dataclass's own
    functions set its fields past the gate."""
    names = reserved(made) - _OVERWRITTEN
    if names:
        for base in made.__mro__:
            if id(base) in script_classes:
                _refuse_taken(names, {*base.__dict__, *base.__dict__.get("__dataclass_fields__", ())})


def is_kept(value: Any, name: str) -> bool:
    """Whether an attribute of an object is what the library's classes above its class keep for themselves."""
    kind = type(value)
    return name[:1] == "_" and id(kind) not in pure_classes and (name in reserved(kind) or keeps(kind, name))


def shown_state(value: Any, owner: type = object) -> dict[str, Any]:
    """The attributes of an object of a class, all at once, but for those that the library keeps.

    Raises:
        TypeError: It is another's object, which a program gave in the place of `self`.
    """
    if not isinstance(value, owner):
        raise TypeError(f"a '{owner.__name__}' object is expected, not '{type(value).__name__}'")
    own = object.__getattribute__(value, "__dict__")
    return {name: each for name, each in own.items() if not is_kept(value, name)}


def checked_state(value: Any, state: Any) -> dict[str, Any]:
    """Attributes that a program gives an object all at once, as a dictionary that nobody else holds: neither special names, which
    libraries look for, nor what the library keeps.

    Raises:
        KeyError: Such a name is among them.
    """
    found = dict(state)
    for name in found:
        if type(name) is not str or name[:2] == "__" or is_kept(value, name):
            raise KeyError(f"{name!r} cannot be part of a state dict")
    return found


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


def guarded_getattr(function: Any) -> FunctionType:
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


def guarded_exit(function: Any) -> FunctionType:
    """A script's `__exit__` holds no error that ends it."""
    if not isinstance(function, FunctionType):
        raise TypeError("__exit__ must be a function in tensorsh")
    return kept_out(function)


def guarded_setstate(function: Any) -> FunctionType:
    """Copies give an object the attributes of another, of which a script's `__setstate__` is shown no more than it may read."""
    if not isinstance(function, FunctionType):
        raise TypeError("__setstate__ must be a function in tensorsh")

    def __setstate__(self: Any, state: Any) -> Any:
        parts = [part and open_state(self, part) for part in (state if type(state) is tuple else (state,))]
        return function(self, tuple(parts) if type(state) is tuple else parts[0])

    __setstate__.__doc__ = function.__doc__
    return __setstate__  # type: ignore[return-value]


def open_state(value: Any, state: Any) -> dict[str, Any]:
    """Those of some attributes of an object that its program may read."""
    kind = type(value)
    if type(state) is not dict:
        raise TypeError(f"the state of a '{kind.__name__}' object is a dict in tensorsh")
    names = [name for name in state if type(name) is str and not is_special(name)]
    return {name: state[name] for name in names if name[:1] != "_" or owns(value, kind, name) or is_allowed(kind, name)}


COMPILED = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, partial)


GUARDS = {
    "__getattr__": guarded_getattr,
    "__exit__": guarded_exit,
    "__deepcopy__": copying.presented,
    "__setstate__": guarded_setstate,
}
"""Special methods that are put on the gate."""


def heard(name: str, function: Any) -> Any:
    """A compiled function as a special method, which compiled code may call again and again: in steps, in which interrupts are heard."""
    if not isinstance(function, COMPILED) or name == "__new__":
        return function
    if not isinstance(function, MethodDescriptorType):
        return with_steps(function)

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        return function(self, *arguments, **options)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method


def refused(value: Any, name: str) -> AttributeError:
    what = f"type object '{value.__name__}'" if isinstance(value, type) else f"'{type(value).__name__}' object"
    return AttributeError(f"attribute '{name}' of {what} is not available in tensorsh")


def absent(value: Any, name: str) -> AttributeError:
    if isinstance(value, type):
        return AttributeError(f"type object '{value.__name__}' has no attribute '{name}'")
    return AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'")


def owner(kind: type, name: str, after: type | None = None) -> type | None:
    """The class among the bases that has the name, if a script made that class or the engine allows the name."""
    bases = kind.__mro__
    if after is not None:
        bases = bases[bases.index(after) + 1 :]
    for base in bases:
        if name in base.__dict__:
            allowed = id(base) in script_classes or name in _allowed.get(base, ())
            return base if allowed else None
    return None


def owns(value: Any, kind: type, name: str) -> bool:
    """Does a private name belong to the script: of an instance or class that it defined, not of a library's base?"""
    if id(kind) in pure_classes:
        return True
    number = id(kind)
    if number in script_classes:
        changes, known = _owned.get(number, (-1, NOTHING))
        if changes != sealed.changes:
            known = set()
            _owned[number] = (sealed.changes, known)
        if name in known:
            return True
        if found := _is_own(kind, name):
            known.add(name)
        return found
    if isinstance(value, type) and id(value) in script_classes:
        return _is_own(value, name) and not _is_metaclass_own(value, kind, name)
    if _open and not _open.isdisjoint(kind.__mro__):
        return all(name not in base.__dict__ for base in kind.__mro__)
    return False


NOTHING: set[str] = set()


def _is_metaclass_own(value: type, kind: type, name: str) -> bool:
    """Whether a class has a name from its metaclass alone, of which scripts write none (`Enum._convert_`, `ABCMeta._dump_registry`)."""
    return hasattr(kind, name) and all(name not in base.__dict__ for base in value.__mro__)


def _is_own(where: type, name: str) -> bool:
    """Whether a private name of a script's class, or of its instances, is no library base's."""
    for base in where.__mro__:
        own = id(base) in script_classes
        if name in base.__dict__ or not own and name in base.__dict__.get("__annotations__", ()):
            return own or name in _allowed.get(base, ())
    return not keeps(where, name)  # the instance's own, or nobody's
