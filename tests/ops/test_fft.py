"""Expressions about Fourier transforms and windows give what PyTorch gave, errors included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.linalg import alike, outcome
from ..support.tables import section


@pytest.mark.parametrize(("expression", "expected"), section("linalg", "fft").items())
def test_fft(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found
