"""A runner of golden files, which compares or blesses. One file is one fresh session; several files run in parallel processes."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from ..language.places import headline
from ..language.source import SourceError, read_source
from ..sandbox.limits import Limit
from ..session import Session
from .document import Block, blocks, expectation, matches, merge, output_lines, pairs, rewrite


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
        self.seconds = 0.0

    @property
    def ok(self) -> bool:
        return not self.problem and (self.blessed or not self.differences)


TIMEOUT = 120.0
"""Seconds that a statement may run."""


def run_file(
    path: str | os.PathLike[str], bless: bool = False, permissions: Any = None, timeout: float = TIMEOUT
) -> Result:
    """Runs one golden file; with `bless` its expectations are rewritten where they do not hold. A statement may run for
    `timeout` seconds."""
    result = Result(os.fspath(path))
    began = time.perf_counter()
    try:
        if result.path.endswith(".ipynb"):
            from .notebook import compare

            compare(result.path, result, Difference, bless, permissions)
            result.seconds = time.perf_counter() - began
            return result
        source = read_source(path)
        changes = compare_text(source, result, bless, permissions, timeout)
        if bless and changes and not result.problem:
            _write(Path(path), changes)
            result.blessed = True
    except SourceError as error:
        result.problem = str(error)
    result.seconds = time.perf_counter() - began
    return result


def compare_text(
    source: str, result: Result, bless: bool, permissions: Any, timeout: float = TIMEOUT
) -> list[tuple[Block, list[str]]]:
    """Runs a golden text, notes in the result what differs, and gives the expectations that would hold."""
    printed, ignored = io.StringIO(), io.StringIO()
    session = Session(permissions, stdout=printed, folder=os.path.dirname(result.path), timeout=timeout)
    try:
        program = session.compile(source, result.path)
    except SyntaxError as error:
        return _syntax_error(source, error, result, session)
    changes = []

    def echo(value: Any) -> None:
        print(repr(value), file=printed)

    found = blocks(source, [(s.lineno, s.end_lineno) for s in program.statements])
    result.expects = any(block.expected for block in found)
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
        if isinstance(failure, Limit):
            said = str(failure).removeprefix("Timeout: ").replace("timeout=", "--timeout gives a statement more")
            result.problem = f"{result.path}:{block.start}: {said}"
            break
        actual = output_lines(printed.getvalue(), None if failure is None else headline(failure))
        if matches(block.expected, actual):
            continue
        unexpected = failure is not None and not block.fails
        diagnostic = session.diagnose(failure) if unexpected and failure is not None else ""
        result.differences.append(Difference(block, source, actual, diagnostic))
        changes.append((block, merge(block.expected, actual)))
        if unexpected and not bless:
            break  # what follows would fail only because of it
    return changes


def _syntax_error(source: str, error: SyntaxError, result: Result, session: Session) -> list[tuple[Block, list[str]]]:
    """A file that is no program: right, if the first `#!` behind the fault says so."""
    lines = source.split("\n")
    fault = error.lineno or 1
    for number in range(fault + 1, len(lines) + 1):
        text = expectation(lines[number - 1])
        if text is not None and text.startswith("!"):
            block = Block(fault, fault, [])
            block.places, block.expected = [number], [text]
            actual = output_lines("", headline(error))
            if not matches(block.expected, actual):
                result.differences.append(Difference(block, source, actual))
                return [(block, merge(block.expected, actual))]
            return []
    result.problem = session.diagnose(error)
    return []


def _write(path: Path, changes: Sequence[tuple[Block, Sequence[str]]]) -> None:
    """Writes the file beside and renames it. Byte order mark and line ends stay as they were."""
    text = path.read_bytes().decode("utf-8")
    mode = path.stat().st_mode
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(rewrite(text, changes).encode("utf-8"))
        beside.chmod(mode & 0o7777)
        os.replace(beside, path.resolve())
    finally:
        beside.unlink(missing_ok=True)


def collect(paths: Sequence[str]) -> list[str]:
    """The golden files that are named or lie below the folders that are named, without repetition."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            for name in sorted(Path(path).rglob("*.tsr")):
                if not any(part.startswith(".") for part in name.relative_to(path).parts):
                    found[str(name)] = None
        elif os.path.exists(path):
            found[path] = None
        else:
            raise SourceError(f"cannot read {path}: no such file or folder")
    return list(found)


def run_files(
    paths: Sequence[str], bless: bool = False, jobs: int = 0, permissions: Any = None, timeout: float = TIMEOUT
) -> Iterator[Result]:
    """The results of many files, in their order."""
    jobs = min(jobs or os.cpu_count() or 1, len(paths))
    if jobs <= 1:
        for path in paths:
            yield run_file(path, bless, permissions, timeout)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Forked workers start at once and need nothing pickled; where threads make that unsafe, Python's default is used.
    forked = "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux"
    context = multiprocessing.get_context("fork" if forked else None)
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(run_file, path, bless, permissions, timeout) for path in paths]
        for path, future in zip(paths, futures, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:
                result = Result(path)
                result.problem = f"{path}: the process that ran it, or one beside it, ended abruptly"
                yield result
