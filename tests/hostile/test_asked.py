"""Objects that take away what asks them: Python's own functions read no freed memory, which is filled with what leads nowhere here."""

from __future__ import annotations

import sys

from .corpus import FOLDER, read
from .runner import run


def test_nothing_that_is_asked_is_freed_meanwhile() -> None:
    programs = read(FOLDER / "asked.txt")
    command = ["env", "PYTHONMALLOC=debug", sys.executable, "-m", "tests.hostile.worker"]
    answers = run([program.source for program in programs], command)
    wrong = [
        (p.title, text, harm) for p, (text, harm) in zip(programs, answers, strict=True) if harm or "Assertion" in text
    ]
    assert wrong == []
