"""Commands within programs: indented, or where their value is assigned (`    !pip install torch`, `a = %timeit -o f(x)`).

A program is given calls in their place, so that what is timed sees the variables of its function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..assist.command_lines import CommandLine, replaced
from ..sandbox.sealed import Sealed
from .commands import ELSEWHERE, IDLE, NO_SYSTEM, CommandError, commands, leave_out, unknown
from .timing import options_of, time_of, timeit_of

if TYPE_CHECKING:
    from .loop import Shell

CALL = "_command_"
"""The name by which programs call what stands for a command."""
ANYWHERE = frozenset(("who_ls", "autoreload"))
"""Commands that a program may as well give itself."""
_BOUND = re.compile(r"([^\W\d]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)


class Within(metaclass=Sealed):
    """What a program calls in a command's place: measures a function, or says that a command is passed over."""

    __slots__ = ("__shell",)

    def __init__(self, shell: Shell) -> None:
        self.__shell = shell

    def __call__(self, name: str, argument: str = "", call: Callable[[], Any] | None = None) -> Any:
        if type(name) is not str or type(argument) is not str:
            raise TypeError("a command is a text")
        if name == "time" and call is not None:
            return time_of(call)
        if name == "timeit" and call is not None:
            return timeit_of(argument, call)
        if name in ANYWHERE:
            return commands()[name].function(self.__shell, argument)
        if name in self.__shell.passes or name in IDLE:
            self.__shell.pass_over(name)
        else:
            leave_out(self.__shell, name)
        return None

    def __repr__(self) -> str:
        return "<commands within a program>"


def program_of(shell: Shell, text: str) -> str:
    """A text with calls in the place of its commands. Raises CommandError for those that cannot be there."""
    return replaced(text, lambda line: _call(shell, line))


def whole(shell: Shell, text: str) -> tuple[str, int]:
    """Whether an entry is complete, as `Session.is_complete` says, which knows no commands."""
    try:
        text = program_of(shell, text)
    except CommandError:
        pass
    return shell.session.is_complete(text)


def _call(shell: Shell, line: CommandLine) -> str:
    target, name, argument = line.target, line.name, line.argument
    before = line.indent + (f"{target} = " if target else "")
    if name in ("time", "timeit"):
        options, statement = options_of(argument) if name == "timeit" else ("", argument)
        bound = None if target or name == "timeit" else _BOUND.fullmatch(statement)
        if bound is not None:
            before, statement = f"{before}{bound[1]} = ", bound[2]
        try:
            ast.parse(f"({statement})", mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise CommandError(
                f"%{name} takes an expression where it is indented or its value is assigned; another statement stands "
                "with it at the beginning of a line"
            ) from None
        return f"{before}{CALL}({name!r}, {options!r}, lambda: ({statement}))"
    if name in ANYWHERE:
        return f"{before}{CALL}({name!r}, {argument!r})"
    if target and line.command.startswith("!"):
        raise CommandError(NO_SYSTEM + shell.deals_with_files)
    if "?" in (line.command[0], line.command[-1]) and not name:
        alone = not (line.indent or target)
        raise CommandError(
            f"{line.command} explains nothing: name? does, x.name? too"
            if alone
            else f"{line.command} stands at the beginning of a line"
        )
    if name in commands() and name not in shell.passes:
        raise CommandError(
            f"%{name} has no value that could be assigned" if target else f"%{name} stands at the beginning of a line"
        )
    if name and name not in ELSEWHERE and name not in IDLE and name not in shell.passes:
        raise CommandError(unknown(name, line.command))
    return f"{before}{CALL}({name!r})"
