"""Programs about shapes and views give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_shape() -> None:
    all_pass(check_shape, rows("views_shape"))


def check_shape(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
