"""Commands about folders and files: %clear %pwd %cd %ls %cat. They show and move; what programs may read and write stays as it is."""

from __future__ import annotations

import glob
import os
import stat
import sys
import time
from typing import TYPE_CHECKING

from ..display.sizes import size_text
from ..tools.displays import board
from .asking import shown
from .commands import CommandError, command
from .values import columns

if TYPE_CHECKING:
    from .loop import Shell

LARGEST = 1 << 20
"""Bytes of a file that %cat shows."""


@command("clear", "", "clears the screen, or what stands beneath the cell")
def clear(shell: Shell, argument: str) -> None:
    if board.elsewhere is not None:
        board.elsewhere.clear(False)
    elif sys.stdout.isatty():
        print("\033[H\033[2J", end="", flush=True)


@command("pwd", "", "the current folder")
def pwd(shell: Shell, argument: str) -> None:
    print(shown(os.getcwd()))


@command("cd", "[FOLDER | -]", "makes a folder the current one: your home without a name, the one before with -")
def cd(shell: Shell, argument: str) -> None:
    before = os.getcwd()
    target = shell.folder_before if argument == "-" else os.path.expanduser(_unquoted(argument) or "~")
    if not target:
        raise CommandError("%cd -: there was no other folder yet")
    os.chdir(target)
    shell.folder_before = before
    print(shown(os.getcwd()))
    if not shell.session.permissions.allows(os.getcwd(), "read"):
        print(f"programs still read files below {shown(shell.home)} only")


@command("ls", "[-l] [FOLDER | PATTERN...]", "lists files (-l: with size and time)")
def ls(shell: Shell, argument: str) -> None:
    words = argument.split()
    is_long = "-l" in words
    names: list[str] = []
    for word in [each for each in words if each != "-l"] or ["."]:
        path = os.path.expanduser(_unquoted(word))
        if os.path.isdir(path):
            names += [os.path.join(path, name) for name in os.listdir(path) if name[:1] != "."]
            continue
        found = glob.glob(path)
        if not found:
            raise CommandError(f"%ls: {shown(word)}: no such file")
        names += found
    names.sort(key=str.lower)
    told = [_told(name, is_long) for name in names]
    print("\n".join(told if is_long else in_columns(told, columns() - 1)) if told else "no files")


def _told(path: str, is_long: bool) -> str:
    found = os.lstat(path)
    name = shown(os.path.normpath(path)) + ("/" if os.path.isdir(path) else "")
    if not is_long:
        return name
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.st_mtime))
    return f"{'' if stat.S_ISDIR(found.st_mode) else size_text(found.st_size):>9}  {when}  {name}"


def in_columns(names: list[str], width: int) -> list[str]:
    """Names in as many columns as there is room for, downwards first."""
    from ..display.cells import cell_width, pad

    for count in range(max(min(len(names), width // 2), 1), 0, -1):
        rows = -(-len(names) // count)
        parts = [names[at : at + rows] for at in range(0, len(names), rows)]
        wide = [max(map(cell_width, part)) for part in parts]
        if count == 1 or sum(wide) + 2 * (len(wide) - 1) <= width:
            break
    return [
        "  ".join(pad(part[row], room) for part, room in zip(parts, wide, strict=True) if row < len(part)).rstrip()
        for row in range(rows)
    ]


@command("cat", "FILE", "shows a text file")
def cat(shell: Shell, argument: str) -> None:
    from ..language.source import harmless
    from .own_files import read_tail

    if not argument:
        raise CommandError("%cat needs a file")
    path = os.path.expanduser(_unquoted(argument))
    if os.path.isdir(path):
        raise CommandError(f"%cat: {shown(argument)} is a folder; %ls lists it")
    data = read_tail(path)
    if b"\0" in data[:8000]:
        raise CommandError(f"%cat: {shown(argument)} is no text")
    text = data[:LARGEST].decode("utf-8", "replace")
    sys.stdout.write(harmless(text.replace("\r\n", "\n")) + ("" if text.endswith("\n") or not text else "\n"))
    if len(data) > LARGEST:
        print(f"... the first {size_text(LARGEST)} of {size_text(len(data))}")


def _unquoted(argument: str) -> str:
    quoted = len(argument) > 1 and argument[0] == argument[-1] and argument[0] in "\"'"
    return argument[1:-1] if quoted else argument
