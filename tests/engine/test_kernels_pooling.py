"""The kernel of window maxima does what its formula does, and what PyTorch does with equal elements, NaN and infinities."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.nn import pooling

from .thread_counts import threads

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

F = torch.nn.functional
RNG = np.random.default_rng(5)
CASES = [
    # the input's shape, kernel, stride, padding, dilation, whether the last window may reach beyond
    ((2, 3, 9), 3, 2, 1, 1, False),
    ((2, 3, 8, 9), 2, 2, 0, 1, False),
    ((1, 2, 7, 8), (3, 2), (1, 3), (1, 0), (2, 1), True),
    ((2, 1, 5, 6, 7), 2, (1, 2, 3), 1, (1, 2, 1), True),
    ((3, 4, 33, 70), 3, 1, 1, 1, False),
]


@pytest.mark.parametrize("shape, kernel, stride, padding, dilation, ceil", CASES, ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_maxima(monkeypatch, dtype, shape, kernel, stride, padding, dilation, ceil) -> None:
    pool = getattr(F, f"max_pool{len(shape) - 2}d")
    values = RNG.choice([0.0, -0.0, 1.0, 2.0, -1.0, np.nan, -np.inf], shape, p=[0.2, 0.2, 0.2, 0.1, 0.26, 0.02, 0.02])
    x = torch.tensor(values.astype(dtype))

    def found() -> list[bytes]:
        leaf = x.clone().requires_grad_()
        best, where = pool(leaf, kernel, stride, padding, dilation, ceil, True)
        best.backward(torch.cos(torch.arange(best.numel()).to(best.dtype)).round(decimals=1).view(best.shape) * 0 + 0.5)
        return [a.detach().numpy().tobytes() for a in (best, where, leaf.grad)]

    fast = found()
    alone = pool(x, kernel, stride, padding, dilation, ceil).numpy().tobytes()
    assert alone == fast[0]
    with threads(2, least=1):
        assert found() == fast
    monkeypatch.setattr(pooling, "pool", kernels.unsuited)
    monkeypatch.setattr(pooling, "spread", kernels.unsuited)
    assert found() == fast


def test_places_beside_the_input_are_not_written() -> None:
    """Places that another thread may have changed since the maxima were found."""
    out, g = np.zeros((1, 1, 4, 4)), np.ones((1, 1, 2, 2))
    given = pooling.numbers((2, 2), (2, 2), (0, 0), (1, 1))
    assert kernels.compiled.max_pool_gradient(g, out, np.full((1, 1, 2, 2), 255, np.uint8), given) is out
    assert out.sum() == 0
    for wrong in (
        (2,) * 11,
        (1,) * 12 + (1,),
        (1, 2, 2, 1, 2, 2, 0, 3, 0, 1, 1, 1),
        (1, 2, 2, 1, 9, 9, 0, 0, 0, 1, 1, 1),
    ):
        assert kernels.compiled.max_pool(np.zeros((1, 1, 4, 4)), g, None, wrong) is None
