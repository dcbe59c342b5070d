"""The compiled convolution and the gradient of its weight against sums over windows in double."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics.convolution import compiled_forward, compiled_weight, suits

from . import thread_counts

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")

CASES = [  # samples, channels, size, results' channels, kernel, border, groups, steps, distances within a window
    (1, 1, (1, 1), 1, (1, 2), (0, 1), 1, (1, 1), (1, 1)),
    (3, 2, (7, 5), 3, (3, 3), (1, 1), 1, (1, 1), (1, 1)),
    (2, 3, (9, 40), 11, (2, 5), (0, 3), 1, (1, 1), (1, 1)),
    (2, 6, (33, 20), 4, (5, 1), (4, 0), 2, (1, 1), (1, 1)),
    (5, 8, (6, 6), 8, (3, 3), (1, 1), 8, (1, 1), (1, 1)),
    (1, 5, (12, 17), 26, (3, 2), (3, 2), 1, (1, 1), (1, 1)),
    (2, 4, (70, 90), 2, (3, 3), (1, 1), 2, (1, 1), (1, 1)),
    (4, 3, (50,), 5, (7,), (3,), 1, (1,), (1,)),
    (2, 3, (9, 14), 5, (3, 3), (1, 1), 1, (2, 2), (1, 1)),
    (3, 4, (13, 10), 6, (3, 2), (1, 0), 2, (3, 2), (1, 1)),
    (1, 2, (17, 15), 7, (3, 3), (2, 4), 1, (2, 3), (2, 3)),
    (2, 2, (8, 8), 2, (2, 2), (0, 0), 1, (5, 4), (1, 1)),
    (3, 2, (31,), 4, (4,), (1,), 1, (2,), (1,)),
    (2, 4, (1, 9, 14), 6, (1, 3, 2), (0, 1, 1), 2, (1, 1, 1), (1, 1, 1)),
    (3, 2, (1, 12, 7), 4, (1, 3, 3), (0, 0, 2), 1, (2, 2, 1), (1, 1, 1)),
]


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def windows(x, kernel, border, steps, apart):
    x = np.pad(x.astype(float), ((0, 0), (0, 0), *((p, p) for p in border)))
    whole = [d * (k - 1) + 1 for k, d in zip(kernel, apart, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(x, whole, tuple(range(2, x.ndim)))
    seen = seen[(..., *(slice(None, None, s) for s in steps), *(slice(None, None, d) for d in apart))]
    return seen.reshape(*x.shape[:2], -1, int(np.prod(kernel)))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n, c, size, o, kernel, border, groups, steps, apart", CASES)
def test_sums_over_windows(monkeypatch, threads, n, c, size, o, kernel, border, groups, steps, apart):
    monkeypatch.setattr("tensorsh.engine.numerics.convolution.SHARED", 1)
    with thread_counts.threads(threads, least=1):
        x, w, bias = random(n, c, *size), random(o, c // groups, *kernel), random(o)
        assert suits(x, w, kernel)
        y = compiled_forward(x, w, bias, steps, border, apart, groups)
        g = random(*y.shape)
        dw = compiled_weight(x, g, kernel, steps, border, apart, groups)
    seen = windows(x, kernel, border, steps, apart).reshape(n, groups, c // groups, -1, int(np.prod(kernel)))
    weights = w.reshape(groups, o // groups, c // groups, -1).astype(float)
    gradients = g.reshape(n, groups, o // groups, -1).astype(float)
    expected = np.einsum("ngcpk,gock->ngop", seen, weights).reshape(y.shape) + bias.reshape(-1, *[1] * len(size))
    assert np.allclose(y, expected, rtol=1e-4, atol=1e-4)
    expected = np.einsum("ngcpk,ngop->gock", seen, gradients).reshape(w.shape)
    assert np.allclose(dw, expected, rtol=1e-4, atol=1e-5 * abs(expected).max())


@pytest.mark.parametrize("size, kernel, steps, border, groups, rest", [
    ((9, 14), (3, 3), (2, 2), (1, 1), 1, (0, 0)),
    ((9, 14), (3, 3), (2, 2), (1, 1), 1, (0, 1)),
    ((5, 4), (5, 4), (3, 2), (0, 3), 2, (2, 1)),
    ((6, 7), (2, 2), (2, 1), (1, 0), 1, (1, 0)),
    ((11,), (7,), (3,), (4,), 2, (1,)),
    ((1, 1), (3, 3), (2, 2), (1, 1), 1, (1, 1)),
])  # fmt: skip
def test_a_transpose_in_larger_steps_part_by_part(monkeypatch, size, kernel, steps, border, groups, rest):
    g, w = random(2, 4, *size), random(4, 3, *kernel)
    transposed = getattr(torch.nn.functional, f"conv_transpose{len(size)}d")
    setting = dict(stride=steps, padding=border, output_padding=rest, groups=groups)
    monkeypatch.setattr("tensorsh.engine.ops.nn.convolution.MANY", 0)
    found = transposed(torch.tensor(g), torch.tensor(w), **setting)
    expected = transposed(torch.tensor(g).double(), torch.tensor(w).double(), **setting)  # double has another way
    assert np.allclose(found.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("o, groups, kernel, border, apart", [
    (6, 6, (3, 3), (0, 0), (1, 1)), (12, 3, (3, 5), (1, 2), (1, 1)), (6, 2, (2, 3), (1, 0), (2, 1)), (6, 3, (4,), (3,), (1,)),
])  # fmt: skip
def test_the_transpose_in_groups_is_a_convolution(monkeypatch, o, groups, kernel, border, apart):
    x, w = random(2, 6, *(12, 11)[: len(kernel)]), random(o, 6 // groups, *kernel)
    conv = getattr(torch.nn.functional, f"conv{len(kernel)}d")

    def gradient(dtype):
        t = torch.tensor(x, dtype=dtype).requires_grad_()
        y = conv(t, torch.tensor(w, dtype=dtype), padding=border, dilation=apart, groups=groups)
        return torch.autograd.grad(y, t, torch.ones_like(y).cumsum(-1))[0].numpy()

    monkeypatch.setattr("tensorsh.engine.ops.nn.convolution.MANY", 0)
    assert np.allclose(gradient(torch.float32), gradient(torch.float64), rtol=1e-5, atol=1e-4)  # double has another way


def test_an_infinite_element_does_not_spoil_windows_it_is_not_in():
    x, w = random(1, 1, 4, 4), random(1, 1, 2, 2)
    x[0, 0, 1, 3] = np.inf
    y = compiled_forward(x, w, None, (1, 1), (0, 0), (1, 1), 1)
    assert np.isfinite(y).sum() == y.size - 2
    assert compiled_weight(x, np.ones_like(y), (2, 2), (1, 1), (0, 0), (1, 1), 1) is None
    conv = torch.nn.functional.conv2d(torch.tensor(x), (t := torch.tensor(w).requires_grad_()))
    conv[..., :2].sum().backward()
    assert torch.isfinite(t.grad).sum() == 2


def test_a_weight_s_gradient_of_pieces_is_that_of_their_samples():
    c = kernels.compiled
    x, g, sums = random(5, 7, 9, 8), random(5, 13, 9, 8), np.empty((3, 13, 7, 3, 3), np.float32)
    assert c.convolution_weight(x, g, sums, 1, 1, 1) is not None
    for piece, samples in zip(sums, (slice(0, 1), slice(1, 3), slice(3, 5)), strict=True):
        alone = np.empty_like(sums[:1])
        assert c.convolution_weight(x[samples], g[samples], alone, 1, 1, 1) is not None
        assert np.array_equal(alone[0], piece)


def test_gradients_that_are_no_arrays_of_their_own():
    x, w = (torch.tensor(a).requires_grad_() for a in (random(2, 3, 6, 6), random(4, 3, 3, 3)))
    torch.nn.functional.conv2d(x, w, padding=1).sum().backward()
    assert np.allclose(w.grad[0, 0, 1, 1].item(), x.detach().numpy()[:, 0].sum(), atol=1e-4)
    assert x.grad.shape == x.shape


def test_what_does_not_suit_is_left_to_the_formula():
    c = kernels.compiled
    x, w, y = random(2, 3, 5, 5), random(4, 3, 3, 3), np.empty((2, 4, 3, 3), np.float32)
    assert c.convolution(x, w, None, y, 0, 0, 1) is not None
    for wrong in [
        (x[0], w, None, y, 0, 0, 1),
        (x.astype(float), w, None, y, 0, 0, 1),
        (x.swapaxes(2, 3), w, None, y, 0, 0, 1),
        (x, w[:, :2].copy(), None, y, 0, 0, 1),
        (x, w, random(3), y, 0, 0, 1),
        (x, w, None, y, 1, 0, 1),
        (x, w, None, y, -1, 0, 1),
        (x, w, None, y, 0, 0, 0),
        (x, w, None, y, 0, 0, 3),
        (x, w, None, y, 1 << 40, 0, 1),
        (x, w, None, y[:1], 0, 0, 1),
        (x, w, None, y, 0, 0, 1, 1),
        (x, w, None, y, 0, 0, 1, 2, 1, 1, 1),
        (x, w, None, y, 0, 0, 1, 1, 0, 1, 1),
        (x, w, None, y, 0, 0, 1, 1, 1, 2, 1),
        (x, w, None, y, 0, 0, 1, 1, 1, 1 << 40, 1),
        (x[:0], w, None, y[:0], 0, 0, 1),
        (x, w),
    ]:
        assert c.convolution(*wrong) is None
    for wrong in [
        (y[:, :3].copy(), w[None].copy()),
        (y, w.copy()),
        (y, np.empty((3, *w.shape), w.dtype)),
        (y, w[None][:0]),
    ]:
        assert c.convolution_weight(x, *wrong, 0, 0, 1) is None
    assert c.convolution_weight() is None
    assert c.convolution(x, w, None, y, 0.5, 0, 1) is None


def test_a_volume_between_layers_of_zeros_is_none_of_planes():
    x, w, g = random(2, 3, 1, 6, 5), random(4, 3, 1, 3, 3), random(2, 4, 1, 4, 3)
    one, steps = (1, 1, 1), (3, 1, 1)
    assert compiled_forward(x, w, None, steps, (1, 0, 0), one, 1) is None
    assert compiled_weight(x, g, (1, 3, 3), steps, (1, 0, 0), one, 1) is None
    assert suits(x, w, (1, 3, 3)) and not suits(random(2, 3, 2, 6, 5), w, (1, 3, 3))
