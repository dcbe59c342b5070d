"""The compiled products against sums in PyTorch's order, written out; and against numpy for what they must refuse."""

import numpy as np
import pytest

from tensorsh.engine.kernels import compiled
from tensorsh.engine.numerics import products

from .thread_counts import threads

rng = np.random.default_rng(3)
needs_kernels = pytest.mark.skipif(compiled is None, reason="no compiler was there when this was installed")


def single(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def chain(a, b, start=None):
    """Fused multiply-adds one after the other: exact products and sums in extended precision, rounded at each step."""
    total = np.zeros((len(a), b.shape[1]), np.float32) if start is None else start
    for p in range(a.shape[1]):
        wide = a[:, p : p + 1].astype(np.longdouble) * b[p].astype(np.longdouble)
        total = (wide + total.astype(np.longdouble)).astype(np.float32)
    return total


@needs_kernels
@pytest.mark.parametrize("m, k, n", [(2, 3, 40), (16, 16, 2), (33, 20, 65), (13, 7, 31), (20, 384, 5), (12, 1, 4)])
def test_a_sum_is_one_chain_of_fused_multiply_adds(m, k, n):
    a, b = single(m, k), single(k, n)
    expected = chain(a, b)
    for x in (a, np.asfortranarray(a)):
        assert (compiled.product(x, b) == expected).all()
    if m >= 16:
        assert (compiled.product(a, np.asfortranarray(b)) == expected).all()


def blocks(k, whole):
    """Where MKL cuts a sum of k products; `whole`: the second factor is stored by columns, and has many of them."""
    cuts = [0]
    while (left := k - cuts[-1]) > 0:
        long = left <= 384 or (whole and k > 768) or left > 768
        cuts.append(cuts[-1] + (min(left, 384) if long else (left + 1) // 2))
    return list(zip(cuts, cuts[1:], strict=False))


@needs_kernels
@pytest.mark.parametrize("m, k, n", [(130, 390, 1100), (500, 20, 40), (30, 20, 700), (121, 800, 520)])
def test_large_products_are_made_in_the_same_order(m, k, n):
    """Strips of rows, groups of columns and pieces of threads change nothing."""
    a, b, bias = single(m, k), single(k, n), single(n)
    for y, whole in ((b, False), (np.asfortranarray(b), n >= 192)):
        total = None if k <= 384 else np.tile(bias, (m, 1))
        for start, end in blocks(k, whole):
            part = chain(a[:, start:end], b[start:end])
            total = part + bias if total is None else total + part
        for x in (a, np.asfortranarray(a), np.concatenate([a, single(m, 700)], 1)[:, :k]):
            for count in (1, 3):
                with threads(count, 1000):
                    assert (compiled.product(x, y, bias) == total).all()


@needs_kernels
@pytest.mark.parametrize("k", [385, 700, 769, 1100])
def test_long_sums_are_made_of_blocks(k):
    a, b, bias = single(17, k), single(k, 5), single(5)
    total, begun = None, np.tile(bias, (17, 1))
    for start, end in blocks(k, False):
        part = chain(a[:, start:end], b[start:end])
        total = part if total is None else total + part
        begun = begun + part
    assert (products.matrices(a, b) == total).all()
    assert (products.affine(a, b, bias) == begun).all()
    assert np.allclose(products.large(a, b), total, rtol=1e-4, atol=1e-4)


@needs_kernels
@pytest.mark.parametrize("shape", [(1, 4, 4), (3, 5, 7), (2, 1, 9), (2, 9, 1), (2, 64, 33)])
def test_matrices_of_a_batch_are_turned_and_multiplied(shape):
    x = single(*shape)
    for y in (x, np.concatenate([x, x], 2)[..., : shape[2]], x[::-1], x[:, ::-1]):
        assert np.array_equal(compiled.turned(y, 0.3), y.swapaxes(1, 2) * np.float32(0.3))
    assert compiled.turned(x[..., ::-1], 1.0) is None or shape[2] == 1
    assert compiled.turned(x[0], 1.0) is compiled.turned(x.astype(float), 1.0) is compiled.turned(x[:0], 1.0) is None


@pytest.mark.parametrize(
    "m, k, n", [(1, 50, 1), (1, 70, 9), (9, 70, 1), (7, 33, 48), (3, 100, 2), (5, 9, 10), (1, 8, 40)]
)
def test_products_of_vectors_and_few_rows_are_near_those_of_double_precision(m, k, n):
    a, b, bias = single(m, k), single(k, n), single(n)
    exact = a.astype(np.float64) @ b
    for x in (a, np.asfortranarray(a), np.repeat(a, 2, 0)[::2]):
        for y in (b, np.asfortranarray(b), np.repeat(b, 2, 0)[::2]):
            assert np.allclose(products.matrices(x, y), exact, rtol=1e-4, atol=1e-4)
            assert np.allclose(products.affine(x, y, bias), exact + bias, rtol=1e-4, atol=1e-4)
    assert np.allclose(products.matrix_vector(a, b[:, 0]), exact[:, 0], rtol=1e-4, atol=1e-4)


def test_batches():
    a, b = single(4, 12, 20), single(4, 20, 6)
    for x, y in ((a, b), (a, np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2)), (a[::2], b[::2]), (a[:, :2], b)):
        assert np.allclose(products.batches(x, y), x.astype(np.float64) @ y, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError):
        products.batches(a, b[:1])


def test_infinities_and_nan_stay_in_their_row_and_column():
    a, b = single(20, 5), single(5, 7)
    a[3, 1], b[2, 4] = np.inf, np.nan
    found = products.matrices(a, b)
    assert np.isnan(found[:, 4]).all()
    assert np.isinf(found[3, :4]).all() and np.isfinite(np.delete(np.delete(found, 3, 0), 4, 1)).all()


@needs_kernels
def test_what_is_not_made_for_the_kernel_is_refused():
    a = single(4, 4)
    for x, y in ((a, a.astype(np.float64)), (a[0], a), (a, single(3, 4)), (a[::-1], a), (a[:0], a), (a[:, ::2], a[:2])):
        assert compiled.product(x, y) is None
    assert compiled.product(a, a, single(3)) is None
    assert compiled.product([1.0], a) is None and compiled.products(a, a) is None


def lanes(x, y, start=0, sets=1):
    """Sums of products in sixteen lanes, of which `sets` take turns, vector by vector."""
    total = np.zeros((sets, 16), np.float32)
    for number, at in enumerate(range(start, len(x), 16)):
        part = chain(np.diag(x[at : at + 16]), y[at : at + 16, None], total[number % sets, : len(x) - at, None].copy())
        total[number % sets, : len(part)] = part[:, 0]
    return total


def halved(total):
    while len(total) > 4:
        total = total[: len(total) // 2] + total[len(total) // 2 :]
    return total


@needs_kernels
@pytest.mark.parametrize("n", [2, 16, 40, 64, 128])
def test_a_dot_product_has_four_sets_of_lanes(n):
    x, y = single(n), single(n)
    a, b, c, d = lanes(x, y, sets=4) if n >= 64 else np.pad(lanes(x, y), ((0, 3), (0, 0)))
    four = halved((a + b) + (c + d))
    expected = (four[0] + four[1]) + (four[2] + four[3])
    if n < 32 or n >= 64:
        assert compiled.dot(x, y) == expected
    assert compiled.dot(x, y) == pytest.approx(x.astype(float) @ y.astype(float), rel=1e-5, abs=1e-6)


@needs_kernels
@pytest.mark.parametrize("m, k, n", [(2, 32, 2), (4, 64, 3), (7, 128, 2)])
def test_every_other_row_of_few_columns_has_two_sets_of_lanes(m, k, n):
    a, b = single(m, k), single(n, k)
    found = compiled.product(a, b.T)
    for i in range(m):
        for j in range(n):
            four = halved(lanes(a[i], b[j], sets=2 - i % 2).sum(0, dtype=np.float32))
            assert found[i, j] == (four[0] + four[2]) + (four[1] + four[3])
