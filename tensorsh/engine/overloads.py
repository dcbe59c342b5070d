"""PyTorch's words for arguments that fit no overload of a function.

Its argument parser tries a function's overloads in order, as recorded in `overloads.txt`; when none fits it words the
mistake by rules of its own. They are followed here after a call has failed, so that calls that succeed pay nothing.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .errors import type_name

FILE = os.path.join(os.path.dirname(__file__), "overloads.txt")
NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
TAKES_NUMBERS = frozenset(
    name + form
    for name in "add sub mul div multiply subtract divide true_divide floor_divide copy".split()
    for form in ("", "_")
)
"""Functions whose tensors may be Python numbers."""
TITLES = {
    "ints": "tuple of ints", "ints1": "tuple of ints", "Tensors": "tuple of Tensors", "floats": "tuple of floats",
    "names": "tuple of names", "Numbers": "tuple of Scalars", "dtype": "torch.dtype", "device": "torch.device",
    "layout": "torch.layout", "Generator": "torch.Generator", "memory_format": "torch.memory_format",
}  # fmt: skip


class Parameter(NamedTuple):
    kind: str
    name: str
    default: str | None
    takes_none: bool
    keyword_only: bool


class Mismatch(Exception):
    """What is wrong with a call, for one overload."""


class Overload:
    """One list of parameters."""

    def __init__(self, text: str) -> None:
        self.parameters: list[Parameter] = []
        keyword_only = False
        for part in text.split(", ") if text else ():
            if part == "*":
                keyword_only = True
                continue
            kind, _, rest = part.partition(" ")
            name, equals, default = rest.partition("=")
            # An optional tensor may be None also where it has no default.
            self.parameters.append(
                Parameter(kind.rstrip("?"), name, default if equals else None, kind[-1] == "?", keyword_only)
            )
        self.positional = sum(not p.keyword_only for p in self.parameters)
        self.required = sum(p.default is None for p in self.parameters)

    def shown(self) -> str:
        texts, starred = [], False
        for p in self.parameters:
            if p.keyword_only and not starred:
                texts.append("*")
                starred = True
            texts.append(f"{TITLES.get(p.kind, p.kind)} {p.name}" + ("" if p.default is None else f" = {p.default}"))
        return f"({', '.join(texts)})"

    def match(self, name: str, args: tuple, kwargs: dict) -> None:
        """Raise Mismatch, worded as PyTorch does, where the arguments do not fit."""
        count = len(args)
        spread = self.positional == 1 and self.parameters[0].kind in ("ints", "ints1")
        if count > self.positional and not spread:
            raise Mismatch(self.too_many(name, count))
        at, named = 0, len(kwargs)
        for i, p in enumerate(self.parameters):
            value, given, by_name = None, False, False
            if at < count:
                if p.keyword_only:
                    raise Mismatch(self.too_many(name, count))
                value, given = args[at], True
            else:
                for key in (p.name, *NUMPY_NAMES.get(p.name, ())):
                    if key in kwargs:
                        value, given, by_name = kwargs[key], True, True
                        break
            if not given:
                if p.default is None:
                    raise Mismatch(self.missing(name, i))
            elif value is None and p.takes_none:
                pass
            else:
                wrong = misfit(p.kind, value, name)
                if wrong is not None and spread and at == 0 and not by_name:
                    if misfit("ints", args, name) is None:
                        self.unpack(name, p, args)
                        at = count
                        continue
                    if count > 1:
                        raise Mismatch(self.too_many(name, count))
                if wrong is not None:
                    title = TITLES.get(p.kind, p.kind)
                    if by_name:
                        raise Mismatch(f"{name}(): argument '{p.name}' must be {title}, not {type_name(value)}")
                    place = f"{name}(): argument '{p.name}' (position {at + 1}) must be {title}, "
                    if wrong >= 0:
                        items = value if isinstance(value, (tuple, list)) else args
                        raise Mismatch(place + f"but found element of type {type_name(items[wrong])} at pos {wrong}")
                    raise Mismatch(place + f"not {type_name(value)}")
                self.unpack(name, p, value)
            if by_name:
                named -= 1
            elif given:
                at += 1
        if at < count:
            raise Mismatch(self.too_many(name, count))
        if named > 0:
            names = [p.name for p in self.parameters]
            for key in kwargs:
                if key not in names:
                    raise Mismatch(f"{name}() got an unexpected keyword argument '{key}'")
                if names.index(key) < count:
                    raise Mismatch(f"{name}() got multiple values for argument '{key}'")
            raise Mismatch("invalid keyword arguments")

    def unpack(self, name: str, parameter: Parameter, value: Any) -> None:
        """Of a list of ints only the first is looked at when an overload is chosen."""
        if parameter.kind not in ("ints", "ints1") or not isinstance(value, (tuple, list)):
            return
        for at, each in enumerate(value):
            if misfit("int", each, "") is not None:
                raise Mismatch(
                    f"{name}(): argument '{parameter.name}' failed to unpack the object at pos {at + 1} with error "
                    f'"type must be tuple of ints,but got {type_name(each)}"'
                )

    def too_many(self, name: str, count: int) -> str:
        if self.required != self.positional:
            return (
                f"{name}() takes from {self.required} to {self.positional} positional arguments but {count} were given"
            )
        plural, verb = "" if self.positional == 1 else "s", "was" if count == 1 else "were"
        return f"{name}() takes {self.positional} positional argument{plural} but {count} {verb} given"

    def missing(self, name: str, start: int) -> str:
        names = [f'"{p.name}"' for p in self.parameters[start:] if p.default is None]
        return f"{name}() missing {len(names)} required positional argument{'s' if len(names) == 1 else ''}: {', '.join(names)}"


def misfit(kind: str, value: Any, name: str) -> int | None:
    """None where a value is of a kind, else -1, or the place of the element of a list that is not."""
    from .tensor import Tensor

    scalar = isinstance(value, Tensor) and not value._array.ndim and value._node is None
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    number = isinstance(value, (bool, int, float, complex, np.number, np.bool_))
    match kind:
        case "Tensor":
            fits = isinstance(value, Tensor) or number and name in TAKES_NUMBERS
        case "Number":
            fits = number or scalar
        case "float":
            fits = number and not isinstance(value, complex) or scalar
        case "int":
            fits = whole or scalar and value._array.dtype.kind in "iu"
        case "bool":
            fits = isinstance(value, (bool, np.bool_)) or scalar and value._array.dtype.kind == "b"
        case "ints" | "ints1" | "floats" | "Tensors" | "Numbers" | "names":
            if not isinstance(value, (tuple, list)):
                fits = kind == "ints1" and whole
            elif kind == "Tensors":
                fits = True
            else:
                item = {"i": "int", "f": "float", "N": "Number", "n": "name"}[kind[0]]
                for at, each in enumerate(value[:1] if kind[0] == "i" else value):
                    if misfit(item, each, "") is not None:
                        return at
                return None
        case "str" | "name":
            fits = isinstance(value, str)
        case "dtype":
            fits = type(value).__name__ == "dtype" or value in (float, int, bool, complex)
        case "device":
            fits = whole or isinstance(value, str) or type(value).__name__ == "device"
        case _:
            fits = not isinstance(value, str) or kind == "Any"
    return None if fits else -1


@lru_cache(1)
def recorded() -> dict[str, str]:
    with open(FILE, encoding="ascii") as lines:
        return dict(line.rstrip("\n").split(": ", 1) for line in lines if line[0] != "#" and ": " in line)


def explain(dotted: str, args: tuple, kwargs: dict) -> TypeError | None:
    """PyTorch's error for arguments that fit no overload of a function; None where they do, or Python words it."""
    text = recorded().get(dotted)
    if text is None or text.startswith("python"):
        return None
    many = text.startswith("+ ")
    options = [Overload(each) for each in text.removeprefix("+ ").split(" | ")]
    owner, _, name = dotted.rpartition(".")
    if owner in ("linalg", "special", "fft"):
        name = f"{owner}_{name}"
    if not many and not options[0].parameters and dotted.startswith("Tensor."):
        if kwargs:
            return TypeError(f"TensorBase.{name}() takes no keyword arguments")
        return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)") if args else None
    mismatches = []
    for each in options:
        try:
            each.match(name, args, kwargs)
            return None
        except Mismatch as mismatch:
            mismatches.append(str(mismatch))
    if not many:
        return TypeError(mismatches[0])
    count = len(args) + len(kwargs)
    plausible = [i for i, o in enumerate(options) if o.required <= count <= len(o.parameters)]
    if len(plausible) == 1:
        return TypeError(mismatches[plausible[0]])
    if len(options) == 1:
        unknown = [k for k in kwargs if all(p.name != k for p in options[0].parameters)]
        if unknown:
            return TypeError(
                f"{name}() received an invalid combination of arguments - got unrecognized keyword arguments: {', '.join(unknown)}"
            )
    got = ", ".join([type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in reversed(kwargs.items())])
    got += ", " if kwargs and not args else ""
    expected = options[0].shown() if len(options) == 1 else "one of:\n" + "\n".join(f" * {o.shown()}" for o in options)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected {expected}")


def worded(names: list[str], args: tuple, kwargs: dict, error: Exception, frame: Any) -> Exception:
    """The error of a call that failed: PyTorch's where its arguments fit no overload. The frame of what was called tells
    a method from a function, by the name of its code (`table.as_method`)."""
    dotted = names[0]
    titles = {"Tensor." + name.rpartition(".")[2] for name in names}
    for _ in range(4):
        if frame is None:
            break
        if frame.f_code.co_qualname in titles:
            if "invalid combination" in str(error):
                return error  # it was worded where the arguments were still as given
            dotted, args = frame.f_code.co_qualname, args[1:]
            break
        frame = frame.f_back
    try:
        return explain(dotted, args, kwargs) or error
    except Exception:
        return error


def guarded(function: Any, names: list[str]) -> Any:
    """A function of many forms, whose failing calls are explained by PyTorch's rules."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            told = worded(names, args, kwargs, error, sys._getframe())
            if told is error:
                raise
            raise told from None

    return call
