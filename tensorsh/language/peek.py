"""Looking at live values without running anything of theirs.

A diagnostic names the shapes of operands, completion lists attributes: both must see what `model.weight` or
`parts[0]` is without calling a property, a `__getattr__` or a `__getitem__` that the script wrote. Instance
dictionaries, slots and C-level descriptors are read directly; everything else is "not there".
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

from ..sandbox import classes
from ..sandbox.classes import is_script_class, is_script_function
from ..sandbox.kinds import functions_of_torch

MISSING: Any = object()

_TENSOR_CLASSES = frozenset({"Tensor", "ndarray"})
_TENSOR_PROPERTIES = frozenset({"T", "mT", "H", "mH", "grad", "data", "real", "imag"})
_MODULE_TABLES = ("_parameters", "_buffers", "_modules")


def is_library(cls: Any) -> bool:
    """Whether a class (or a function) is part of tensorsh, of numpy or of Python, and not written by a script."""
    if is_script_class(cls) if isinstance(cls, type) else is_script_function(cls):
        return False
    module = cls.__module__
    return isinstance(module, str) and module.partition(".")[0] in ("tensorsh", "torch", "numpy", "builtins")


def tensor_class(value: object) -> type | None:
    """The library's class that makes `value` a tensor or an array, or None."""
    for cls in type(value).__mro__:
        if cls.__name__ in _TENSOR_CLASSES and is_library(cls):
            return cls
    return None


def describe(value: object) -> str | None:
    """`float32[2, 3]` of a tensor, `numpy float64[3]` of an array, with the device if it is not the CPU; else None."""
    base = tensor_class(value)
    if base is None:
        return None

    shape = ", ".join(str(int(size)) for size in field(value, base, "shape"))
    text = f"{str(field(value, base, 'dtype')).removeprefix('torch.')}[{shape}]"
    if base.__name__ == "ndarray":
        return f"numpy {text}"
    device = str(field(value, base, "device"))
    own = object.__getattribute__(value, "__dict__") if device == "meta" and type(value) is not base else {}
    return text if device == "cpu" or "_whole" in own else f"{text} on {device}"  # a slice in vmap is on no device


def shape_of(value: object) -> tuple[int, ...] | None:
    """The sizes of a tensor or an array, else None."""
    base = tensor_class(value)
    return None if base is None else tuple(int(n) for n in field(value, base, "shape"))


def field(value: object, base: Any, name: str) -> Any:
    """A property of a tensor or an array. A `__torch_function__` of its class is not asked."""
    with unasked():
        return getattr(base, name).__get__(value, type(value))


def unasked() -> Any:
    """A context in which no class of a program overrides functions of torch."""
    return classes.unasked()


def text_of(value: object, depth: int = 0) -> str:
    """The text of a value of the library's or Python's; of what may run a program's code the class alone."""
    kind = type(value)
    if kind in PLAIN or issubclass(kind, np_generic()):
        return repr(value)
    if kind in BRACKETS and depth < 3:
        begin, end = BRACKETS[kind]
        many: Any = value
        pairs = list(many.items())[:MOST] if kind is dict else [(each,) for each in list(many)[:MOST]]
        parts = [": ".join([text_of(each, depth + 1) for each in pair]) for pair in pairs]
        rest = ", ..." if len(many) > MOST else "," if kind is tuple and len(many) == 1 else ""
        return f"{begin}{', '.join(parts)}{rest}{end}" if many else repr(value)
    if isinstance(value, type):
        return f"<class {value.__qualname__!r}>"
    if kind is FunctionType or kind is BuiltinFunctionType or kind is MethodType:
        return f"<function {value.__name__}>"  # type: ignore[attr-defined]
    base = tensor_class(value)
    if base is kind or is_library(kind) and kind.__module__ == "torch":
        with unasked(), unformatted():
            return repr(value)
    return f"<{kind.__qualname__} object>"


def unformatted() -> Any:
    """A context in which numpy writes arrays without a program's functions (`set_printoptions(formatter=...)`)."""
    numpy = sys.modules.get("numpy")
    return nullcontext() if numpy is None else numpy.printoptions()


def np_generic() -> Any:
    """The class of numpy's numbers, if there are any."""
    numpy = sys.modules.get("numpy")
    return () if numpy is None else numpy.generic


PLAIN = frozenset(
    (int, float, bool, complex, str, bytes, bytearray, range, type(None), type(Ellipsis), type(NotImplemented))
)
BRACKETS: dict[Any, Any] = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: ("frozenset({", "})")}
_TURNED = frozenset(("T", "H", "mT", "mH"))
MOST = 50
"""Elements of a container whose texts are shown."""


def instance_dict(value: object) -> dict[str, Any]:
    """The instance's own attributes; those that a network's module keeps in tables of its own are among them."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    if type(own) is not dict and not (isinstance(own, dict) and is_library(type(own))):
        return {}
    found = dict(dict.items(own))
    for table in _MODULE_TABLES:
        entries = found.get(table)
        if isinstance(entries, dict):
            found.update(entries)
    return found


def attribute(value: object, name: str) -> Any:
    """`value.name` if it can be read without running code of a script, else MISSING."""
    if isinstance(value, type):
        for cls in value.__mro__:
            if name in cls.__dict__:
                found = cls.__dict__[name]
                if type(found).__name__ == "Late" and is_library(type(found)):  # which is loaded when it is asked for
                    return getattr(cls, name)
                return found.__func__ if isinstance(found, staticmethod) else found
        return MISSING
    own = instance_dict(value)
    for cls in type(value).__mro__:
        if name not in cls.__dict__:
            continue
        found = cls.__dict__[name]
        if name in _TURNED and is_library(cls) and len(shape_of(value) or (0, 0)) != 2:  # which warns or is an error
            return MISSING
        if isinstance(found, GetSetDescriptorType | MemberDescriptorType):
            try:
                return found.__get__(value, type(value))
            except AttributeError:
                return MISSING
        if isinstance(found, property):
            readable = name in _TENSOR_PROPERTIES and is_library(cls)
            if name == "grad" and readable:  # which warns where there is none and never will be
                return getattr(value, "_grad", MISSING)
            with unasked():
                return found.__get__(value, type(value)) if readable else MISSING
        if name in own:
            return own[name]
        if isinstance(found, FunctionType) or isinstance(found, functions_of_torch()):
            return found.__get__(value, type(value))  # type: ignore[attr-defined]
        return MISSING if hasattr(type(found), "__get__") else found
    return own.get(name, MISSING)


def names_of(value: object) -> Iterable[str]:
    """The attribute names of a value, found without calling its `__dir__` unless that is the library's own."""
    if is_library(type(value)) and not isinstance(value, type):
        return dir(value)
    names = dict.fromkeys(instance_dict(value))
    for cls in value.__mro__ if isinstance(value, type) else type(value).__mro__:
        names.update(dict.fromkeys(cls.__dict__))
    return names


def item(value: object, key: object) -> Any:
    """`value[key]` of a plain list, tuple or dict with a constant key, else MISSING."""
    try:
        if type(value) in (list, tuple) and type(key) is int:
            return value[key]  # type: ignore[index]
        if type(value) is dict and type(key) in (str, int):
            return value.get(key, MISSING)  # type: ignore[attr-defined]
    except LookupError:
        pass
    return MISSING


def evaluate(node: ast.expr, *scopes: Mapping[str, Any]) -> Any:
    """The value of a name, a chain of attributes or a constant subscript in the first scope that knows it."""
    if isinstance(node, ast.Name):
        for scope in scopes:
            if node.id in scope:
                return scope[node.id]
        return MISSING
    if isinstance(node, ast.Attribute):
        base = evaluate(node.value, *scopes)
        return MISSING if base is MISSING else attribute(base, node.attr)
    if isinstance(node, ast.Subscript):
        base = evaluate(node.value, *scopes)
        index: ast.expr = node.slice
        sign = 1
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            index, sign = index.operand, -1
        if base is MISSING or not isinstance(index, ast.Constant):
            return MISSING
        return item(base, -index.value if sign < 0 and isinstance(index.value, int) else index.value)
    return MISSING
