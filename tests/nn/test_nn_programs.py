"""Programs with modules print what they print under PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.programs import differences, expected, programs, run, same


@pytest.mark.parametrize("program", programs("nn"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    assert differences(run(program), expected(program)) == []


def test_the_comparison_sees_differences() -> None:
    assert same("tensor([1.0000, 2.5])", "tensor([1.0001, 2.5])")
    assert not same("tensor([1.0000, 2.5])", "tensor([1.0100, 2.5])")
    assert not same("[0x1.8p+0]", "[0x1.9p+0]")
    assert not same("Linear(in_features=2)", "Linear(in_features=3)")
    assert differences("a\n", "a\nb\n")
