"""Expressions about linear algebra give what PyTorch gave, errors included."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensorsh import torch

sys.path.insert(0, str(Path(__file__).parent))
from replay_linalg import alike, expressions, outcome  # noqa: E402


@pytest.mark.parametrize(("expression", "expected"), expressions("linalg"))
def test_linalg(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found
