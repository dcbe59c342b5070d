"""Gradients of pooling, strided views and indexing are PyTorch's, to the sign of a zero: hundreds of random programs, recorded."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.gradients import Recipe
from ..support.tables import rows

FAMILIES = ("pooled", "strided", "indexed")


@pytest.mark.parametrize("family", range(3), ids=FAMILIES)
def test_gradients_are_pytorchs_to_the_letter(family: int) -> None:
    cases = [case for case in rows("gradients") if case[0] % 3 == family]
    assert len(cases) == 300
    texts = [(number, expected, Recipe(number).text(torch)) for number, expected in cases]
    wrong = [f"recipe {number}\n{ours}\nPyTorch:\n{expected}" for number, expected, ours in texts if ours != expected]
    assert not wrong, f"{len(wrong)} differ, for example\n" + "\n\n".join(wrong[:3])
