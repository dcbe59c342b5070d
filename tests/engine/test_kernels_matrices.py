"""The kernels of triangular systems, small decompositions, reflections, distances, segments, counts and windows do what their
formulas in numpy do, and decline what they are not made for."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.engine import kernels
from tensorsh.engine.numerics import fourier

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(5)
REAL = ["f4", "f8"]
HUGE = [2**31, 2**62, -1, -(2**62)]
c = kernels.compiled


def some(dtype: str, *shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(dtype)


def near(found: np.ndarray, expected: np.ndarray) -> bool:
    return found.shape == expected.shape and np.allclose(found, expected, rtol=2e-4, atol=2e-4, equal_nan=True)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n, k", [(1, 1), (2, 3), (5, 1), (17, 70), (40, 130)])
def test_triangular_systems(dtype: str, n: int, k: int) -> None:
    a = some(dtype, 2, n, n) * 0.3 / n + np.eye(n, dtype=dtype)
    for how in range(16):
        upper, unit, turned, in_rows = (how & bit for bit in (1, 2, 4, 8))
        b = some(dtype, 2, *((k, n) if in_rows else (n, k)))
        whole = np.triu(a) if upper else np.tril(a)
        whole = whole - whole * np.eye(n) + np.eye(n) if unit else whole
        whole = whole.swapaxes(-1, -2) if turned else whole
        x = c.substituted(a, b, how)
        assert near(x @ whole if in_rows else whole @ x, b), how


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", [1, 2, 5, 30, 33, 48, 70])
def test_decompositions(dtype: str, n: int) -> None:
    a = some(dtype, 3, n, n)
    pivots = np.zeros((3, n), np.int32)
    lu = c.lu_factored(a, pivots)
    lower, upper = c.lu_parts(lu)
    exchange = c.interchanged(pivots, np.zeros((), dtype), n)
    assert near(exchange @ lower @ upper, a) and (np.diagonal(lower, 0, 1, 2) == 1).all()
    b = some(dtype, 3, n, 4)
    assert np.allclose(a @ c.lu_solved(lu, pivots, b, False), b, atol=2e-2)
    assert np.allclose(a.swapaxes(1, 2) @ c.lu_solved(lu, pivots, b, True), b, atol=2e-2)
    positive = a @ a.swapaxes(1, 2) + np.eye(n, dtype=dtype)
    factor = c.cholesky_factored(positive)
    assert near(factor @ factor.swapaxes(1, 2), positive) and not np.triu(factor, 1).any()
    for m in (n, n + 1, max(n - 1, 1)):
        x = some(dtype, 2, m, n)
        h, tau = c.qr_factored(x)
        r = c.lu_parts(h)[1]
        q = c.reflected(np.ascontiguousarray(h[..., : min(m, n)]), tau, None, True)
        assert near(q @ r, x)
        y = some(dtype, 2, m, 3)
        h = np.ascontiguousarray(h[..., : min(m, n)])
        assert near(c.reflected(h, tau, c.reflected(h, tau, y, True), False), y)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("m, k, n", [(70, 70, 70), (101, 40, 101), (40, 3, 5), (90, 90, 33), (67, 20, 4), (1, 1, 130)])
def test_reflections_of_any_number_of_columns(dtype: str, m: int, k: int, n: int) -> None:
    """Columns have nothing to do with one another, however many are reflected at a time."""
    v, tau, x = some(dtype, m, k), np.full(k, 0.1, dtype), some(dtype, m, n)
    product = np.eye(m)
    for i in range(k):
        one = np.where(np.arange(m) > i, v[:, i], np.arange(m) == i).astype(float)
        product = product - 0.1 * np.outer(product @ one, one)
    scale = np.abs(product).max()
    found = c.reflected(v, tau, x, True)
    assert near(found / scale, product @ x / scale) and near(
        c.reflected(v, tau, None, True) / scale, product[:, :k] / scale
    )
    assert near(c.reflected(v, tau, x, False) / scale, product.T @ x / scale)
    for i in range(0, n, 9):
        assert c.reflected(v, tau, x[:, i : i + 1].copy(), True).tobytes() == found[:, i].tobytes()


@pytest.mark.parametrize("m, n", [(100, 100), (128, 128), (128, 40), (40, 128), (33, 1)])
def test_qr_of_middle_sizes_has_the_signs_of_lapack(m: int, n: int) -> None:
    """R and Q are those of numpy, which computes in double: single precision has its rounding alone."""
    x = some("f4", m, n)
    q, r = np.linalg.qr(x.astype(float))
    h, tau = c.qr_factored(x)
    upper = c.lu_parts(h)[1]
    assert np.abs(upper - r).max() < 1e-6 * np.abs(r).max()
    made = c.reflected(np.ascontiguousarray(h[:, : min(m, n)]), tau, None, True)
    assert np.abs(made - q).max() < 2e-6 and near(made @ upper, x)
    wide = c.lu_parts(c.qr_factored(x.astype(float))[0])[1]
    assert np.abs(wide - r).max() < 1e-13 * np.abs(r).max()


def test_what_decompositions_decline() -> None:
    zero, nan = np.zeros((2, 2), "f4"), np.full((2, 2), np.nan, "f4")
    assert c.cholesky_factored(zero) is c.cholesky_factored(nan) is c.lu_factored(nan, np.zeros(2, np.int32)) is None
    assert c.qr_factored(nan) is c.qr_factored(np.full((3, 2), np.inf)) is c.qr_factored(np.zeros((0, 3))) is None
    assert c.qr_factored(np.ones((129, 2))) is c.cholesky_factored(np.eye(513)) is None
    assert c.cholesky_factored(np.ones((2, 3))) is c.cholesky_factored(np.ones(4)) is None
    assert c.lu_factored(np.eye(3), np.zeros(2, np.int32)) is c.lu_factored(np.eye(3), np.zeros(3, np.int64)) is None
    large = np.eye(40, dtype="f4")
    large[20, 20] = np.nan
    assert c.lu_factored(large, np.zeros(40, np.int32)) is c.cholesky_factored(large) is None
    large[20, 20] = 0
    assert c.cholesky_factored(large) is None and c.lu_factored(large, np.zeros(40, np.int32))[20, 20] == 0
    a, b = np.eye(3, dtype="f4"), np.ones((3, 2), "f4")
    for wrong in (b.astype("f8"), b[:2], b[None], np.ones(3, "f4"), b[:, ::2], b[:0], b.astype(int)):
        assert c.substituted(a, wrong, 0) is c.lu_solved(a, np.ones(3, np.int32), wrong, False) is None
    assert c.substituted(np.ones((2, 3), "f4"), b, 0) is c.substituted(np.eye(513), np.ones((513, 1)), 0) is None
    for rows in ([0, 1, 1], [1, 2, 4], [1, 2, -(2**31)], [2**31 - 1, 1, 1]):
        pivots = np.array(rows, np.int32)
        assert c.lu_solved(a, pivots, b, False) is c.lu_solved(a, pivots, b, True) is None
        assert c.interchanged(pivots, a, 3) is None
    for m in (0, 2, 2**62, -1, -(2**62)):
        assert c.interchanged(np.ones(3, np.int32), a, m) is None
    assert c.reflected(a, np.ones(4, "f4"), None, True) is c.reflected(a, np.ones(2), None, True) is None
    assert c.reflected(a, np.ones(2, "f4"), b[:2], True) is c.reflected(a[0], np.ones(2, "f4"), None, True) is None


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", [1, 3, 8, 15, 16, 17, 33, 100])
def test_distances(dtype: str, n: int) -> None:
    norms = [lambda d: np.abs(d).sum(-1), lambda d: np.sqrt((d * d).sum(-1)), lambda d: np.abs(d).max(-1)]
    for m in (1, 2, 5, 40):
        x, y = some(dtype, m, n), some(dtype, 3, n)
        x[0, -1] = np.nan if n % 2 else np.inf
        for number, norm in enumerate(norms):
            assert near(c.distances(x, y, number), norm(x[:, None] - y[None]))
            if m > 1:
                first, second = np.triu_indices(m, 1)
                assert near(c.distances(x, None, number), norm(x[first] - x[second]))
    batch, other = some(dtype, 2, 4, n), some(dtype, 2, 3, n)
    assert near(c.distances(batch, other, 0), norms[0](batch[:, :, None] - other[:, None]))


def test_what_distances_decline() -> None:
    x = np.ones((3, 4), "f4")
    assert c.distances(x, x.astype("f8"), 1) is c.distances(x, x[:, :3].copy(), 1) is c.distances(x, x[0], 1) is None
    assert c.distances(x, x[:0], 1) is c.distances(x[:1], None, 1) is c.distances(x[None], None, 1) is None
    for number in (4, *HUGE):
        assert c.distances(x, None, number) is None
    one = np.ones(3, "f4")
    assert c.distances_back(one[:2], x, None, one, 1) is c.distances_back(one, x, x[:, :3].copy(), one, 1) is None
    assert c.distances_back(one, x, None, np.ones(3), 1) is c.distances_back(np.ones(3), x, None, np.ones(3), 1) is None
    assert c.distances_back(one, x, x[:2].copy(), one, 1) is c.distances_back(one, x, x[:0], one, 1) is None
    for number in (3, 4, *HUGE):
        assert c.distances_back(one, x, None, one, number) is None
    assert c.distances_back(one, x, None, np.zeros(3, "f4"), 1).tolist() == np.zeros((3, 4)).tolist()


@pytest.mark.parametrize("dtype", REAL)
def test_gradients_of_distances(dtype: str) -> None:
    """Whole numbers, which no order of additions rounds."""
    x, y = (RNG.integers(-9, 9, (n, 21)).astype(dtype) for n in (5, 4))
    for number, size in ((0, lambda d: np.abs(d).sum(-1)), (2, lambda d: np.abs(d).max(-1))):
        apart = x[:, None] - y
        found, g = size(apart), RNG.integers(1, 5, (5, 4)).astype(dtype)
        slopes = np.sign(apart) if number == 0 else np.sign(apart) * (np.abs(apart) == found[..., None])
        first, second = c.distances_back(g, x, y, found, number)
        assert np.array_equal(first, (g[..., None] * slopes).sum(1))
        assert np.array_equal(second, -(g[..., None] * slopes).sum(0))
        upper = np.triu_indices(5, 1)
        pairs = np.zeros((5, 5, 21), dtype)
        apart = x[upper[0]] - x[upper[1]]
        found, g = size(apart), np.arange(1, 11).astype(dtype)
        slopes = np.sign(apart) if number == 0 else np.sign(apart) * (np.abs(apart) == found[..., None])
        pairs[upper] = g[:, None] * slopes
        assert np.array_equal(c.distances_back(g, x, None, found, number), pairs.sum(1) - pairs.sum(0))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i8", "i4", "i2", "u1", "?"])
def test_places_that_are_not_zero(dtype: str) -> None:
    for shape in ((1,), (7,), (3, 4), (2, 3, 4), (5, 2000), (2, 1, 3), (3, 100_000)):
        x = (RNG.integers(-1, 2, shape) * 3).astype(dtype)
        x.flat[0] = -0.0
        assert np.array_equal(c.nonzero_places(x), np.stack(np.nonzero(x)))
    assert c.nonzero_places(np.array(1.0)) is c.nonzero_places(np.zeros((0, 3))) is None
    assert c.nonzero_places(np.array([np.nan, -0.0])).tolist() == [[0]]


@pytest.mark.parametrize("dtype", REAL)
def test_counts_of_intervals(dtype: str) -> None:
    x = np.concatenate([some(dtype, 500), np.array([np.nan, np.inf, -np.inf, 0, 1, 1], dtype)])
    for bounds in (
        [0, 1],
        [0, 1, 1, 2],
        [-1, -1, 0.25, 0.5, 3],
        [-np.inf, 0, np.inf],
        [0, 1e-30, 1e30],
        np.linspace(-3, 3, 50),
    ):
        bounds = np.array(bounds, dtype)
        at = np.searchsorted(bounds, x, "right") - 1
        at[x == bounds[-1]] = len(bounds) - 2
        inside = (x >= bounds[0]) & (x <= bounds[-1])
        assert c.counted(x, bounds).tolist() == np.bincount(at[inside], minlength=len(bounds) - 1).tolist()
    for wrong in ([1, 0], [0, np.nan, 1], [0], [], [[0, 1]]):
        assert c.counted(x, np.array(wrong, dtype)) is None
    assert c.counted(x.astype("f4"), np.array([0.0, 1.0])) is None


def test_places_of_triangles() -> None:
    for rows, columns, offset in ((3, 4, 0), (5, 2, 3), (5, 2, -3), (1, 1, 0)):
        lower, upper = np.tril_indices(rows, offset, columns), np.triu_indices(rows, offset, columns)
        for found, expected in ((False, lower), (True, upper)):
            count = len(expected[0])
            if count:
                assert np.array_equal(c.triangle_places(rows, columns, offset, found, count), np.stack(expected))
            assert c.triangle_places(rows, columns, offset, found, count + 1) is None
    assert c.triangle_places(3, 3, 0, True, 5) is None
    for huge in HUGE:
        assert c.triangle_places(huge, 3, 0, True, 6) is c.triangle_places(3, huge, 0, True, 6) is None
        assert c.triangle_places(3, 3, 0, True, huge) is None
    assert c.triangle_places(3, 3, 2**62, False, 9) is c.triangle_places(3, 3, -(2**62), True, 9) is None


@pytest.mark.parametrize("offsets", [[0, 4], [3, 1], [-1, 2], [0, 2**62], [-(2**62), 3], [0, 2, 1]])
def test_segments_that_are_none_are_declined(offsets: list) -> None:
    x, at = np.ones((3, 2), "f4"), np.array(offsets)
    for how in range(5):
        assert c.segmented(x, at, how) is None
    assert c.segments_spread(np.ones((len(offsets) - 1, 2), "f4"), at, 3, False) is None


def test_other_arguments_of_segments_are_declined() -> None:
    x, at = np.ones((3, 2), "f4"), np.array([0, 1, 3])
    assert c.segmented(x, at, 0).tolist() == [[1, 1], [2, 2]]
    assert (
        c.segmented(x, at, 5)
        is c.segmented(x, at, -1)
        is c.segmented(x, at[:1], 0)
        is c.segmented(x[:0], at * 0, 0)
        is None
    )
    assert c.segmented(x, at.astype("i4"), 0) is c.segmented(np.array(1.0), at, 0) is None
    for huge in HUGE[1:]:
        assert c.segments_spread(np.ones((2, 2), "f4"), at, huge, True) is None
    assert c.segments_spread(np.ones((3, 2), "f4"), at, 3, True) is None


def test_drawn_windows_outside_are_declined() -> None:
    x = some("f4", 1, 5, 6)
    for sample in (np.nan, np.inf, -1e30, 1e30):
        assert c.fractional_maxima(x, np.array([[sample, 0.5]], "f4"), (2, 2, 3, 3)) is None
    fitting = np.array([[0.5, 0.5]], "f4")
    for sizes in (
        (0, 2, 3, 3),
        (2, 2, 0, 3),
        (6, 2, 1, 3),
        (2, 2, 6, 3),
        (2, 2, 3),
        (2**62, 2, 3, 3),
        (2, 2, 2**62, 3),
    ):
        assert c.fractional_maxima(x, fitting, sizes) is None
    assert (
        c.fractional_maxima(x, fitting.astype("f8"), (2, 2, 3, 3))
        is c.fractional_maxima(x, fitting[:, :1].copy(), (2, 2, 3, 3))
        is None
    )
    values, places = c.fractional_maxima(x, fitting, (2, 2, 3, 3))
    assert np.array_equal(x.reshape(-1)[places], values)


def test_windows_that_do_not_fit_are_declined() -> None:
    x = np.ones((1, 4, 9), "f4")  # windows of 2 x 2 in 4 x 4
    fitting = [4, 4, 2, 2, 1, 1, 0, 0, 1, 1]
    assert c.columns_added(x, tuple(fitting)).sum() == x.size
    for place in range(10):
        for wrong in (-1, 2**31, 2**62, *([0] if place not in (6, 7) else []), 3):
            sizes = [*fitting]
            sizes[place] = wrong
            assert c.columns_added(x, tuple(sizes)) is None
    assert (
        c.columns_added(x, (4, 4, 2, 2))
        is c.columns_added(x[0], tuple(fitting))
        is c.columns_added(x[:0], tuple(fitting))
        is None
    )
    assert c.columns_added(np.ones((1, 3, 9), "f4"), tuple(fitting)) is None


def test_margins_of_classes_that_are_none_are_declined() -> None:
    x, classes = some("f4", 2, 3), np.array([0, 2])
    assert c.multi_margin(x, classes, None, 1.0, False) is not None
    for wrong in ([0, 3], [-1, 0], [2**62, 0], [0]):
        assert c.multi_margin(x, np.array(wrong), None, 1.0, False) is None
    assert (
        c.multi_margin(x, classes, np.ones(2, "f4"), 1.0, False)
        is c.multi_margin(x, classes, np.ones(3), 1.0, True)
        is None
    )


@pytest.mark.parametrize("dtype", REAL)
def test_halves_of_transforms_are_completed(dtype: str) -> None:
    for shape in ((5,), (6,), (1,), (2,), (3, 4), (2, 3, 5)):
        x = some(dtype, *shape)
        for axes in ((), (0,), tuple(range(len(shape) - 1))):
            if len(shape) == 1 and axes:
                continue
            whole = np.fft.fftn(x, axes=(*axes, -1))
            half = np.ascontiguousarray(whole[..., : shape[-1] // 2 + 1]).astype("c8" if dtype == "f4" else "c16")
            assert near(c.mirrored(half, shape[-1], axes, False, False), whole)
            assert near(c.mirrored(half, shape[-1], axes, True, True), whole.conj())
    half = np.zeros((3, 3), "c8" if dtype == "f4" else "c16") * -1
    assert not np.signbit(c.mirrored(half, 5, (), True, True).view(dtype)).any()
    for n in (0, 3, 6, *HUGE):
        assert c.mirrored(half, n, (), False, False) is None
    for axes in ((1,), (-1,), (2**62,)):
        assert c.mirrored(half, 5, axes, False, False) is None


@pytest.mark.parametrize("dtype", REAL)
def test_lines_are_transformed_along_any_dimension(dtype: str) -> None:
    """A line's numbers do not depend on where it lies, nor on how many others there are."""
    both = "c8" if dtype == "f4" else "c16"
    for n in (1, 2, 3, 4, 5, 7, 9, 12, 16, 17, 20, 30, 77, 100, 256):
        char = "f" if dtype == "f4" else "d"
        known, halves = fourier.table(n, False, char), fourier.table(n, n >= fourier.SHORT and n % 2 == 0, char)
        x, y = some(dtype, 11, n, 5), some(dtype, 11, n, 5)
        z = (x + 1j * y).astype(both)
        exact = np.fft.fft(z.astype("c16"), axis=1)
        found = c.fourier(z, *known, 1, n, 0, True, 0, 0, 1.0, False, False, (), 0)
        assert near(found, exact) and found.dtype == both
        assert near(
            c.fourier(x, *halves, 1, n, 1, True, 0, 0, 1.0, False, False, (), 0), np.fft.rfft(x.astype("f8"), axis=1)
        )
        assert near(
            c.fourier(x, *halves, 1, n, 2, True, 0, 0, 1.0, False, False, (), 0), np.fft.fft(x.astype("f8"), axis=1)
        )
        back = c.fourier(z[:, : n // 2 + 1].copy(), *halves, 1, n, 3, False, 0, 0, 1 / n, False, False, (), 0)
        assert near(back, np.fft.irfft(z[:, : n // 2 + 1].astype("c16"), n, axis=1))
        rows = np.ascontiguousarray(z.swapaxes(1, 2))
        assert (c.fourier(rows, *known, 2, n, 0, True, 0, 0, 1.0, False, False, (), 0) == found.swapaxes(1, 2)).all()
        assert (c.fourier(z, *known, 1, n, 0, True, 0, 0, 1.0, True, False, (), 0) == found.swapaxes(1, 2)).all()
        assert (
            c.fourier(rows[3, 2].copy(), *known, 0, n, 0, True, 0, 0, 1.0, False, False, (), 0) == found[3, :, 2]
        ).all()
        assert (c.fourier_within(z, *known, 1, n, 0, True, 0, 0, 1.0, False, False, (), 0) == found).all() and (
            z == found
        ).all()


def test_transforms_of_wrong_lengths_and_factors_are_not_made() -> None:
    turns, factors = fourier.table(20, False, "f")
    x = np.ones((3, 20), "c8")
    assert c.fourier(x, turns, factors, 1, 20, 0, True, 0, 0, 1.0, False, False, (), 0) is not None
    for wrong in (
        (turns[:-1], factors),
        (turns, (4, 4)),
        (turns, (20,)),
        (turns, (5, 5, 4)),
        (turns.astype("f8"), factors),
    ):
        assert c.fourier(x, *wrong, 1, 20, 0, True, 0, 0, 1.0, False, False, (), 0) is None
    for axis, n, kind in (
        (0, 20, 0),
        (1, 21, 0),
        (1, 20, 1),
        (1, 20, 3),
        (2, 20, 0),
        (1, 20, 4),
        *((1, n, 0) for n in HUGE),
    ):
        assert c.fourier(x, turns, factors, axis, n, kind, True, 0, 0, 1.0, False, False, (), 0) is None
    assert c.fourier(x, turns, factors, 1, 20, 0, True, 0, 0, 1.0, False, False, 38, 0) is None


def test_binomial_numbers_of_what_is_no_number_are_not_drawn() -> None:
    words = RNG.integers(0, 2**32, 4096, dtype=np.uint32)
    for count, share in ((np.nan, 0.5), (np.inf, 0.5), (5.0, np.nan)):
        out, state = np.zeros(1), np.zeros(2, np.int64)
        assert c.binomial(np.array([count]), np.array([share]), words, False, out, state) is None
    out, state = np.zeros(3), np.array([-5, 0])
    assert c.binomial(np.ones(3), np.ones(3), words, False, out, state) is None
    assert c.binomial(np.ones(3), np.ones(2), words, False, out, np.zeros(2, np.int64)) is None
    state = np.array([2**62, 0])
    c.binomial(np.ones(3), np.full(3, 0.5), words, False, out, state)
    assert not out.any()


def test_a_sum_in_sequence_rounds_each_step() -> None:
    x = some("f4", 1000)
    total = np.float32(0)
    for one in x:
        total = total + one
    assert c.sum_in_sequence(x) == total and c.sum_in_sequence(x[:0]) is None


@pytest.mark.parametrize("dtype", REAL)
def test_parts_of_complex_matrices(dtype: str) -> None:
    for batch, m, k, n in (((), 4, 5, 6), ((3,), 1, 2, 1), ((2, 2), 3, 1, 4)):
        a, b = some(dtype, *batch, m, k, 2), some(dtype, *batch, k, n, 2)
        rows, columns = c.parted(a, b)
        assert np.array_equal(rows, np.concatenate([a[..., 0], a[..., 1]], -2))
        assert np.array_equal(columns, np.concatenate([b[..., 0], b[..., 1]], -1))
        whole = (a[..., 0] + 1j * a[..., 1]) @ (b[..., 0] + 1j * b[..., 1])
        joined = c.parts_joined(rows @ columns)
        assert near(joined, np.stack([whole.real, whole.imag], -1))
    a, b = some(dtype, 4, 5, 2), some(dtype, 5, 6, 2)
    assert (
        c.parted(a, b[:4])
        is c.parted(a, b[..., :1].copy())
        is c.parted(a, b[None])
        is c.parted(a[..., 0].copy(), b)
        is None
    )
    assert c.parted(a, b[:, :0]) is c.parted(a, b.astype("f4" if dtype == "f8" else "f8")) is None
    assert (
        c.parts_joined(np.ones((3, 4), dtype))
        is c.parts_joined(np.ones((4, 3), dtype))
        is c.parts_joined(a[0, 0])
        is None
    )
    assert c.parts_joined(np.zeros((0, 2), dtype)) is None
