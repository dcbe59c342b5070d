"""Commands that run something: %time %timeit %run %load %edit."""

from __future__ import annotations

import os
import re
import sys
import time as clock
from typing import TYPE_CHECKING, Any

from ..display.sizes import duration_text
from .commands import CommandError, command

if TYPE_CHECKING:
    from .loop import Shell

LEAST_TIME = 0.2
"""Seconds that one run of %timeit should last."""


@command("time", "STATEMENT", "runs it once and says how long it took")
def time(shell: Shell, argument: str) -> None:
    if not argument:
        raise CommandError("%time needs a statement")
    before = processor()
    began = clock.perf_counter()
    if untraced(shell, lambda: shell.execute(argument, "<time>")):
        wall, used = clock.perf_counter() - began, [now - then for now, then in zip(processor(), before, strict=True)]
        parts = "user {}, sys: {}, ".format(*map(duration_text, used)) if len(used) == 2 else ""
        print(f"CPU times: {parts}total: {duration_text(sum(used))}")
        print(f"Wall time: {duration_text(wall)}")


def processor() -> tuple[float, ...]:
    """The processor's time so far, the program's and the system's, or their sum where they are not told apart."""
    try:
        import resource
    except ImportError:
        return (clock.process_time(),)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime


@command("timeit", "[-n LOOPS] [-r RUNS] STATEMENT", "runs it many times and gives mean and spread")
def timeit(shell: Shell, argument: str) -> None:
    chosen = {"n": 0, "r": 7}
    while (option := re.match(r"-([nr])\s*(\S*)\s*", argument)) is not None:
        if not option[2].isdigit() or int(option[2]) < 1:
            raise CommandError(f"%timeit: -{option[1]} needs a number above 0")
        chosen[option[1]] = int(option[2])
        argument = argument[option.end() :]
    if not argument:
        raise CommandError("%timeit needs a statement")
    try:
        found = untraced(shell, lambda: _measure(shell, argument, chosen["n"], chosen["r"]))
    except BaseException as error:
        shell.explain(error)
        return
    count, times = found
    mean = sum(times) / len(times)
    spread = (sum((t - mean) ** 2 for t in times) / len(times)) ** 0.5
    many = f"{len(times)} run{'' if len(times) == 1 else 's'}, {count:,} loop{'' if count == 1 else 's'} each"
    print(f"{duration_text(mean)} ± {duration_text(spread)} per loop (mean ± std. dev. of {many})")


def _measure(shell: Shell, source: str, loops: int, runs: int) -> tuple[int, list[float]]:
    """Seconds per loop of each run; the number of loops is chosen so that a run lasts a fifth of a second."""
    session = shell.session
    program = session.compile(source, "<timeit>")
    codes = [statement.code for statement in program.statements]
    code = codes[0] if len(codes) == 1 else program.module
    variables = session.variables

    def run(count: int) -> float:
        work = eval
        began = clock.perf_counter()
        for _ in range(count):
            work(code, variables)
        return clock.perf_counter() - began

    def all_runs() -> tuple[int, list[float]]:
        session._resolve(program)
        count = loops
        if not count:
            count = 1
            while (spent := run(count)) < LEAST_TIME / 10 and count < 10**9:
                count *= 10
            count = max(1, min(10 ** len(str(int(LEAST_TIME / (spent / count)))) // 10, 10**9)) if spent else count
        return count, [run(count) / count for _ in range(runs)]

    return session._settings.run(all_runs)


def untraced(shell: Shell, call: Any) -> Any:
    """A call during which operations do not remember their lines, so that times are those of a script."""
    if not shell.config["trace"]:
        return call()
    shell.session.trace(False)
    shell.timing = shell.untraced = True
    try:
        return call()
    finally:
        shell.timing = False
        shell.session.trace(True)
        shell.untraced = False


@command("run", "FILE [ARG...]", "runs a program in this session, so that its variables stay")
def run(shell: Shell, argument: str) -> None:
    import shlex

    from ..language.source import SourceError, read_source

    try:
        words = [argument] if os.path.isfile(argument) else shlex.split(argument)
    except ValueError as error:
        raise CommandError(f"%run: {error}") from None
    if not words:
        raise CommandError("%run needs a file")
    try:
        text = read_source(words[0])
    except SourceError as error:
        raise CommandError(f"%run: {error}") from None
    known = shell.session._builtins
    before, known["argv"] = known["argv"], words
    try:
        shell.run_file(text, words[0])
    finally:
        known["argv"] = before


@command("load", "FILE", "puts a file's text at the next prompt, to be changed and run")
def load(shell: Shell, argument: str) -> None:
    from ..language.source import SourceError, read_source

    if not argument:
        raise CommandError("%load needs a file")
    try:
        shell.next_text = read_source(argument).rstrip("\n")
    except SourceError as error:
        raise CommandError(f"%load: {error}") from None


@command("edit", "[FILE]", "opens the last entry, or a file, in your $EDITOR and runs what you leave there")
def edit(shell: Shell, argument: str) -> None:
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    path = argument
    if not path:
        descriptor, path = tempfile.mkstemp(suffix=".tsr", prefix="tensorsh-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(shell.records[-1].text + "\n" if shell.records else "")
    try:
        sys.stdout.flush()
        try:
            code = subprocess.call([*shlex.split(editor), path])
        except OSError as error:
            raise CommandError(
                f"%edit: cannot start {editor}: {error.strerror}; $EDITOR names another editor"
            ) from None
        if code:
            raise CommandError(f"%edit: {editor} ended with {code}; nothing was run")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    finally:
        if not argument:
            os.unlink(path)
    if text.strip():
        shell.entries.append(text.rstrip("\n"))
        shell.enter(text.rstrip("\n"))
