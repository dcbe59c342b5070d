"""Sums, means and maxima of regions: each element after the other, as PyTorch adds them."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.nn import adaptive_pooling

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
F = torch.nn.functional
CASES = [((2, 3, 37, 41), (5, 7)), ((3, 10, 11), (2, 3)), ((2, 3, 5, 5), (8, 9)), ((1, 2, 6, 7, 8), (2, 3, 3))]


def cells(spatial, size):
    for cell in np.ndindex(*size):
        yield cell, tuple(slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(cell, spatial, size, strict=True))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape, size", CASES)
def test_means_and_their_gradients(shape, size, dtype):
    d = len(size)
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    t = torch.tensor(x).requires_grad_()
    found = getattr(F, f"adaptive_avg_pool{d}d")(t, size)
    g = np.random.default_rng(1).standard_normal(found.shape).astype(dtype)
    found.backward(torch.tensor(g))
    expected, back = np.empty(found.shape, dtype), np.zeros(shape, dtype)
    for cell, box in cells(shape[-d:], size):
        part = x[(..., *box)]
        sides = part.shape[-d:]
        total = np.add.accumulate(part.reshape(*shape[:-d], -1), -1)[..., -1]
        each = g[(..., *cell)]
        for n in sides:
            total, each = total / dtype(n), each / dtype(n)
        expected[(..., *cell)] = total
        back[(..., *box)] += each.reshape(*each.shape, *(1,) * d)
    assert np.array_equal(found.detach().numpy(), expected)
    assert np.array_equal(t.grad.numpy(), back)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("shape, size", CASES)
def test_maxima_and_places(shape, size, dtype):
    d = len(size)
    x = torch.tensor(np.random.default_rng(0).integers(0, 9, shape).astype(float)).to(getattr(torch, dtype))
    values, places = getattr(F, f"adaptive_max_pool{d}d")(x, size, return_indices=True)
    plain, numbers = x.double().numpy(), np.arange(np.prod(shape[-d:])).reshape(shape[-d:])
    assert values.dtype == x.dtype
    for cell, box in cells(shape[-d:], size):
        part = plain[(..., *box)].reshape(*shape[:-d], -1)
        assert np.array_equal(values[(..., *cell)].double().numpy(), part.max(-1))
        assert np.array_equal(places[(..., *cell)].numpy(), numbers[box].reshape(-1)[part.argmax(-1)])


def test_of_nan_the_last_counts():
    x = torch.zeros(1, 4, 4)
    x[0, 0, 1] = x[0, 1, 0] = float("nan")
    values, places = F.adaptive_max_pool2d(x, 2, return_indices=True)
    assert values[0, 0, 0].isnan() and places.tolist() == [[[4, 2], [8, 10]]]


def test_edges_are_checked_where_they_are_used():
    x = np.zeros((1, 1, 1, 4), np.float32)
    ends = adaptive_pooling.edges((4,), (2,))
    assert adaptive_pooling.region_sums(x, ends, (1, 1, 2), True) is not None
    for wrong in (ends + 1, ends - 1, ends[:-1], -ends):
        assert adaptive_pooling.region_sums(x, wrong, (1, 1, 2), True) is None
        assert adaptive_pooling.region_maxima(x, wrong, (1, 1, 2)) is None
        assert adaptive_pooling.region_spread(np.zeros((1, 1, 1, 2), np.float32), x, wrong) is None
    assert adaptive_pooling.region_sums(x, ends, (1, 1, 1 << 60), True) is None


def test_planes_are_averaged_as_each_alone():
    x, ends = np.random.default_rng(0).random((7, 2, 9, 23), np.float32), adaptive_pooling.edges((2, 9, 23), (1, 4, 5))
    together = adaptive_pooling.region_sums(x, ends, (1, 4, 5), True)
    for plane, found in zip(x, together, strict=True):
        assert np.array_equal(adaptive_pooling.region_sums(plane[None], ends, (1, 4, 5), True)[0], found)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_maxima_of_long_rows(dtype):
    """The first of equal elements and the last NaN, wherever in a row they stand."""
    rng = np.random.default_rng(3)
    for width in (15, 16, 127, 128, 129, 700):
        for _ in range(20):
            x = rng.integers(-9, 9, (1, 1, 2, width)).astype(dtype)
            if dtype != "i8":
                x[0, 0, rng.integers(2), rng.integers(width, size=rng.integers(3))] = np.nan
            values, places = kernels.compiled.region_maxima(x, np.array([0, 1, 0, 2, 0, width]), (1, 1, 1))
            flat = x.reshape(-1)
            missing = np.flatnonzero(flat != flat)
            assert places.item() == (missing[-1] if missing.size else flat.argmax())
            assert np.array_equal(values.item(), flat[places.item()], equal_nan=True)
