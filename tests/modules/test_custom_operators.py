"""Operators that a program defines: their schemas, their forms without data, and what opcheck finds."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("custom_operators"))
def test_custom_operators(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
