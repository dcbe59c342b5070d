"""What a golden file gave: the blocks as they run, and what differs from its expectations."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import redirect_stderr
from typing import Any

from ..language.places import headline
from ..sandbox.limits import Limit
from ..session import Session
from .document import Block, output_lines, pairs


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
    session: Session, program: Any, found: list[Block], printed: io.StringIO
) -> Iterator[tuple[Block, list[str], BaseException | None]]:
    """Runs one block after the other; the lines that each printed, and its error."""
    ignored = io.StringIO()

    def echo(value: Any) -> None:
        print(repr(value), file=printed)

    for block in found:
        printed.seek(0)
        printed.truncate()
        failure: BaseException | None = None
        try:
            with redirect_stderr(ignored):
                session.execute(program, echo, [program.statements[i] for i in block.statements])
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failure = error
        yield block, output_lines(printed.getvalue(), None if failure is None else headline(failure)), failure


def limit_text(failure: BaseException | None, path: str, block: Block) -> str:
    """What is said of a block that ran out of time or memory; nothing of any other."""
    if not isinstance(failure, Limit):
        return ""
    said = str(failure).removeprefix("Timeout: ").replace("timeout=", "--timeout gives a statement more")
    return f"{path}:{block.start}: {said}"
