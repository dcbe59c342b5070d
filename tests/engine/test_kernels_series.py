"""Bessel functions and orthogonal polynomials of the kernels: scipy's values."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.elementwise import polynomials

from ..support.later import later

special = later("scipy.special")
pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
X = np.concatenate([np.linspace(-60, 60, 241), [0.0, -0.0, 8.0, 8.0001, 1e-30, np.inf, -np.inf, np.nan]])


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 3e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("name", ["i0", "i0e", "i1", "i1e"])
def test_bessel_functions(name, dtype, tolerance):
    x = X.astype(dtype)
    found = getattr(torch.special, name)(torch.tensor(x)).numpy()
    finite = np.isfinite(x) & (abs(x) < 60)
    assert np.allclose(found[finite], getattr(special, name)(x.astype(float))[finite], rtol=tolerance, atol=0)
    steps = torch.tensor(np.stack([x, x], -1))[:, 0]
    assert np.array_equal(getattr(torch.special, name)(steps).numpy(), found, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("name", polynomials.FAMILIES)
def test_polynomials(name, shifted, dtype):
    title = f"shifted_{name}" if shifted else name
    if shifted and not name.startswith("chebyshev"):
        return
    x = np.linspace(-1.2, 1.7, 30).astype(dtype)[:, None].repeat(12, 1)
    n = np.arange(-1, 11).astype(dtype)[None].repeat(30, 0)
    found = getattr(torch.special, title)(torch.tensor(x), torch.tensor(n)).numpy()
    argument = (2 * x - 1 if shifted else x).astype(float)
    v, w = name.endswith("_v"), name.endswith("_w")
    if v or w:  # U(n) - U(n - 1), U(n) + U(n - 1)
        before = np.where(n > 0, special.eval_chebyu(n.astype(int) - 1, argument), 0)
        expected = special.eval_chebyu(n.astype(int), argument) + (before if w else -before)
    else:
        letters = {"chebyshev_polynomial_t": "chebyt", "chebyshev_polynomial_u": "chebyu", "hermite_polynomial_h": "hermite",
                   "hermite_polynomial_he": "hermitenorm", "laguerre_polynomial_l": "laguerre", "legendre_polynomial_p": "legendre"}  # fmt: skip
        expected = getattr(special, "eval_" + letters[name])(n.astype(int), argument)
    expected = np.where(n < 0, 0, expected)
    tolerance = 1e-3 if dtype is np.float32 else 1e-10
    assert np.allclose(found, expected, rtol=tolerance, atol=tolerance)
    for steps in (
        lambda a: np.stack([a, a], -1)[..., 0],
        lambda a: np.pad(a, ((0, 0), (0, 3)))[:, :-3],
        np.asfortranarray,
    ):
        assert np.array_equal(getattr(torch.special, title)(*map(torch.from_numpy, map(steps, (x, n)))).numpy(), found)
    one = getattr(torch.special, title)(torch.tensor(x), 5).numpy()
    assert np.array_equal(one[:, 0], found[:, 6])
    assert getattr(torch.special, title)(torch.tensor([2.0, float("nan")]), float("nan")).tolist() == [0, 0]


@pytest.mark.parametrize(
    "name",
    ["chebyshev_polynomial_t", "hermite_polynomial_he", "shifted_chebyshev_polynomial_w", "legendre_polynomial_p"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_degrees_that_are_no_numbers_of_64_bits(name: str, dtype: torch.dtype) -> None:
    """Degrees are cast to int64, which makes them negative; PyTorch's polynomials of these are zero."""
    function = getattr(torch.special, name)
    x = torch.tensor([-501.0, 0.5, 3.0], dtype=dtype)
    for degree in (1e20, float("inf"), -1e20, float("nan"), -3.0):
        assert function(x, torch.full((3,), degree, dtype=dtype)).tolist() == [0, 0, 0]
