"""Corners of gradients: what PyTorch gives, and what it refuses."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("autograd_corners"))
def test_autograd_corners(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
