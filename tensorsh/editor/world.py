"""The variables that a run left, as JSON, and stand-ins made of it: what completion looks at, without any code of the program.

`told(session)` is called where the program ran, `Stand(library).made(told)` in the server: tensors of that dtype and shape that
take no memory, empty lists, functions with the same parameters and no body, objects with the same attributes.
"""

from __future__ import annotations

import keyword
from types import FunctionType
from typing import Any

from ..assist.completion import find
from ..assist.signatures import shown
from ..language import peek
from ..sandbox.namespace import Namespace
from ..session import Session

DEPTH, MOST = 4, 80
HOMES = ("torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data", "torch.distributions", "torch")
PLAIN = {"int": 0, "float": 0.0, "bool": False, "str": "", "complex": 0j, "bytes": b"", "NoneType": None}
TABLES = ("_parameters", "_buffers", "_modules")
Told = list[Any]


def told(session: Session) -> dict[str, Told]:
    """What there is to tell of each variable."""
    return {name: _of(session[name], session, 0) for name in list(session)[:1000]}


def _of(value: Any, session: Session, depth: int) -> Told:
    base = peek.tensor_class(value)
    if base is not None:
        return [
            "tensor",
            base.__name__,
            str(peek.field(value, base, "dtype")).removeprefix("torch."),
            peek.shape_of(value),
        ]
    kind = type(value)
    if kind.__name__ in PLAIN and kind.__module__ == "builtins":
        return ["plain", kind.__name__]
    if isinstance(value, Namespace):
        return ["space", str(value.__dict__["__name__"])]
    if kind is dict:
        return ["dict", [key for key in list(value)[:MOST] if type(key) is str]]
    if kind in (list, tuple):
        parts = [_of(each, session, depth + 1) for each in value[:8]] if depth < DEPTH else []
        return [kind.__name__, parts]
    if kind is FunctionType:
        return _function(value)
    if kind is type or isinstance(value, type):
        return ["class", *_class(value, session)]
    own = peek.instance_dict(value) if depth < DEPTH else {}
    attributes = {name: each for name, each in own.items() if type(name) is str and name[0] != "_"}
    parts = {name: _of(each, session, depth + 1) for name, each in list(attributes.items())[:MOST]}
    tables = [name for name in TABLES if name in own]
    return [
        "object",
        _class(kind, session),
        parts,
        {name: list(own[name]) for name in tables if type(own[name]) is dict},
    ]


def _function(function: FunctionType) -> Told:
    """Name, parameters with kind and the text of the default, and documentation."""
    code = function.__code__
    count, only = code.co_argcount, code.co_kwonlyargcount
    names, rest = code.co_varnames[:count], list(code.co_varnames[count + only :])
    defaults = function.__defaults__ or ()
    known = {**dict(zip(names[count - len(defaults) :], defaults, strict=True)), **(function.__kwdefaults__ or {})}
    one = lambda name: [name, "", (shown(known[name]) or "...") if name in known else ""]
    parameters = [one(name) for name in names]
    star = [[rest.pop(0), "*", ""]] if code.co_flags & 4 else [["", "*", ""]] if only else []
    keywords = [one(name) for name in code.co_varnames[count : count + only]]
    stars = [[rest.pop(0), "**", ""]] if code.co_flags & 8 else []
    doc = function.__doc__ if type(function.__doc__) is str else ""
    return ["function", function.__name__, [*parameters, *star, *keywords, *stars], doc[:2000]]


def _class(cls: type, session: Session) -> Told:
    """Name, the library's class it is or is made of, methods of its own."""
    methods: dict[str, Told] = {}
    home = ""
    for each in cls.__mro__:
        if peek.is_library(each):
            home = _home(each, session)
            break
        for name, value in each.__dict__.items():
            if type(value) is FunctionType and not name.startswith("__") and name not in methods:
                methods[name] = _function(value)
    return [cls.__name__, home, methods, peek.is_library(cls)]


def _home(cls: type, session: Session) -> str:
    """The dotted name by which programs know a class of the library."""
    for home in HOMES:
        path = f"{home}.{cls.__name__}"
        if find(session, path) is cls:
            return path
    return ""


class Stand:
    """Makes stand-ins; the library's names are looked up in a session."""

    def __init__(self, library: Session) -> None:
        self.library = library

    def made(self, told: dict[str, Told]) -> dict[str, Any]:
        """The variables of a run, as far as completion can see them."""
        found = {name: self.one(each) for name, each in told.items() if _is_name(name)}
        return {name: value for name, value in found.items() if value is not peek.MISSING}

    def one(self, told: Told) -> Any:
        kind = told[0]
        if kind == "tensor":
            return tensor(told[2], told[3], told[1] == "ndarray")
        if kind == "plain":
            return PLAIN[told[1]]
        if kind == "space":
            return find(self.library, told[1])
        if kind == "dict":
            return dict.fromkeys(told[1])
        if kind in ("list", "tuple"):
            parts = [self.one(each) for each in told[1]]
            return parts if kind == "list" else tuple(parts)
        if kind == "function":
            return function(told)
        if kind == "class":
            return self._class(told[1:])
        return self._object(told)

    def _class(self, told: Told) -> Any:
        name, home, methods, is_library = told
        base = find(self.library, home) if home else object
        base = base if isinstance(base, type) else object
        if is_library or not _is_name(name):
            return base
        body = {each: function(made) for each, made in methods.items() if _is_name(each)}
        try:
            return type(base)(name, (base,), {**body, "__module__": "__main__"})
        except TypeError:  # a class that has no subclasses
            return type(name, (), {**body, "__module__": "__main__"})

    def _object(self, told: Told) -> Any:
        _, of, parts, tables = told
        cls = self._class(of)
        try:
            made = object.__new__(cls)
            own = object.__getattribute__(made, "__dict__")
        except (TypeError, AttributeError):
            return cls
        values = {name: self.one(each) for name, each in parts.items()}
        inner = {name for names in tables.values() for name in names}
        own.update({name: value for name, value in values.items() if name not in inner})
        for table, names in tables.items():
            own[table] = {name: values.get(name) for name in names}
        return made

    def instance(self, cls: Any, attributes: dict[str, Any]) -> Any:
        """An object of a class with these attributes, as `self` in its methods."""
        try:
            made = object.__new__(cls)
            object.__getattribute__(made, "__dict__").update(attributes)
        except (TypeError, AttributeError):
            return peek.MISSING
        return made


def tensor(dtype: str, shape: list[Any], is_array: bool = False) -> Any:
    """A tensor of a dtype and a shape, all of whose elements are one."""
    import numpy as np

    from ..engine.tensors.tensor import wrap

    names = {"bfloat16": "float32"}
    try:
        one = np.zeros((), names.get(dtype, dtype))
        array = np.broadcast_to(one, [size if type(size) is int and size >= 0 else 1 for size in shape])
    except (TypeError, ValueError):
        return peek.MISSING
    return array if is_array else wrap(array)


class Default:
    """A default, of which only the text is known."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def function(told: Told) -> Any:
    """A function with the same parameters, which does nothing."""
    _, name, parameters, doc = told
    texts = [
        star + each + (f"=_defaults[{at}]" if default else "") for at, (each, star, default) in enumerate(parameters)
    ]
    if not all(_is_name(each) or not each for each, _, _ in parameters):
        return peek.MISSING
    defaults = [Default(str(default)) for _, _, default in parameters]
    space: dict[str, Any] = {"__name__": "__main__", "__builtins__": {}, "_defaults": defaults}
    exec(f"def stand({', '.join(texts)}): pass", space)
    made = space["stand"]
    made.__name__ = made.__qualname__ = name if _is_name(name) else "function"
    made.__doc__ = doc or None
    return made


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")
