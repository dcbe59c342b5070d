"""The sums of optimizer steps are rounded once, with and without a BLAS that does so."""

import numpy as np
import pytest

from tensorsh.engine import blas
from tensorsh.torch.optim import arithmetic


@pytest.mark.parametrize("with_blas", [True, False])
@pytest.mark.parametrize("size", [7, 5000, 100_003])
def test_sums_are_rounded_once(monkeypatch, with_blas, size) -> None:
    if not with_blas:
        monkeypatch.setattr(blas, "saxpy", lambda: None)
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, size)).astype(np.float32)
    a = np.float32(-0.0123)
    expected = (x.astype(np.float64) * float(a) + y).astype(np.float32)
    assert np.array_equal(arithmetic.plus(y, x, -0.0123), expected)
    arithmetic.axpy(y, x, -0.0123)
    assert np.array_equal(y, expected)
