"""Averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from . import differentiable
from .differentiable import recorded
from .formula import ascent, in_one_pass
from .optimizer import Optimizer, advance, not_negative, number, options, rate, scalar, scalar_dtype, zeros

__all__ = ["ASGD"]


@in_one_pass
def asgd(x, g, mean, decay, kept, eta, mu, *, decays, maximize, first):
    g = ascent(x, g, decay, decays, maximize)
    x = (x * kept).plus(g, eta)
    return x, None, +x if first else mean + (x - mean) * mu


class ASGD(Optimizer):
    """Averaged stochastic gradient descent: p = p * (1 - lambd * eta) - eta * g, eta falling as lr / (1 + lambd * lr *
    step) ** alpha, and in the state `ax` the mean of p over the steps behind t0 (Polyak and Juditsky, 1992).
    params: tensors, (name, tensor) pairs or groups. lr: first learning rate (1e-2). lambd: decay of p and of eta
    (1e-4).
    alpha: power of eta's fall (0.75). t0: step at which the mean begins (1e6); up to it `ax` is p.
    weight_decay: this times p is added to the gradient (0). maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for a negative lr or weight_decay.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.ASGD([x], lr=0.1).step()
    >>> x
    tensor([0.8000, 0.8000], requires_grad=True)"""

    _recorded = recorded(differentiable.asgd)

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
        super().__init__(params, options(locals(), order, lr=rate, weight_decay=not_negative("weight_decay")))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, lambd, decay, maximize = number(group["lr"]), group["lambd"], group["weight_decay"], group["maximize"]
        fresh = {"step": scalar(0.0), "eta": scalar(lr), "mu": scalar(1.0), "ax": zeros}
        for _, array, gradient, state in self._each(group, **fresh):
            count = advance(state)
            eta, mu = float(state["eta"]._array), float(state["mu"]._array)
            arrays = [array, gradient, state["ax"]._array]
            step = asgd(decays=bool(decay), maximize=maximize, first=mu == 1)
            yield step, arrays, (decay, 1 - lambd * eta, -eta, mu)
            state["eta"] = wrap(np.array(lr / (1 + lambd * lr * count) ** group["alpha"], scalar_dtype()))
            state["mu"] = wrap(np.array(1 / max(1, count - group["t0"]), scalar_dtype()))
