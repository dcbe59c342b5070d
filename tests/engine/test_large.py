"""Kernels for large arrays: near to the mathematics, and the same on any number of threads."""

import math
import threading
import time
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.arrays import parallel
from tensorsh.sandbox import long_calls

from .thread_counts import threads as so_many

F = torch.nn.functional


@pytest.fixture(params=[1, 3])
def threads(request):
    with so_many(request.param):
        yield request.param


def test_erf_and_gelu(threads) -> None:
    x = torch.linspace(-7, 7, 1_200_001)
    every = slice(None, None, 1001)
    points = x._array[every].tolist()
    erf = torch.erf(x)._array[every]
    assert np.abs(erf - np.array([math.erf(v) for v in points])).max() < 4e-7
    gelu = F.gelu(x)._array[every]
    assert np.abs(gelu - np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in points])).max() < 1e-6


def test_limits_of_erf() -> None:
    x = torch.zeros(100_000)
    x[:6] = torch.tensor([math.inf, -math.inf, math.nan, 1e30, -1e30, -0.0])
    erf = torch.erf(x).tolist()
    assert erf[:2] == [1.0, -1.0] and math.isnan(erf[2]) and erf[3:5] == [1.0, -1.0]
    assert math.copysign(1, erf[5]) == -1.0
    assert F.gelu(x).tolist()[3:5] == [float(np.float32(1e30)), 0.0]


def test_sigmoid(threads) -> None:
    x = torch.linspace(-200, 200, 1_200_000)
    every = slice(None, None, 997)
    found = torch.sigmoid(x)._array[every]
    expected = 1 / (1 + np.exp(-x._array[every].astype(np.float64)))
    assert np.abs(found - expected).max() < 2e-7


def test_layer_norm(threads) -> None:
    torch.manual_seed(0)
    x = torch.randn(3000, 400) * 3 + 5
    weight, bias = torch.randn(400), torch.randn(400)
    found = F.layer_norm(x, (400,), weight, bias)._array
    wide = x._array.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    assert np.abs(found - (expected * weight._array + bias._array)).max() < 1e-5


def test_layer_norm_gradients(threads) -> None:
    torch.manual_seed(0)
    x = (torch.randn(3000, 400) * 3 + 5).requires_grad_()
    weight, bias = torch.randn(400, requires_grad=True), torch.randn(400, requires_grad=True)
    g = torch.randn(3000, 400)
    F.layer_norm(x, (400,), weight, bias).backward(g)
    centred = x.double() - x.double().mean(1, keepdim=True)
    rstd = (centred**2).mean(1, keepdim=True).add(1e-5).rsqrt()
    xhat, scaled = centred * rstd, g.double() * weight.double()
    expected = rstd * (scaled - scaled.mean(1, keepdim=True) - xhat * (scaled * xhat).mean(1, keepdim=True))
    for found, wanted in ((x.grad, expected), (weight.grad, (g * xhat).sum(0)), (bias.grad, g.double().sum(0))):
        # Sums over the rows are added row after row, as PyTorch adds them.
        assert ((found.double() - wanted).abs() < 1e-4 + 1e-5 * wanted.abs()).all()


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_transposed_copies(threads, order) -> None:
    x = torch.arange(1_200_000).view(300, 400, 10).permute(order)
    assert x.contiguous().is_contiguous() and np.array_equal(x.contiguous()._array, x._array)
    wide = torch.arange(1_200_000).view(1000, 1200).t()
    assert np.array_equal(wide.contiguous()._array, wide._array)


@pytest.mark.parametrize("shape", [(40, 50, 2), (3, 17, 4), (0, 20, 2), (700_000, 2), (2, 300_000, 3)])
def test_copies_of_short_rows(threads, shape) -> None:
    x = torch.arange(2 * math.prod(shape)).view(shape[-1], 2, -1).transpose(0, 2)[:, 1].reshape(-1, shape[-1])
    columns = x.t().contiguous().t().view(shape) if len(shape) == 2 else x.view(shape).transpose(0, 1)
    assert columns.contiguous().is_contiguous() and np.array_equal(columns.contiguous()._array, columns._array)
    kept = torch.unfold_copy(torch.arange(400.0).view(20, 20), 0, 3, 2)
    assert kept.is_contiguous() and torch.equal(kept, torch.arange(400.0).view(20, 20).unfold(0, 3, 2))


def test_results_do_not_depend_on_threads() -> None:
    torch.manual_seed(0)
    x = torch.randn(1500, 1000)
    results = []
    for count in (1, 2, 5):
        with so_many(count):
            results.append([f(x)._array for f in (torch.erf, F.gelu, torch.sigmoid, lambda x: torch.softmax(x, 1))])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


def test_a_failing_piece_is_heard_of(threads) -> None:
    def fails(out, x):
        raise ValueError("here")

    with pytest.raises(ValueError, match="here"):
        parallel.run(fails, [np.empty(2_000_000, np.float32), np.ones(2_000_000, np.float32)], parallel.PIECE)


@pytest.mark.parametrize("settings", [{}, {"stride": 2, "padding": 2}, {"groups": 2, "dilation": 2}])
def test_convolution_does_not_depend_on_the_pieces(monkeypatch, settings) -> None:
    from tensorsh.engine.ops.nn import convolution

    torch.manual_seed(0)
    x = torch.randn(5, 4, 12, 11, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(6, 4 // settings.get("groups", 1), 3, 3, dtype=torch.float64, requires_grad=True)
    results = []
    for size in (1 << 17, 1000, 1):
        monkeypatch.setattr(convolution, "COLUMNS", size)
        y = F.conv2d(x, weight, **settings)
        results.append((y, *torch.autograd.grad((y**2).sum(), (x, weight))))
    for other in results[1:]:
        assert all(torch.allclose(a, b) for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("settings", [(2,), (3, 2, 1), (3, 1, 1, 2), (2, 2, 0, 1, True)])
def test_maxima_with_and_without_places_agree(threads, settings) -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 30, 70, 75)
    x[1, 2, 3, 4] = math.nan
    plain, places = F.max_pool2d(x, *settings), F.max_pool2d_with_indices(x, *settings)[0]
    assert np.array_equal(plain._array, places._array, equal_nan=True)


def test_normal_numbers_do_not_depend_on_threads() -> None:
    found = []
    for count in (1, 3):
        with so_many(count):
            torch.manual_seed(0)
            found.append((torch.randn(700_001)._array, torch.randn(20)._array))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16"])
def test_choices_keep_every_bit(threads, dtype) -> None:
    generator = np.random.default_rng(0)
    x, y = generator.integers(-128, 127, (2, 800_000 * 8), np.int8).view(dtype)[:, :800_000]  # with NaN and infinities
    condition = generator.random(800_000) < 0.5
    found = torch.where(*map(torch.from_numpy, (condition, x, y)))._array
    assert found.dtype == x.dtype and found.tobytes() == np.where(condition, x, y).tobytes()


def test_gradients_of_kinks_let_nothing_through_where_they_are_zero(threads) -> None:
    x = torch.linspace(-1, 1, 600_001, requires_grad=True)
    g = torch.full_like(x, math.inf)
    g[::2] = math.nan
    F.relu(x).backward(g)
    assert (x.grad[x <= 0] == 0).all() and not x.grad[x > 0].isfinite().any()


def test_a_thread_that_wakes_late_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, late = threading.Event(), parallel.Helper()
    begin = late.begin

    def sleepy(work: Any) -> None:
        threading.Thread(target=lambda: (gate.wait(60), begin(work))).start()

    class Sleepy:
        begin = staticmethod(sleepy)

    parked: list[Any] = [Sleepy()]
    monkeypatch.setattr(parallel, "parked", parked)
    monkeypatch.setattr(long_calls, "parked", parked)
    done: list[int] = []
    parallel.each(done.append, ((i,) for i in range(10)), 2)
    assert done == list(range(10)) and late not in parked
    gate.set()
    until = time.monotonic() + 60
    while late not in parked and time.monotonic() < until:
        time.sleep(0.001)
    assert parked == [late] and done == list(range(10))
    parallel.each(done.append, ((i,) for i in range(10)), 2)
    assert sorted(done) == sorted([*range(10), *range(10)])
