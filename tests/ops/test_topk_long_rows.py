"""topk of few elements of long rows, which are found one after the other."""

import numpy as np
import pytest

from tensorsh import torch


@pytest.mark.parametrize("k", [1, 7, 16])
def test_distinct_elements(k: int) -> None:
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(1500, dtype=np.float32), (300, 1)), axis=1)
    values, places = torch.from_numpy(rows).topk(k)
    assert values.tolist() == [[1499.0 - i for i in range(k)]] * 300
    assert np.array_equal(np.take_along_axis(rows, places._array, 1), values._array)
    assert rows.max() == 1499 and rows.min() == 0, "the input is left as it was"


def test_ties_nan_and_infinities() -> None:
    rows = np.zeros((4, 1200), np.float32)
    rows[0, 5] = np.nan
    rows[1, 7], rows[1, 9] = np.inf, 3
    rows[2] = -np.inf
    rows[3, 11] = rows[3, 13] = 2
    values, places = torch.from_numpy(rows).topk(3)
    assert np.isnan(values._array[0, 0]) and places.tolist()[0][0] == 5
    assert values.tolist()[0][1:] == [0.0, 0.0]
    assert values.tolist()[1] == [np.inf, 3.0, 0.0] and places.tolist()[1][:2] == [7, 9]
    assert values.tolist()[2] == [-np.inf] * 3
    assert values.tolist()[3] == [2.0, 2.0, 0.0] and sorted(places.tolist()[3][:2]) == [11, 13]
    assert all(len(set(row)) == 3 for row in places.tolist())
