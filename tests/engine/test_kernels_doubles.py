"""Functions of float64 against those of extended precision, at their ends, and wherever an element lies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tensorsh.engine import kernels

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
RANDOM = np.random.default_rng(0)
WIDER = np.finfo(np.longdouble).nmant > 60

AROUND, FAR = RANDOM.uniform(-1, 1, 4000), RANDOM.uniform(-700, 700, 4000)
SMALL, LARGE = 10 ** RANDOM.uniform(-30, 0, 4000), 10 ** RANDOM.uniform(-300, 300, 4000)
ARGUMENTS = {
    "exp": (AROUND, FAR), "exp2": (AROUND, FAR), "expm1": (AROUND, FAR, SMALL), "log": (AROUND + 1.5, LARGE), "log2": (AROUND + 1.5, LARGE),
    "log10": (AROUND + 1.5, LARGE), "log1p": (AROUND, LARGE, SMALL, -SMALL), "sinh": (AROUND, FAR, SMALL), "cosh": (AROUND, FAR),
    "tanh": (AROUND, FAR / 40, SMALL), "sin": (4 * AROUND, 1e5 * AROUND, SMALL), "cos": (4 * AROUND, 1e5 * AROUND),
    "tan": (4 * AROUND, 1e5 * AROUND, SMALL), "arcsin": (AROUND, SMALL, 1 - SMALL), "arccos": (AROUND, 1 - SMALL, SMALL - 1),
    "arctan": (4 * AROUND, LARGE, SMALL), "arcsinh": (AROUND, LARGE, SMALL), "arccosh": (AROUND + 2, 1 + SMALL, 1 + LARGE),
    "arctanh": (AROUND, SMALL, 1 - SMALL),
}  # fmt: skip


def units_off(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest error, in units in the last place of the result."""
    rounded = exact.astype(np.float64)
    usual = np.isfinite(rounded) & (np.abs(rounded) > 1e-290)
    return float(np.max(np.abs(found[usual] - exact[usual]) / np.spacing(np.abs(rounded[usual]))))


@pytest.mark.skipif(not WIDER, reason="there is no wider type to compare with")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_functions_are_nearly_exact(name: str) -> None:
    ufunc = getattr(kernels.compiled, name)
    with np.errstate(all="ignore"):
        for x in ARGUMENTS[name]:
            assert units_off(ufunc(x), getattr(np, name)(x.astype(np.longdouble))) < 0.57


@pytest.mark.skipif(not WIDER, reason="there is no wider type to compare with")
@pytest.mark.parametrize("name, exact", [("arctan2", np.arctan2), ("hypotenuse", np.hypot)])
def test_functions_of_two_are_nearly_exact(name: str, exact: np.ufunc) -> None:
    with np.errstate(all="ignore"):
        for x, y in ((AROUND, FAR), (LARGE, -LARGE[::-1]), (-SMALL, AROUND)):
            found = getattr(kernels.compiled, name)(x, y)
            assert units_off(found, exact(x.astype(np.longdouble), y.astype(np.longdouble))) < 0.57


ENDS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1e308, -1e308, 709.78,
        709.79, 710.47, 710.48, -745.1, -745.2, 1e-17, -1e-17, 0.5, -0.5, 1023.9999, 1024.0, -1074.0, -1080.0, 1e5, 1e22]  # fmt: skip


def same(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    close = np.abs(found - expected) <= np.spacing(np.abs(expected))
    equal = (found == expected) & (np.signbit(found) == np.signbit(expected))
    return equal | (np.isnan(found) & np.isnan(expected)) | close


@pytest.mark.parametrize("name", ARGUMENTS)
def test_ends(name: str) -> None:
    x = np.array(ENDS)
    with np.errstate(all="ignore"):
        found, expected = getattr(kernels.compiled, name)(x), getattr(np, name)(x)
        assert [*x[~same(found, expected)]] == []


@pytest.mark.parametrize("name, exact", [("arctan2", np.arctan2), ("hypotenuse", np.hypot)])
def test_ends_of_two(name: str, exact: np.ufunc) -> None:
    x, y = (a.ravel() for a in np.meshgrid(ENDS, ENDS))
    with np.errstate(all="ignore"):
        assert same(getattr(kernels.compiled, name)(x, y), exact(x, y)).all()


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_element_has_the_same_bits_wherever_it_lies(name: str) -> None:
    ufunc, x = getattr(kernels.compiled, name), ARGUMENTS[name][0][:1003]
    whole = ufunc(x)
    assert np.stack([x, x], 1)[:, 0].strides == (16,)
    assert ufunc(np.stack([x, x], 1)[:, 0]).tobytes() == whole.tobytes() == ufunc(x[::-1])[::-1].tobytes()
    assert all(ufunc(x[i:])[: len(x) - i].tobytes() == whole[i:].tobytes() for i in range(1, 20))
    assert np.concatenate([ufunc(x[i : i + 1]) for i in range(100)]).tobytes() == whole[:100].tobytes()
