"""Views of conjugates and of negatives are what PyTorch's are: they share memory, and compute when they are read."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("views_deferred"))
def test_deferred_views(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected
