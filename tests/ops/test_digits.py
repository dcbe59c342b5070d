"""Last digits, and signs of zero, of operators that are made of several steps: as PyTorch prints them."""

from __future__ import annotations

import pytest

from tensorsh import torch
from tensorsh.engine import kernels

from ..recording.digits import outcome
from ..support.tables import rows


@pytest.mark.skipif(kernels.compiled is None, reason="other last digits")
@pytest.mark.parametrize(("program", "expected"), rows("digits"))
def test_digits_are_pytorchs(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
