"""The keys of a `FileStore`: a file that each request locks, reads and, where it changes something, writes."""

from __future__ import annotations

import os
import struct
import weakref

from ...ranks.service import Table, packed, unpacked
from ...sandbox.files import Permissions
from ..serialization import permissions
from .errors import DistStoreError

USERS, ENDED = b"refcount/", b"cleanup/"
"""How many have the file open, and how many had: the last of a known number removes it."""


class FileTable:
    """Keys in a file; PermissionError where the program may not both read and write it."""

    def __init__(self, path: str, size: int) -> None:
        self._allowed, self._path = permissions(), os.path.abspath(path)
        self._allowed.open_for_both(path).close()  # a refusal names the path as it was given
        self.ask([b"add", USERS, b"1"])
        weakref.finalize(self, left, self._allowed, self._path, size, os.getpid())

    def ask(self, fields: list[bytes]) -> list[bytes]:
        return asked(self._allowed, self._path, fields)


def asked(allowed: Permissions, path: str, fields: list[bytes]) -> list[bytes]:
    """The answer of the keys in a file."""
    import fcntl

    with allowed.open_for_both(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        table = Table(entries(path, file.read()))
        before = dict(table.entries)
        answer = table.ask(fields)
        if table.entries != before:
            file.seek(0)
            file.truncate()
            file.write(packed(*[part for entry in table.entries.items() for part in entry]))
    return answer


def entries(path: str, content: bytes) -> dict[bytes, bytes]:
    """The keys in a file and their values; a file of something else is left as it is."""
    try:
        found = unpacked(content[4:])
        if not content or packed(*found) == content:
            return dict(zip(found[::2], found[1::2], strict=True))
    except (struct.error, ValueError):
        pass
    raise DistStoreError(f"{path!r} is no file of a FileStore: give one that is not there yet")


def left(allowed: Permissions, path: str, size: int, process: int) -> None:
    """What is done when a store of a file is gone."""
    if process != os.getpid() or not os.path.exists(path):
        return
    ended, users = (int(asked(allowed, path, [b"add", key, by])[0]) for key, by in ((ENDED, b"1"), (USERS, b"-1")))
    if ended >= size > 0 and users == 0:
        os.unlink(allowed.check(path, "write"))
