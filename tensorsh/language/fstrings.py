"""The pieces of an f-string: literal text up to the next field, `=`, `:` and the closing quote.

Inside a field the ordinary tokens are read; `depth` tells at which bracket depth a `}` ends the field. Fields, formats
and f-strings within them nest on explicit stacks.
"""

from __future__ import annotations

import re
from typing import Any

from .mistake import Mistake, Place
from .strings import unescape

MAX_BRACKETS = 200  # CPython's limit too
_LITERAL = {
    quote: re.compile(rf"[^{{}}\\{quote[0]}" + (r"\n" if len(quote) == 1 else "") + "]+")
    for quote in ('"', "'", '"""', "'''")
}
_NAMED_CHARACTER = re.compile(r"\\N\{[^{}\n]*\}")


class FString:
    """An f-string that is open: its quote, and the bracket depth of the field that is being read."""

    def __init__(self, opening: str, line: int, column: int, start: int) -> None:
        self.quote = opening.lstrip("fFrR")
        self.raw = "r" in opening.lower()
        self.line = line
        self.column = column
        self.start = start
        self.fields: list[tuple[int, int]] = []  # depth inside the field, where its text starts
        self.in_format: list[int] = []  # depths of the fields whose format is being read
        self.depth = -1
        self.field_start = 0

    in_field = property(lambda self: bool(self.fields))

    def enter_field(self, depth: int, start: int) -> None:
        self.fields.append((depth, start))
        self.depth, self.field_start = depth, start

    def leave_field(self) -> None:
        self.fields.pop()
        self.depth, self.field_start = self.fields[-1] if self.fields else (-1, 0)


class FStrings:
    """Where a tokenizer stands in its text; the part of it that reads literal text of f-strings."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text.isascii()
        self.line: int = 1
        self.line_start: int = 0
        self.known: int = 0  # a position in the line, and the bytes in front of it
        self.counted: int = 0
        self.tokens: list[Any] = []
        self.brackets: list[tuple[str, int, int]] = []
        self.fstrings: list[FString] = []

    def column(self, position: int) -> int:
        if self.ascii:
            return position - self.line_start
        if position < self.known:
            self.known, self.counted = self.line_start, 0
        self.counted += len(self.text[self.known : position].encode("utf-8", "surrogatepass"))
        self.known = position
        return self.counted

    def new_line(self, start: int, count: int = 1) -> None:
        self.line += count
        self.line_start = self.known = start
        self.counted = 0

    def mistake(self, message: str, start: int, end: int, advice: str | None = None, kind: str = "syntax") -> Mistake:
        first = self.column(start)
        return Mistake(message, (self.line, first, self.line, self.column(end)), advice, kind)

    def unfinished(self, message: str, place: Place, advice: str | None = None) -> Mistake:
        mistake = Mistake(message, place, advice)
        mistake.unfinished = True
        return mistake

    def open_bracket(self) -> Mistake:
        bracket, line, column = self.brackets[-1]
        return self.unfinished(f"'{bracket}' was never closed", (line, column, line, column + 1))

    def open_fstring(self) -> Mistake:
        top = self.fstrings[-1]
        if self.brackets and len(self.brackets) >= top.depth and top.in_field:
            return self.open_bracket()
        last = self.line - self.text.endswith("\n")
        kind = "triple-quoted f-string" if len(top.quote) == 3 else "f-string"
        message = f"unterminated {kind} literal (detected at line {last})"
        mistake = Mistake(message, (top.line, top.column, top.line, top.column + 1))
        mistake.unfinished = len(top.quote) == 3
        return mistake

    def literal(self, position: int) -> int:
        """The literal text of the innermost f-string from here to its next field or its end."""
        text, top = self.text, self.fstrings[-1]
        quote, raw, in_format = top.quote, top.raw, bool(top.in_format)
        plain = _LITERAL[quote]
        pieces: list[str] = []
        start, line, column = position, self.line, self.column(position)
        size = len(text)
        while True:
            match = plain.match(text, position)
            if match:
                piece = match[0]
                pieces.append(piece)
                position = match.end()
                if "\n" in piece:
                    self.new_line(match.start() + piece.rindex("\n") + 1, piece.count("\n"))
            if position >= size:
                raise self.open_fstring()
            character = text[position]
            if character == "\\":
                named = None if raw else _NAMED_CHARACTER.match(text, position)
                end = named.end() if named else position + 2
                if text.startswith(("{", "}"), position + 1):
                    end = position + 1
                pieces.append(text[position:end])
                if text.startswith("\n", position + 1):
                    self.new_line(position + 2)
                position = end
            elif text.startswith(quote, position):
                if in_format:
                    raise self.mistake("f-string: expecting '}', or format specs", position, position + 1)
                break
            elif character == "{":
                if text.startswith("{{", position) and not in_format:
                    pieces.append("{{")
                    position += 2
                    continue
                break
            elif character == "}":
                if in_format:
                    break
                if text.startswith("}}", position):
                    pieces.append("}}")
                    position += 2
                    continue
                raise self.mistake("f-string: single '}' is not allowed", position, position + 1)
            elif character == "\n":
                if in_format:
                    raise self.mistake("f-string: expecting '}'", position, position + 1)
                message = f"unterminated f-string literal (detected at line {self.line})"
                raise Mistake(message, (top.line, top.column, top.line, top.column + 1))
            else:
                pieces.append(character)
                position += 1
        here = self.column(position)
        if position > start:
            value = "".join(pieces)
            if "\\" in value and not raw:
                value = self.escaped(value, top)
            if not in_format:
                value = value.replace("{{", "{").replace("}}", "}")
            self.tokens.append(("FSTRING_MIDDLE", value, line, column, self.line, here))
        if character == "{":
            if len(self.brackets) >= MAX_BRACKETS:
                raise self.mistake("too many nested parentheses", position, position + 1)
            self.brackets.append(("{", self.line, here))
            self.tokens.append(("LBRACE", "{", self.line, here, self.line, here + 1))
            top.enter_field(len(self.brackets), position + 1)
            return position + 1
        if character == "}":
            self.brackets.pop()
            self.tokens.append(("RBRACE", "}", self.line, here, self.line, here + 1))
            top.in_format.pop()
            top.leave_field()
            return self.literal(position + 1)
        self.fstrings.pop()
        self.tokens.append(("FSTRING_END", quote, self.line, here, self.line, here + len(quote)))
        return position + len(quote)

    def escaped(self, value: str, top: FString) -> str:
        try:
            return unescape(value)
        except ValueError as error:
            raise Mistake(str(error), (top.line, top.column, self.line, self.column(top.start))) from None
