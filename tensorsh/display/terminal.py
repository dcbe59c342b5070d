"""Colours on a terminal: whether a stream takes them, and text in one."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import TextIO


def use_color(stream: TextIO | None) -> bool:
    """Whether colours may be written to a stream: NO_COLOR and FORCE_COLOR decide, else whether it is a terminal."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False


def paint(text: str, code: str, color: bool) -> str:
    """The text within the codes of a colour, if there are to be any."""
    return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text


def at_words(text: str, stream: TextIO | None) -> str:
    """An explanation whose hints break between words where the stream is a terminal that is narrower than they are."""
    if stream is None or "hint: " not in text or not stream.isatty():
        return text
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(get_terminal_size().columns, 30)
    lines = text.split("\n")
    for k, line in enumerate(lines):
        name, mark, rest = line.partition("hint: ")
        if not mark or name.strip("\x1b[0123456789m") or len(rest) + len(mark) <= width:
            continue
        colour = "\x1b[0m" * rest.startswith("\x1b[0m")
        parts = wrap(rest.removeprefix(colour), width - len(mark), break_long_words=False, break_on_hyphens=False)
        lines[k] = name + mark + colour + ("\n" + " " * len(mark)).join(parts)
    return "\n".join(lines)
