"""Hostile programs as text: the files of ``programs/`` hold a title, the program and PyTorch's answer, one after another.

    --- a negative stride
    torch.empty_strided((2, 2), (-1000, 1000))
    ==> RuntimeError: as_strided: Negative strides are not supported at the moment, got strides: [-1000, 1000]

An answer is the text that a program prints and then that of its last expression, or the error that ends it. After ``==>``
alone PyTorch has no answer that could be compared: it prints none, crashes, stands still, or shows memory that it has not written.
``make record ONLY=hostile`` writes the answers. Where tensorsh answers otherwise, ``!>`` says how; a word in it says why that
stays: ``!undefined>``, PyTorch answers by chance or from memory that it does not own; ``!asserts>``, it finds itself at fault;
``!memory>``, the words of a bound on memory, of which it has another; ``!sandbox>``, a script has no such thing; ``!words>``,
both refuse, each by the check that comes first; ``!lies>``, an object that lies was asked something else; ``!answered>``, PyTorch
refuses what does no harm here. No word: to be cured. ``python -m tests.hostile.accept`` writes refusals in other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
FILES = sorted(FOLDER.glob("*.txt"))

PRELUDE = (Path(__file__).parent / "prelude.txt").read_text(encoding="utf-8")
"""What the programs share: numbers, lists and objects that lie, and code that runs inside of an allocation."""


@dataclass
class Program:
    title: str
    source: str
    answer: str
    here: str = ""
    reason: str = ""

    @property
    def expected(self) -> str:
        """What is answered here; nothing where that is not compared."""
        return self.here or self.answer


def read(path: Path) -> list[Program]:
    """The programs of a file; one whose answer was not recorded yet has an empty one."""
    found = []
    for text in ("\n" + path.read_text(encoding="utf-8")).split("\n--- ")[1:]:
        title, _, rest = text.strip("\n").partition("\n")
        source, _, answers = f"{rest}\n".partition("\n==>")
        answer, reason, here = (*re.split(r"\n!(\w*)>", answers, maxsplit=1), "", "")[:3]
        found.append(Program(title, source, answer.strip(), here.strip(), reason))
    return found


def write(path: Path, programs: list[Program], heading: str | None = None) -> None:
    """Writes a file's programs, below what stood there before the first or another heading."""
    if heading is None:
        heading = path.read_text(encoding="utf-8").partition("--- ")[0].strip()
    pieces = [heading]
    for p in programs:
        here = f"\n!{p.reason}> {p.here}" if p.here and p.here != p.answer else ""
        pieces.append(f"--- {p.title}\n{p.source.strip()}\n==> {p.answer}".rstrip() + here)
    path.write_text("\n".join(pieces).strip() + "\n", encoding="utf-8")


def refused(text: str) -> bool:
    """Whether a text ends in an error that is a program's own."""
    name = text.rpartition("\n")[2].partition(":")[0]
    return name.endswith("Error") and name not in (
        "SystemError",
        "AssertionError",
        "UnboundLocalError",
        "RecursionError",
    )
