"""What a program's `_repr_pretty_(p, cycle)` writes to: the calls of IPython's printer, with nothing of the host behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from ..sandbox.sealed import Sealed

MOST = 10_000_000
"""Characters of one text."""
DEEPEST = 500
"""Groups in groups."""


class Printer(metaclass=Sealed):
    """A text that is written piece by piece, of lines that are broken where they would not fit."""

    __module__ = "IPython.lib.pretty"
    __slots__ = ("__depth", "__layout", "__out", "__seen", "__size", "__text_of")

    def __init__(self, text_of: Callable[[Any], str], width: int = 79) -> None:
        from IPython.lib.pretty import PrettyPrinter

        self.__text_of, self.__seen, self.__out = text_of, set[int](), StringIO()
        self.__layout, self.__size, self.__depth = PrettyPrinter(self.__out, width), 0, 0

    @classmethod
    def _written(cls, value: Any, method: Any, text_of: Callable[[Any], str]) -> str:
        """The text that a method writes for a value."""
        made = cls(text_of)
        made.__seen.add(id(value))
        method(made, False)
        made.__layout.flush()
        return made.__out.getvalue()

    def text(self, obj: Any) -> None:
        """Write a text."""
        self.__layout.text(self.__counted(obj))

    def __counted(self, obj: Any, more: int = 0) -> str:
        found = str(obj)
        self.__size += len(found) + more
        if self.__size > MOST:
            raise ValueError("_repr_pretty_ wrote more than ten million characters")
        return found

    def breakable(self, sep: str = " ") -> None:
        """Write what stands where a line may be broken."""
        self.__layout.breakable(self.__counted(sep, abs(self.__layout.indentation)))

    def break_(self) -> None:
        """Begin a new line."""
        self.__counted("\n", abs(self.__layout.indentation))
        self.__layout.break_()

    def pretty(self, obj: Any) -> None:
        """Write a value."""
        for number, line in enumerate(("<...>" if id(obj) in self.__seen else self.__text_of(obj)).splitlines()):
            if number:
                self.break_()
            self.text(line)

    def begin_group(self, indent: int = 0, open: str = "") -> None:
        """Begin lines that are indented; they are broken together."""
        if self.__depth == DEEPEST:
            raise ValueError(f"_repr_pretty_ began more than {DEEPEST} groups in groups")
        self.__depth += 1
        self.__layout.begin_group(int(indent), self.__counted(open))

    def end_group(self, dedent: int = 0, close: str = "") -> None:
        """End them."""
        if not self.__depth:
            raise ValueError("_repr_pretty_ ended a group that it has not begun")
        self.__depth -= 1
        self.__layout.end_group(int(dedent), self.__counted(close))

    @contextmanager
    def group(self, indent: int = 0, open: str = "", close: str = "") -> Iterator[None]:
        """A context of lines that are indented."""
        self.begin_group(indent, open)
        try:
            yield
        finally:
            self.end_group(indent, close)

    @contextmanager
    def indent(self, indent: int) -> Iterator[None]:
        """A context of lines that are indented."""
        self.__layout.indentation += (more := int(indent))
        try:
            yield
        finally:
            self.__layout.indentation -= more
