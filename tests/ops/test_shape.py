"""Programs about shapes and views give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensorsh import torch

sys.path.insert(0, str(Path(__file__).parent))
from replay_views import outcome, programs  # noqa: E402


@pytest.mark.parametrize(("program", "expected"), programs("shape"))
def test_shape(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
