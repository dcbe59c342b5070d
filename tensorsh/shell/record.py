"""The record of entries and of what came of them, kept for %save, %transcript and %history."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

LARGEST = 200_000
"""Characters of output that are remembered of a statement."""
LONGEST = 200
"""Lines of output that stand behind a statement in a transcript."""


class Record:
    """One entry: its text, its output by statement, and the first line of the error it ended with."""

    def __init__(self, number: int, text: str, settings: Sequence[str] = ()) -> None:
        self.number, self.text = number, text
        self.settings = settings
        """What commands set before it, as statements."""
        self.outputs: list[tuple[int, int, str]] = []
        """First and last line of a statement, and what it printed and echoed."""
        self.kept: set[int] = set()
        """Which of its statements gave a value that `_` was."""
        self.error: str | None = None
        self.done = self.interrupted = False

    succeeded = property(lambda self: self.done and self.error is None)


class Tee(io.TextIOBase):
    """Standard output of a statement: goes on to the real one, and is remembered."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.kept: list[str] = []
        self.size = 0
        self.in_line = False
        """Whether what was shown ends in the midst of a line."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.stream, "encoding", "utf-8")

    def write(self, text: str) -> int:
        if text:  # before it is shown: Ctrl-C may come in the midst
            self.in_line = not text.endswith(("\n", "\r"))
        self.stream.write(text)
        self.keep(text)
        return len(text)

    def keep(self, text: str) -> None:
        """Remembers a text without showing it."""
        if self.size < LARGEST:
            self.kept.append(text)
            self.size += len(text)

    def take(self) -> str:
        """The output remembered since the last time."""
        text = "".join(self.kept)
        self.kept, self.size = [], 0
        return text

    def flush(self) -> None:
        self.stream.flush()

    def close(self) -> None:
        """The stream is another's, and stays open."""

    def isatty(self) -> bool:
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        return int(self.stream.fileno())

    def writable(self) -> bool:
        return True


def transcript(records: list[Record]) -> str:
    """The entries as a golden test: behind each statement what it gave."""
    from ..golden.document import merge, output_lines
    from .alone import standing_alone

    texts = standing_alone([record for record in records if not record.interrupted])
    lines: list[str] = []
    for record in records:
        source = texts.get(record.number, record.text).split("\n")
        lines += record.settings
        if record.interrupted:
            lines += ["# interrupted:", *(f"# {line}".rstrip() for line in source)]
            continue
        printed: dict[int, str] = {}
        groups: list[list[int]] = []
        for first, last, text in record.outputs:
            if groups and first <= groups[-1][1]:
                groups[-1][1] = max(last, groups[-1][1])
            else:
                groups.append([first, last])
            printed[groups[-1][0]] = printed.get(groups[-1][0], "") + text
        at = 0
        for number, (first, last) in enumerate(groups):
            lines += source[at:last]
            at = last
            is_last = number == len(groups) - 1
            given = output_lines(printed[first], record.error if is_last else None)
            if len(given) > LONGEST:
                given[LONGEST // 2 : -1] = ["> ..."]
            lines += [f"#{line}" for line in merge([], given)]
        lines += [line for line in source[at:] if line.strip()]
        if record.error is not None and not groups:
            lines += [f"#{line}" for line in output_lines("", record.error)]
    return "\n".join(lines) + "\n"
