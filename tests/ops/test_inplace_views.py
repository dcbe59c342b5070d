"""Programs about in-place writes and views give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_inplace_views() -> None:
    all_pass(check_inplace_views, rows("views_inplace"))


def check_inplace_views(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
