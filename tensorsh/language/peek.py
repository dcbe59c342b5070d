"""Looking at live values without running anything of theirs.

A diagnostic names the shapes of operands, completion lists attributes: both must see what `model.weight` or
`parts[0]` is without calling a property, a `__getattr__` or a `__getitem__` that the script wrote. Instance
dictionaries, slots and C-level descriptors are read directly; everything else is "not there".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

MISSING: Any = object()

_TENSOR_CLASSES = frozenset({"Tensor", "ndarray"})
FORMS = "tensorsh.engine.operators.public_form"
"""Where the classes of operators as programs call them stand; they bind as functions do."""
_TENSOR_PROPERTIES = frozenset({"T", "mT", "H", "mH", "grad", "data", "real", "imag"})
_MODULE_TABLES = ("_parameters", "_buffers", "_modules")


def is_library(cls: Any) -> bool:
    """Whether a class (or a function) is part of tensorsh, of numpy or of Python, and not written by a script."""
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

    def field(name: str) -> Any:
        return getattr(base, name).__get__(value, type(value))

    shape = ", ".join(str(int(size)) for size in field("shape"))
    text = f"{str(field('dtype')).removeprefix('torch.')}[{shape}]"
    if base.__name__ == "ndarray":
        return f"numpy {text}"
    device = str(field("device"))
    return text if device == "cpu" else f"{text} on {device}"


def shape_of(value: object) -> tuple[int, ...] | None:
    """The sizes of a tensor or an array, else None."""
    base = tensor_class(value)
    return None if base is None else tuple(int(n) for n in base.shape.__get__(value, type(value)))  # type: ignore[attr-defined]


def instance_dict(value: object) -> dict[str, Any]:
    """The instance's own attributes; those that a network's module keeps in tables of its own are among them."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    if type(own) is not dict:
        return {}
    found = dict(own)
    for table in _MODULE_TABLES:
        entries = own.get(table)
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
        if isinstance(found, GetSetDescriptorType | MemberDescriptorType):
            try:
                return found.__get__(value, type(value))
            except AttributeError:
                return MISSING
        if isinstance(found, property):
            readable = name in _TENSOR_PROPERTIES and is_library(cls)
            if name == "grad" and readable:  # which warns where there is none and never will be
                return getattr(value, "_grad", MISSING)
            if name in ("T", "H") and len(shape_of(value) or (0, 0)) != 2:  # which warns or is an error
                return MISSING
            return found.__get__(value, type(value)) if readable else MISSING
        if name in own:
            return own[name]
        if isinstance(found, FunctionType) or type(found).__module__ == FORMS:
            return found.__get__(value, type(value))
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
