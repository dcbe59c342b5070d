"""Commands that measure where a program's time goes: %prun by function, %lprof by line, both with the operators of torch."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from ..display.cells import draws_unicode
from ..display.sizes import duration_text
from ..display.table import table_text
from .commands import CommandError, command
from .running import untraced
from .values import columns, shell_theme

if TYPE_CHECKING:
    from .loop import Shell

MOST = 30
"""Rows of a table of functions."""
ORDERS = {
    **dict.fromkeys(("time", "tottime", "own"), lambda row: (-row[0], -row[1])),
    **dict.fromkeys(("cumtime", "cumulative", "total"), lambda row: (-row[1], -row[0])),
    **dict.fromkeys(("calls", "ncalls", "pcalls"), lambda row: (-row[2], -row[0])),
    **dict.fromkeys(("name", "nfl", "stdname"), lambda row: row[3]),
}
"""Orders of its rows, by the names that Python's profiler gives them: own time, with all that was called, calls, name."""
_OPTION = re.compile(r"-([A-Za-z]\w*)(?:\s+|$)(\S*)\s*")
NAMED = 3
"""Operators that are named behind a line."""


class Operators:
    """Stands in the engine's settings as a profiler does: is told of each call of an operator by a program."""

    def __init__(self, owns: Callable[[FrameType], bool]) -> None:
        self.owns = owns
        self.calls: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.heard: Callable[[float], None] = lambda seconds: None
        """Is told how long each took."""
        self.lines: dict[tuple[CodeType, int], Counter[str]] = {}

    def begun(self, name: str, args: tuple, kwargs: dict, form: Any) -> Callable[[Any], None]:
        """An operator is called; what is to be called when it has ended."""
        from ..engine.operators.hooks import SYMBOLS

        name = SYMBOLS.get(name, name)
        name = name.strip("_") if name.startswith("__") else name
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.owns(frame):
            frame = frame.f_back
        if frame is not None:
            self.lines.setdefault((frame.f_code, frame.f_lineno), Counter())[name] += 1
        began = time.perf_counter()

        def ended(result: Any) -> None:
            self.calls[name] += 1
            spent = time.perf_counter() - began
            self.seconds[name] += spent
            self.heard(spent)

        return ended

    def enter(self, name: str, shapes: list) -> Callable[..., None]:
        """A block that the program has named."""
        return lambda *_: None


def _measured(shell: Shell, argument: str, name: str, watch: Callable[[Operators], Any]) -> Operators:
    """Runs a program under a watch, told of its operators."""
    if not argument:
        raise CommandError(f"{name} needs a statement")
    operators = Operators(shell.session.owns)

    def work() -> None:
        from ..engine.arrays.state import here
        from ..engine.operators.hooks import attend

        attend()
        before, here.profile = here.profile, operators
        here.settle()
        try:
            with watch(operators):
                shell.execute(argument, f"<{name[1:]}>")
        finally:
            here.profile = before
            here.settle()

    untraced(shell, lambda: shell.session._settings.run(work))
    return operators


def _print(
    shell: Shell,
    titles: tuple[str, ...],
    rows: list[tuple[str, ...]],
    right: tuple[str, ...],
    spare: tuple[str, ...] = (),
) -> None:
    print(
        table_text(
            titles,
            rows,
            right=right,
            spare=spare,
            width=columns() - 1,
            unicode=draws_unicode(sys.stdout),
            theme=shell_theme(shell.config),
        )
    )


class Functions:
    """A context in which the time of each of a program's functions is taken."""

    def __init__(self, operators: Operators) -> None:
        self.owns = operators.owns
        self.calls: Counter[CodeType] = Counter()
        self.own: Counter[CodeType] = Counter()
        self.total: Counter[CodeType] = Counter()
        self.open: list[list[Any]] = []
        """Of each call that has not returned: its frame, since when, the seconds of what it has called."""
        operators.heard = self._spent

    def __enter__(self) -> Functions:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        while self.open:
            self._leave()

    def _spent(self, seconds: float) -> None:
        """An operator has taken so long."""
        if self.open:
            self.open[-1][2] += seconds

    def _leave(self) -> None:
        frame, since, inner = self.open.pop()
        code, taken = frame.f_code, time.perf_counter() - since
        self.own[code] += taken - inner
        if all(each[0].f_code is not code for each in self.open):  # of a function that calls itself, once
            self.total[code] += taken
        self._spent(taken)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self.owns(frame):
            return None
        frame.f_trace_lines = False
        self.calls[frame.f_code] += 1
        self.open.append([frame, time.perf_counter(), 0.0])
        return self._return

    def _return(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            while self.open and self.open[-1][0] is not frame:  # left without a word
                self._leave()
            if self.open:
                self._leave()
        return self._return


def _chosen(argument: str) -> tuple[dict[str, str], str]:
    """The options of `%prun` and its statement. Raises CommandError."""
    given: dict[str, str] = {}
    while (option := _OPTION.match(argument)) is not None:
        name, value = option.groups()
        if name == "l" and value.isdecimal() or name == "s" and value in ORDERS:
            given[name] = value
        elif name in ("l", "s"):
            wanted = f"one of {', '.join(ORDERS)}" if name == "s" else "a number of rows"
            raise CommandError(f"%prun: -{name} needs {wanted}")
        else:
            raise CommandError("%prun takes -l ROWS, -s ORDER and a statement; a number with a sign stands in brackets")
        argument = argument[option.end() :]
    return given, argument


@command("prun", "[-l ROWS] [-s ORDER] STATEMENT", "runs it and says which functions and operators took the time")
def prun(shell: Shell, argument: str) -> None:
    measured: list[Functions] = []
    options, argument = _chosen(argument)

    def watch(operators: Operators) -> Functions:
        measured.append(Functions(operators))
        return measured[0]

    operators = _measured(shell, argument, "%prun", watch)
    found = measured[0]
    taken = sum(found.total[code] for code in found.total if code.co_name == "<module>")
    rows = [
        (found.own[code], total, found.calls[code], f"{code.co_qualname}  {code.co_filename}:{code.co_firstlineno}")
        for code, total in found.total.items()
    ]
    rows += [(spent, spent, operators.calls[name], name) for name, spent in operators.seconds.items()]
    if not rows:  # it was no program
        return
    rows.sort(key=ORDERS[options.get("s", "time")])
    shown = [
        (f"{count:,}", duration_text(own), duration_text(total), place)
        for own, total, count, place in rows[: int(options.get("l", MOST))]
    ]
    _print(shell, ("calls", "own", "total", "function or operator"), shown, ("calls", "own", "total"))
    print(f"{duration_text(taken)} in all")


class Lines:
    """A context in which the time of each line of a program's functions is taken, with what the line calls."""

    def __init__(self, owns: Callable[[FrameType], bool]) -> None:
        self.owns = owns
        self.hits: Counter[tuple[CodeType, int]] = Counter()
        self.seconds: Counter[tuple[CodeType, int]] = Counter()
        self.open: dict[FrameType, tuple[int, float]] = {}
        """The line that each frame stands on, and since when."""

    def __enter__(self) -> Lines:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        for frame in list(self.open):
            self._leave(frame, time.perf_counter())

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if self.owns(frame) else None

    def _leave(self, frame: FrameType, now: float) -> None:
        line, since = self.open.pop(frame, (0, now))
        if line:
            self.seconds[frame.f_code, line] += now - since

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        now = time.perf_counter()
        if event in ("line", "return"):
            self._leave(frame, now)
        if event == "line":
            self.hits[frame.f_code, frame.f_lineno] += 1
            self.open[frame] = frame.f_lineno, time.perf_counter()
        return self._line


@command(
    "lprof", "[-f NAME] STATEMENT", "runs it and says how long each line took, with its operators (-f: of one function)"
)
def lprof(shell: Shell, argument: str) -> None:
    wanted = ""
    if argument.startswith("-f "):
        wanted, _, argument = argument[3:].lstrip().partition(" ")
    lines = Lines(shell.session.owns)
    operators = _measured(shell, argument, "%lprof", lambda _: lines)
    found: dict[CodeType, list[int]] = {}
    for code, number in lines.hits:
        if not wanted or wanted in (code.co_name, code.co_qualname):
            found.setdefault(code, []).append(number)
    if not found:
        print("no lines of programs ran" + (f" in {wanted}" if wanted else ""))
        return
    total = {code: sum(lines.seconds[code, number] for number in numbers) for code, numbers in found.items()}
    for code in sorted(found, key=lambda code: -total[code]):
        _show_lines(shell, code, found[code], total[code], lines, operators)


def _show_lines(
    shell: Shell, code: CodeType, numbers: list[int], total: float, lines: Lines, operators: Operators
) -> None:
    """The table of one function."""
    text = (shell.session.source_of(code) or "").split("\n")
    print(f"{code.co_qualname}  {code.co_filename}:{code.co_firstlineno}, {duration_text(total)}")
    rows = []
    for number in range(min(numbers), max(numbers) + 1):
        key, source = (code, number), text[number - 1] if number <= len(text) else ""
        if not lines.hits[key]:
            rows.append((str(number), "", "", "", source, ""))
            continue
        spent = lines.seconds[key]
        share = f"{100 * spent / total:.1f} %" if total else ""
        called = operators.lines.get(key, Counter()).most_common(NAMED + 1)
        named = ", ".join(name + (f" x{count:,}" if count > 1 else "") for name, count in called[:NAMED])
        rows.append(
            (
                str(number),
                f"{lines.hits[key]:,}",
                duration_text(spent),
                share,
                source,
                named + ", ..." * (len(called) > NAMED),
            )
        )
    figures = ("line", "hits", "time", "share")
    _print(shell, (*figures, "text", "operators"), rows, figures, spare=("share", "hits", "operators"))
