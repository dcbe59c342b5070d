"""Programs about indexing give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_indexing() -> None:
    all_pass(check_indexing, rows("views_indexing"))


def check_indexing(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
