"""Kernels of losses, joins and extremes give what numpy's formulas give, and leave alone what is not for them."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

compiled = kernels.compiled
pytestmark = pytest.mark.skipif(compiled is None, reason="there are no compiled kernels")
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_loss_of_classes(dtype: str) -> None:
    for rows, width in [(1, 1), (3, 5), (32, 10), (700, 3), (5000, 2)]:
        x, classes = RNG.normal(size=(rows, width)).astype(dtype), RNG.integers(0, width, rows)
        loss = compiled.nll(x, classes, True)
        assert loss.shape == () and loss.dtype == dtype
        assert np.allclose(loss, -x[np.arange(rows), classes].mean(dtype="f8"), rtol=1e-5, atol=1e-6)
        g = np.array(3.0, dtype)
        spread = np.zeros_like(x)
        spread[np.arange(rows), classes] = -(g / g.dtype.type(rows))
        found = compiled.nll_backward(g, classes, x.shape)
        assert found.dtype == dtype and np.array_equal(found, spread)


def test_classes_out_of_range_are_left_to_python() -> None:
    x, g = np.zeros((3, 2), "f4"), np.ones((), "f4")
    for classes in ([0, 1, 2], [0, -1, 1], [0, 1], [[0], [1], [1]], [0.0, 1.0, 1.0]):
        assert compiled.nll(x, np.array(classes), True) is compiled.nll_backward(g, np.array(classes), (3, 2)) is None
    good = np.array([0, 1, 1])
    assert (
        compiled.nll(x.T, good, True)
        is compiled.nll(x[:, :0], good, True)
        is compiled.nll(x, None, True)
        is compiled.nll(x)
        is None
    )
    for shape in ((3,), (3, 0), (-3, 2), [3, 2], None, (3, 2**90)):
        assert compiled.nll_backward(g, good, shape) is None
    with pytest.raises(IndexError):
        torch.nn.functional.cross_entropy(torch.zeros(3, 2), torch.tensor([0, 1, 2]))


def test_joins() -> None:
    for dtype in ("f4", "f8", "i8", "?", "c8", "f2"):
        for shape in [(3,), (2, 3), (0, 3), (2, 0), (2, 3, 4)]:
            a, b = (RNG.normal(size=shape).astype(dtype) for _ in range(2))
            for axis in range(-a.ndim, a.ndim):
                arrays = [a, b, np.ascontiguousarray(b.take([0] if b.shape[axis] else [], axis))]
                found, wanted = compiled.join(arrays, axis), np.concatenate(arrays, axis)
                assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
    a = np.ones((2, 3))
    others = [[a, a[:1]], [a, a.T], [a, a.astype("f4")], [a, None], [], [a, a[0]], [a.T, a.T]]
    assert all(compiled.join(arrays, 1) is None for arrays in others)
    assert (
        compiled.join([a, a], 2)
        is compiled.join([a, a], -3)
        is compiled.join([a], 2**70)
        is compiled.join((a,), 0)
        is None
    )
    assert compiled.join([np.array([None])], 0) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes(dtype: str) -> None:
    for n in (1, 2, 7, 16, 500):
        a = RNG.normal(size=n).astype(dtype)
        for each in (
            a,
            -a,
            np.where(RNG.random(n) < 0.2, np.nan, a).astype(dtype),
            np.where(a > 0, np.inf, -np.inf).astype(dtype),
        ):
            assert np.array_equal(compiled.largest(each), each.max(), equal_nan=True)
            assert np.array_equal(compiled.smallest(each), each.min(), equal_nan=True)
    assert np.signbit(compiled.largest(np.array([-0.0, 0.0], dtype)))  # the first of equal ones
    for other in (a[::2], a[:0], np.ones(600, dtype), a.astype("i8"), None):
        assert compiled.largest(other) is None is compiled.smallest(other)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_bounds(dtype: str) -> None:
    for n in (1, 2, 31, 32, 33, 500, 5000):
        x = (RNG.normal(size=n) * 100).astype(dtype)
        low, high = compiled.bounds(x)
        assert low.dtype == high.dtype == dtype and low == x.min() and high == x.max()
        if dtype != "int64":
            x[RNG.integers(n)] = np.nan
            assert np.isnan(compiled.bounds(x)).all()
    assert compiled.bounds(np.zeros(0, dtype)) is compiled.bounds(np.ones((4, 4), dtype)[:, 1]) is None


def test_extremes_of_half_types() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        for n in (1, 7, 300, 5000):
            x = torch.randn(n).to(dtype)._array
            wide = x.astype("f4")
            assert compiled.largest(x) == wide.max() and compiled.smallest(x) == wide.min()
            x[n // 2] = np.nan
            assert np.isnan(compiled.largest(x).astype("f4")) and np.isnan(compiled.smallest(x).astype("f4"))
        zeros = torch.tensor([-1, -0.0, 0.0, -0.0], dtype=dtype)._array
        assert np.signbit(compiled.largest(zeros)) and not np.signbit(compiled.largest(zeros[2:]))
        infinite = torch.tensor([float("inf"), -float("inf")], dtype=dtype)._array
        assert compiled.largest(infinite) == -compiled.smallest(infinite) == np.inf


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64", "complex128"])
def test_flips(dtype: str) -> None:
    for shape in [(40,), (3, 16), (4, 5, 33), (1, 17), (2, 3, 2, 16)]:
        x = RNG.normal(size=shape).astype(dtype)
        for dims in range(1 << len(shape)):
            wanted = np.flip(x, [d for d in range(len(shape)) if dims >> d & 1])
            assert np.array_equal(compiled.flipped(x, dims), wanted)
    for other in np.ones((3, 15)), np.ones((0, 20)), np.ones(()), np.ones((4, 40))[:, ::2]:  # numpy's
        assert compiled.flipped(other, 1) is None
    x = torch.from_numpy(np.arange(3 * 1000).reshape(3, 1000))
    assert x.rot90().equal(x.t().flip(0)) and x.rot90(3).equal(x.t().flip(1)) and x.rot90(2).equal(x.flip(0).flip(1))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_rolls_and_triangles(dtype: str) -> None:
    for shape in [(5,), (3, 4), (4, 3), (2, 3, 5), (1, 1), (3, 0, 2)]:
        x = RNG.normal(size=shape).astype(dtype)
        for axis in range(-len(shape), len(shape)):
            for shift in range(shape[axis]):
                assert np.array_equal(compiled.rolled(x, axis, shift), np.roll(x, shift, axis))
            assert compiled.rolled(x, axis, shape[axis]) is compiled.rolled(x, len(shape), 0) is None
        for diagonal in (-(2**62), -3, -1, 0, 1, 2, 9, 2**62):
            if len(shape) > 1:
                near = max(-9, min(diagonal, 9))
                assert np.array_equal(compiled.triangle(x, diagonal, False), np.tril(x, near))
                assert np.array_equal(compiled.triangle(x, diagonal, True), np.triu(x, near))


def test_limits() -> None:
    x = RNG.integers(-(2**62), 2**62, 777)
    for low, high in [(-5, 9), (-(2**63), 0), (2**61, 2**63 - 1), (9, -5), (0, 0)]:
        assert np.array_equal(compiled.limited(x, low, high), np.minimum(np.maximum(x, low), high))
    assert (
        compiled.limited(x.astype("i4"), 0, 1) is compiled.limited(x, 0, 2**63) is compiled.limited(x, 0.0, 1) is None
    )


def test_half_types_of_three_operands() -> None:
    one = np.array(0.3, "f4")
    for dtype in (torch.float16, torch.bfloat16):
        x, y, z = (torch.randn(40, 60).to(dtype)._array for _ in range(3))
        for operands in [(x, y, z), (x, y, one), (x, one, z), (x, np.array(z[0, 0]), y)]:
            wide = [np.asarray(a, "f4") for a in operands]
            expected = compiled.multiply_add(*wide).astype(x.dtype)
            assert np.array_equal(compiled.half_computed(compiled.multiply_add, *operands), expected)
        assert compiled.half_computed(compiled.multiply_add, x, y, z[0]) is None
        assert compiled.half_computed(compiled.multiply_add, x, y, np.zeros(x.shape, "f4")) is None


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64"])
def test_refills(dtype: str) -> None:
    for shape in [(7,), (3, 5), (40, 60)]:
        x, mask = (RNG.normal(size=shape) * 9).astype(dtype), RNG.random(shape) < 0.4
        for more in (0, 3):
            source = (RNG.normal(size=max(np.count_nonzero(mask) + more, 1)) * 9).astype(dtype)
            expected = x.copy()
            expected[mask] = source[: np.count_nonzero(mask)]
            assert np.array_equal(compiled.refilled(x, mask, source), expected)
    assert compiled.refilled(x, mask, x[:0].ravel()) is compiled.refilled(x, mask[0], x) is None
    assert compiled.refilled(x, np.ones_like(mask), x.ravel()[:1]).tolist() == np.full_like(x, x[0, 0]).tolist()


# Recorded from PyTorch 2.13: the sums of the bits of a loss and of its gradient.
BITS_OF_LOSSES = [
    ((300, 10), True, -100, "mean", [-1122559453, -346166389480]),
    ((300, 10), True, 1, "sum", [-1055622113, -294699432389]),
    ((4, 10, 16, 16), True, 1, "mean", [-1129441269, -1076576306187]),
    ((4, 10, 16, 16), False, 1, "none", [-27428580110, -997724258304]),
    ((3, 4, 9), True, -100, "mean", [1037270337, -30383902406]),
]


@pytest.mark.parametrize("shape, weighted, ignored, reduction, bits", BITS_OF_LOSSES)
def test_losses_of_each_class_have_pytorchs_bits(shape, weighted, ignored, reduction, bits) -> None:
    def spread(*sizes: int) -> torch.Tensor:
        count = torch.arange(int(np.prod(sizes)), dtype=torch.float32)
        return (count * 7919 % 1013 / 331 - 1.5).reshape(sizes)

    target = (spread(shape[0], *shape[2:]) * 331).long() % shape[1]
    x = spread(*shape).requires_grad_()
    weight = spread(shape[1]).abs() + 0.1 if weighted else None
    loss = torch.nn.functional.nll_loss(x, target, weight, ignore_index=ignored, reduction=reduction)
    loss.sum().backward()
    assert [int(part.detach().view(torch.int32).long().sum()) for part in (loss, x.grad)] == bits


def test_classes_beyond_are_not_read() -> None:
    x, share = np.zeros((2, 3, 2), "f4"), np.ones((2, 2), "f4")
    losses, safe = np.empty((2, 2), "f4"), np.empty((2, 2), "i8")
    for classes in ([[0, 1], [2, 3]], [[0, -1], [1, 1]]):
        index = np.array(classes)
        assert compiled.nll_each(x, index, None, -100, True, losses, share.copy(), safe) is None
        assert compiled.nll_spread(np.ones((), "f4"), index, (2, 3, 2), share, False) is None
    assert compiled.nll_each(x, index[:1], None, -100, True, losses, share.copy(), safe) is None
    assert compiled.nll_spread(np.ones(3, "f4"), np.zeros((2, 2), "i8"), (2, 3, 2), share, False) is None
