"""The kernels that resize images and take them at points do what their formulas do."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import resizing
from tensorsh.engine.ops.nn import grid_sampling

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

F = torch.nn.functional
RNG = np.random.default_rng(3)


def image(*shape: int) -> torch.Tensor:
    return torch.tensor(RNG.standard_normal(shape).astype(np.float32))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size, align", [((9, 11), False), ((3, 2), True), ((1, 40), False), ((64, 1), True)])
def test_resizing(monkeypatch, mode: str, size: tuple, align: bool) -> None:
    x = image(2, 3, 5, 7)
    fast = F.interpolate(x, size, mode=mode, align_corners=align).numpy()
    monkeypatch.setattr(resizing, "resize", kernels.unsuited)
    assert F.interpolate(x, size, mode=mode, align_corners=align).numpy().tobytes() == fast.tobytes()


SIZES = [((7,), (15,)), ((5, 7), (10, 14)), ((5, 7), (40, 3)), ((4, 5, 6), (8, 10, 12)), ((64, 48), (25, 19))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape, size", SIZES, ids=str)
def test_nearest_elements_and_their_gradient(shape: tuple, size: tuple, dtype: type) -> None:
    x = torch.tensor(RNG.standard_normal((2, 3, *shape)).astype(dtype)).requires_grad_()
    g = RNG.standard_normal((2, 3, *size)).astype(dtype)
    made = F.interpolate(x, size)
    at = [np.floor(np.arange(m) * np.float32(n / m)).astype(np.int64) for n, m in zip(shape, size, strict=True)]
    assert made.tolist() == x.detach().numpy()[(..., *np.ix_(*at))].tolist()
    wanted = np.zeros((2, 3, *shape), dtype)
    np.add.at(wanted, (slice(None), slice(None), *np.ix_(*at)), g)  # one after the other, in the order of the result
    assert torch.autograd.grad(made, x, torch.tensor(g))[0].tolist() == wanted.tolist()


def test_rows_and_columns_beside_the_image_are_not_read() -> None:
    x, out, w = np.ones((1, 3, 3), np.float32), np.zeros((1, 2, 2), np.float32), np.ones((2, 2), np.float32)
    good, bad = np.zeros((2, 2), np.int64), np.array([[0, 3], [0, -1]])
    assert kernels.compiled.resize(x, out, good, w, good, w) is out
    assert kernels.compiled.resize(x, out, bad, w, good, w) is None
    assert kernels.compiled.resize(x, out, good, w, bad, w) is None
    for row, column in ([0, 3], [0, 1]), ([0, 1], [0, 3]), ([0, -1], [0, 1]), ([0, 1], [-1, 0]):
        assert kernels.compiled.nearest(x, out, np.array(row), np.array(column)) is None
        assert kernels.compiled.nearest_sums(out, x.copy(), np.array(row), np.array(column)) is None
    assert (
        kernels.compiled.nearest_sums(out, x.copy(), np.array([0, 1]), np.array([1, 0])) is None
    )  # they are to ascend
    assert kernels.compiled.weighed_rows(x[0], np.array([0, 3]), w[0], np.zeros((2, 3), np.float32)) is None


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
def test_points(monkeypatch, mode: str, padding: str, align: bool) -> None:
    x, grid = image(2, 3, 6, 5), torch.tensor(RNG.uniform(-1.5, 1.5, (2, 20, 17, 2)).astype(np.float32))
    grid[0, 0, 0] = torch.tensor([1e9, -1e30])
    weight = image(2, 3, 20, 17)
    x.requires_grad_(), grid.requires_grad_()
    ask = lambda: F.grid_sample(x, grid, mode, padding, align)
    slopes = lambda: [t.numpy() for t in torch.autograd.grad((ask() * weight).sum(), [x, grid])]
    fast, fast_slopes = ask().detach().numpy(), slopes()
    monkeypatch.setattr(grid_sampling, "sampled", kernels.unsuited)
    monkeypatch.setattr(grid_sampling, "sampled_backward", kernels.unsuited)
    plain = ask().detach().numpy()
    np.testing.assert_allclose(plain, fast, rtol=1e-5, atol=1e-6)
    for found, wanted in zip(fast_slopes, slopes(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    if mode == "nearest":
        assert plain.tobytes() == fast.tobytes()


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (1, 7), (9, 1), (2, 2)])
def test_points_of_narrow_images(monkeypatch, mode: str, size: tuple) -> None:
    """Pairs of elements are read within the image alone, also where a row has one element, and the last pair ends with the last one."""
    x, grid = image(2, 5, *size), torch.tensor(RNG.uniform(-1.5, 1.5, (2, 13, 29, 2)).astype(np.float32))
    grid[0, 0, :4] = torch.tensor([[1.0, 1.0], [-1.0, -1.0], [np.inf, 0.0], [np.nan, 0.0]])
    weight = image(2, 5, 13, 29)
    weight[0, :, 0, 2:4] = 0
    x.requires_grad_(), grid.requires_grad_()
    ask = lambda: F.grid_sample(x, grid, mode, "zeros", False)
    slopes = lambda: [t.numpy() for t in torch.autograd.grad(ask(), [x, grid], weight)]
    fast, fast_slopes = ask().detach().numpy(), slopes()
    for name in ("sampled", "sampled_backward", "tapped", "tapped_backward"):
        monkeypatch.setattr(grid_sampling, name, kernels.unsuited)
    there = np.ones(fast.shape, bool)
    there[0, :, 0, 2:4] = False  # what is not finite lies beside the image, and its weights are no numbers
    np.testing.assert_allclose(fast[there], ask().detach().numpy()[there], rtol=1e-5, atol=1e-6)
    plain = slopes()
    finite = np.isfinite(fast_slopes[1]) & np.isfinite(plain[1])
    assert finite.mean() > 0.98
    np.testing.assert_allclose(fast_slopes[1][finite], plain[1][finite], rtol=1e-4, atol=1e-5)
    if np.isfinite(fast_slopes[0]).all():
        np.testing.assert_allclose(fast_slopes[0], plain[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["sampled", "tapped"])
def test_points_take_only_what_fits(name: str) -> None:
    forward, backward = getattr(kernels.compiled, name), getattr(kernels.compiled, name + "_backward")
    x, at, g = np.ones((2, 3, 20), "f"), np.ones((2, 7, 2), "f"), np.ones((2, 3, 7), "f")
    size, how = (4, 5), (0, 0, 0)
    assert forward(x, size, at, how, g.copy()) is not None
    assert backward(x, size, at, how, g, x.copy(), at.copy()) is not None
    for wrong in [
        (x[:1], size, at, how, g),
        (x, (4, 6), at, how, g),
        (x, (-4, -5), at, how, g),
        (x, (20,), at, how, g),
        (x, size, at[:, :6].copy(), how, g),
        (x, size, at[:1], how, g),
        (x, size, at.astype(float), how, g),
        (x, size, at, (3, 0, 0), g),
        (x, size, at, (0, 3, 0), g),
        (x, size, at, (-1, 0, 0), g),
        (x, size, at, how, g[:, :2].copy()),
        (x[..., :0].copy(), (0, 5), at, how, g),
    ]:
        assert forward(*wrong) is None
        assert backward(*wrong, wrong[0].copy(), wrong[2].copy()) is None
    assert backward(x, size, at, how, g, x[:1].copy(), at.copy()) is None
    assert backward(x, size, at, how, g, x.copy(), at[:, 1:].copy()) is None
