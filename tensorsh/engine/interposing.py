"""Calls of operators in which somebody else has a say: mixed precision, classes with ``__torch_function__``, a profiler,
and the device of tensors where a program uses several (current.py).

Operators know nothing of that, and calls pay nothing for it. When a program first asks for one of these, the code of the
functions concerned is exchanged for one line that hands the call to its `Entry`. The function objects stay the same,
wherever they are already held; what they were before, the entry runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from . import current, table
from .state import state
from .tensor import Tensor

ENTRIES: dict[Any, Entry] = {}
"""Every function that is interposed, and its entry."""
KEEPING: set[Any] = set()
"""Functions whose results stay of the class that they are."""
everything = False
"""Whether the functions of all families are interposed, also of those that are loaded later."""


@cache
def _template(count: int) -> Any:
    """The code of a function with `count` free variables that hands its call to an entry. (It has to name them: only then
    are they in place when something looks at the variables of its frame.)"""
    names = [f"v{i}" for i in range(count)]
    free = f"        if 0: {', '.join(names)}\n" if names else ""
    bound = f"    {' = '.join(names)} = None\n" if names else ""
    source = f'def make():\n{bound}    def shim(*args, **kwargs):\n{free}        return "the entry".call(args, kwargs)\n    return shim\n'
    space: dict[str, Any] = {}
    exec(source, space)
    return space["make"]().__code__


class Entry:
    """A function that is interposed: what it was, what others see of it, and what is done around it."""

    __slots__ = ("function", "original", "cast", "shown", "title", "public")

    def __init__(self, function: Any, title: str) -> None:
        self.function = self.shown = function
        self.title = title
        self.public = False
        self.cast: Callable | None = None
        code = function.__code__
        self.original: Any = FunctionType(
            code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.original.__kwdefaults__ = function.__kwdefaults__
        self.original.__qualname__ = function.__qualname__
        self.original.__dict__.update(function.__dict__)
        # Its signature may be asked for, of itself or of what was made of it.
        function.__dict__.setdefault("__wrapped__", self.original)
        function.__dict__["_original"] = self.original
        shim = _template(len(code.co_freevars))
        constants = tuple(self if each == "the entry" else each for each in shim.co_consts)
        function.__code__ = shim.replace(
            co_consts=constants,
            co_freevars=code.co_freevars,
            co_name=code.co_name,
            co_qualname=code.co_qualname,
            co_filename=code.co_filename,  # by which a watch knows an operation
            co_firstlineno=code.co_firstlineno,
        )

    def call(self, args: tuple, kwargs: dict) -> Any:
        """The call, on the device of its tensors where a program uses several."""
        return current.beside(self.go, args, kwargs) if current.several else self.go(args, kwargs)

    def go(self, args: tuple, kwargs: dict) -> Any:
        """The call, as it comes from a program or from within another operator."""
        if state.outermost:
            return self.first(args, kwargs)
        if self.cast is not None and state.autocast is not None:
            return state.autocast.around(self, args, kwargs)
        return self.original(*args, **kwargs)

    def first(self, args: tuple, kwargs: dict) -> Any:
        """A call that is not made within another: classes and modes that override functions are asked."""
        if self.public:
            from .overriding import Unanswered, override

            try:
                answer = override(self.shown, args, kwargs)
            except Unanswered as error:
                if self.title in PYTHON_METHODS:
                    return NotImplemented
                raise TypeError(str(error)) from None
            if answer is not NotImplemented:
                return answer
        state.outermost = False
        profile = state.profile
        counts = profile is not None and self.shown.__name__ not in SILENT
        ended = profile.begun(self.title, args, kwargs) if counts else None
        try:
            if self.cast is not None and state.autocast is not None:
                return state.autocast.around(self, args, kwargs)
            return self.original(*args, **kwargs)
        finally:
            state.outermost = True
            if ended is not None:
                ended()


def interpose(function: Any, title: str) -> Entry | None:
    """The entry of a function, which is interposed from now on; None for what is no function written in Python."""
    if type(function) is not FunctionType:
        return None
    entry = ENTRIES.get(function)
    if entry is None:
        entry = ENTRIES[function] = Entry(function, title)
    return entry


def forms(name: str) -> list[Entry]:
    """The entries of all functions that carry out an operator: its function, its method, its Python operator."""
    function = table.find_function(name)
    operator = getattr(function, "_operator", None)
    found = [function, getattr(operator, "function", None)]
    plain = name.rpartition(".")[2]
    if "." not in name:
        found.append(table.find_method(name))
    for symbol, method in SYMBOLS.items():
        if method == name:
            table.load_attribute(symbol)
            found.append(Tensor.__dict__.get(symbol))
    entries = [interpose(each, getattr(each, "__name__", plain)) for each in found if each is not None]
    return [entry for entry in entries if entry is not None]


def interpose_all() -> None:
    """Interpose every public function and method, also of families that are loaded later."""
    global everything
    if everything:
        return
    everything = True
    table.watchers.append(interpose_new)
    interpose_new()


def interpose_new() -> None:
    """Interpose what the table has got since."""
    for dotted, function in list(table.FUNCTIONS.items()):
        prefix, _, name = dotted.rpartition(".")
        if name.startswith("_") or name in OWN:
            continue
        entry = interpose(function, name)
        if entry is not None:
            entry.public = True
            function.__name__ = f"{prefix}_{name}" if prefix in ("linalg", "fft", "special") else name
    for name, value in [*Tensor.__dict__.items(), *table.METHODS.items()]:
        if isinstance(value, property):
            entry = interpose(value.fget, name) if not name.startswith("_") else None
            if entry is not None and not entry.public:
                entry.public, entry.shown = True, named(entry.function, "__get__")
                if name in ("grad", "grad_fn", "is_leaf"):
                    KEEPING.add(entry.shown)
        elif name in PYTHON_METHODS or not name.startswith("_") and name not in OWN:
            entry = interpose(value, name)
            if entry is None or entry.public:
                continue
            entry.public = True
            if not name.startswith("_"):
                value.__name__ = name
                continue
            entry.title = name
            own = table.find_method(SYMBOLS[name]) if name in SYMBOLS else None
            entry.shown = named(entry.function, RENAMED.get(name, name)) if own is None else own


def named(function: Any, name: str) -> Any:
    """The same function under another name."""
    made = FunctionType(function.__code__, function.__globals__, name, None, function.__closure__)
    made.__qualname__ = "Tensor." + name
    return made


OWN = frozenset("as_subclass tensor as_tensor asarray from_numpy is_tensor is_storage".split())
"""What no class overrides."""
SYMBOLS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div",
    "__mod__": "remainder", "__pow__": "pow", "__matmul__": "matmul", "__rmatmul__": "matmul", "__neg__": "neg",
    "__abs__": "abs", "__pos__": "positive", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__ne__": "ne",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
}  # fmt: skip
"""Python's operators that are a method under another name."""
SILENT = frozenset("__get__ __repr__ __format__ __len__ __iter__ __contains__ dim size stride numel".split())
"""What a profiler does not count."""
RENAMED = {"__rtruediv__": "__rdiv__"}
PYTHON_METHODS = frozenset(SYMBOLS) | frozenset(
    f"__{name}__"
    for name in (
        "rsub rtruediv rmod rpow floordiv rfloordiv and rand or ror xor rxor lshift rlshift rshift rrshift invert eq getitem "
        "setitem len bool int float complex index repr format iter contains imod ipow ifloordiv iand ior ixor ilshift irshift"
    ).split()
)
"""Python's own methods that a class may override."""
