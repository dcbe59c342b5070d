"""The kernels of complex numbers: products and quotients are those of the elementwise loops, absolute values are rounded once."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from tensorsh.engine import kernels
from tensorsh.engine.numerics import complex as numbers

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(7)
SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 40, 1003]


def some(n: int, dtype: str) -> np.ndarray:
    spread = 10.0 ** RNG.integers(-3, 4, n)
    return ((RNG.standard_normal(n) + 1j * RNG.standard_normal(n)) * spread).astype(dtype)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("n", SIZES)
def test_products_and_quotients(monkeypatch, n: int, dtype: str) -> None:
    x, y = some(n, dtype), some(n, dtype)
    x[n // 2] = y[n // 3] = 0

    def found() -> list[bytes]:
        with np.errstate(all="ignore"):
            made = [numbers.product(np, x, y), numbers.quotient(np, x, y), numbers.product(np, x, y[:1])]
        return [a.tobytes() for a in made]

    fast = found()
    for name in ("multiplied", "divided", "by_number"):
        monkeypatch.setattr(numbers, name, kernels.unsuited)
    assert found() == fast


def nearest(z: complex) -> np.float32:
    """The float nearest to the absolute value, by integers."""
    square = Fraction(float(z.real)) ** 2 + Fraction(float(z.imag)) ** 2
    scale = 1 << 200
    root = Fraction(isqrt(int(square * scale * scale)), scale)
    near = np.float32(float(root))
    around = (np.nextafter(near, np.float32(0)), near, np.nextafter(near, np.float32(np.inf)))
    return min(around, key=lambda v: abs(Fraction(float(v)) - root))


def test_absolute_values_are_the_nearest_floats() -> None:
    z = np.concatenate((some(3000, "c8"), some(200, "c8") * np.float32(1e30), some(200, "c8") * np.float32(1e-30)))
    assert [float(v) for v in numbers.modulus(np, z)] == [float(nearest(v)) for v in z]


def test_absolute_values_of_special_numbers() -> None:
    inf, nan = float("inf"), float("nan")
    for dtype in ("c8", "c16"):
        z = np.array([complex(-0.0, 0), complex(inf, nan), complex(nan, -inf), complex(nan, 1), complex(3, -4)], dtype)
        assert repr(numbers.modulus(np, z).tolist()) == "[0.0, inf, inf, nan, 5.0]"
        assert numbers.modulus(np, z[:0]).shape == (0,) and numbers.modulus(np, z[::2]).tolist()[2] == 5.0


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", SIZES)
def test_complex_numbers_of_their_parts(n: int, dtype: str) -> None:
    x, y = RNG.standard_normal((2, 2 * n)).astype(dtype)
    paired = kernels.compiled.paired
    expected = x + 1j * y
    assert np.array_equal(paired(x, y), expected) and np.array_equal(paired(x[::2], y[::2]), expected[::2])
    assert np.array_equal(paired(x), x + 0j) and paired(x, None).dtype == expected.dtype
    assert paired(x, y[:-1]) is paired(x, y.astype("i8")) is paired(x, y, True) is None


def test_complex_numbers_of_halves() -> None:
    x = np.concatenate(
        [RNG.standard_normal(3000) * 10.0 ** RNG.integers(-8, 6, 3000), [0.0, -0.0, np.inf, 65520]]
    ).astype("f4")
    with np.errstate(over="ignore"):
        assert np.array_equal(kernels.compiled.paired(x, None, True), x.astype("f2").astype("f4") + 0j)
    assert kernels.compiled.paired(x.astype("f8"), None, True) is None
