"""Programs of tests/data_loader/programs print what they print under PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.programs import differences, expected, programs, run


@pytest.mark.parametrize("program", programs("data_loader"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    assert differences(run(program), expected(program)) == []
