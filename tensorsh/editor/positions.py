"""Places as editors count them: lines from 0, columns in units of UTF-16."""

from __future__ import annotations

from collections.abc import Sequence

Span = list[int]
"""`[line, column, end line, end column]`"""


def units(text: str) -> int:
    """The length of a text in units of UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, column: int) -> int:
    """The character of a line that stands at a column of UTF-16 units."""
    if text.isascii():
        return min(column, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "ignore"))


class Lines:
    """The lines of a text, to turn places of Python's tree (lines from 1, columns in bytes) into those of editors."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def column(self, line: int, column: int) -> int:
        """The column of UTF-16 units, of a line counted from 1 and a column in bytes."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return column
        return units(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def span(self, place: Sequence[int]) -> Span:
        line, column, end_line, end_column = place
        return [line - 1, self.column(line, column), end_line - 1, self.column(end_line, end_column)]

    def characters(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """The span of lines from 1 and columns in characters from 0."""

        def at(number: int, column: int) -> int:
            return units(self.lines[number - 1][:column]) if number <= len(self.lines) else 0

        return [line - 1, at(line, column), end_line - 1, at(end_line, end_column)]

    def whole(self, line: int) -> Span:
        """A line without its margin."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return [line - 1, units(text[: len(text) - len(text.lstrip())]), line - 1, units(text.rstrip())]
