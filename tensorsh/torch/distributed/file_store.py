"""The keys of a `FileStore`: a file that each request locks, reads and, where it changes something, writes."""

from __future__ import annotations

import os

from ...ranks.service import Table, packed, unpacked
from ..serialization import permissions


class FileTable:
    """Keys in a file; PermissionError where the program may not write it."""

    def __init__(self, path: str) -> None:
        permissions().write_bytes(path, b"") if not os.path.exists(path) else permissions().read_bytes(path)
        self._path = os.path.abspath(path)
        with open(self._path, "ab"):
            pass

    def ask(self, fields: list[bytes]) -> list[bytes]:
        import fcntl

        with open(self._path, "r+b") as file:
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
