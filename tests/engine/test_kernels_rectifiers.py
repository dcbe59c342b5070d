"""Shrinkages, clamps and thresholds of the kernels: numpy's formulas, to the sign of zero."""

import numpy as np
import pytest

from tensorsh.engine import kernels

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
FORMULAS = {
    "hardshrink": ((0.5,), lambda x, a: np.where((x >= -a) & (x <= a), x.dtype.type(0), x)),
    "softshrink": ((0.3,), lambda x, a: np.where(x > a, x - a, np.where(x < -a, x + a, x * x.dtype.type(0)))),
    "threshold": ((0.3, 1.7), lambda x, a, b: np.where(x <= a, b, x)),
    "hardtanh": ((-0.3, 0.7), lambda x, a, b: np.minimum(np.maximum(a, x), b)),
    "hardsigmoid": ((), lambda x: np.minimum(np.maximum(x + x.dtype.type(3), 0), 6) / x.dtype.type(6)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name, dtype):
    numbers, formula = FORMULAS[name]
    bounds = [dtype(n) for n in numbers]
    special = [0.0, -0.0, 0.5, -0.5, 0.3, -0.3, 0.7, 3, -3, 6, np.inf, -np.inf, np.nan]
    x = np.concatenate([np.random.default_rng(0).standard_normal(1000) * 3, special]).astype(dtype)
    with np.errstate(invalid="ignore"):
        expected = formula(x, *bounds)
        found = getattr(kernels.compiled, name)(x, *bounds)
        assert found.dtype == dtype and found.tobytes() == expected.astype(dtype).tobytes()
        steps = np.stack([x, x], 1)[:, 0]
        assert getattr(kernels.compiled, name)(steps, *bounds).tobytes() == found.tobytes()
        many = [np.full_like(x, n) for n in bounds]
        assert getattr(kernels.compiled, name)(x, *many).tobytes() == found.tobytes()
