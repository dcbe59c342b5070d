"""Compiled programs on disk, so that a second start parses nothing.

One file a program: a mark, the key (hash of source, file name, grammar, version and Python), a hash of the rest, the
rest as marshal. Marshal trusts its input, so files are read and written only in a folder that belongs to the user and
that nobody else can look into; a file that is damaged, foreign or of another version does not exist.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from collections.abc import Container
from types import CodeType

from ..sandbox import names
from .build import HERE, TABLE, digest, grammar_path

MARK = b"tensorsh program 3\n"
KEPT = 500  # files; the oldest go when there are more

Folder = str | os.PathLike[str]
Entry = tuple[CodeType, "CodeType | None", "frozenset[str]", "dict[str, bool]"]


def key_of(text: str, filename: str, checked: bool = False) -> bytes:
    """The key of a cached program: all that it depends on, apart from the names that are bound."""
    sources = [
        TABLE,
        *(
            os.path.join(HERE, name)
            for name in ("scopes.py", "attributes.py", "matching.py", "flags.py", "bare_flags.py", "lowering.py")
        ),
        names.__file__,
    ]
    own = "".join(f"{os.stat(path).st_mtime_ns}" for path in sources)
    try:
        with open(grammar_path(), "rb") as file:
            grammar = file.read()
    except OSError:
        grammar = b""
    source = text.encode("utf-8", "surrogatepass")
    name = filename.encode("utf-8", "surrogatepass")
    return digest(source, name, grammar, own.encode(), b"checked" * checked, sys.version.encode(), MARK)


def _is_private(status: os.stat_result, is_kind: bool) -> bool:
    if not is_kind:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _folder_is_safe(folder: Folder) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return _is_private(status, stat.S_ISDIR(status.st_mode))


def load(folder: Folder, key: bytes, bound: Container[str]) -> Entry | None:
    """The program kept under this key, if the names that matter are bound as they were then."""
    if not _folder_is_safe(folder):
        return None
    try:
        descriptor = os.open(
            _path(folder, key), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        with open(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not _is_private(status, stat.S_ISREG(status.st_mode)):
                return None
            data = file.read()
    except OSError:
        return None
    head = len(MARK)
    body = data[head + 64 :]
    if data[:head] != MARK or data[head : head + 32] != key or data[head + 32 : head + 64] != digest(body):
        return None
    try:
        module, last, names, questions = marshal.loads(body)
    except (ValueError, EOFError, TypeError):
        return None
    if not isinstance(module, CodeType) or not isinstance(last, CodeType | None):
        return None
    if any((name in bound) is not answer for name, answer in questions.items()):
        return None
    return module, last, frozenset(names), questions


def save(folder: Folder, key: bytes, entry: Entry) -> None:
    """Keep a program; whatever goes wrong (no folder, full disk) is no reason to disturb anybody."""
    module, last, names, questions = entry
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if not _folder_is_safe(folder):
            return
        body = marshal.dumps((module, last, sorted(names), questions))
        beside = os.path.join(folder, f".{os.getpid()}-{key.hex()[:16]}.new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(beside, flags, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(MARK + key + digest(body) + body)
            os.replace(beside, _path(folder, key))
        except OSError:
            if os.path.lexists(beside):
                os.unlink(beside)
            raise
        _prune(folder)
    except (OSError, ValueError):
        return


def _path(folder: Folder, key: bytes) -> str:
    return os.path.join(folder, f"{key.hex()[:40]}.tsc")


def _prune(folder: Folder) -> None:
    kept = [entry for entry in os.scandir(folder) if entry.name.endswith(".tsc")]
    if len(kept) > KEPT:
        kept.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)
        for entry in kept[: len(kept) - KEPT * 4 // 5]:
            os.unlink(entry.path)
