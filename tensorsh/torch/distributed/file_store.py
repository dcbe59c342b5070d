"""The keys of a `FileStore`: a file that each request locks, reads and, where it changes something, writes."""

from __future__ import annotations

import os
import weakref

from ...ranks.service import Table, packed, unpacked
from ..serialization import permissions

USERS, ENDED = b"refcount/", b"cleanup/"
"""How many have the file open, and how many had: the last of a known number removes it."""


class FileTable:
    """Keys in a file; PermissionError where the program may not write it."""

    def __init__(self, path: str, size: int) -> None:
        permissions().write_bytes(path, b"") if not os.path.exists(path) else permissions().read_bytes(path)
        self._path = os.path.abspath(path)
        with open(self._path, "ab"):
            pass
        self.ask([b"add", USERS, b"1"])
        weakref.finalize(self, left, self._path, size, os.getpid())

    def ask(self, fields: list[bytes]) -> list[bytes]:
        return asked(self._path, fields)


def asked(path: str, fields: list[bytes]) -> list[bytes]:
    """The answer of the keys in a file."""
    import fcntl

    with open(path, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = unpacked(file.read()[4:])
        table = Table(dict(zip(found[::2], found[1::2], strict=True)))
        before = dict(table.entries)
        answer = table.ask(fields)
        if table.entries != before:
            file.seek(0)
            file.truncate()
            file.write(packed(*[part for entry in table.entries.items() for part in entry]))
    return answer


def left(path: str, size: int, process: int) -> None:
    """What is done when a store of a file is gone."""
    if process != os.getpid() or not os.path.exists(path):
        return
    ended, users = (int(asked(path, [b"add", key, by])[0]) for key, by in ((ENDED, b"1"), (USERS, b"-1")))
    if ended >= size > 0 and users == 0:
        os.unlink(path)
