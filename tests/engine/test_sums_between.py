"""Sums in places of dimensions that are not the first; volumes convolved layer by layer; borders that repeat: as the plain ways."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.numerics.adding import add_along, add_at

F = torch.nn.functional
ALL = slice(None)
PLACES = [
    ((3, 4, 5), (ALL, np.array([0, -1, 2, 2]))),
    ((3, 4, 5), (np.array([0, 1, 1]), np.array([[3], [0]]))),
    ((3, 4, 5), (ALL, np.array([1, 1]), np.array([-1, 4]))),
    ((3, 4, 5), (ALL, ALL, np.array([[1, 1], [0, 4]]))),
    ((3, 4, 5), (np.array([0, 1]), ALL, np.array([0, 2]))),
    ((2, 3, 4, 5), (ALL, np.array([1, 1, 1]), np.array([0, 0, 2]))),
    ((0, 4), (ALL, np.array([1, 1]))),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "complex64"])
@pytest.mark.parametrize("shape, where", PLACES)
def test_values_are_added_where_numpy_adds_them(shape, where, dtype):
    random = np.random.default_rng(0)
    expected = random.integers(-9, 9, shape).astype(dtype)
    found = expected.copy()
    values = random.integers(-9, 9, expected[where].shape).astype(dtype)
    np.add.at(expected, where, values)
    add_at(np, found, where, values)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_slices_are_added_along_any_dimension(dim, order):
    random = np.random.default_rng(1)
    expected = np.array(random.integers(-9, 9, (3, 4, 5)), np.float32, order=order)
    found = expected.copy(order)
    index = np.array([1, 0, 1, 2])
    source = random.integers(-9, 9, np.take(expected, index, dim).shape).astype(np.float32)
    for k, i in enumerate(index):
        np.moveaxis(expected, dim, 0)[i] += np.moveaxis(source, dim, 0)[k]
    add_along(np, found, dim, index, source)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("stride, padding, dilation", [(1, 1, 1), (2, 1, 1), ((1, 2, 1), (0, 1, 2), 1), (1, 2, 2)])
def test_volumes_are_convolved_layer_by_layer(stride, padding, dilation, groups):
    torch.manual_seed(0)
    x = torch.randn(2, 8, 9, 12, 14, requires_grad=True)
    w = torch.randn(8, 8 // groups, 3, 3, 3, requires_grad=True)
    b = torch.randn(8, requires_grad=True)
    settings = (stride, padding, dilation, groups)
    y = F.conv3d(x, w, b, *settings)
    (y * y).sum().backward()
    wide = [t.detach().double().requires_grad_() for t in (x, w, b)]
    z = F.conv3d(*wide, *settings)
    (z * z).sum().backward()
    pairs = [(y.detach(), z.detach()), *[(t.grad, u.grad) for t, u in zip((x, w, b), wide, strict=True)]]
    for found, expected in pairs:
        assert float((found - expected).abs().max()) < 2e-6 * float(expected.abs().max()) * 8

    back = F.conv_transpose3d(y.detach(), w.detach(), None, stride, padding, (0, 0, 0), groups, dilation)
    wider = F.conv_transpose3d(z.detach(), wide[1].detach(), None, stride, padding, (0, 0, 0), groups, dilation)
    assert float((back - wider).abs().max()) < 2e-6 * float(wider.abs().max()) * 8


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_repeated_borders_add_up_at_the_ends(dtype):
    x = torch.zeros(1, 2, 3, 4, dtype=getattr(torch, dtype), requires_grad=True)
    y = F.pad(x, (2, 1, 1, 3), "replicate")
    y.sum().backward()
    expected = torch.tensor([2.0, 1.0, 4.0])[:, None] * torch.tensor([3.0, 1.0, 1.0, 2.0])
    assert torch.equal(x.grad[0, 1].float(), expected)


@pytest.mark.parametrize("shape", [(7,), (3, 1), (5, 15), (4, 16), (2, 3, 33), (2, 700), (3, 0, 4)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_and_logarithms_of_sums_of_rows(shape, dtype):
    random = np.random.default_rng(2)
    a = random.standard_normal(shape).astype(dtype)
    odd = a.copy()
    if odd.size > 2:
        odd.reshape(-1)[[0, -1]] = np.nan, -np.inf
    for x in (a, odd, np.full(shape, np.inf, dtype), np.full(shape, -np.inf, dtype)):
        t = torch.tensor(x)
        for dim in [dim for dim, n in enumerate(shape) if n]:
            assert np.array_equal(t.amax(dim).numpy(), x.max(dim), equal_nan=True)
            assert np.array_equal(t.amin(dim, keepdim=True).numpy(), x.min(dim, keepdims=True), equal_nan=True)
            with np.errstate(all="ignore"):
                wide = x.astype(np.longdouble)
                top = np.where(np.isfinite(wide.max(dim, keepdims=True)), wide.max(dim, keepdims=True), 0)
                expected = (np.log(np.exp(wide - top).sum(dim, keepdims=True)) + top).squeeze(dim).astype(dtype)
            found = t.logsumexp(dim).numpy()
            np.testing.assert_allclose(found, expected, rtol=4e-7 if dtype == "float32" else 1e-15, atol=1e-7)
