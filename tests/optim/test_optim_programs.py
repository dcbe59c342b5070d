"""Programs of tests/optim/programs print what they print under PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "nn"))

from programs_runner import differences, expected, programs, run


@pytest.mark.parametrize("program", programs("optim"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    assert differences(run(program), expected(program)) == []
