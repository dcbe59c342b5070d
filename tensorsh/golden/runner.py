"""A runner of golden files, which compares or blesses. One file is one fresh session; several files run in parallel processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..language.places import headline
from ..language.source import SourceError, read_source
from ..sandbox.files import Permissions
from ..session import Session
from .document import Block, blocks, expectation, holds_code, matches, merge, output_lines, ranks_of, rewrite
from .outcomes import Bounds, Difference, Printed, Result, limit_text, steps

MOST_RANKS = 64
"""Ranks that a file may ask for."""


def run_file(
    path: str | os.PathLike[str],
    bless: bool = False,
    bounds: Bounds = Bounds(),
    ranks: int = 0,
) -> Result:
    """Runs one golden file; with `bless` its expectations are rewritten where they do not hold. With `ranks`, or a line
    ``#@ ranks 2`` in it, the file runs as so many processes."""
    result = Result(os.fspath(path))
    began = time.perf_counter()
    try:
        if result.path.endswith(".ipynb"):
            from .notebook import compare

            compare(result.path, result, Difference, bless, bounds)
            result.seconds = time.perf_counter() - began
            return result
        source = read_source(path)
        result.empty = not holds_code(source)
        size = ranks or ranks_of(source)
        if size > MOST_RANKS and not ranks:
            raise SourceError(f"{result.path} asks for {size} ranks; a file may have {MOST_RANKS}, -n starts more")
        if size:
            from .ranks import compare_ranks

            changes = compare_ranks(source, result, bless, bounds, size)
        else:
            changes = compare_text(source, result, bless, bounds)
        if bless and changes and not result.problem:
            _write(Path(path), changes)
            result.blessed = True
    except SourceError as error:
        result.problem = str(error)
    except OSError as error:
        result.problem = f"cannot write {result.path}: {error.strerror}"
    except MemoryError:
        result.problem = f"{result.path}: there was not enough memory for it; --max-memory bounds a program"
    result.seconds = time.perf_counter() - began
    return result


def compare_text(source: str, result: Result, bless: bool, bounds: Bounds) -> list[tuple[Block, list[str]]]:
    """Runs a golden text, notes in the result what differs, and gives the expectations that would hold."""
    printed = Printed(bounds.output)
    session = bounds.session(result.path, printed)
    try:
        program = session.compile(source, result.path)
    except SyntaxError as error:
        return _syntax_error(source, error, result, session)
    changes = []
    found = blocks(source, [(s.lineno, s.end_lineno) for s in program.statements])
    result.expects = any(block.expected for block in found)
    for block, actual, failure in steps(session, program, found, printed):
        if said := limit_text(failure, result.path, block):
            result.problem = said
            break
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
    """Writes the file anew. Byte order mark and line ends stay as they were."""
    text = path.read_bytes().decode("utf-8")
    Permissions(write=True).write_bytes(path, rewrite(text, changes).encode("utf-8"))


def collect(paths: Sequence[str]) -> list[str]:
    """The golden files that are named or lie below the folders that are named, without repetition."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            for name in sorted(Path(path).rglob("*.tsr")):
                if name.is_file() and not any(part.startswith(".") for part in name.relative_to(path).parts):
                    found[str(name)] = None
        elif os.path.exists(path):
            found[path] = None
        else:
            raise SourceError(f"cannot read {path}: no such file or folder")
    return list(found)


def run_files(
    paths: Sequence[str],
    bless: bool = False,
    jobs: int = 0,
    bounds: Bounds = Bounds(),
    ranks: int = 0,
) -> Iterator[Result]:
    """The results of many files, in their order."""
    jobs = min(jobs or os.cpu_count() or 1, len(paths))
    if jobs <= 1:
        for path in paths:
            yield run_file(path, bless, bounds, ranks)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Forked workers start at once and need nothing pickled; where threads make that unsafe, Python's default is used.
    forked = "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux"
    context = multiprocessing.get_context("fork" if forked else None)
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(run_file, path, bless, bounds, ranks) for path in paths]
        for path, future in zip(paths, futures, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:
                result = Result(path)
                result.problem = f"{path}: the process that ran it, or one beside it, ended abruptly"
                yield result
