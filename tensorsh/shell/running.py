"""Commands that run something: %time %timeit %run %load %edit."""

from __future__ import annotations

import os
import sys
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..tools.timing import TimeitResult
from .commands import CommandError, command
from .timing import measure, options_of, timed
from .within import program_of

if TYPE_CHECKING:
    from .loop import Shell


@command("time", "STATEMENT", "runs it once and says how long it took")
def time(shell: Shell, argument: str) -> Any:
    text, values = program_of(shell, argument), list[Any]()
    done, times = untraced(shell, lambda: timed(lambda: shell.execute(text, "<time>", echo=values.append)))
    if done:
        print(times)
    return values[-1] if done and values else None


@command(
    "timeit",
    "[-n LOOPS] [-r RUNS] [-o] [-q] STATEMENT",
    "runs it many times and gives mean and spread (-o: as a value)",
)
def timeit(shell: Shell, argument: str) -> TimeitResult | None:
    first, newline, beneath = argument.partition("\n")
    options, line = options_of(first)
    prepared, statement = (line, newline + beneath) if newline else ("", line)
    if not statement.strip():
        raise CommandError("%timeit needs a statement")
    prepared, statement = program_of(shell, prepared), program_of(shell, statement)
    try:
        return untraced(shell, lambda: measure(options, *_runs(shell, prepared, statement)))
    except BaseException as error:
        shell.explain(error)
        return None


def _runs(shell: Shell, prepared: str, source: str) -> tuple[Callable[[int], float], float]:
    """The function that runs a statement so many times and gives the seconds, and those until it was compiled. Before each
    run stands what is prepared; what both bind is let go of, as in a function."""
    session = shell.session
    before_each = session.compile(prepared, "<timeit>")
    began = clock.perf_counter()
    program = session.compile(source, "<timeit>")
    compiled = clock.perf_counter() - began
    codes = [statement.code for statement in program.statements]
    if len(codes) > 1:
        codes = [program.module] if program.last is None else [program.module, program.last]
    variables = session.variables

    def run(count: int) -> float:
        work = eval
        began = clock.perf_counter()
        if len(codes) == 1:
            code = codes[0]
            for _ in range(count):
                work(code, variables)
        else:
            for _ in range(count):
                for code in codes:
                    work(code, variables)
        return clock.perf_counter() - began

    def alone(count: int) -> float:
        session._resolve(program)
        before = dict(variables)
        try:
            session._at_once(before_each)
            return run(count)
        finally:
            for name in [name for name in variables if name not in before]:
                del variables[name]
            variables.update(before)

    return lambda count: session._settings.run(alone, count), compiled


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
    environment = shell.session._environment
    before = environment.call_with(words)
    try:
        shell.run_file(text, words[0])
    finally:
        environment.call_with(before)


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
