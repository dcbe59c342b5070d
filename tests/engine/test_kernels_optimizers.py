"""Compiled steps of optimizers against the same steps in numpy, bit for bit."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.torch.optim import formula

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")

OPTIMIZERS = {
    "SGD": [{}, {"weight_decay": 0.1, "maximize": True}, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.3},
            {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}],
    "Adam": [{}, {"weight_decay": 0.1}, {"betas": (0.3, 0.8)}],
    "AdamW": [{}, {"amsgrad": True, "maximize": True}],
    "Adamax": [{}, {"weight_decay": 0.1, "maximize": True}, {"betas": (0.3, 0.8)}],
    "NAdam": [{}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}],
    "RAdam": [{"betas": (0.9, 0.9)}, {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}],
    "RMSprop": [{}, {"centered": True, "maximize": True}, {"momentum": 0.9, "weight_decay": 0.1},
                {"momentum": 0.9, "centered": True}],
    "Rprop": [{}, {"maximize": True}],
    "Adagrad": [{}, {"weight_decay": 0.1, "lr_decay": 0.1, "maximize": True}],
    "Adadelta": [{}, {"weight_decay": 0.1, "maximize": True}],
    "ASGD": [{}, {"weight_decay": 0.1, "maximize": True, "t0": 1}],
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
        monkeypatch.setattr(formula.Step, "taken", lambda *_: None)
        assert trained(name, options) == fast


@pytest.mark.parametrize("name, options", [(name, o) for name in ("SGD", "Adam", "AdamW") for o in OPTIMIZERS[name]])
def test_a_kernel_is_its_chain(monkeypatch, name, options):
    with np.errstate(all="ignore"):
        fast = trained(name, options)
        chain = lambda self, arrays, numbers: self.runs[arrays[0].dtype](*arrays, *numbers)
        monkeypatch.setattr(formula.Step, "taken", chain)
        assert trained(name, options) == fast


def test_what_does_not_suit_is_left_to_the_formula():
    c = kernels.compiled
    x, g = np.zeros(8, np.float32), np.ones(8, np.float32)
    fixed = x.copy()
    fixed.flags.writeable = False
    numbers = (0.0, 0.1, 0.9, 0.1, 1.0, 1e-8, 1.0)
    step = lambda x, g, more=(0,): c.adam_step(x, g, x, x, *numbers, *more)
    assert step(x, g[:7]) is None and step(x[::2], g[::2]) is None and step(x.astype(float), g) is None
    assert step(fixed, g) is None and step(x, g, ("1",)) is None and step(x, g, ()) is None and c.adam_step() is None
    assert not x.any()
