"""The text of a script file: UTF-8 with or without a byte order mark, any kind of line ends.

A file that cannot be read is named in one line: `SourceError` carries it, and the exit code that fits.
"""

from __future__ import annotations

import os
import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def harmless(text: str) -> str:
    """A program's words, or the name of a file, as they may be shown: what would move the cursor or turn the line around, and
    what no stream writes, as its escape."""
    return escaped(_CONTROL, text)


def escaped(characters: re.Pattern[str], text: str) -> str:
    """A text in which some characters stand as their escapes."""
    return characters.sub(lambda found: ascii(found[0])[1:-1], text)


class SourceError(Exception):
    """A script that cannot be read; `code` is 2 where no such script can be opened and 1 where its text is at fault."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(harmless(message))
        self.code = code


def read_source(path: str | os.PathLike[str]) -> str:
    """The text of a script file, with `\\n` at line ends."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except (OSError, ValueError, MemoryError, OverflowError) as error:
        if os.path.isdir(name):
            raise SourceError(f"{name} is a folder, not a script") from None
        reason = error.strerror if isinstance(error, OSError) else str(error) or "it is larger than the memory"
        raise SourceError(f"cannot read {name}: {reason}") from None
    return decode_source(data, name)


def decode_source(data: bytes, name: str) -> str:
    """The text in the bytes of a script."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{name} is UTF-16; save it as UTF-8", 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        byte = data[error.start]
        raise SourceError(
            f"{name}:{line}:{column}: byte 0x{byte:02x} is not UTF-8 (Latin-1 would read it as {chr(byte)!r}); "
            "save the file as UTF-8",
            1,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(f"{name}:{line}: the file contains a null byte and is no text", 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")
