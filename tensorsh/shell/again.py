"""Commands that enter something again, or from elsewhere: %rerun %macro %paste."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .commands import CommandError, command

if TYPE_CHECKING:
    from .loop import Shell
    from .record import Record

CLIPBOARDS = (
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-o"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    ("powershell", "-NoProfile", "-Command", "Get-Clipboard"),
)
"""Programs that print what was copied, one for each kind of desktop."""
PATIENCE = 5.0
"""Seconds until such a program must have answered."""


@command("rerun", "[NUMBERS]", "runs the last entry again, or those with these numbers: 3-5 8")
def rerun(shell: Shell, argument: str) -> None:
    for record in chosen(shell, argument or str(shell.count), "%rerun"):
        _show_and_run(shell, record.text)


@command(
    "macro", "[NAME NUMBERS]", "gives entries a name, which as an entry runs them: %macro step 3-5; lists the macros"
)
def macro(shell: Shell, argument: str) -> None:
    name, _, numbers = argument.partition(" ")
    if not name:
        for known, text in sorted(shell.macros.items()):
            print(known + "\n" + "\n".join("    " + line for line in text.split("\n")))
        if not shell.macros:
            print("no macros")
        return
    if not name.isidentifier():
        raise CommandError(f"%macro: {name} is no name")
    if not numbers.strip():
        raise CommandError("%macro needs a name and the numbers of entries, as in %macro step 3-5; %history shows them")
    if name in shell.session:
        raise CommandError(f"%macro: {name} is a variable, and comes first")
    found = chosen(shell, numbers, "%macro")
    shell.macros[name] = "\n".join(record.text.rstrip("\n") for record in found)
    print(f"{name} runs {len(found)} entr{'y' if len(found) == 1 else 'ies'}")


@command("paste", "", "runs what was copied, where a program tells what that is (else the terminal's own keys paste)")
def paste(shell: Shell, argument: str) -> None:
    from .paste import as_program

    text = as_program(copied()).strip("\n")
    if not text.strip():
        raise CommandError("%paste: nothing was copied, or it is no text")
    shell.entries.append(text)
    _show_and_run(shell, text)


def copied() -> str:
    """The text on the clipboard. CommandError where no program tells it."""
    import shutil
    import subprocess

    for words in CLIPBOARDS:
        path = shutil.which(words[0])
        if path is None:
            continue
        try:
            done = subprocess.run([path, *words[1:]], capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            continue
        if not done.returncode:
            return done.stdout.decode("utf-8", "replace")
    raise CommandError(
        "%paste: no program tells here what was copied (wl-paste, xclip, xsel, pbpaste); the terminal's own keys paste at the "
        "prompt, often Ctrl-Shift-V"
    )


def chosen(shell: Shell, numbers: str, name: str) -> list[Record]:
    """The entries with these numbers: `3`, `3-5`, several of them."""
    by_number = {record.number: record for record in shell.records}
    found = []
    for word in numbers.replace(",", " ").split():
        match = re.fullmatch(r"(\d+)(?:[-:](\d+))?", word)
        if match is None:
            raise CommandError(f"{name} takes the numbers of entries, as in 3-5 8, not {word}; %history shows them")
        first, last = int(match[1]), int(match[2] or match[1])
        records = [by_number[n] for n in range(first, min(last, shell.count) + 1) if n in by_number]
        if not records:
            raise CommandError(f"{name}: there is no entry {word}; %history shows them")
        found += records
    return found


def _show_and_run(shell: Shell, text: str) -> None:
    """Runs entries that the person has not typed: what runs is shown first. Nothing in them confirms for the person."""
    for line in text.split("\n"):
        print("| " + line if line else "|")
    shell.enter(text, among=True)
