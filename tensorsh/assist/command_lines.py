"""Lines of a text that are commands of a notebook, also indented or assigned (`%time f(x)`, `!ls`, `a = %timeit -o f(x)`, `f?`):
not what stands in strings, in open brackets and behind a backslash."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_LIKELY = re.compile(r"^[^=%!#\n]*=?[ \t]*[%!]|\?[ \t]*$|^[ \t]*\?", re.MULTILINE)
_LINE = re.compile(r"([ \t]*)(?:([^\s=%!#][^=%!#]*?)[ \t]*=[ \t]*)?([%!].*)", re.DOTALL)
_QUESTION = re.compile(r"([ \t]*)()(\?{1,2}[\w.*]*|[\w.*]+\?{1,2})[ \t]*")
_TOKEN = re.compile(r"#.*|\"\"\"|'''|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|[\[({\])}]")
_END = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ('"""', "'''")}


class CommandLine(NamedTuple):
    """A command: the line it stands in, from 0, what is before it in this line, the target of its value or nothing."""

    number: int
    indent: str
    target: str
    command: str

    @property
    def name(self) -> str:
        """The word behind `%`; nothing for a command of the system and for a question."""
        word = re.match(r"%{1,2}(\w*)", self.command)
        return word[1] if word else ""

    @property
    def argument(self) -> str:
        """What stands behind that word."""
        return re.sub(r"\A(?:%{1,2}\w*|!)", "", self.command, count=1).strip()


def command_lines(text: str) -> list[CommandLine]:
    """The commands of a text."""
    if not _LIKELY.search(text):
        return []
    found: list[CommandLine] = []

    def note(number: int, line: str) -> bool:
        match = _LINE.fullmatch(line) or _QUESTION.fullmatch(line)
        if match is not None:
            found.append(CommandLine(number, match[1], match[2] or "", match[3].rstrip()))
        return match is not None

    beginnings(text, note)
    return found


def beginnings(text: str, note: Callable[[int, str], bool]) -> None:
    """Gives each line that begins a statement or is empty to `note`, with its number from 0: none within a string, within
    brackets, behind a backslash. Lines of which it says True are no part of the program."""
    quote, depth, goes_on = "", 0, False
    for number, line in enumerate(text.split("\n")):
        if quote or depth or goes_on or not note(number, line):
            quote, depth = _after(line, quote, depth)
            goes_on = line.endswith("\\")


def _after(line: str, quote: str, depth: int) -> tuple[str, int]:
    """What is open behind a line: a string of several lines, brackets."""
    at = 0
    while True:
        if quote:
            end = _END[quote].match(line, at)
            if end is None:
                return quote, depth
            at, quote = end.end(), ""
        token = _TOKEN.search(line, at)
        if token is None:
            return "", depth
        at = token.end()
        if token[0] in _END:
            quote = token[0]
        elif token[0] in "[({":
            depth += 1
        elif token[0] in "])}":
            depth = max(depth - 1, 0)


def replaced(text: str, line: Callable[[CommandLine], str]) -> str:
    """The text with other lines in the place of its commands."""
    found = command_lines(text)
    if not found:
        return text
    lines = text.split("\n")
    for each in found:
        lines[each.number] = line(each)
    return "\n".join(lines)
