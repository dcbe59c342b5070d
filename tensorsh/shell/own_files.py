"""The user's own files of settings and history, which are never half-written."""

from __future__ import annotations

import os
import stat
import sys

MOST = 16 << 20
"""Bytes that are read of a file."""


def read_tail(path: str, flags: int = os.O_RDONLY) -> bytes:
    """A file's bytes, the last ones of a huge file; OSError for what is no file: a pipe, a device without an end."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path} is not a regular file")
        file.seek(max(found.st_size - MOST, 0))
        return file.read(MOST)


def write_whole(path: str, text: str) -> None:
    """Writes a file that only its owner may read: beside its place first, and then renamed."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(beside, path)
    except OSError:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise


def warn(text: str) -> None:
    """One line on stderr, or a paragraph where a person reads it."""
    text = f"tensorsh: {text}"
    try:
        if sys.stderr.isatty():
            from shutil import get_terminal_size
            from textwrap import fill

            text = fill(text, max(get_terminal_size().columns - 1, 20), break_long_words=False, break_on_hyphens=False)
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass
