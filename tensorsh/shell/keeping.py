"""Commands that keep what was entered: %history %save %transcript %export."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from .again import chosen
from .alone import standing_alone
from .commands import CommandError, command
from .record import transcript

if TYPE_CHECKING:
    from .loop import Shell
    from .record import Record


@command(
    "history",
    "[N | NUMBERS | -g TEXT]",
    "lists the entries of this session, the last N only, those with these numbers (3-5 8), or all ever with a text in them",
)
def history(shell: Shell, argument: str) -> None:
    words = argument.split(None, 1)
    if words and words[0] == "-g":
        pattern = words[1] if len(words) > 1 else ""
        for entry in [*shell.entries.earlier, *shell.entries.session]:
            if pattern in entry:
                print(entry)
        return
    records = shell.records
    if argument.isdigit():
        records = records[-int(argument) :] if int(argument) else []
    elif argument:
        if not argument[0].isdigit():
            raise CommandError("%history takes a number, numbers of entries as in 3-5 8, or -g and a text")
        records = chosen(shell, argument, "%history")
    width = len(str(shell.count))
    for record in records:
        lines = record.text.rstrip().split("\n")
        print(f"{record.number:{width}}  {lines[0]}")
        for line in lines[1:]:
            print(f"{'':{width}}  {line}")


@command("save", "[-f] FILE [NUMBERS]", "writes the entries that succeeded as a program (-f: over an existing file)")
def save(shell: Shell, argument: str) -> None:
    file, records = _asked(shell, argument, "%save")
    _write(shell, file, _program(records), "%save")


@command("transcript", "[-f] FILE [NUMBERS]", "writes all entries with what they gave, as a golden test")
def transcript_(shell: Shell, argument: str) -> None:
    file, records = _asked(shell, argument, "%transcript")
    _write(shell, file, transcript([record for record in records if record.done or record.error]), "%transcript")


@command("export", "[-f] FILE [NUMBERS]", "writes the entries that succeeded as plain Python for PyTorch")
def export(shell: Shell, argument: str) -> None:
    from ..language.export import export as exported
    from ..session import torch_names

    file, records = _asked(shell, argument, "%export")
    _write(shell, file, exported(_program(records), "<shell>", torch_names()), "%export")


def _asked(shell: Shell, argument: str, name: str) -> tuple[str, list[Record]]:
    """The file, and the entries with the numbers behind it: all where there are none."""
    match = re.fullmatch(r"(.*?\S)((?:\s+\d+(?:[-:]\d+)?)+)", argument)
    return (match[1], chosen(shell, match[2], name)) if match and match[1] != "-f" else (argument, shell.records)


def _program(records: list[Record]) -> str:
    """The entries that succeeded, with what commands set between them."""
    texts = standing_alone([record for record in records if record.succeeded])
    lines = [line for r in records for line in (*r.settings, *([texts[r.number].rstrip()] if r.succeeded else []))]
    return "".join(line + "\n" for line in lines)


def _write(shell: Shell, argument: str, text: str, name: str) -> None:
    """Writes a file beside its place and renames it; an existing one only when asked to. Outside the shell's folder, and
    over a file by one of several pasted lines, only when the person says yes."""
    from ..sandbox.files import Permissions, is_within
    from .asking import shown

    force = argument.startswith("-f ")
    path = argument[3:].strip() if force else argument
    if not path:
        raise CommandError(f"{name} needs the name of a file")
    exists = os.path.lexists(path)
    if exists and not force:
        raise CommandError(f"{path} is there already; {name} -f {path} writes over it")
    target = os.path.realpath(path)
    allowed = is_within(target, shell.home) or shell.session.permissions.allows(target, "write")
    if (not allowed or (exists and shell.among)) and not shell.confirm(f"{name}: write {shown(target)}?"):
        raise CommandError(f"{name}: nothing was written to {shown(target)}")
    Permissions(write=True).write_bytes(path, text.encode())
    print(f"{path}: {text.count(chr(10))} lines")
