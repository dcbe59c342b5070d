"""Programs about in-place writes and views give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("views_inplace"))
def test_inplace_views(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
