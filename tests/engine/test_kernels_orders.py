"""Orders by kernels: the formulas' own places and the library's algorithms in Python, for each dtype, along each axis."""

import numpy as np
import pytest

from tensorsh.engine import kernels
from tensorsh.engine.numerics import orders

from ..support import library_orders
from ..support.cases import all_pass

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
DTYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "bfloat16"]
LENGTHS = [1, 2, 16, 17, 70, 199, 200, 1000]


def array(code, *shape, values=7, seed=0):
    """Few different numbers of a dtype, with NaN, infinities and both zeros where it has them."""
    if code == "bfloat16":
        code = pytest.importorskip("ml_dtypes").bfloat16
    dtype, rng = np.dtype(code), np.random.default_rng(seed)
    if dtype.kind not in "fV":
        return (rng.integers(0, values, shape) - (values // 2 if dtype.kind == "i" else 0)).astype(dtype)
    choice = np.array([-np.inf, -1.5, -0.0, 0.0, 2.0, np.inf, np.nan, *range(3, values)])
    return rng.choice(choice, shape).astype(dtype)


def ranks(line, descending=False):
    """Numbers that compare as the elements do."""
    _, found = np.unique(line.astype(np.float64), return_inverse=True)  # NaN is the last, all of them one
    return (-found if descending else found).tolist()


def of_each(a, axis, descending, choose, *rest):
    """What a choice by ranks finds in each line."""
    return np.apply_along_axis(lambda line: choose(ranks(line, descending), *rest), axis, a.astype(np.float64))


def stable(r):
    return sorted(range(len(r)), key=r.__getitem__)


@pytest.mark.parametrize("code", DTYPES)
def test_orders_are_those_of_ranks_and_ties_the_librarys(code):
    all_pass(check_order, [(n, code, descending) for n in LENGTHS for descending in (False, True)])


def check_order(n, code, descending):
    for axis, shape in [(0, (n, 3)), (1, (3, n)), (1, (2, n, 3))]:
        a = array(code, *shape)
        for keeps, choose in ((True, stable), (False, library_orders.sort)):
            values, places = orders.ordered(a, axis, descending, keeps)
            assert np.array_equal(places, of_each(a, axis, descending, choose))
            assert values.tobytes() == np.take_along_axis(a, places, axis).tobytes()


@pytest.mark.parametrize("code", DTYPES)
def test_the_first_few_and_one_of_a_rank(code):
    all_pass(check_first_few, [(n, code) for n in LENGTHS])


def check_first_few(n, code):
    a = array(code, 3, n)
    for k in {1, min(2, n), n // 2 or 1, n}:
        values, places = orders.leading(a, 1, k, True, True)
        assert np.array_equal(places, of_each(a, 1, True, library_orders.leading, k))
        assert values.tobytes() == np.take_along_axis(a, places, 1).tobytes()
        values, places = orders.ranked(a, 1, k - 1)
        assert np.array_equal(places, of_each(a, 1, False, library_orders.quick_select, k - 1))
        assert values.tobytes() == np.take_along_axis(a, places[:, None], 1).tobytes()


@pytest.mark.parametrize("dtype", ["q", "i", "h", "B", "f", "d"])
def test_medians_of_many_different_numbers(dtype):
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 256, (5, 3000 * np.dtype(dtype).itemsize), np.uint8)
    bits[1] //= 64
    bits[2] = 7
    a = bits.view(dtype)
    if a.dtype.kind == "f":
        a = np.where(np.isnan(a), 0, a)
    a[3, :1500] = a[3, 1500:]
    a[4, 1:-1] = np.sort(a[4, 1:-1])
    values, places = orders.median(a, 1, False)
    for line, value, place in zip(a, values.ravel(), places.ravel(), strict=True):
        order = np.argsort(line, kind="stable")
        assert place == order[(len(line) - 1) // 2] and value == line[place]


@pytest.mark.parametrize("skip_nan", [False, True])
def test_medians(skip_nan):
    for n in LENGTHS:
        a = array("f", 20, n, values=40)
        values, places = orders.median(a, 1, skip_nan)
        for line, value, place in zip(a, values, places, strict=True):
            missing = np.isnan(line)
            if missing.any() and not skip_nan:
                assert place == missing.argmax() and np.isnan(value)
            elif missing.all():
                assert np.isnan(value)
            else:
                rank = (n - missing.sum() - 1) // 2
                assert place == np.argsort(line, kind="stable")[rank] and value == line[place]


def test_the_mode_is_the_most_frequent_and_the_least_of_several():
    for n in LENGTHS:
        a = array("q", 10, n)
        values, places = orders.mode(a, 1)
        for line, value, place in zip(a, values, places, strict=True):
            found, counts = np.unique(line, return_counts=True)
            assert value == found[counts.argmax()] == line[place]
    assert orders.mode(np.array([1.0, np.nan]), 0) is None


def test_sorted_already_turned_and_made_to_be_slow():
    n = 5000
    killer = np.arange(n)  # for a median of three
    killer[::2], killer[1::2] = np.arange(n // 2), np.arange(n // 2)[::-1]
    for a in (np.arange(n), np.arange(n)[::-1].copy(), np.zeros(n, np.int64), killer, np.arange(n) % 2):
        for code in ("i", "q", "f", "d"):
            line = a.astype(code)
            r = ranks(line)
            assert orders.ordered(line, 0, False, False)[1].tolist() == library_orders.sort(r)
            assert orders.ranked(line, 0, n // 2)[1] == library_orders.quick_select(r, n // 2)
            assert orders.leading(line, 0, n // 2, False, True)[1].tolist() == library_orders.leading(r, n // 2)


def test_what_is_not_for_the_kernels():
    assert orders.ordered(np.zeros(3, complex), 0, False, True) is None
    assert orders.ordered(np.zeros((), float), 0, False, True) is None
    assert orders.ordered(np.zeros((0, 3)), 0, False, True) is None
    assert orders.leading(np.zeros(3), 0, 0, True, True) is None
    assert orders.leading(np.zeros(3), 0, 4, True, True) is None
    assert orders.ranked(np.zeros(3), 0, 3) is None
    assert orders.ordered(np.zeros(3, "datetime64[s]"), 0, False, True) is None
