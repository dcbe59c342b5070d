"""Loops of exact operations give numpy's numbers."""

import numpy as np
import pytest

from tensorsh.engine.kernels import kernel

Loop = kernel("Loop")
pytestmark = pytest.mark.skipif(Loop is None, reason="no compiled kernels")
VALUES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, -0.5, 1e-45, 3e38, 0.1, 7.0, -1e-30, 5e-324]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "name", "add subtract multiply divide negative absolute sqrt reciprocal floor ceil trunc".split()
)
def test_numbers_are_numpys(name, dtype):
    ufunc = getattr(np, name)
    count = ufunc.nin
    loop = Loop(count, ufunc, ufunc, None, False, 0, True)
    a = np.array(VALUES * 3, dtype)
    bits = lambda x: np.where(np.isnan(x), dtype(np.nan), x).tobytes()
    with np.errstate(all="ignore"):
        for k in range(len(VALUES) if count == 2 else 1):
            for rest in [[np.roll(a, k)], [np.array(a[k])]] if count == 2 else [[]]:
                assert bits(loop(a, *rest)) == bits(ufunc(a, *rest))
