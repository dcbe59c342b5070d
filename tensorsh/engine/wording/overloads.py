"""PyTorch's words for arguments that fit no overload of a function.

Its argument parser tries a function's overloads in order, as recorded (`takes`); when none fits it words the mistake by
rules of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...sandbox.integers import whole
from ..arrays.numbers import check_width
from ..arrays.type_names import type_name
from ..loading.recorded import told
from ..tensors.sizes import OVERFLOW
from ..tensors.tensor import Tensor

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
    "layout": "torch.layout", "Generator": "torch.Generator", "memory_format": "torch.memory_format", "dim": "int",
}  # fmt: skip


LISTS = {"ints", "ints1"}
DIMENSIONS = {"dim", "dim0", "dim1", "dim2", "chunks"}
"""Integers that are read at once: no tensor with a dimension stands for one of them."""
PYTHON = "python "
"""The mark of a function written in Python: its parameters follow, without kinds."""


class Parameter(NamedTuple):
    kind: str
    name: str
    default: str | None
    takes_none: bool
    keyword_only: bool


class Mismatch(Exception):
    """What is wrong with a call, for one overload."""


class Settled(Exception):
    """What is wrong with a call, whatever other overloads there are."""


class Overload:
    """One list of parameters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parameters: list[Parameter] = []
        keyword_only = False
        for part in text.split(", ") if text else ():
            if part == "*":
                keyword_only = True
                continue
            kind, _, rest = part.partition(" ")
            name, equals, default = rest.partition("=")
            kind = kind.replace("int", "dim") if name in DIMENSIONS and kind.rstrip("?") == "int" else kind
            # An optional tensor may be None also where it has no default.
            optional = kind[-1] == "?" or default == "()"
            given = default if equals else None
            self.parameters.append(Parameter(kind.rstrip("?"), name, given, optional, keyword_only))
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

    def fits_types(self, name: str, args: tuple, kwargs: dict) -> bool:
        """Whether arguments fit whatever the tensors among them are: none of these stands for a number."""
        places = self.parameters
        for at, value in enumerate(args):
            if isinstance(value, Tensor) and not (at < len(places) and places[at].kind in ("Tensor", "Any")):
                return False
            if at < len(places) and places[at].kind in LISTS and stand_ins(value):
                return False
        for p in places:
            for key in (p.name, *NUMPY_NAMES.get(p.name, ())):
                if p.kind != "Tensor" and isinstance(kwargs.get(key), Tensor):
                    return False
                if p.kind in LISTS and stand_ins(kwargs.get(key)):
                    return False
        try:
            self.match(name, args, kwargs)
        except (Mismatch, Settled):
            return False
        return True

    def match(self, name: str, args: tuple, kwargs: dict) -> list[tuple[Parameter, Any]]:
        """The parameters with what is given for them; Mismatch, worded as PyTorch does, where the arguments do not fit."""
        count = len(args)
        spread = self.positional == 1 and self.parameters[0].kind in ("ints", "ints1")
        if count > self.positional and not spread:
            raise Mismatch(self.too_many(name, count))
        at, named = 0, len(kwargs)
        given_for: list[tuple[Parameter, Any]] = []
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
                        given_for.append((p, args))
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
                if p.kind == "Tensors":
                    check_elements(value, i, p.name == "indices")
                given_for.append((p, value))
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
        for p, value in given_for:
            self.unpack(name, p, value)
        return given_for

    def unpack(self, name: str, parameter: Parameter, value: Any) -> None:
        """Of a list of ints only the first is looked at when an overload is chosen; the others are met afterwards."""
        if parameter.kind not in ("ints", "ints1") or not isinstance(value, (tuple, list)):
            return
        for at, each in enumerate(value):
            if misfit("index", each, "") is not None and not isinstance(each, bool):
                raise Settled(
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


def stand_ins(value: Any) -> bool:
    """Whether elements of a list stand for numbers."""
    return type(value) in (tuple, list) and any(isinstance(each, (bool, Tensor)) for each in value)


def check_elements(values: Any, position: int, gaps: bool) -> None:
    """Every element of a list of tensors must be one; `gaps`: or None."""
    for at, each in enumerate(values):
        if not isinstance(each, Tensor) and not (gaps and each is None):
            raise Settled(f"expected Tensor as element {at} in argument {position}, but got {type_name(each)}")


def misfit(kind: str, value: Any, name: str) -> int | None:
    """None where a value is of a kind, else -1, or the place of the element of a list that is not."""
    tensor = isinstance(value, Tensor)
    scalar = tensor and not value._array.ndim and value._node is None
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    whole = whole or tensor and value._array.size == 1 and value._array.dtype.kind in "iu" and value._node is None
    number = isinstance(value, (bool, int, float, complex, np.number, np.bool_))
    match kind:
        case "Tensor":
            fits = tensor or number and name in TAKES_NUMBERS
        case "Number":
            fits = number or scalar
        case "float":
            fits = number and not isinstance(value, complex) or scalar
        case "int":
            fits = whole
        case "dim":
            fits = whole and not (tensor and value._array.ndim)
        case "bool":
            fits = isinstance(value, bool)
        case "ints" | "ints1" | "floats" | "Tensors" | "Numbers" | "names":
            if not isinstance(value, (tuple, list)):
                fits = kind == "ints1" and whole
            elif kind == "Tensors":
                fits = True
            else:
                item = {"i": "index", "f": "float", "N": "Number", "n": "name"}[kind[0]]
                for at, each in enumerate(value[:1] if kind[0] == "i" else value):
                    if misfit(item, each, "") is not None:
                        return at
                return None
        case "index":
            fits = whole or not tensor and not isinstance(value, bool) and hasattr(type(value), "__index__")
        case "str" | "name":
            fits = isinstance(value, str)
        case "dtype":
            fits = type(value).__name__ == "dtype" or any(value is kind for kind in (float, int, bool, complex))
        case "device":
            fits = whole and not tensor or isinstance(value, str) or type(value).__name__ == "device"
        case "layout" | "memory_format" | "Generator":  # the class of the default generator derives from that of all
            fits = any(each.__name__ == kind for each in type(value).__mro__)
        case _:
            fits = True
    return None if fits else -1


def parameter_text(dotted: str) -> str:
    """The overloads of a function; of one that is not recorded, nothing."""
    return told(dotted, "takes") or ""


def spoken_name(dotted: str) -> str:
    """The name that a function has in its errors."""
    owner, _, last = dotted.rpartition(".")
    return told(dotted, "called") or (f"{owner}_{last}" if owner in ("linalg", "special", "fft") else last)


@lru_cache(256)
def overloads(text: str) -> list[Overload]:
    return [Overload(each) for each in text.removeprefix("+ ").split(" | ")]


def refuse(dotted: str, args: tuple, kwargs: dict) -> None:
    """Raise PyTorch's error for arguments that fit no overload of a builtin function, or are too wide for it."""
    error = misfits(dotted, args, kwargs) or wide_among(dotted, args, kwargs)
    if error is not None:
        raise error


def wide_among(dotted: str, args: tuple, kwargs: dict) -> Exception | None:
    """PyTorch's error for an integer of more than 64 bits among arguments that fit; None where there is none."""
    name, text = spoken_name(dotted), parameter_text(dotted)
    for each in overloads(text):
        try:
            pairs = each.match(name, args, kwargs)
        except (Mismatch, Settled):
            continue
        for p, value in pairs:
            if p.kind in LISTS and isinstance(value, (tuple, list)):
                for at, item in enumerate(value, 1):
                    if is_wide(item):
                        return TypeError(
                            f"{name}(): argument '{p.name}' failed to unpack the object at pos {at} with error "
                            f'"{OVERFLOW}'
                        )
            elif not is_wide(value) or p.kind in ("float", "Any"):
                continue
            elif p.kind not in ("Number", "Tensor"):
                return ValueError(OVERFLOW)
            else:
                try:
                    check_width(whole(value))
                except OverflowError as error:
                    return error
        return None
    return None


def is_wide(value: Any) -> bool:
    return isinstance(value, int) and not -(2**63) <= whole(value) < 2**63


def misfits(dotted: str, args: tuple, kwargs: dict) -> Exception | None:
    """PyTorch's error for arguments that fit no overload of a builtin function (a method without its tensor); None where
    they do, or nothing is recorded of it."""
    text = told(dotted, "takes")
    if text is None:
        return None
    name, many, options = spoken_name(dotted), text.startswith("+ "), overloads(text)
    if not many and not options[0].parameters and dotted.startswith("Tensor."):
        if kwargs:
            return TypeError(f"TensorBase.{name}() takes no keyword arguments")
        return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)") if args else None
    mismatches = []
    for each in options:
        try:
            each.match(name, args, kwargs)
            return None
        except Mismatch as wrong:
            mismatches.append(str(wrong))
        except Settled as settled:
            return TypeError(str(settled))
    if not many:
        return TypeError(mismatches[0])
    count = len(args) + len(kwargs)
    plausible = [i for i, o in enumerate(options) if o.required <= count <= len(o.parameters)]
    if len(plausible) == 1:
        return TypeError(mismatches[plausible[0]])
    said = f"{name}() received an invalid combination of arguments - got "
    known = [p.name for p in options[0].parameters]
    if len(options) == 1 and (unknown := [key for key in kwargs if key not in known]):
        return TypeError(f"{said}unrecognized keyword arguments: {', '.join(unknown)}")
    got = ", ".join([type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in kwargs.items()])
    got += ", " if kwargs and not args else ""
    expected = options[0].shown() if len(options) == 1 else "one of:\n" + "".join(f" * {o.shown()}\n" for o in options)
    return TypeError(f"{said}({got}), but expected {expected}")
