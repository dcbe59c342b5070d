"""Walks of an iterable in compiled code, in steps between which they can be interrupted: `sum(range(10**12))`, `list(count())`.

Compiled code that asks compiled code for its next element hears of nothing. A generator between the two is a step of Python's,
and so is the next element of what has no end, or hardly one: whoever walks it, by whatever detour, can be interrupted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .sealed import Sealed

try:
    from .orders import with_steps  # type: ignore[import-not-found]
except ImportError:
    with_steps = lambda function: function  # built without a compiler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MANY = 1 << 20
"""Elements that are walked in a moment."""
LONG = 1 << 22
"""Numbers of a range that is Python's own."""
PIECE = 1 << 12
"""Elements of a list between two steps: each may be one and the same number of millions of digits."""
GENERATOR = type((lambda: (yield))())


def stepping(kind: type) -> type:
    """A class of iterators whose next element is a step of Python's."""
    following: Any = kind.__next__  # type: ignore[attr-defined]

    def __next__(self: Any) -> Any:
        return following(self)

    body = {"__slots__": (), "__module__": "itertools", "__doc__": kind.__doc__, "__next__": __next__}
    return Sealed(kind.__name__, (kind,), body)


ENDLESS = "accumulate chain combinations combinations_with_replacement count cycle permutations product repeat"
SOURCES = {name: stepping(getattr(itertools, name)) for name in ENDLESS.split()}
"""Those of itertools that give elements without end, or more than anybody waits for, or each later than the one before."""


def asking(kind: type, place: int = 0) -> type:
    """A class of iterators that ask a function, at a place among its arguments or named `key`, in steps."""
    make = kind.__new__

    def __new__(cls: type, *arguments: Any, **options: Any) -> Any:
        if len(arguments) > place:
            arguments = (*arguments[:place], with_steps(arguments[place]), *arguments[place + 1 :])
        return make(cls, *arguments, **with_key(options))

    return Sealed(
        kind.__name__,
        (kind,),
        {"__slots__": (), "__module__": kind.__module__, "__doc__": kind.__doc__, "__new__": __new__},
    )


def with_key(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a call, whose compiled `key` is called in steps."""
    options = {str.__str__(name): value for name, value in options.items()}  # a program's text may hide what it is
    return {**options, "key": with_steps(options["key"])} if "key" in options else options


def keyed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls its `key` in steps."""
    return presented(lambda *arguments, **options: function(*arguments, **with_key(options)), function)


SOURCES |= {name: asking(getattr(itertools, name)) for name in ("dropwhile", "filterfalse", "starmap", "takewhile")}
SOURCES["groupby"] = asking(itertools.groupby, 1)


class Range(metaclass=Sealed):
    """A range of more numbers than are walked in a moment, as a program sees it: Python's own but for its steps."""

    __slots__ = ("_real",)
    _real: range

    start = property(lambda self: self._real.start)
    stop = property(lambda self: self._real.stop)
    step = property(lambda self: self._real.step)

    def __len__(self) -> int:
        return len(self._real)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return stepped(self._real)

    def __reversed__(self) -> Iterator[int]:
        return stepped(reversed(self._real))

    def __getitem__(self, index: Any) -> Any:
        found = self._real[index]
        return bounded(found) if type(found) is range else found

    def __contains__(self, value: object) -> bool:
        return value in self._real if type(value) in (int, bool) else any(x is value or x == value for x in self)

    def index(self, value: Any, /) -> int:
        if type(value) not in (int, bool):
            for place, each in enumerate(self):
                if each is value or each == value:
                    return place
            raise ValueError("sequence.index(x): x not in sequence")
        return self._real.index(value)

    def count(self, value: Any, /) -> int:
        if type(value) in (int, bool):
            return self._real.count(value)
        return sum(1 for each in self if each is value or each == value)

    def __eq__(self, other: object) -> Any:
        return self._real == (other._real if type(other) is Range else other)

    def __hash__(self) -> int:
        return hash(self._real)

    def __repr__(self) -> str:
        return repr(self._real)

    def __copy__(self) -> Range:
        return self

    def __deepcopy__(self, memo: Any) -> Range:
        return self


Range.__name__ = Range.__qualname__ = "range"
Sequence.register(Range)  # as Python's own is


def bounded(real: range) -> Any:
    """A range, which can be left wherever it is walked."""
    try:
        if len(real) <= LONG:
            return real
    except OverflowError:
        pass
    made = object.__new__(Range)
    made._real = real
    return made


def iterate(*arguments: Any) -> Any:
    if len(arguments) != 2 or type(arguments[0]) is FUNCTION or not callable(arguments[0]):
        return iter(*arguments)
    call = arguments[0]
    return iter(lambda: call(), arguments[1])  # compiled functions, as int, have no steps


FUNCTION = type(stepping)


def stepped(iterable: Any) -> Iterator[Any]:
    for each in iterable:  # noqa: UP028 - `yield from` would close a generator that is left in the middle
        yield each


def in_pieces(walked: Any) -> Iterator[Any]:
    """The elements of a list or tuple, whose length is asked anew for each piece."""

    def pieces() -> Iterator[Any]:
        begin = 0
        while begin < len(walked):
            yield walked[begin : begin + PIECE]
            begin += PIECE

    return itertools.chain.from_iterable(pieces())


def steps(
    function: Callable[..., Any], place: int = 0, alone: bool = False, growing: Callable[..., bool] | None = None
) -> Callable[..., Any]:
    """A function whose argument at `place` is an iterable (`alone`: if it is the only one). growing: whether each element may take
    longer than the one before it, as lists do that are added."""

    def call(*arguments: Any, **options: Any) -> Any:
        if alone and len(arguments) > 1:
            return function(*arguments, **with_key(options))
        if len(arguments) > place:
            walked = arguments[place]
            kind = type(walked)
            if growing is not None and growing(*arguments, **options):
                is_long = kind is not GENERATOR
            elif kind is range:
                is_long = len(walked[: MANY + 1]) > MANY
            elif kind is list or kind is tuple:
                is_long = False
                if len(walked) > PIECE:
                    arguments = (*arguments[:place], in_pieces(walked), *arguments[place + 1 :])
            else:
                is_long = kind is not GENERATOR and not hasattr(kind, "__len__")
            if is_long:
                arguments = (*arguments[:place], stepped(walked), *arguments[place + 1 :])
        return function(*arguments, **with_key(options)) if options else function(*arguments)

    return presented(call, function)


def adds_lists(iterable: Any, start: Any = 0) -> bool:
    return type(start) is not int and type(start) is not float


def presented(call: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function under the name, and with the help, of another."""
    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__, call.__module__ = function.__doc__, function.__module__
    call.__text_signature__ = getattr(function, "__text_signature__", None)
    return call
