"""Columns of a terminal: how many a text takes, and a text cut or padded to a number of them.

Wide characters take two columns, combining ones none. rich knows them all; it is asked only about text that needs it.
"""

from __future__ import annotations

from typing import Any

_NARROW = frozenset("←↑─│├└╳…·×²³µ")
"""The characters that display itself draws with, each one column wide in every terminal."""


def cell_width(text: str) -> int:
    """The columns that a text takes."""
    if text.isascii() or all(c in _NARROW for c in text if c > "\x7f"):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def clip(text: str, width: int, ellipsis: str = "…") -> str:
    """A text cut to at most `width` columns, with the ellipsis at its end where something is missing."""
    if cell_width(text) <= width:
        return text
    room = width - len(ellipsis)
    if room < 0:
        return ellipsis[: max(width, 0)]
    kept, used = [], 0
    for character in text:
        used += cell_width(character)
        if used > room:
            break
        kept.append(character)
    return "".join(kept) + ellipsis


def pad(text: str, width: int) -> str:
    """A text filled with blanks to `width` columns."""
    return text + " " * (width - cell_width(text))


def ascii_only(text: str) -> str:
    """A text for a terminal without Unicode; what it cannot show stands there as Python would escape it."""
    return text if text.isascii() else text.encode("ascii", "backslashreplace").decode()


def draws_unicode(stream: Any) -> bool:
    """Whether what is written to a stream may hold arrows and lines: its encoding is one of Unicode's."""
    encoding = getattr(stream, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "").replace("_", "").startswith(("utf8", "utf16", "utf32", "cp65001"))
