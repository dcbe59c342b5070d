"""What small tensors are made by in one step, against the steps of numpy."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.indexing import searching
from tensorsh.engine.ops.nn import average_pooling
from tensorsh.engine.ops.reductions import histogram, statistics
from tensorsh.engine.random import uniform_words
from tensorsh.engine.random.generator import Generator
from tensorsh.engine.tensors import ranges

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
RNG = np.random.default_rng(0)
NAN = float("nan")


def without(monkeypatch, module, name, make, *args):
    """What is made with a kernel, and without it."""
    fast = make(*args)
    monkeypatch.setattr(module, name, kernels.unsuited)
    slow = make(*args)
    monkeypatch.undo()
    return fast, slow


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_places_are_where_halving_ends(monkeypatch, dtype, right):
    rows = [np.sort(RNG.integers(0, 9, n)).astype(dtype) for n in (1, 2, 7, 8)]
    for row in rows:
        values = RNG.integers(-1, 11, (3, 5)).astype(dtype)
        for each in (row, row[::-1].copy()):  # also one that is not sorted
            fast, slow = without(monkeypatch, searching, "places_in", searching.places, each, values, right)
            assert fast.dtype == np.int64 and np.array_equal(fast, slow)
    many, values = np.sort(RNG.random((2, 3, 6))).astype(dtype), RNG.random((2, 3, 4)).astype(dtype)
    fast, slow = without(monkeypatch, searching, "places_in", searching.places, many, values, right)
    assert np.array_equal(fast, slow)


def test_places_of_and_in_nan():
    row, values = np.array([1.0, 2.0, NAN]), np.array([0.0, 2.0, 3.0, NAN, np.inf])
    for right in (False, True):
        assert searching.places(row, values, right).tolist() == [
            searching.halved(row, v, right) for v in values.tolist()
        ]
    assert torch.searchsorted(torch.zeros(0), torch.ones(2)).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_even_bins(monkeypatch, dtype):
    x = RNG.standard_normal(1000).astype(dtype)
    x[:3] = NAN, np.inf, -0.5
    for low, high, bins in ((-0.5, 0.5, 10), (-3.0, 3.0, 7), (0.0, 1e-3, 3)):
        fast, slow = without(monkeypatch, histogram, "even_bins", histogram.in_even_bins, x, low, high, bins)
        assert np.array_equal(fast, slow)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_at_even_distances(monkeypatch, dtype):
    kind = np.dtype(dtype)
    for start, end, steps in ((0, 1, 16), (-3.3, 7.1, 2), (1e30, -1e30, 7), (0.1, 0.1, 5), (0, 1, 100_001)):
        for power in (False, True):
            args = start, end, steps, kind, power
            fast, slow = without(monkeypatch, ranges, "spaced", ranges.both_halves, *args)
            assert fast.tobytes() == slow.tobytes()


@pytest.mark.parametrize("dim", [None, 0, 1, -1])
def test_variances(monkeypatch, dim):
    for shape in ((4, 4), (3, 70), (130, 65), (2, 3, 5)):
        x = torch.tensor(RNG.standard_normal(shape).astype(np.float32) * 3 + 100)
        for name in ("var", "std", "var_mean", "std_mean"):
            args = (x,) if dim is None else (x, dim)
            fast, slow = without(monkeypatch, statistics, "variances", getattr(torch, name), *args)
            both = zip(fast, slow, strict=True) if name.endswith("mean") else [(fast, slow)]
            assert all(torch.equal(a, b) and a.shape == b.shape for a, b in both)
    assert torch.var(torch.tensor([1.0, np.inf])).isnan()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_means_of_windows_by_a_number_and_by_several(monkeypatch, dtype):
    x = torch.tensor(RNG.standard_normal((2, 3, 9, 11))).to(getattr(torch, dtype))
    for settings in ((2,), (3, 2, 1), (3, 2, 1, True, False), (2, 2, 0, False, True, 7)):
        for each in (x, x.contiguous(memory_format=torch.channels_last)):
            pool = torch.nn.functional.avg_pool2d
            fast, slow = without(monkeypatch, average_pooling, "region_sums", pool, each, *settings)
            assert torch.equal(fast, slow)


FILLERS = (
    "uniform_(2, 3)",
    "exponential_(2)",
    "cauchy_(1, 3)",
    "geometric_(0.2)",
    "log_normal_()",
    "random_()",
    "random_(5)",
)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("filler", FILLERS)
def test_few_numbers_are_drawn_as_many_are(monkeypatch, filler, dtype):
    def make():
        torch.manual_seed(1)
        parts = [torch.empty(2, 7), torch.empty(64), torch.empty(3, 5, 2).transpose(0, 2)]
        return [eval(f"part.to(torch.{dtype}).{filler}", {"part": part, "torch": torch}) for part in parts]

    fast, slow = without(monkeypatch, uniform_words, "distributed", make)
    assert all(torch.equal(a, b) for a, b in zip(fast, slow, strict=True))


def test_a_chance_that_is_none_draws_nothing():
    g, other = Generator().manual_seed(3), Generator().manual_seed(3)
    g.floats(1), other.floats(1)
    for wrong in (NAN, -0.1, 1.5):
        with pytest.raises(RuntimeError, match="p_in >= 0"):
            uniform_words.bernoulli(g, np.array([0.5, wrong], np.float32))
    p = RNG.random((3, 4)).astype(np.float32)
    expected = (other.floats(12).reshape(3, 4) < p).astype(np.float32)
    assert np.array_equal(uniform_words.bernoulli(g, p), expected)
