"""Commands for the lines beneath them: %%capture %%writefile %%html %%markdown %%latex %%svg."""

from __future__ import annotations

import os
import shlex
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from ..tools.captured import CapturedIO, show
from ..tools.displays import board
from .commands import CommandError, block

if TYPE_CHECKING:
    from .loop import Shell

QUIET = {"--no-stdout": 0, "--no-stderr": 1, "--no-display": 2}
"""Options of %%capture: what is not captured."""


@block("capture", "[NAME] [--no-stdout] [--no-stderr] [--no-display]", "runs the lines and keeps what they show")
def capture(shell: Shell, line: str, body: str) -> None:
    words = line.split()
    names = [word for word in words if word not in QUIET]
    if len(names) > 1 or names and (not names[0].isidentifier() or names[0].startswith("_") or iskeyword(names[0])):
        raise CommandError("%%capture takes one name, and lines beneath it")
    given: list[Any] = list(shell.captured(body))
    through: list[Any] = ["", "", []]
    for at in {QUIET[word] for word in words if word in QUIET} | ({1} if shell.failed is not None else set()):
        given[at], through[at] = through[at], given[at]
    show(*through)
    if names and shell.failed is None:
        shell.session.variables[names[0]] = CapturedIO(*given)


@block("writefile", "[-a] FILE", "writes the lines into a file (-a: behind what stands there)")
def writefile(shell: Shell, line: str, body: str) -> None:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CommandError(f"%%writefile: {error}") from None
    more = [word for word in words if word in ("-a", "--append")]
    words = [word for word in words if word not in more]
    if len(words) != 1:
        raise CommandError("%%writefile needs a file, and lines beneath it")
    path, text = words[0], (body.rstrip("\n") + "\n").encode()
    permissions = shell.session.permissions
    permissions.check(path, "write")
    there = os.path.exists(path)
    if there and more:
        text = permissions.read_bytes(path) + text
    permissions.write_bytes(path, text)
    print(f"{'Appending to' if there and more else 'Overwriting' if there else 'Writing'} {path}")


@block("file", "[-a] FILE", "the same as %%writefile")
def file(shell: Shell, line: str, body: str) -> None:
    writefile(shell, line, body)


def shown_as(kind: str, name: str) -> Any:
    """A command that displays the lines in a form."""

    def display(shell: Shell, line: str, body: str) -> None:
        if board.elsewhere is None:
            print(body)
        else:
            board.elsewhere.show({kind: body, "text/plain": f"<IPython.core.display.{name} object>"}, True, None)

    return display


for _name, _kind, _class in (
    ("html", "text/html", "HTML"),
    ("markdown", "text/markdown", "Markdown"),
    ("latex", "text/latex", "Latex"),
    ("svg", "image/svg+xml", "SVG"),
):
    block(_name, "", f"displays the lines as {_class} in a notebook, prints them elsewhere")(shown_as(_kind, _class))
