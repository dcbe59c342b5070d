"""Expressions about linear algebra give what PyTorch gave, errors included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.linalg import alike, outcome
from ..support.cases import all_pass
from ..support.tables import section


def test_linalg() -> None:
    all_pass(check_linalg, section("linalg", "linalg").items())


def check_linalg(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 2, 2)])
def test_inverses_of_nothing_by_cholesky_factors(shape: tuple) -> None:
    assert torch.cholesky_inverse(torch.zeros(shape)).shape == shape
