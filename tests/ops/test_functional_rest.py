"""Sampling grids, bags of embeddings, several heads of attention, random pooling and dropouts give what PyTorch gave."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tensorsh import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from replay_values import outcome, programs, same  # noqa: E402


@pytest.mark.parametrize(("program", "expected"), programs("functional_rest"))
def test_functional_rest(program: str, expected: Any) -> None:
    found = outcome(torch, program)
    assert same(found, expected), f"{found}\n{expected}"
