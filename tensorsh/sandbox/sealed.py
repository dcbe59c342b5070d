"""Classes that programs hold and cannot change.

    class Tensor(metaclass=Sealed): ...          `torch.Tensor.add = f` in a program: TypeError
    class Module(metaclass=OpenSealed): ...      the same, and a program may also derive from it and from `abc.ABC`

A class is sealed if this package's own code made it; what a program derives from it is the program's. The package's
code may still put methods on its classes (families of operators do, when they are loaded), and so may plain Python
that uses the package as a library: only a store that a running program leads to is refused.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from contextvars import ContextVar
from datetime import datetime, time
from types import FunctionType
from weakref import WeakKeyDictionary, WeakSet

from . import process

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

MARK = "<private>"
"""Stands among the builtins of programs and of nobody else."""
SOURCE = "<source>"
"""Stands there for the function that gives the text a code object was compiled from."""

GATES = ("tensorsh.sandbox.classes", "tensorsh.sandbox.gate", "tensorsh.sandbox.steps", "tensorsh.sandbox.stores")
_sealed: WeakSet[type] = WeakSet()
_engine: WeakSet[type] = WeakSet()
_keeping: WeakSet[type] = WeakSet()
_kept: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()
OPEN = ("tensorsh.torch.", "tensorsh.datasets.", "tensorsh.transforms.", "tensorsh.sandbox.")
KEEPING = (
    "tensorsh.torch.multiprocessing", "tensorsh.torch.distributed", "tensorsh.torch.utils.data.fetching",
    "tensorsh.torch.utils.data.workers",
)  # fmt: skip
"""Where classes stand whose objects keep what no program gets: sockets, processes, terminals, the memory of several processes.
Elsewhere, but for the homes above, all do."""
changes = 0
"""How often such a class was made or given an attribute."""


def is_sealed(cls: type) -> bool:
    return cls in _sealed


def classes() -> list[type]:
    """The package's own classes."""
    return list(_sealed)


def reserved(cls: type) -> set[str]:
    """The names that are the engine's own in a class derived from its classes: it reads and writes them there, too."""
    engine = {base for known in cls.__mro__ if known in _engine for base in known.__mro__}
    keeping = {known for known in cls.__mro__ if known in _keeping or known in _engine}
    if not engine and not keeping:
        return set()
    found = {name for base in engine for name in base.__dict__ if name[0] == "_" and name[:2] != "__"}
    found = found.union(*map(kept, keeping))
    return (found | {"__setattr__", "__delattr__"}) - {"_abc_impl"}


def keep_private(*kinds: type) -> None:
    """Keep the private names of classes of Python's own from what programs derive from them."""
    _keeping.update(kinds)


def kept(cls: type) -> frozenset[str]:
    """The private names of a class that keeps something: those that it has, and those that its functions mention."""
    found = _kept.get(cls)
    if found is None:
        parts: list[Any] = []
        for value in cls.__dict__.values():
            value = getattr(value, "__func__", value)
            parts += [value.fget, value.fset] if isinstance(value, property) else [value]
        codes = [part.__code__ for part in parts if hasattr(part, "__code__")]
        for code in codes:
            codes += [each for each in code.co_consts if hasattr(each, "co_names")]
        names = {*cls.__dict__, *[name for code in codes for name in code.co_names]}
        found = _kept[cls] = frozenset(name for name in names if name[0] == "_" and name[:2] != "__")
    return found


def keeps(cls: type, name: str) -> bool:
    """Whether an attribute of a class's objects is what a class above it keeps from programs."""
    return any(name in kept(known) for known in cls.__mro__ if known in _keeping or known in _engine)


def program_frame(frame: FrameType | None, mark: str = MARK) -> FrameType | None:
    """The innermost frame of a program, from this one outwards; None where no program led here."""
    while frame is not None and mark not in frame.f_builtins:
        frame = frame.f_back
    return frame


current: ContextVar[Any] = ContextVar("permissions", default=None)
"""The permissions of the session whose program runs; None outside of sessions."""


def acts_for_program(frame: FrameType | None) -> bool:
    """Whether a program led to a frame, or a session that does something with what its program has given."""
    return program_frame(frame) is not None or (current.get() or process.outside) is not None


def by_program(frame: FrameType) -> bool:
    """Whether code at this frame acts for a program: it is a program's, or library code that a program called."""
    return not _is_own(frame) and acts_for_program(frame)


def is_own(frame: FrameType) -> bool:
    """Code of this package, not a program's."""
    return frame.f_globals.get("__name__", "")[:9] == "tensorsh." and MARK not in frame.f_builtins


def _is_own(frame: FrameType) -> bool:
    """Code of this package, other than the gate, through which programs set attributes."""
    return is_own(frame) and frame.f_globals["__name__"] not in GATES


def _is_object_of(frame: FrameType, cls: type) -> bool:
    """Whether a method of the library's was called by a program with a class in the place of its object."""
    code = frame.f_code
    first = code.co_varnames[0] if code.co_argcount else "cls"
    return first == "self" and frame.f_locals.get(first) is cls and acts_for_program(frame)


def _maker() -> FrameType:
    """The frame that makes a class, behind the metaclasses' own."""
    frame = sys._getframe(2)
    while frame.f_code.co_name == "__new__" and frame.f_back is not None:
        frame = frame.f_back
    return frame


_HEAP = 1 << 9
"""What Python's flags say of a class that was made while it runs."""


def is_builtin(kind: type) -> bool:
    """Whether a class is one of Python's own, and not one that passes for it (a program's `__module__`, the nodes of a graph)."""
    return kind.__module__ == "builtins" and not kind.__flags__ & _HEAP


guards: WeakSet[Any] = WeakSet()
"""The methods that are kept to objects of their class, each with the function behind it as `__wrapped__`."""
attributes: list[dict[str, Any]] = []
"""Those of each that is kept in the library, and, in `sizes`, how many these are."""
sizes = bytearray()
of_python: set[type] = set()
"""Classes of Python's library whose methods are kept to their objects."""


def for_its_class(function: Any, owner: type) -> Any:
    """A method that a program calls for objects of its class alone, as Python's compiled ones are. Called for something else it would
    ask that for what a program may not ask for, believe what it answers, or store in it. A program's class that has it, too, changes
    nothing in that."""
    if process.plain or MARK in function.__builtins__:
        return function
    function = unguarded(function)
    known, owners, behind = function.__dict__.get("_guard", (None, None, None))
    is_library = owner in _sealed or owner in of_python
    if behind is function and owners is not None:
        if owner not in owners and is_library:
            owners.append(owner)  # another class has it, too
        return known
    owners = [owner]

    def method(*arguments: Any, **keywords: Any) -> Any:
        if not arguments:  # by its place: keywords of a program's may be equal to each name once
            arguments = tuple(
                [keywords.pop(name, None) for name in function.__code__.co_varnames[:1] if name in keywords]
            )
        self = arguments[0] if arguments else None
        if (
            owners[0] not in type(self).__mro__
            and set(owners).isdisjoint(type(self).__mro__)
            and acts_for_program(sys._getframe(1))
        ):
            raise foreign(function.__name__, owners[0], type(self))
        return function(*arguments, **keywords)

    for each in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(method, each, getattr(function, each))
    method.__dict__.update(function.__dict__, __wrapped__=function)
    guards.add(method)
    if is_library:
        function.__dict__["_guard"] = method, owners, function
        sizes.append(min(len(method.__dict__), 255))
        attributes.append(method.__dict__)
    return method


def _taken(cls: type, name: str, found: Any) -> Any:
    """A function as a class gives it, which is for objects of the class of the library's that has it."""
    owner: Any = next((base for base in cls.__mro__ if name in base.__dict__), None)
    if not any(owner in base.__mro__ for base in cls.__mro__ if base in _sealed):
        return found  # a program's class has it
    if owner.__dict__[name] is found:
        return for_its_class(found, owner)
    if found not in guards:
        found.__dict__["_guard"] = found, None, found
    return found


def unguarded(function: Any) -> Any:
    """The function behind such a method."""
    return function.__dict__["__wrapped__"] if type(function) is FunctionType and function in guards else function


def foreign(name: str, owner: type, kind: type) -> TypeError:
    """The error of a method that is called for an object of another class, in the words of Python's compiled ones."""
    return TypeError(f"descriptor '{name}' requires a '{owner.__name__}' object but received a '{kind.__name__}'")


class Owned(property):  # as `owned.c` has it, for where there is no compiler
    _owner: Any = None

    def __get__(self, instance: Any, kind: Any = None) -> Any:
        if instance is not None:
            refuse(self, instance)
        return super().__get__(instance, kind)

    def __set__(self, instance: Any, value: Any) -> None:
        refuse(self, instance)
        super().__set__(instance, value)

    def __delete__(self, instance: Any) -> None:
        refuse(self, instance)
        super().__delete__(instance)

    def getter(self, function: Any) -> Owned:
        return owned(super().getter(function), self._owner)

    def setter(self, function: Any) -> Owned:
        return owned(super().setter(function), self._owner)

    def deleter(self, function: Any) -> Owned:
        return owned(super().deleter(function), self._owner)


def named(value: Any, function: Any, owner: type) -> None:
    """A descriptor of the library's around a function that no program wrote is told the class that has it."""
    if value._owner is None and not (
        type(function) is FunctionType and MARK in function.__builtins__  # type: ignore[attr-defined]
    ):
        object.__setattr__(value, "_owner", owner)


def refuse(value: Any, instance: Any) -> None:
    """Refuses a property of the library's where a program reads, sets or deletes it for an object of another class."""
    owner, kind = value._owner, type(instance)
    if owner is not None and owner not in kind.__mro__ and acts_for_program(sys._getframe(1)):
        name = next((each for each, found in owner.__dict__.items() if found is value), "property")
        raise TypeError(
            f"descriptor '{name}' for '{owner.__name__}' objects doesn't apply to a '{kind.__name__}' object"
        )


class Reading(type):
    """The metaclass of classes that give their functions for objects of these classes."""

    def __getattribute__(cls, name: str) -> Any:
        found = super().__getattribute__(name)
        return _taken(cls, name, found) if type(found) is FunctionType and name[:1] != "_" else found


class Super(super):
    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        is_taken = type(found) is FunctionType and name[:1] != "_"
        return _taken(super().__getattribute__("__self_class__"), name, found) if is_taken else found


try:
    from . import owned as _owned  # type: ignore[attr-defined]

    Owned, Reading, Super = _owned.property, _owned.type, _owned.super  # type: ignore[misc]
    _owned.ask(refuse, _taken, MARK)
except ImportError:  # built without a compiler
    Super.__name__, Super.__module__ = "super", "builtins"


def owned(value: property, owner: type | None = None) -> Any:
    """A property for objects of one class alone."""
    made = Owned(value.fget, value.fset, value.fdel, value.__doc__)
    made._owner = owner
    return made


def _is_property(value: Any) -> bool:
    """Whether a property's function does not look at its object itself."""
    return type(value) is property and type(value.fget) is FunctionType


class Copied:
    """A list or table of a class, of which whoever asks gets a copy: it is all programs'."""

    def __init__(self, entries: Any) -> None:
        self.entries = entries

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.entries.copy()


class Sealed(Reading):
    """The metaclass of classes that programs cannot change."""

    VANISHES = True  # where there are no programs: `type(torch.nn.Module)` is type, in plain Python

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], **keywords: Any) -> Any:
        if process.plain and "VANISHES" in mcls.__dict__:
            return type(name, bases, body, **keywords)
        maker = _maker()
        is_own = _is_own(maker)
        if is_own:
            tables = {n: Copied(v) for n, v in body.items() if type(v) in (dict, list, set) and n[0] != "_"}
            properties = {n: owned(v) for n, v in body.items() if _is_property(v)}
            body = {**body, **tables, **properties} if tables or properties else body
        made = super().__new__(mcls, name, bases, body, **keywords)
        if is_own:
            for value in properties.values():
                value._owner = made
            global changes
            changes += 1
            _sealed.add(made)
            home = maker.f_globals["__name__"]
            if home[:16] == "tensorsh.engine.":
                _engine.add(made)
            elif home.startswith(KEEPING) or not home.startswith(OPEN):
                _keeping.add(made)
        return made

    def __setattr__(cls, name: str, value: Any) -> None:
        if cls in _sealed and (by_program(sys._getframe(1)) or _is_object_of(sys._getframe(1), cls)):
            raise TypeError(f"cannot set '{name}' attribute of immutable type '{cls.__name__}'")
        global changes
        changes += 1
        value = cls._presented(name, value)
        super().__setattr__(name, owned(value, cls) if _is_property(value) and cls in _sealed else value)

    def _presented(cls, name: str, value: Any) -> Any:
        """The value that is put on the class under a name."""
        return value

    def __delattr__(cls, name: str) -> None:
        if cls in _sealed and (by_program(sys._getframe(1)) or _is_object_of(sys._getframe(1), cls)):
            raise TypeError(f"cannot delete '{name}' attribute of immutable type '{cls.__name__}'")
        super().__delattr__(name)


def unwritable(value: property, name: str, owner: str) -> property:
    """An attribute that says in the words of a compiled class that it cannot be set or deleted, where it cannot be."""

    def refuse(self: Any, *value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of '{owner}' objects is not writable")

    return property(value.fget, value.fset or refuse, value.fdel or refuse, value.__doc__)


def housed(kind: type, module: str) -> None:
    """Tell the module of a class. Python 3.13 forgets with the old one in which line of its file the class stands."""
    line = kind.__dict__.get("__firstlineno__")
    kind.__module__ = module
    if line is not None:
        kind.__firstlineno__ = line  # type: ignore[attr-defined]


def all_housed(names: dict[str, Any], module: str = "") -> None:
    """Tell the classes that a file has made so far to be of a module of PyTorch's, by default that of the file's own name."""
    home = names["__name__"]
    for kind in list(names.values()):
        if isinstance(kind, type) and kind.__module__ == home:
            housed(kind, module or home[9:])


class Dotted(Sealed):
    """The metaclass of `torch.Size` and its like, which Python's messages name with their module as it names those that are
    compiled."""

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], **keywords: Any) -> Any:
        title = f"{body['__module__']}.{body.get('__qualname__', name)}"
        for each, value in body.items():
            if type(value) is property and value.fset is None:
                body[each] = unwritable(value, each, title)
        return super().__new__(mcls, title, bases, body, **keywords)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__


class Frozen(metaclass=Dotted):
    """The base of values that all sessions share (`torch.float32`): programs cannot change them."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not _is_own(sys._getframe(1)):
            raise AttributeError(
                f"attribute '{name}' of '{type(self).__module__}.{type(self).__name__}' objects is not writable"
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if not _is_own(sys._getframe(1)):
            raise AttributeError(
                f"attribute '{name}' of '{type(self).__module__}.{type(self).__name__}' objects is not writable"
            )
        object.__delattr__(self, name)


_underived: WeakSet[type] = WeakSet()


def underived(cls: Any) -> Any:
    """A class of which programs derive none, as in PyTorch: its objects are believed."""
    _underived.add(cls)
    return cls


def is_underived(cls: type) -> bool:
    """Whether a class is one of these, or derived from one."""
    return any(known in _underived for known in cls.__mro__)


@underived
class Given(Frozen):
    """The base of values that are there from the start: a call of a class makes none."""

    __slots__ = ()

    def __new__(cls, *parts: Any) -> Any:
        raise TypeError(f"cannot create '{cls.__module__}.{cls.__name__}' instances")


def given(cls: Any, *parts: Any) -> Any:
    """One of them, for the package."""
    made = object.__new__(cls)
    cls.__init__(made, *parts)
    return made


class OpenSealed(Sealed, ABCMeta):
    """The same for classes that are also derived from together with `abc.ABC`."""

    VANISHES = True
    __instancecheck__ = type.__instancecheck__  # nothing is registered: Python's own answers, at its own speed
    __subclasscheck__ = type.__subclasscheck__
    register = property()  # type: ignore[assignment]


BELIEVED = (datetime, time)
"""Classes of which Python's own functions make objects by a call of a derived class, and write into what that gives."""


class Believed(Sealed):
    """The metaclass of what programs derive from these: a call of one gives an object of theirs."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        made = super().__call__(*args, **options)
        for kind in BELIEVED:
            if issubclass(cls, kind) and not issubclass(type(made), kind):
                raise TypeError(f"{cls.__name__}() should have made a {kind.__name__}, not '{type(made).__name__}'")
        return made


_believed_class = Believed("_believed", (), {})


def believed(kinds: list[type]) -> tuple[type, ...]:
    """A class with that metaclass, for bases that are derived from one of these."""
    return (_believed_class,) if any(issubclass(kind, BELIEVED) for kind in kinds) else ()


for _kind in (Sealed, Dotted, OpenSealed, Believed):
    _kind.__name__ = "type"  # as messages call the class of any class


def joined(bases: tuple[Any, ...]) -> type | None:
    """A metaclass for bases whose metaclasses Python does not join by itself; None where it does."""
    kinds: list[type] = []
    for base in bases:
        kind = type(base)
        if isinstance(base, type) and not any(issubclass(other, kind) for other in kinds):
            kinds = [other for other in kinds if not issubclass(kind, other)] + [kind]
    if len(kinds) < 2 or not any(issubclass(kind, Sealed) for kind in kinds):
        return None
    key = tuple(kinds)
    if key not in _joined:
        _joined[key] = type("Sealed", key, {})
    return _joined[key]


_joined: dict[tuple[type, ...], type] = {}
