"""Weighted sums along an axis by the kernel have the bits of the formula, and read nothing beside the array."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import resizing

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

F = torch.nn.functional
FORMS = [("linear", (4, 3, 40), 71), ("trilinear", (2, 3, 5, 6, 7), (9, 3, 20)), ("bilinear", (2, 3, 9, 8), (5, 17))]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("in_turn", [False, True])
@pytest.mark.parametrize("taps", [1, 2, 4, 5])
def test_sums_have_the_bits_of_the_formula(monkeypatch, kind: type, in_turn: bool, taps: int) -> None:
    random = np.random.default_rng(1)
    for shape, axis, m in [((3, 4, 33), 2, 50), ((3, 9, 2, 5), 1, 4), ((70,), 0, 3), ((2, 3, 1), 1, 5)]:
        x = random.standard_normal(shape).astype(kind)
        index = random.integers(0, shape[axis], (m, taps))
        weights = [*random.standard_normal((taps, m)).astype(kind)]
        with monkeypatch.context() as patch:
            found = resizing.weighed(x, axis, index, weights, in_turn)
            patch.setattr(resizing, "weigh", kernels.unsuited)
            if taps > 1 or in_turn:
                assert np.array_equal(resizing.weighed(x, axis, index, weights, in_turn), found)
        wide = (x.astype(np.longdouble).take(index, axis) * np.array(weights, np.longdouble).T.reshape(
            m, taps, *[1] * (x.ndim - 1 - axis)
        )).sum(axis + 1)  # fmt: skip
        assert np.abs(found - wide).max() < 8 * np.finfo(kind).eps * max(1, np.abs(wide).max())


def test_places_beside_the_array_are_not_read() -> None:
    x, out, w = np.ones((1, 3, 1)), np.zeros((1, 2, 1)), np.ones((2, 2))
    for places in ([[0, 3], [0, 1]], [[0, 1], [-1, 0]]):
        assert kernels.compiled.weigh(x, out, np.array(places), w, False) is None
        rows, made = np.ones((1, 3, 2)), np.zeros((1, 2, 2))
        assert kernels.compiled.weigh(rows, made, np.array(places), w, False) is None
    assert kernels.compiled.weigh(x, out, np.array([[0, 2], [1, 1]]), w, False) is out and out.ravel().tolist() == [
        2,
        2,
    ]


@pytest.mark.parametrize("mode, shape, size", FORMS, ids=str)
def test_images_of_doubles_are_interpolated_along_each_dimension(mode: str, shape: tuple, size: tuple) -> None:
    x = np.random.default_rng(2).standard_normal(shape)
    for align in (False, True):
        wanted = x
        sizes = size if type(size) is tuple else (size,)
        for axis, m in enumerate(sizes, 2):
            n = shape[axis]
            at = np.arange(m) * (n - 1) / (m - 1) if align else (np.arange(m) + 0.5) * n / m - 0.5
            wanted = np.apply_along_axis(lambda line, at=at, n=n: np.interp(at, np.arange(n), line), axis, wanted)
        found = F.interpolate(torch.tensor(x), size, mode=mode, align_corners=align).numpy()
        assert np.abs(found - wanted).max() < 1e-13
