"""What a golden file gave: the blocks as they run, and what differs from its expectations."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import redirect_stderr
from typing import Any, NamedTuple

from ..language.places import headline
from ..sandbox.limits import CountingStream, Limit
from ..sandbox.whole import is_raised
from ..session import Session
from .document import Block, output_lines, pairs

TIMEOUT = 120.0
"""Seconds that a statement may run."""
MOST = 64 << 20
"""Bytes that a file may print."""


class Bounds(NamedTuple):
    """The files that golden programs may use, and how much they may take of what else there is."""

    permissions: Any = None
    timeout: float = TIMEOUT
    memory: int | None = None
    output: int = MOST

    def session(self, path: str, printed: Any = None) -> Session:
        """A session for the program of a file."""
        folder = os.path.dirname(path)
        return Session(self.permissions, printed, folder=folder, timeout=self.timeout, max_memory=self.memory)


class Printed(CountingStream):
    """What statements print, so many bytes at most, on both streams together."""

    def __init__(self, most: int) -> None:
        super().__init__(io.StringIO(), most)
        self.warned = CountingStream(io.StringIO(), most, self.left)

    def begin(self) -> None:
        """Another statement: it has printed nothing yet."""
        for each in (self, self.warned):
            each.seek(0)
            each.truncate()


class Difference:
    """A block whose output is not what stands behind it."""

    def __init__(self, block: Block, source: str, actual: list[str], diagnostic: str = "") -> None:
        self.line = block.start
        self.code = source.split("\n")[block.start - 1].strip()
        self.places, self.expected, self.actual = block.places, block.expected, actual
        self.diagnostic = diagnostic

    def lines(self) -> Iterator[tuple[str, str]]:
        """The difference as lines with their kind: `head`, `same`, `-` or `+`."""
        yield "head", f"{self.line:5}   {self.code}"
        i = j = 0
        for row, column in [*pairs(self.expected, self.actual), (len(self.expected), len(self.actual))]:
            for index in range(i, row):
                yield "-", f"{self.places[index]:5} - #{self.expected[index]}"
            for index in range(j, column):
                yield "+", f"      + #{self.actual[index]}"
            if row < len(self.expected):
                yield "same", f"{self.places[row]:5}   #{self.expected[row]}"
            i, j = row + 1, column + 1
        for line in self.diagnostic.split("\n") if self.diagnostic else ():
            yield "same", f"        {line}"


class Result:
    """The outcome of one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.differences: list[Difference] = []
        self.problem = ""
        """Why the file could not be run at all."""
        self.blessed = False
        self.expects = True
        """Whether anything is expected in it."""
        self.empty = False
        """Whether no statement stands in it: nothing was tested."""
        self.seconds = 0.0

    ok = property(lambda self: not self.problem and (self.blessed or not self.differences))


def steps(
    session: Session, program: Any, found: list[Block], printed: Printed
) -> Iterator[tuple[Block, list[str], BaseException | None]]:
    """Runs one block after the other; the lines that each printed, and its error."""

    def echo(value: Any) -> None:
        print(repr(value), file=printed)  # type: ignore[arg-type]

    for block in found:
        printed.begin()
        failure: BaseException | None = None
        said = None
        try:
            with redirect_stderr(printed.warned):  # type: ignore[type-var]
                session.execute(program, echo, [program.statements[i] for i in block.statements])
        except BaseException as error:
            failure, said = worded(session, error)
        yield block, output_lines(printed.getvalue(), said), failure


def worded(session: Session, error: BaseException) -> tuple[BaseException, str]:
    """An error and its words, or the limit that these ran into: a program makes them, too. Ctrl-C goes on."""
    if isinstance(error, KeyboardInterrupt) and not is_raised(error.__traceback__):
        raise error
    try:
        return error, session._timed(None, headline, error)
    except Limit as limit:
        return limit, str(limit)


def limit_text(failure: BaseException | None, path: str, block: Block) -> str:
    """What is said of a block that ran out of time or memory; nothing of any other."""
    if not isinstance(failure, Limit):
        return ""
    said = str(failure).partition(": ")[2].replace("timeout=", "--timeout gives a statement more")
    return f"{path}:{block.start}: {said}"
