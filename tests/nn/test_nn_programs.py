"""Programs with modules print what they print under PyTorch; with compiled kernels the losses of training runs to the letter."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tensorsh.engine import kernels

from ..support.programs import differences, expected, programs, run, same

TO_THE_LETTER = ("training_runs",) if kernels.compiled is not None else ()


@pytest.mark.parametrize("program", programs("nn"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    ours, theirs = run(program), expected(program)
    if program.stem in TO_THE_LETTER:
        lines = theirs.splitlines(), ours.splitlines()
        assert lines[0] == lines[1], "\n".join(difflib.unified_diff(*lines, "PyTorch", "tensorsh", lineterm="", n=0))
    assert differences(ours, theirs) == []


def test_the_comparison_sees_differences() -> None:
    assert same("tensor([1.0000, 2.5])", "tensor([1.0001, 2.5])")
    assert not same("tensor([1.0000, 2.5])", "tensor([1.0100, 2.5])")
    assert not same("[0x1.8p+0]", "[0x1.9p+0]")
    assert not same("Linear(in_features=2)", "Linear(in_features=3)")
    assert differences("a\n", "a\nb\n")
