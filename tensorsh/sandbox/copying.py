"""`copy.deepcopy` for programs: they see of its memo what they could hold anyway.

Python's own hands the memo to every `__deepcopy__`. In it stand the copies of all that was met, also of what objects of the library
keep for themselves, and whatever somebody puts into it is taken for a copy: a file's place could be exchanged so.
"""

from __future__ import annotations

import copy
import copyreg
import itertools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, MethodWrapperType
from typing import Any

from .sealed import MARK, Sealed, acts_for_program
from .wrapping import wraps

OWN = "own"
"""The key at which a memo, whose other keys are numbers, keeps what programs have put into it."""
BUILTIN = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)
UNFIT = (
    "a memo of deepcopy takes a copy of the object that is being copied, tensors, modules, and objects that stay as they are, "
    "in tensorsh"
)

# whether a program has made a class: classes.py puts it here
is_own: Callable[[type], bool] = lambda kind: False


def is_shown(value: Any) -> bool:
    """Whether a program may find a value in a memo: a tensor, a module, an object of its own."""
    kind = type(value)
    home = kind.__module__
    return is_own(kind) or home in ("torch", "torch.storage") or home.startswith("torch.nn.")


class Memo(metaclass=Sealed):
    """What a program's `__deepcopy__` is given in the place of the memo."""

    __slots__ = ("_memo", "_whose")

    def __init__(self, memo: dict, whose: Any = None) -> None:
        self._memo, self._whose = memo, whose

    def _all(self) -> dict:
        found = {key: value for key, value in self._memo.items() if type(key) is int and is_shown(value)}
        return found | self._memo.get(OWN, {})

    def __getitem__(self, key: Any) -> Any:
        value = self.get(key, Memo)
        if value is Memo:
            raise KeyError(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        number = int.__index__(key)
        fits = number == id(value) or number == id(self._whose) or is_shown(value) and not isinstance(value, BUILTIN)
        if not fits:
            raise TypeError(UNFIT)
        self._memo[number] = value
        self._memo.setdefault(OWN, {})[number] = value

    def get(self, key: Any, default: Any = None) -> Any:
        own = self._memo.get(OWN, {})
        value = own[key] if key in own else self._memo.get(key, Memo)
        return value if value is not Memo and (key in own or type(key) is int and is_shown(value)) else default

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __contains__(self, key: Any) -> bool:
        return self.get(key, Memo) is not Memo

    def __iter__(self) -> Iterator:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def keys(self) -> Any:
        return self._all().keys()

    def values(self) -> Any:
        return self._all().values()

    def items(self) -> Any:
        return self._all().items()

    def __repr__(self) -> str:
        return repr(self._all())

    def __deepcopy__(self, memo: Any) -> Memo:
        return self


def lent(memo: Any, use: Callable[[dict], Any]) -> Any:
    """What a function of a memo answers, for one that comes from a program. A dictionary is told afterwards what it may know, and
    can be given again."""
    if memo is None:
        return use({})
    if type(memo) is Memo:
        return use(memo._memo)
    if not isinstance(memo, dict):
        raise TypeError(f"deepcopy() takes a dict for its memo, not {type(memo).__name__}")
    kept = dict.get(memo, id(memo))
    front = kept if type(kept) is Memo else Memo({})
    for key, value in list(dict.items(memo)):
        if value is not kept and front.get(key, Memo) is not value:
            front[key] = value
    result = use(front._memo)
    dict.update(memo, front._all())
    dict.__setitem__(memo, id(memo), front)
    return result


def deepcopy(x: Any, memo: dict | None = None) -> Any:
    """A copy of an object and of all that it holds."""
    return lent(memo, lambda inner: copy.deepcopy(x, inner))


def taking(method: Any) -> Callable[..., Any]:
    """A `__deepcopy__` of the library, called with a program's memo."""

    def __deepcopy__(*args: Any) -> Any:
        return lent(args[-1], lambda inner: method(*args[:-1], inner)) if args else method()

    return wraps(method)(__deepcopy__)


def presented(function: Any) -> Any:
    """A program's `__deepcopy__`, called with the library's memo."""
    if function is None:
        return None
    if not isinstance(function, FunctionType):
        raise TypeError("__deepcopy__ must be a function in tensorsh")

    @wraps(function)
    def __deepcopy__(self: Any, memo: Any) -> Any:
        inner = memo._memo if type(memo) is Memo else memo
        return function(self, Memo(inner, self) if type(inner) is dict else inner)

    return __deepcopy__


def _parted(iterator: Any) -> Any:
    """What copies of `tee`'s iterators are made of. One of them may be copied before, another after the values that they share are
    read on; the second then reads what nobody has written. Python 3.14 copies none."""
    if acts_for_program(sys._getframe(1)):
        raise TypeError("cannot pickle 'itertools._tee' object")
    return iterator.__reduce__()


def _bound(method: Any) -> Any:
    """A bound method, which is its own copy: Python asks its object, or a copy of that, for an attribute of the name that its function
    has, past the gate. A program's function has the name that the program gives it."""
    return "itself" if acts_for_program(sys._getframe(1)) else method.__reduce__()


copyreg.pickle(type(itertools.tee(())[0]), _parted)
copyreg.pickle(MethodWrapperType, _bound)
copyreg.pickle(MethodType, _bound)


def is_of(made: Any, kind: type, frame: Any) -> bool:
    """Whether an object is of a class, where code at a frame acts for a program."""
    return kind in type(made).__mro__ or not acts_for_program(frame)


def _method(x: Any, memo: dict) -> Any:
    """The copy of a method: of the library's functions, bound to an object of the same class."""
    made, function = copy.deepcopy(x.__self__, memo), x.__func__
    own = type(function) is FunctionType and MARK in function.__builtins__  # type: ignore[attr-defined]
    if not own and not is_of(made, type(x.__self__), sys._getframe(1)):
        raise TypeError(
            f"a copy of a {type(x.__self__).__name__!r} object is one, not a {type(made).__name__!r} object"
        )
    return type(x)(function, made)


copy._deepcopy_dispatch[MethodType] = _method  # type: ignore[attr-defined]
_real_reconstruct = copy._reconstruct  # type: ignore[attr-defined]


def _reconstruct(x: Any, memo: Any, func: Any, args: Any, *parts: Any, **options: Any) -> Any:
    """Python's own, which gives the attributes of an object to whatever a program's `__new__` has made for its copy."""

    def made(*arguments: Any) -> Any:
        found = func(*arguments)
        if type(found) is not type(x) and acts_for_program(sys._getframe(1)):
            raise TypeError(f"a copy of a {type(x).__name__!r} object is one, not a {type(found).__name__!r} object")
        return found

    has_parts = any(part is not None for part in parts)
    return _real_reconstruct(x, memo, made if has_parts else func, args, *parts, **options)


copy._reconstruct = _reconstruct  # type: ignore[attr-defined]


def another(kind: type, *arguments: Any) -> Any:
    """An object of a class, made without its constructor.

    Raises:
        TypeError: A program's `__new__` makes something else, which is not the library's to fill.
    """
    made = kind.__new__(kind, *arguments)
    if type(made) is not kind:
        raise TypeError(
            f"{kind.__name__}.__new__() should have made a {kind.__name__!r} object, not a {type(made).__name__!r} object"
        )
    return made


def copied(self: Any) -> Any:
    """The `__copy__` of UserDict and UserList; Python's own gives the attributes of an object to whatever a program's `__new__` has made
    for its copy."""
    made = another(type(self))
    made.__dict__.update(self.__dict__)
    made.__dict__["data"] = copy.copy(self.__dict__["data"])
    return made


def same(self: Any, memo: Any = None) -> Any:
    """The `__deepcopy__` of what nobody changes, or of what there is one of."""
    return self


def uncopied(self: Any, memo: Any = None) -> Any:
    """The `__deepcopy__` and `__copy__` of what is not copied."""
    raise TypeError(f"cannot pickle {type(self).__name__!r} object")
