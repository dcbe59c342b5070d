"""Hostile programs get PyTorch's answer or refusal; none crashes, stands still, or sees memory that is not its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import runner
from .corpus import FILES, read


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_hostile_programs_are_answered_as_by_pytorch(path: Path) -> None:
    programs = read(path)
    wrong = []
    for program, (text, problem) in zip(programs, runner.run([p.source for p in programs]), strict=True):
        if problem or (program.answer and text != program.expected):
            wrong.append(f"--- {program.title}\n{program.source}\n==> {program.answer}\nhere: {text} {problem}\n")
    assert not wrong, f"{len(wrong)} of {len(programs)}:\n" + "\n".join(wrong)
