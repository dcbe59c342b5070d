"""Hostile programs get PyTorch's answer or refusal; none crashes, stands still, or sees memory that is not its own.

Of the generated ones, which call every function in the same ways, each twelfth is run; all of them are under the sanitizers, which
`.ci/run` starts, too, and by `make nightly`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .corpus import FILES, read
from .runner import Runner

ALL = bool(os.environ.get("LD_PRELOAD") or os.environ.get("HOSTILE"))


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_hostile_programs_are_answered_as_by_pytorch(path: Path, runner: Runner) -> None:
    programs = read(path)
    if path.stem == "generated" and not ALL:
        programs = programs[::12]
    wrong = []
    for program, (text, problem) in zip(programs, [runner.ask(p.source) for p in programs], strict=True):
        if problem or (program.answer and text != program.expected):
            wrong.append(f"--- {program.title}\n{program.source}\n==> {program.answer}\nhere: {text} {problem}\n")
    assert not wrong, f"{len(wrong)} of {len(programs)}:\n" + "\n".join(wrong)
