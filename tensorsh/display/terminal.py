"""Colours on a terminal: whether a stream takes them, and text in one."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO


def use_color(stream: TextIO | None, environ: Mapping[str, str] | None = None) -> bool:
    """Whether to colour what goes to a stream: NO_COLOR, then FORCE_COLOR, then whether it is a terminal that can."""
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    try:
        return stream is not None and stream.isatty() and environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False


def paint(text: str, code: str, color: bool) -> str:
    """The text within the codes of a colour, if there are to be any."""
    return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text


def room(stream: TextIO | None) -> int | None:
    """The columns of the terminal that a stream is, if it is one."""
    if stream is None or not stream.isatty():
        return None
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, 30)


def at_words(text: str, stream: TextIO | None) -> str:
    """An explanation whose message and hints break between words where the stream is a terminal that is narrower than they
    are; the program's text and what points at it stay as they are."""
    from re import fullmatch

    width = room(stream)
    lines = text.split("\n")
    if width is None or max(map(len, lines)) <= width:
        return text
    message = True
    for k, line in enumerate(lines):
        name, mark, rest = line.partition("hint: ")
        if mark and not name.strip("\x1b[0123456789m"):
            colour = "\x1b[0m" * rest.startswith("\x1b[0m")
            lines[k] = name + mark + colour + broken(rest.removeprefix(colour), width - len(mark), " " * len(mark))
            continue
        before, plain, after = fullmatch(r"((?:\x1b\[[\d;]*m)*)(.*?)((?:\x1b\[[\d;]*m)*)", line).groups()
        message = not plain if not message else not plain.startswith("  ") or "--> " not in plain[:12]
        if message:
            lines[k] = before + broken(plain, width, " " * (len(plain) - len(plain.lstrip(" ")))) + after
    return "\n".join(lines)


def broken(text: str, width: int, margin: str = "") -> str:
    """A line broken between words where it is wider; the lines after its first begin with the margin."""
    if len(text) <= width:
        return text
    from textwrap import wrap

    parts = wrap(
        text, width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False, expand_tabs=False
    )
    return ("\n" + margin).join(parts)
