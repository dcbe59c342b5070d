"""Formatting: the blanks between the tokens of a line, at its end and at the end of the text; lines, margins and comments stay."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from lsprotocol import types as lsp

from ..golden.document import expectation
from ..language.parser import tokens_of
from .document import LARGEST
from .positions import Lines, Span, units
from .server import Server, range_of

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_SIGNS = frozenset(("+", "-", "*", "**", "@"))
_SPACED = frozenset("-> := += -= *= /= //= %= @= &= |= ^= <<= >>= **=".split())
_OPERANDS = frozenset(("NAME", "NUMBER", "STRING", "FSTRING_END", "NONE", "TRUE", "FALSE"))

Edit = tuple[Span, str]


def add(server: Server) -> None:
    """The whole text, or the lines that are selected."""

    def edits(params: Any, first: int, last: float) -> list[lsp.TextEdit] | None:
        document = server.document(params)
        found = None if document is None else formatted(document.text)
        if found is None:
            return None
        return [lsp.TextEdit(range_of(span), new) for span, new in found if first <= span[0] and span[2] <= last]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def whole(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        return edits(params, 0, float("inf"))

    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    def part(params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        return edits(params, params.range.start.line, params.range.end.line)


def formatted(text: str) -> list[Edit] | None:
    """The changes that put a text in order, from its start to its end; None of what is no program."""
    tokens = tokens_of(text) if len(text) <= LARGEST else []
    if not tokens or tokens[-1][0] == "ERROR":
        return None
    lines = Lines(text)
    seen = [token for token in tokens if token[0] not in ("_NEWLINE", "_INDENT", "_DEDENT", "$END")]
    strings = {line for token in seen for line in range(token[2], token[4])}
    return sorted([*_between(seen, lines), *_ends(lines.lines, strings)])


def _between(tokens: list[Any], lines: Lines) -> list[Edit]:
    """What changes between two tokens of a line, and in front of a comment behind the last one."""
    found: list[Edit] = []
    place = _Place()
    for before, after in pairwise([*tokens, None]):
        place.read(before)
        span = lines.span((before[4], before[5], *(after[2:4] if after else (0, 0))))
        line = lines.lines[span[0]]
        if after is None or span[2] != span[0]:
            rest = line.encode("utf-16-le", "surrogatepass")[2 * span[1] :].decode("utf-16-le", "surrogatepass")
            comment = rest.lstrip()
            if comment.startswith("#") and len(rest) - len(comment) < 2:
                found.append(([span[0], span[1], span[0], span[1] + len(rest) - len(comment)], "  "))
            continue
        wanted = place.gap(before, after)
        if wanted is not None and span[3] - span[1] != len(wanted):
            found.append((span, wanted))
    return found


def _ends(lines: list[str], strings: set[int]) -> list[Edit]:
    """Blanks at the end of lines that are not within a string or of a golden test's output, and lines behind the last one."""
    last = len(lines)
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    found: list[Edit] = []
    for number, line in enumerate(lines[:last], 1):
        kept = line.rstrip(" \t\f")
        if kept != line and number not in strings and not expectation(line):
            found.append(([number - 1, units(kept), number - 1, units(line)], ""))
    whole = lines[last - 1].rstrip(" \t\f")
    if whole and lines[last:] != [""]:
        found = [edit for edit in found if edit[0][0] != last - 1]
        found.append(([last - 1, units(whole), len(lines) - 1, units(lines[-1])], "\n"))
    return found


class _Place:
    """Where a token stands: the brackets that are open, each with what was read in it, and whether a sign has two sides."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.quoted = 0
        self.two_sided = False
        self.line = 0
        self.before: Any = None

    def read(self, token: Any) -> None:
        kind, value = token[:2]
        if not self.open and token[2] != self.line:
            self.before = None
        self.line = token[4]
        self.two_sided = self._is_operand(self.before)
        self.before = token
        self.quoted += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        if self.quoted:
            return
        if value in _OPENING or kind == "LAMBDA":
            self.open.append(value)
        elif value in _CLOSING:
            while self.open.pop() == "lambda":
                pass
        elif value == ":" and self.open:
            if self.open[-1] == "lambda":
                self.open.pop()
            else:
                self.open[-1] = self.open[-1][0] + ":"
        elif value == "," and self.open:
            self.open[-1] = "lambda" if self.open[-1] == "lambda" else self.open[-1][0]

    @staticmethod
    def _is_operand(token: Any) -> bool:
        return token is not None and (token[0] in _OPERANDS or token[1] in _CLOSING or token[1] == "...")

    def gap(self, before: Any, after: Any) -> str | None:
        """What belongs between two tokens of a line; None: what stands there."""
        left, right = before[1], after[1]
        if self.quoted or "\\" in (left, right):
            return None
        bracket = self.open[-1] if self.open else ""
        if right in (",", ";") or left in _OPENING or right in _CLOSING:
            return ""
        if ":" in (left, right):
            return None if bracket[:1] == "[" else "" if right == ":" else " "
        if left in (",", ";"):
            return " "
        return self._around_signs(before, after, bracket)

    def _around_signs(self, before: Any, after: Any, bracket: str) -> str | None:
        left, right, is_operand = before[1], after[1], self._is_operand(before)
        if "=" in (left, right):
            return "" if bracket in ("(", "lambda") else " "
        if left in _SPACED or right in _SPACED:
            return " "
        if left == "..." or "." in (left, right):
            return None if left == "..." or before[0] in ("FROM", "NUMBER") or after[0] == "IMPORT" else ""
        if left == "**" and self.two_sided or right == "**" and is_operand:
            return None
        if left == "~" or left in _SIGNS and not self.two_sided or right in ("(", "[") and is_operand:
            return ""
        return " "
