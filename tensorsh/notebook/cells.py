"""A notebook's dialogue with a session: the shell's, with cells for entries and MIME bundles for echoes.

As in IPython a cell shows the value of its last expression alone, and none behind a semicolon.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from ..command.arguments import Options
from ..sandbox.files import Permissions
from ..shell.commands import NotHere
from ..shell.loop import GOODBYE, Echo, Shell
from ..shell.record import Record, Tee
from ..shell.within import program_of
from ..tools.displays import board
from ..tools.progress import screen
from ..tools.shown import Shown
from .bundle import Outputs, bundle, shows_itself
from .progress import Bars

_COMMAND = re.compile(r"%{1,2}(\w*)$")
_CALLED = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*$")


class Failure(NamedTuple):
    """The error that a cell ended with, as Jupyter's messages tell it."""

    name: str
    value: str
    lines: list[str]


class Cells(Shell):
    """The dialogue of one kernel."""

    deals_with_files = "."
    passes = frozenset(("config",))
    lacks = frozenset("run load edit save transcript export page cd ls cat paste".split())

    def __init__(
        self, options: Options, stdin: Any, publish: Callable[..., None], update: Callable[..., None],
        clear: Callable[..., None],
    ) -> None:  # fmt: skip
        self.stdin, self.send = stdin, publish
        self.kept: list[Any] | None = None
        """What is displayed, while it is captured."""
        screen.elsewhere = Bars(self.publish, update)
        board.elsewhere = Outputs(self.publish, update, clear)
        super().__init__(None, options)
        self.silent = False
        self.failure: Failure | None = None
        self.history: list[tuple[int, str]] = []
        self.pages: list[str] = []
        """Answers to questions, for the reply."""
        self.session.trace(True)

    def publish(self, data: dict[str, str], metadata: dict[str, Any], is_result: bool, name: str | None) -> None:
        """Shows a MIME bundle beneath the cell."""
        if self.kept is None:
            self.send(data, metadata, is_result, name)
        else:
            self.kept.append(Shown(data["text/plain"], None, lambda: dict(data)))

    def keyboard(self) -> Any:
        return self.stdin

    def permissions(self, read: Any, write: Any) -> Permissions:
        """The notebook's folder may be read and written."""
        return Permissions(read is True or [self.home, *read], write is True or [self.home, *write])

    def present(self, value: Any, text: str) -> None:
        """Shows what a command has made, as a value."""
        self.publish(*self.session._timed(None, bundle, value), False, None)

    def stopped(self, error: KeyboardInterrupt) -> None:
        """An interrupt ends its cell, and with it a run of all cells."""
        self.explain(error)

    def tell(self, text: str) -> None:
        """Shows an answer in the client's pager, beneath the cell or aside; a notebook that is stored keeps none."""
        if not self.silent:
            self.pages.append(text)

    def pass_over(self, name: str) -> None:
        """A notebook that was written for IPython goes on without a word."""

    def refuse(self, error: Exception) -> None:
        """A command that cannot be ends its cell, and with it a run of all cells; one that is left out on purpose does not."""
        if isinstance(error, NotHere):
            super().refuse(error)
            return
        self.failed = error
        self.failure = Failure("UsageError", str(error), [f"UsageError: {error}"])

    def captured(self, text: str) -> tuple[str, str, list[Any]]:
        before, self.kept = self.kept, []
        try:
            with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
                self.execute(program_of(self, text), f"<input {self.count}>")
                self._show_figures()
            return out.getvalue(), err.getvalue(), self.kept
        finally:
            self.kept = before

    def confirm(self, question: str) -> bool:
        """Whether the person at the notebook says yes."""
        try:
            return self.ask(f"{question} (y/n) ", []).strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def ask(self, prompt: str, names: list[str]) -> str:
        """A line of the person at the notebook."""
        return str(self.stdin.answer(prompt)).rstrip("\n")

    def run_cell(self, code: str, number: int, silent: bool, keep: bool) -> Failure | None:
        """Run a cell; the error that it ended with, if it did."""
        self.silent, self.failure, self.failed, self.pages = silent, None, None, []
        self.count = number - 1
        if keep:
            self.history.append((number, code))
        if code.strip() in GOODBYE:
            self.leave = 0
        elif code.strip():
            try:
                self.enter(flush_left(code))
            except BaseException as error:  # beside what its programs raise: nothing ends the kernel
                self.explain(error)
        self._show_figures()
        return self.failure

    def _show_figures(self) -> None:
        """Shows what is left of a cell's figures."""
        if "matplotlib.pyplot" not in sys.modules:
            return
        from .figures import show_all

        try:
            self.session._timed(None, show_all)
        except BaseException as error:
            self.explain(error)

    def give(self, value: Any) -> None:
        """Shows the value of a command as that of its cell, where nothing stands beneath it."""
        if value is not None:
            self.session._timed(None, self._show, value, Tee(sys.stdout))

    def _execute(self, text: str, filename: str, record: Record, echo: Echo) -> None:
        out = sys.stdout
        tee = Tee(out)
        with redirect_stdout(tee):  # type: ignore[type-var]
            program = self.session.compile(text, filename, continued=True)
            last = program.statements[-1] if echo and not text.rstrip().endswith(";") and program.statements else None
            for statement in program.statements:
                own = echo if callable(echo) else lambda value: self._show(value, tee)
                shown = own if statement is last else None
                try:
                    self.session.execute(program, shown, [statement])
                finally:
                    record.outputs.append((statement.lineno, statement.end_lineno, tee.take()))

    def _show(self, value: Any, tee: Tee) -> None:
        if self.silent:
            return
        self.outputs.keep(self.count, value)
        errors: list[Exception] = []
        if shows_itself(value, errors):
            return
        data, metadata = bundle(value, errors)
        for error in errors:  # the text is there all the same
            print(self.session.diagnose(error), file=sys.stderr)
        tee.keep(data["text/plain"] + "\n")
        self.publish(data, metadata, True, None)

    def explain(self, error: BaseException) -> None:
        """Keep an error for the reply."""
        from ..language.places import name_and_message

        self.failed = self.error = error
        if isinstance(error, KeyboardInterrupt):
            error.__context__ = None  # an error whose text has no end may have been interrupted
            self.failure = Failure("KeyboardInterrupt", "", [self.session.diagnose(error, True)])
            return
        name, value = name_and_message(error)
        if isinstance(error, SyntaxError) and error.lineno is not None:  # as its `str` says it
            value += f" ({error.filename}, line {error.lineno})"
        self.failure = Failure(name, value, self.session.diagnose(error, True).split("\n"))

    def _exit(self, error: SystemExit) -> None:
        """A program that ends itself ends its cell, and with it a run of all cells; the kernel stays."""
        from ..language.places import text_of

        self.failed = error
        told = "" if error.code is None else self.session.text(error.code, text_of)
        self.failure = Failure("SystemExit", told, [f"SystemExit: {told}" if told else "SystemExit"])

    def expression(self, text: str) -> dict[str, Any]:
        """The answer to a `user_expression`, which is a program of the session."""
        try:
            value = self.session.run(text, "<expression>")
            data, metadata = self.session._timed(None, bundle, value)
            return {"status": "ok", "data": data, "metadata": metadata}
        except BaseException as error:  # also SystemExit and an interrupt, which would end the kernel
            from ..language.places import name_and_message

            name, told = name_and_message(error)
            return {"status": "error", "ename": name, "evalue": told, "traceback": []}

    def completions(self, code: str, cursor: int) -> list[Any]:
        """The completions of a word, or of a command's name."""
        line = code[:cursor].rpartition("\n")[2]
        command = _COMMAND.match(line)
        if command is None:
            return self.session.complete(code, cursor)
        from ..assist.completion import Completion
        from ..shell.commands import commands

        start = cursor - len(command[1])
        return [
            Completion(name, start, "command", found.about)
            for name, found in sorted(commands().items())
            if name.startswith(command[1]) and name not in self.lacks
        ]

    def explanation(self, code: str, cursor: int, source: bool) -> str | None:
        """The text of `name?` for the name at the cursor, else for the function whose call is open there."""
        from ..display.explanation import explanation

        end = cursor
        while end < len(code) and (code[end].isalnum() or code[end] == "_"):
            end += 1
        names = [match[1] for match in [_CALLED.search(code[:end])] if match is not None]
        depth = 0
        for at in range(cursor - 1, -1, -1):
            depth += (code[at] in ")]}") - (code[at] in "([{")
            if depth < 0:
                match = _CALLED.search(code[:at]) if code[at] == "(" else None
                names += [match[1]] if match is not None else []
                break
        for name in names:
            found = self.session.inspect(name)
            if found is not None:
                text = explanation(found, 79, True)
                return text + "\n" + found.source if source and found.source else text
        return None

    def is_complete(self, code: str) -> tuple[str, int]:
        """Whether a text is whole; a command always is."""
        from ..shell.commands import is_special

        return ("complete", 0) if is_special(code) else super().is_complete(code)


def flush_left(code: str) -> str:
    """A cell without the indentation of its first line, as it was copied out of a function."""
    lines = code.lstrip("\n").split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    return "\n".join(line.removeprefix(indent) for line in lines) if indent else code
