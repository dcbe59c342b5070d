"""An open text, as the server knows it: what its last checks told, moved along as it is edited."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from ..language.parser import clean
from .positions import Span
from .workshop_process import Workshop

QUIET = 0.04
"""Seconds without a change before a text is checked."""
PATIENCE = 2.0
"""Seconds that an answer waits for the index of the newest text, at most."""
LARGEST = 1_000_000
"""Characters of a text that is checked, at most."""
TORCH = re.compile(r"^\s*(?:import|from) torch\b", re.M)


class Settings:
    """What the client has chosen: `{"run": true, "seconds": 2, "memory": "512M", "inlayHints": true}`."""

    def __init__(self) -> None:
        self.run, self.seconds, self.memory, self.hints = True, 2.0, "512M", True

    def take(self, given: Any) -> None:
        """Takes over what is there and makes sense."""
        given = given.get("tensorsh", given) if isinstance(given, dict) else {}
        given = given if isinstance(given, dict) else {}
        if isinstance(given.get("run"), bool):
            self.run = given["run"]
        if isinstance(given.get("inlayHints"), bool):
            self.hints = given["inlayHints"]
        if isinstance(given.get("seconds"), int | float) and 0 < given["seconds"] <= 60:
            self.seconds = float(given["seconds"])
        if isinstance(given.get("memory"), str):
            from ..sandbox.limits import parse_size

            try:
                parse_size(given["memory"])
            except ValueError:
                return
            self.memory = given["memory"]


class Document:
    """One text: `tell()` is called when there are other faults to show, `shown(doc)` when there are other values."""

    def __init__(self, uri: str, text: str, workshop: Workshop, settings: Settings, tell: Callable[..., None]) -> None:
        self.uri, self.workshop, self.settings, self._tell = uri, workshop, settings, tell
        self.version: int | None = None
        self.text = clean(text)
        self.lines = self.text.split("\n")
        self.index: dict[str, Any] = {}
        self.notes: list[list[Any]] = []
        self.read_faults: list[dict[str, Any]] = []
        self.run_faults: list[dict[str, Any]] = []
        self.golden_faults: list[dict[str, Any]] = []
        self.world: dict[str, Any] = {}
        self._task: asyncio.Task[None] | None = None
        self._indexed = asyncio.Event()
        self._ended = asyncio.Event()

    is_python = property(lambda self: self.uri.endswith((".py", ".pyi")))

    @property
    def is_begun(self) -> bool:
        """Whether the index is of the statements before a fault alone."""
        return bool(self.index.get("begun"))

    def check(self, delay: float = QUIET) -> None:
        """Checks the text soon, and leaves any check of an older one."""
        self.close()
        self._indexed.clear()
        self._ended.clear()
        self._task = asyncio.get_running_loop().create_task(self._checked(delay))

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def change(self, text: str) -> None:
        """The text is another one; what is known of lines that stayed goes on being known."""
        text = clean(text)
        old, new = self.lines, text.split("\n")
        most = min(len(old), len(new))
        first = 0
        while first < most and old[first] == new[first]:
            first += 1
        behind = 0
        while behind < most - first and old[-1 - behind] == new[-1 - behind]:
            behind += 1
        self.text, self.lines, self.golden_faults = text, new, []
        self._move(first, len(old) - behind, len(new) - len(old))
        self.check()

    def _move(self, first: int, behind: int, by: int) -> None:
        """Lines from `first` to before `behind` are gone; those behind stand `by` lines further down."""

        def moved(line: int) -> int | None:
            return line if line < first else line + by if line >= behind else None

        def rows(table: list[list[Any]]) -> list[list[Any]]:
            return [[at, *row[1:]] for row in table if (at := moved(row[0])) is not None]

        self.notes = rows(self.notes)
        for name in ("names", "attributes", "keywords"):
            if name in self.index:
                self.index[name] = rows(self.index[name])
        for each in (self.read_faults, self.run_faults):
            each[:] = [fault for fault in each if moved(fault["span"][0]) is not None]
            for fault in each:
                fault["fixes"] = []
                start = moved(fault["span"][0])
                assert start is not None
                end = moved(fault["span"][2])
                fault["span"] = [start, fault["span"][1], start if end is None else end, fault["span"][3]]

    async def _checked(self, delay: float) -> None:
        try:
            if delay:
                await asyncio.sleep(delay)
            if len(self.text) > LARGEST or self.is_python and not TORCH.search(self.text):
                self.index, self.notes, self.read_faults, self.run_faults = {}, [], [], []
                self._tell(self, True)
                return
            request = {
                "text": self.text,
                "python": self.is_python,
                "run": self.settings.run,
                "known": bool(self.index) and not self.is_begun,
                "seconds": self.settings.seconds,
                "memory": self.settings.memory,
            }
            ended, told = False, 0
            for pause in (0, 0.2, 1):  # once more where the workshop ended in this moment
                await asyncio.sleep(pause)
                async with aclosing(self.workshop.check(request)) as messages:
                    async for message in messages:
                        told += 1
                        ended = message["kind"] == "done"
                        self._take(message)
                if told:
                    break
            if not ended:
                self.run_faults = [_abrupt(self.lines)]
                self._tell(self, True)
        finally:
            self._indexed.set()
            self._ended.set()

    def _take(self, message: dict[str, Any]) -> None:
        if message["kind"] == "index":
            self.read_faults = message["faults"]
            if message["index"]:
                self.index = message["index"]
            self._indexed.set()
            self._tell(self, False)
        elif message["kind"] == "notes":
            self.notes = message["notes"]
        elif message["kind"] == "done":
            self.run_faults = message["faults"]
            self.world = message.get("world", self.world)
            if not self.settings.run:
                self.notes = []
            self._tell(self, True)

    def faults(self) -> list[dict[str, Any]]:
        """All faults; of two at one place the one of the run, which knows more."""
        places = {tuple(fault["span"][:2]) for fault in self.run_faults if fault["severity"] == 1}
        read = [fault for fault in self.read_faults if tuple(fault["span"][:2]) not in places]
        return self.run_faults + read + self.golden_faults

    async def indexed(self) -> dict[str, Any]:
        """The index of the newest text, or of an older one where that is no program."""
        await _wait(self._indexed, PATIENCE)
        return self.index

    async def ran(self, patience: float) -> None:
        """Waits until the run of the newest text has ended, for so long at most."""
        await _wait(self._ended, patience)

    # Questions

    def name_at(self, line: int, column: int) -> list[Any] | None:
        """The name at a place, as the index has it."""
        return _at(self.index.get("names", ()), line, column)

    def attribute_at(self, line: int, column: int) -> list[Any] | None:
        return _at(self.index.get("attributes", ()), line, column)

    def note_of(self, row: list[Any]) -> list[Any] | None:
        """The note on a name that stands somewhere: where it is bound itself, else where its variable was bound last before."""
        places = {(each[0], each[1]) for each in self.index["names"] if each[3] == row[3] and each[4]}
        found = [note for note in self.notes if (note[0], note[1]) in places]
        before = [note for note in found if (note[0], note[1]) <= (row[0], row[1])]
        inner = [note for note in before if note[0] < row[0] or row[4]]
        return max(inner or before or found, default=None, key=lambda note: (note[0], note[1]))

    def note_of_attribute(self, row: list[Any]) -> list[Any] | None:
        """The note on an attribute, from where it was last set before."""
        found = [note for note in self.notes if note[6].endswith("." + row[3])]
        before = [note for note in found if note[0] <= row[0]]
        return max(before or found, default=None, key=lambda note: note[0])

    def rows(self, symbol: int | str) -> list[list[Any]]:
        """Where a variable stands, or an attribute that no class's body has, by its name."""
        return [row for row in self.index["names" if isinstance(symbol, int) else "attributes"] if row[3] == symbol]

    def occurrences(self, symbol: int | str) -> list[Span]:
        """Where a variable stands, also as the keyword of calls, that of a class as an attribute."""
        rows = [row[:3] for row in self.rows(symbol)]
        if isinstance(symbol, str):
            return [[line, start, line, end] for line, start, end in rows]
        rows += [row[:3] for row in self.index["keywords"] if row[3] == symbol]
        told = self.index["symbols"][symbol]
        if told["scope"] == "class":
            rows += [row[:3] for row in self.index["attributes"] if row[3] == told["name"]]
        return [[line, start, line, end] for line, start, end in sorted(rows)]


def _at(rows: Any, line: int, column: int) -> list[Any] | None:
    return next((row for row in rows if row[0] == line and row[1] <= column <= row[2]), None)


def _abrupt(lines: list[str]) -> dict[str, Any]:
    message = "the check of this text while it is edited ended abruptly: its time or its memory was over"
    return {"span": [0, 0, 0, len(lines[0])], "message": message, "severity": 3, "code": "limit", "fixes": []}


async def _wait(event: asyncio.Event, patience: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), patience)
    except TimeoutError:
        pass
