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
