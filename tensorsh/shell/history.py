"""The entries typed so far, also in earlier sessions: a file with one JSON string a line, oldest first.

Lines are appended in one write under a lock, so that two shells at once lose nothing; a damaged line is left out. A
fault of the file is told once, and then the history lasts as long as the shell.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator

from ..command.folders import state_folder
from .own_files import read_tail, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Entries:
    """The history as a list of entries, kept in a file as far as there can be one."""

    def __init__(self, limit: int = 10000) -> None:
        self.limit = max(limit, 1)
        self.session: list[str] = []
        """The entries typed in this shell."""
        self.earlier: list[str] = []
        folder = state_folder()
        self.path = None if folder is None else os.path.join(folder, "history.jsonl")
        self._warned = False
        self.unsaid: str | None = None
        """Faults that arose while the editor held the screen, to be said after it."""
        if self.path is None:
            self._fail("there is no home folder")
            return
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            lines = read_tail(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND).split(b"\n")
        except OSError as error:
            self._fail(error.strerror or str(error))
            return
        self.earlier = list(self._read(lines))
        if len(self.earlier) > self.limit + self.limit // 4:
            self._shorten()
        self.earlier = self.earlier[-self.limit :]

    def _fail(self, why: str) -> None:
        warn(self._failure(why))

    def _failure(self, why: str) -> str:
        self.path, self._warned = None, True
        return f"the history cannot be kept in a file ({why}); it lasts as long as this shell"

    def say(self) -> None:
        """Says what went wrong with the last entry."""
        if self.unsaid is not None:
            warn(self.unsaid)
            self.unsaid = None

    def _read(self, lines: Iterable[bytes]) -> Iterator[str]:
        damaged = False
        for line in lines:
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if isinstance(entry, str):
                yield entry
            else:
                damaged = True
        if damaged and not self._warned:
            self._warned = True
            warn(f"damaged lines of {self.path} are left out")

    def append(self, entry: str) -> None:
        """Adds an entry, unless it repeats the one before."""
        if not entry.strip() or (self.session and self.session[-1] == entry):
            return
        self.session.append(entry)
        if self.path is None:
            return
        line = (json.dumps(entry) + "\n").encode()
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                with _locked(descriptor):
                    size = os.fstat(descriptor).st_size
                    os.lseek(descriptor, max(size - 1, 0), os.SEEK_SET)
                    if size and os.read(descriptor, 1) != b"\n":
                        line = b"\n" + line  # behind what somebody left half-written
                    os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.unsaid = self._failure(error.strerror or str(error))

    def _shorten(self) -> None:
        """Keeps the newest entries only; other shells wait meanwhile, or append to the new file."""
        from .own_files import write_whole

        assert self.path is not None
        try:
            descriptor = os.open(self.path, os.O_RDWR)
            try:
                with _locked(descriptor):
                    write_whole(self.path, "".join(json.dumps(entry) + "\n" for entry in self.earlier[-self.limit :]))
            finally:
                os.close(descriptor)
        except OSError:
            pass  # it stays long

    def newest_first(self) -> Iterator[str]:
        yield from reversed(self.session)
        yield from reversed(self.earlier)


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # Windows: a single write does for a line
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def editor_history(entries: Entries) -> Any:
    """The entries as prompt_toolkit wants them."""
    from prompt_toolkit.history import History

    class EditorHistory(History):
        def __init__(self) -> None:
            super().__init__()
            self._loaded_strings = list(entries.newest_first())
            self._loaded = True

        def load_history_strings(self) -> Iterable[str]:
            return entries.newest_first()

        def store_string(self, string: str) -> None:
            entries.append(string)

    return EditorHistory()


def suggestion(entries: Entries) -> Any:
    """Suggests how the text goes on, from the newest entry that begins like it."""
    from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion

    class FromHistory(AutoSuggest):
        """An entry that does not begin like a text does not begin like a longer one either: the search goes on where it was."""

        def __init__(self) -> None:
            self.text = ""
            self.count = -1
            self.found: str | None = None
            self.rest: Iterator[str] = iter(())

        def get_suggestion(self, buffer: Any, document: Any) -> Any:
            text = document.text
            if not text.strip():
                return None
            if self.count != len(entries.session) or not self.text or not text.startswith(self.text):
                self.count, self.rest = len(entries.session), entries.newest_first()
                self.found = next(self.rest, None)
            self.text = text
            while self.found is not None and not (self.found.startswith(text) and len(self.found) > len(text)):
                self.found = next(self.rest, None)
            return None if self.found is None else Suggestion(self.found[len(text) :])

    return FromHistory()
