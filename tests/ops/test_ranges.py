"""Ranges of whole numbers in floating-point types: each number is exact, and none is -0."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch

RANGES = [
    (0.0, -8.1, -4.0), (-0.0, 3.0, 1.0), (-8.0, 1.0, 4.0), (8.0, -1.0, -4.0), (0.0, 100_000.0, 1.0), (3.0, 200_000.0, 7.0),
    (16_777_200.0, 16_777_216.0, 1.0), (-16_777_215.0, -16_777_000.0, 3.0), (5.0, 5.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("start", "end", "step"), RANGES)
def test_whole_numbers(start: float, end: float, step: float, dtype: str) -> None:
    found = torch.arange(start, end, step, dtype=getattr(torch, dtype)).numpy()
    first, by = int(start), int(step)
    expected = [n for n in range(first, first + by * (len(found) + 1), by) if (n < end if step > 0 else n > end)]
    assert found.dtype == dtype and found.tolist() == expected
    assert not np.signbit(found[found == 0]).any()
