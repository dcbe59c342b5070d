"""The signature of anything callable, as a person writes it: `add(input, other, *, alpha=1, out=None)`.

Operators are asked for their record, everything else for what Python knows; names that are ours only (a stand-in for
"not given") and annotations that say nothing are left out.
"""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from ..language import peek

_texts: dict[tuple[Any, bool], str] = {}
"""The signatures of the library's own functions and classes, which stay: a menu shows hundreds at once."""


class Parameter(NamedTuple):
    name: str
    default: str = ""
    """The text of the default; empty where there is none."""
    keyword_only: bool = False
    is_flag: bool = False


def parameters(value: Any) -> list[Parameter] | None:
    """The parameters of a callable (without `self`), or None where nothing is known."""
    value, bound = quiet(value)
    if value is None or bound:
        return None if value is None else (parameters(value) or [None])[1:]  # type: ignore[list-item, return-value]
    is_method = hasattr(value, "__self__") and not isinstance(value.__self__, type)
    operator = getattr(value, "_operator", None)
    if hasattr(operator, "params") and hasattr(operator, "defaults"):
        return _of_operator(operator)[1:] if is_method else _of_operator(operator)
    if operator is not None and hasattr(operator, "kernel"):
        found = _of_function(operator.kernel)
        return found if found is None else found[1:] if is_method else found
    return _of_function(value)


def quiet(value: Any) -> tuple[Any, bool]:
    """A callable that can be asked for its signature without running a program's code, and whether that is of a method to which an
    object of a program's class is bound; None where there is none."""
    inner = value
    while type(inner) in (FunctionType, partial, MethodType):
        kind = type(inner)
        inner = (
            inner.__dict__.get("__wrapped__")
            if kind is FunctionType
            else inner.func
            if kind is partial
            else inner.__func__
        )
    if inner is None or isinstance(inner, type) or peek.is_library(type(inner)):
        return value, False
    if inner is not value:
        return None, False
    method = peek.attribute(type(value), "__call__")
    return (method, True) if type(method) is FunctionType else (None, False)


def _of_operator(operator: Any) -> list[Parameter]:
    found = []
    for position, name in enumerate(operator.params):
        default = operator.defaults[position]
        is_required = repr(default) in ("<required>", "<absent>")
        text = "" if is_required else shown(default)
        found.append(Parameter(name, text, position >= operator.positional, isinstance(default, bool)))
    if getattr(operator, "out", False):
        found.append(Parameter("out", "None", True))
    return found


def _of_function(value: Any) -> list[Parameter] | None:
    from inspect import Parameter as Kind

    from ..sandbox.wrapping import signature

    try:
        made = signature(value)
    except (ValueError, TypeError):
        return None
    found = []
    for each in made.parameters.values():
        if each.kind is Kind.VAR_KEYWORD:
            continue
        if each.kind is Kind.VAR_POSITIONAL:
            found.append(Parameter("*" + each.name))
            continue
        text = "" if each.default is Kind.empty else shown(each.default)
        only = each.kind is Kind.KEYWORD_ONLY
        found.append(Parameter(each.name, text, only, isinstance(each.default, bool)))
    return [p for p in found if not p.name.startswith("_")]


def shown(default: Any) -> str:
    """The text of a default; nothing where it only stands for one that is missing."""
    with peek.unformatted():
        text = (
            repr(default)
            if peek.is_library(type(default)) and type(default) not in peek.BRACKETS
            else peek.text_of(default)
        )
    if text in ("<required>", "<absent>"):
        return ""
    return "..." if default is ... or text.startswith("<") or len(text) > 40 else text


def signature_text(value: Any) -> str:
    """`(input, *, out=None)`, or nothing."""
    function = value.__func__ if type(value) is MethodType else value
    key = function, function is not value
    if not (type(function) is FunctionType or isinstance(function, type)) or not peek.is_library(function):
        return _text(value)
    if key not in _texts:
        _texts[key] = _text(value)
    return _texts[key]


def _text(value: Any) -> str:
    found = parameters(value)
    if found is None:
        return ""
    parts = []
    starred = any(p.name.startswith("*") for p in found)
    for each in found:
        if each.keyword_only and not starred:
            parts.append("*")
            starred = True
        parts.append(each.name + (f"={each.default}" if each.default else ""))
    return f"({', '.join(parts)})"
