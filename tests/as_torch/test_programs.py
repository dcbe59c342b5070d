"""Programs of ordinary Python print what they print under PyTorch: what its own tests ask for beside the documented names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.programs import differences, expected, programs, run_as_torch


@pytest.mark.parametrize("program", programs("as_torch"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    assert differences(run_as_torch(program), expected(program)) == []
