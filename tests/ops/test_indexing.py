"""Programs about indexing give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("views_indexing"))
def test_indexing(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
