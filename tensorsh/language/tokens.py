"""Text to tokens, with the line structure of Python: NEWLINE, INDENT and DEDENT tokens, brackets that join lines.

A token is a tuple (type, value, line, column, end line, end column); columns count UTF-8 bytes as Python's `ast` does.
The patterns are the grammar's own. A mistake in the text ends the list as a token of type ERROR whose value is
the Mistake: a syntax error in front of it is reported first, as in Python.
"""

from __future__ import annotations

import re
from typing import Any

from .collector import STEPS, step
from .fstrings import MAX_BRACKETS, FString, FStrings
from .lexicon import Lexicon
from .mistake import Mistake

Token = tuple[str, Any, int, int, int, int]

MAX_INDENTS = 100
MAX_FSTRINGS = 100

_CLOSING = {")": "(", "]": "[", "}": "{"}
COMPILED = not __file__.endswith(".py")
_MARGIN = re.compile(r"[ \t\f]*(?:#[^\n]*)?")
_MARGINS = frozenset(("", " ", "\t", "\f", "#", "\n", "\\"))
"""What a margin begins with, and the end of the text."""
_BLANKS = re.compile(r"[ \t\f]*")
_FIELD_END = re.compile(r"\s*(?:[:}]|!(?!=))")


def _width(margin: str) -> tuple[int, int]:
    """The width of a margin with tabs to the next stop of 8, and with tabs as single columns."""
    width = alternative = 0
    for character in margin:
        if character == "\t":
            width = (width // 8 + 1) * 8
            alternative += 1
        elif character == "\f":
            width = alternative = 0
        else:
            width += 1
            alternative += 1
    return width, alternative


def tokenize(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text whose lines end in plain newlines; the last one is $END or ERROR."""
    tokenizer = _Tokenizer(text, lexicon)
    try:
        tokenizer.run()
    except Mistake as mistake:
        line, column, end_line, end_column = mistake.place
        tokenizer.tokens.append(("ERROR", mistake, line, column, end_line, end_column))
    return tokenizer.tokens


class _Tokenizer(FStrings):
    def __init__(self, text: str, lexicon: Lexicon) -> None:
        super().__init__(text)
        self.lexicon = lexicon
        self.indents = [(0, 0, False)]  # width with tabs to 8, width with tabs to 1, is the body of a `match`
        self.first = 0  # index of the first token of the logical line
        self.opened_match = False  # the line before was `match ...:`

    def run(self) -> None:
        text, size = self.text, len(self.text)
        by_characters = COMPILED and self.ascii
        position = self.indent(0)
        while position < size:
            if by_characters and not self.fstrings:
                position = self.plain(position)
                if position == size:
                    break
                if text[position] == "\n":
                    position = self.next_line(position)
                    continue
            position = self.matched(position, by_characters)
        self.finish()

    def matched(self, position: int, one: bool) -> int:
        """Reads tokens by the pattern until what follows is no ordinary one, or just one; gives the position behind them."""
        text, tokens, lexicon, steps = self.text, self.tokens, self.lexicon, STEPS
        finditer, kinds, plain = lexicon.finditer, lexicon.kinds, lexicon.plain
        for match in finditer(text, position):
            if (len(tokens) + 1) % steps == 0:
                step()
            position = match.end()
            group: Any = match.lastindex
            value = match[group]
            kind: Any = kinds[group]
            start = position - len(value)
            if kind == "NAME" or kind == "WORD":
                self.word(value, start, position)
            elif kind == "OPERATOR":
                kind = plain.get(value)
                if kind is not None:
                    self.add(kind, value, start, position)
                else:
                    literal = self.structure(value, start, position)
                    if literal:
                        return self.literal(literal)
            elif kind == "NUMBER":
                self.number(value, start, position)
            elif kind == "NEWLINE":
                return self.next_line(start)
            elif kind == "STRING":
                self.string(value, start, position)
            elif kind == "FSTRING_START":
                self.quote(value, start, position)
                return self.literal(position)
            elif kind == "JOIN":
                self.join(start, position)
            elif kind == "ODD":
                return self.odd(match.start())
            if one:
                break
        return position

    def add(self, kind: str, value: str, start: int, end: int) -> None:
        """A token within the line."""
        line, column = self.line, self.column(start)
        self.tokens.append((kind, value, line, column, line, self.column(end)))

    def word(self, value: str, start: int, end: int) -> None:
        kind = self.lexicon.keywords.get(value, "NAME")
        if kind == "ASYNC":
            raise self.mistake(f"'{value}' does not exist in tensorsh", start, end, "Call ordinary functions instead.")
        if kind == "NAME" and not value.isascii():
            value = self.identifier(value, start)
        self.add(kind, value, start, end)

    def structure(self, value: str, start: int, end: int) -> int:
        """An operator that opens or closes something; the position at which the text of an f-string goes on, or 0."""
        brackets, fstrings = self.brackets, self.fstrings
        of_field = bool(fstrings) and len(brackets) == fstrings[-1].depth
        if value in "([{":
            if len(brackets) >= MAX_BRACKETS:
                raise self.mistake("too many nested parentheses", start, end)
            brackets.append((value, self.line, self.column(start)))
        elif value in ")]}":
            if of_field:
                if value != "}":
                    raise self.mistake(f"f-string: unmatched '{value}'", start, end)
                brackets.pop()
                self.add("RBRACE", value, start, end)
                fstrings[-1].leave_field()
                return end
            self.close(value, start)
        elif of_field and value[0] == ":":
            self.add("_FORMAT_COLON", ":", start, start + 1)
            fstrings[-1].in_format.append(len(brackets))
            return start + 1
        elif of_field and value == "=" and self.shown(start, end):
            return 0
        self.add(self.lexicon.operators[value], value, start, end)
        return 0

    def shown(self, start: int, end: int) -> bool:
        """Whether a ``=`` ends the expression of a field, whose text is to be shown in front of its value."""
        match = _FIELD_END.match(self.text, end)
        if match is None:
            return False
        last = match.end() - 1
        line, column = self.line, self.column(start)
        end_column = self.column(end if "\n" in self.text[start:last] else last)
        text = self.text[self.fstrings[-1].field_start : last]
        self.tokens.append(("FSTRING_DEBUG", text, line, column, line, end_column))
        return True

    def number(self, value: str, start: int, end: int) -> None:
        text = self.text
        if end < len(text) and (text[end].isalnum() or text[end] == "_"):
            self.check_number(value, start, end)
        if value[0] == "0" and len(value) > 1 and value[1] in "0123456789_":
            self.check_zeros(value, start, end)
        self.add("NUMBER", value, start, end)

    def string(self, value: str, start: int, end: int) -> None:
        line, column = self.line, self.column(start)
        if "\n" in value:
            self.new_line(start + value.rindex("\n") + 1, value.count("\n"))
        self.tokens.append(("STRING", value, line, column, self.line, self.column(end)))

    def quote(self, value: str, start: int, end: int) -> None:
        """The opening quote of an f-string."""
        if len(self.fstrings) >= MAX_FSTRINGS:
            raise self.mistake("too many nested f-strings", start, end)
        self.add("FSTRING_START", value, start, end)
        self.fstrings.append(FString(value, self.line, self.column(start), start))

    def plain(self, position: int) -> int:
        """Reads names, plain numbers, operators and what lies between them by their characters, in compiled code, of a text in ASCII
        outside of f-strings: the tokens that the pattern finds. Gives the position of the first thing that is none of these."""
        text, tokens, brackets, line, line_start = self.text, self.tokens, self.brackets, self.line, self.line_start
        keywords, plain, operators = self.lexicon.keywords, self.lexicon.plain, self.lexicon.operators
        steps, size = STEPS, len(text)
        while position < size:
            start = position
            c = text[position]
            if c == " " or c == "\t" or c == "\f":
                position += 1
                continue
            if (len(tokens) + 1) % steps == 0:
                step()
            after = position + 1
            if "a" <= c <= "z" or "A" <= c <= "Z" or c == "_":
                while after < size:
                    c = text[after]
                    if not ("a" <= c <= "z" or "A" <= c <= "Z" or "0" <= c <= "9" or c == "_"):
                        break
                    after += 1
                if after < size and (c == "'" or c == '"'):
                    return start
                value = text[start:after]
                kind: Any = keywords.get(value, "NAME")
                if kind == "ASYNC":
                    return start
            elif "0" <= c <= "9":
                zero = c == "0"
                points = 0
                while after < size:
                    c = text[after]
                    if c == "." and not points:
                        points = 1
                    elif not "0" <= c <= "9" or zero and not points:
                        break
                    after += 1
                if after < size and ("a" <= c <= "z" or "A" <= c <= "Z" or "0" <= c <= "9" or c == "_" or c == "."):
                    return start
                value = text[start:after]
                kind = "NUMBER"
            elif c == "#":
                position = text.find("\n", position)
                if position < 0:
                    return size
                continue
            else:
                following = text[after] if after < size else "\n"
                if c == "." and "0" <= following <= "9":
                    return start
                value = c
                if following == "=" or following == c or following == ">" or following == ".":
                    value = text[start : start + 3]
                    if value not in operators:
                        value = text[start : start + 2]
                        if value not in operators:
                            value = c
                kind = plain.get(value)
                if kind is None:
                    kind = operators.get(value)
                    if kind is None or value == "!":
                        return start
                    if value == "(" or value == "[" or value == "{":
                        if len(brackets) >= MAX_BRACKETS:
                            return start
                        brackets.append((value, line, start - line_start))
                    elif value == ")" or value == "]" or value == "}":
                        self.close(value, start)
                after = start + len(value)
            tokens.append((kind, value, line, start - line_start, line, after - line_start))
            position = after
        return size

    # lines

    def next_line(self, newline: int) -> int:
        """The end of a line; within brackets it is no more than a blank."""
        line, column = self.line, self.column(newline)
        self.new_line(newline + 1)
        if self.brackets:
            return newline + 1
        self.end_line(line, column)
        return self.indent(newline + 1)

    def join(self, start: int, end: int) -> None:
        """A backslash at the end of a line, behind which there is another."""
        if end == len(self.text):
            place = (self.line, self.column(start), self.line, self.column(end))
            raise self.unfinished("unexpected EOF while parsing", place)
        self.new_line(end)

    def indent(self, position: int) -> int:
        """At the start of a line: skip blank ones, then compare its margin with the blocks that are open."""
        text = self.text
        if text[position : position + 1] not in _MARGINS:  # the usual line outside of a block
            self.block(0, 0, position)
            return position
        while True:
            end = _MARGIN.match(text, position).end()  # type: ignore[union-attr]
            if text.startswith("\n", end):
                self.new_line(end + 1)
                position = end + 1
            elif text.startswith("\\\n", end) and text[position:end].strip(" \t\f") == "":
                return self.joined_margin(position)
            else:
                break
        if end == len(text):
            return end
        self.block(*_width(text[position:end]), end)
        return end

    def joined_margin(self, position: int) -> int:
        """A margin with a backslash in it: the first one decides, unless it stands at the very start."""
        text = self.text
        fixed: tuple[int, int] | None = None
        margin = ""
        while True:
            end = _BLANKS.match(text, position).end()  # type: ignore[union-attr]
            margin += text[position:end]
            if not text.startswith("\\\n", end):
                break
            if fixed is None and _width(margin)[0]:
                width = _width(margin)[0]
                fixed = (width, width)
            position = end + 2
            self.new_line(position)
        if end == len(text):
            if end > position:
                return end
            place = (self.line, self.column(end), self.line, self.column(end))
            raise self.unfinished("unexpected EOF while parsing", place)
        if text[end] in "#\n":
            return self.indent(position)
        self.block(*(fixed or _width(margin)), end)
        return end

    def block(self, width: int, alternative: int, position: int) -> None:
        indents = self.indents
        column = self.column(position)
        top, top_alternative, _ = indents[-1]
        if width == top:
            if alternative != top_alternative:
                raise self.tabs(position)
        elif width > top:
            if alternative <= top_alternative:
                raise self.tabs(position)
            if len(indents) >= MAX_INDENTS:
                raise self.mistake("too many levels of indentation", position, position, kind="indentation")
            indents.append((width, alternative, self.opened_match))
            self.tokens.append(("_INDENT", "", self.line, 0, self.line, column))
        else:
            while width < indents[-1][0]:
                indents.pop()
                self.tokens.append(("_DEDENT", "", self.line, column, self.line, column))
            if width != indents[-1][0]:
                end = self.text.find("\n", position)
                end = len(self.text) if end < 0 else end
                raise self.mistake(
                    "unindent does not match any outer indentation level",
                    end,
                    end,
                    f"Indent this line by {indents[-1][0]} columns, or as the lines of the block above it.",
                    "indentation",
                )
            if alternative != indents[-1][1]:
                raise self.tabs(position)
        self.first = len(self.tokens)
        self.opened_match = False

    def tabs(self, position: int) -> Mistake:
        return self.mistake(
            "inconsistent use of tabs and spaces in indentation", self.line_start, position,
            "Indent every line of the file with spaces, or every line with tabs.", "tab",
        )  # fmt: skip

    def end_line(self, line: int, column: int) -> None:
        tokens, first = self.tokens, self.first
        if len(tokens) == first:
            return  # nothing but a joined blank line
        head = tokens[first]
        if head[0] == "NAME":
            if head[1] == "match" and tokens[-1][0] == "COLON" and len(tokens) - first > 2:
                if tokens[first + 1][0] != "COLON":
                    tokens[first] = ("_MATCH", *head[1:])
                    self.opened_match = True
            elif head[1] == "case" and self.indents[-1][2]:
                tokens[first] = ("_CASE", *head[1:])
        tokens.append(("_NEWLINE", "\n", line, column, line, column + 1))
        self.first = len(tokens)

    def finish(self) -> None:
        """The end of the text: close what may be closed."""
        end = len(self.text)
        if self.fstrings:
            raise self.open_fstring()
        if self.brackets:
            raise self.open_bracket()
        column = self.column(end)
        if len(self.tokens) > self.first:
            self.end_line(self.line, column)
            self.new_line(end)
            column = 0
        for _ in self.indents[1:]:
            self.tokens.append(("_DEDENT", "", self.line, column, self.line, column))
        self.tokens.append(("$END", "", self.line, column, self.line, column))

    # brackets and names

    def close(self, value: str, start: int) -> None:
        if not self.brackets:
            raise self.mistake(f"unmatched '{value}'", start, start + 1)
        opening, line, _ = self.brackets[-1]
        if opening != _CLOSING[value]:
            where = f" on line {line}" if line != self.line else ""
            message = f"closing parenthesis '{value}' does not match opening parenthesis '{opening}'{where}"
            raise self.mistake(message, start, start + 1)
        self.brackets.pop()

    def identifier(self, value: str, start: int) -> str:
        from unicodedata import normalize

        for index, character in enumerate(value):
            if not ("a" + character).isidentifier():
                raise self.invalid_character(start + index)
        if not value.isidentifier():
            raise self.invalid_character(start)
        return normalize("NFKC", value)

    def invalid_character(self, position: int) -> Mistake:
        from .characters import invalid_character

        message, advice = invalid_character(self.text[position])
        return self.mistake(message, position, position + 1, advice)

    def check_number(self, value: str, start: int, end: int) -> None:
        from .characters import bad_number

        bad = bad_number(self.text, value, start, end)
        if bad:
            message, first, last = bad
            raise self.mistake(message, first, last)

    def check_zeros(self, value: str, start: int, end: int) -> None:
        if value.strip("0_") and not any(c in value for c in ".eEjJxXoObB"):
            raise self.mistake(
                "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
                start,
                end - len(value.lstrip("0_")),
            )

    def odd(self, position: int) -> int:
        """No token starts here."""
        text = self.text
        while position < len(text) and text[position] in " \t\f":
            position += 1
        if position == len(text):
            return position
        character = text[position]
        if character == "\\":
            if position + 1 == len(text):
                place = (self.line, self.column(position), self.line, self.column(position + 1))
                raise self.unfinished("unexpected EOF while parsing", place)
            raise self.mistake("unexpected character after line continuation character", position + 1, position + 2)
        if character in "'\"":
            if (
                self.fstrings
                and character == self.fstrings[-1].quote[0]
                and not text.startswith(character * 3, position)
            ):
                raise self.mistake("f-string: expecting '}'", position, position + 1)
            raise self.open_string(position)
        if character in "$?`":
            from .characters import sign

            raise self.mistake("invalid syntax", position, position + 1, sign(text, position))
        raise self.invalid_character(position)

    def open_string(self, position: int) -> Mistake:
        text = self.text
        quote = text[position]
        if text.startswith(quote * 3, position):
            last = self.line + text.count("\n", position)
            last -= text.endswith("\n")
            message = f"unterminated triple-quoted string literal (detected at line {last})"
            column = self.column(position)
            return self.unfinished(message, (self.line, column, self.line, column + 3))
        return self.mistake(f"unterminated string literal (detected at line {self.line})", position, position + 1)
