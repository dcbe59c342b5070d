"""Compiled steps of optimizers against the same steps in numpy, bit for bit."""

from importlib import import_module

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")

OPTIMIZERS = {
    "SGD": [{}, {"weight_decay": 0.1, "maximize": True}, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.3},
            {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}],
    "Adam": [{}, {"weight_decay": 0.1}, {"betas": (0.3, 0.8)}],
    "AdamW": [{}, {"amsgrad": True, "maximize": True}],
}  # fmt: skip
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38], np.float32)


def trained(name, options):
    rng = np.random.default_rng(0)
    shapes = [(7,), (129, 33), (0, 3), ()]
    draw = lambda shape: torch.tensor(rng.standard_normal(shape).astype(np.float32))
    parameters = [draw(shape).requires_grad_() for shape in shapes]
    parameters.append(draw((5, 4)).t().clone().requires_grad_())
    optimizer = getattr(torch.optim, name)(parameters, lr=0.01, **options)
    for turn in range(4):
        for p in parameters:
            p.grad = draw(tuple(p.shape))
        if turn == 2:
            parameters[0].grad = torch.tensor(SPECIAL)
            parameters[4].grad = draw((5, 4)).t().reshape(4, 5)
        optimizer.step()
    arrays = [p.detach().numpy().copy() for p in parameters]
    return [np.where(np.isnan(a), np.float32(np.nan), a).tobytes() for a in arrays]


@pytest.mark.parametrize("name, options", [(name, o) for name, each in OPTIMIZERS.items() for o in each])
def test_steps_are_the_formulas(monkeypatch, name, options):
    with np.errstate(all="ignore"):
        fast = trained(name, options)
        for module in ("adam", "sgd"):
            found = import_module(f"tensorsh.torch.optim.{module}")
            monkeypatch.setattr(found, "in_one_pass", lambda *given: False)
        assert trained(name, options) == fast


def test_what_does_not_suit_is_left_to_the_formula():
    c = kernels.compiled
    x, g = np.zeros(8, np.float32), np.ones(8, np.float32)
    fixed = x.copy()
    fixed.flags.writeable = False
    assert c.sgd_step(x, g[:7], 1.0, 0.0, 1.0) is None
    assert c.sgd_step(x[::2], g[::2], 1.0, 0.0, 1.0) is None
    assert c.sgd_step(x.astype(float), g, 1.0, 0.0, 1.0) is None
    assert c.sgd_step(fixed, g, 1.0, 0.0, 1.0) is None
    assert c.sgd_step() is None and c.momentum_step(x) is None and c.adam_step(x, g, x, x) is None
    assert c.sgd_step(x, g, "1", 0.0, 1.0) is None
    assert not x.any()
