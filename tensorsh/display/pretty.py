"""What a program's `_repr_pretty_(p, cycle)` writes to: the calls of IPython's printer, with nothing of the host behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..sandbox.sealed import Sealed

MOST = 10_000_000
"""Characters of one text."""


class Printer(metaclass=Sealed):
    """A text that is written piece by piece; where IPython breaks lines to fit, this one does not."""

    __module__ = "IPython.lib.pretty"
    __slots__ = ("__indent", "__parts", "__seen", "__size", "__text_of")

    def __init__(self, text_of: Callable[[Any], str]) -> None:
        self.__text_of, self.__parts, self.__seen = text_of, [], set[int]()
        self.__indent = self.__size = 0

    @classmethod
    def _written(cls, value: Any, method: Any, text_of: Callable[[Any], str]) -> str:
        """The text that a method writes for a value."""
        made = cls(text_of)
        made.__seen.add(id(value))
        method(made, False)
        return "".join(made.__parts)

    def text(self, obj: Any) -> None:
        """Write a text."""
        found = str(obj)
        self.__size += len(found)
        if self.__size > MOST:
            raise ValueError("_repr_pretty_ wrote more than ten million characters")
        self.__parts.append(found)

    def breakable(self, sep: str = " ") -> None:
        """Write what stands where a line may be broken."""
        self.text(sep)

    def break_(self) -> None:
        """Begin a new line."""
        self.text("\n" + " " * self.__indent)

    def pretty(self, obj: Any) -> None:
        """Write a value."""
        self.text("<...>" if id(obj) in self.__seen else self.__text_of(obj))

    def begin_group(self, indent: int = 0, open: str = "") -> None:
        """Begin lines that are indented."""
        self.text(open)
        self.__indent += int(indent)

    def end_group(self, dedent: int = 0, close: str = "") -> None:
        """End them."""
        self.__indent = max(self.__indent - int(dedent), 0)
        self.text(close)

    @contextmanager
    def group(self, indent: int = 0, open: str = "", close: str = "") -> Iterator[None]:
        """A context of lines that are indented."""
        self.begin_group(indent, open)
        yield
        self.end_group(indent, close)

    @contextmanager
    def indent(self, indent: int) -> Iterator[None]:
        """A context of lines that are indented."""
        self.begin_group(indent)
        yield
        self.end_group(indent)
