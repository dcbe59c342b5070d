"""Values in IPython's layout, as a notebook shows them: lists, dicts, sets and their like, classes, functions.

IPython's printer is used for those alone. It would hand itself to a `_repr_pretty_` that a program wrote, and with it
objects of the host; a program's is given one that knows nothing but its text.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ..sandbox.sealed import Sealed

CONTAINERS = (list, tuple, dict, set, frozenset, OrderedDict, defaultdict, deque, Counter)
WIDTH = 79
"""Columns, as in IPython."""
_PLACED = re.compile(r"<([\w.]+) object at (0x[0-9a-f]+)>")


def plain_text(value: Any) -> str:
    """The text of a value beneath a cell; runs within the session."""
    value = _laid_out(value)
    if type(value) not in CONTAINERS:
        return _single(value)
    from io import StringIO

    from IPython.lib.pretty import CallExpression, RawText, RepresentationPrinter

    class Printer(RepresentationPrinter):
        """IPython's printer without what objects say of themselves to it."""

        def pretty(self, obj: Any) -> None:
            obj = _laid_out(obj)
            if type(obj) in (*CONTAINERS, CallExpression, RawText):
                super().pretty(obj)
                return
            for number, line in enumerate(_single(obj).splitlines()):
                if number:
                    self.break_()
                self.text(line)

    out = StringIO()
    printer = Printer(out, max_width=WIDTH, max_seq_length=1000)
    printer.pretty(value)
    printer.flush()
    return out.getvalue()


def _laid_out(value: Any) -> Any:
    """A mapping of the host's that is shown as the dict it holds, `x.__dict__`: that dict. Others as they are."""
    if type(type(value)) is Sealed and "_layout" in type(value).__dict__:
        return type(value)._layout(value)
    return value


def _single(value: Any) -> str:
    if isinstance(value, type):
        plain = type(value).__repr__ is type.__repr__ or repr(value).startswith("<class ")
        return _name(value) if plain else repr(value)
    if type(value) is FunctionType and value.__module__ == "__main__":
        from ..sandbox.wrapping import signature

        return f"<function {value.__module__}.{value.__qualname__}{signature(value)}>"
    if type(value) is BuiltinFunctionType and value.__module__ == "builtins":
        from ..sandbox.wrapping import signature

        try:
            return f"<function {value.__qualname__}{signature(value)}>"
        except ValueError:
            return f"<function {value.__qualname__}>"
    method = next(
        (cls.__dict__["_repr_pretty_"] for cls in type(value).__mro__ if "_repr_pretty_" in cls.__dict__), None
    )
    if type(method) is FunctionType:
        from .pretty import Printer

        return Printer._written(value, method.__get__(value), plain_text)
    text = repr(value)
    placed = _PLACED.fullmatch(text)
    return text if placed is None else f"<{placed[1]} at {placed[2]}>"


def _name(cls: type) -> str:
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", None) else f"{module}.{cls.__qualname__}"
