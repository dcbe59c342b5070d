"""Adamax."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import differentiable
from .differentiable import recorded
from .formula import ascent, in_one_pass, share
from .optimizer import Optimizer, advance, below_one, not_negative, number, options, rate, scalar, zeros

__all__ = ["Adamax"]


@in_one_pass
def adamax(x, g, m, most, decay, weight, beta2, eps, rate, *, decays, maximize, far):
    g = ascent(x, g, decay, decays, maximize)
    m = m.towards(g, weight, far)
    most = (most * beta2).at_least(abs(g) + eps)
    return x + m * rate / most, None, m, most


class Adamax(Optimizer):
    """Adam with the largest gradient in the place of the mean of squares: p -= lr / (1 - beta1 ** step) * m / u, with u
    = max(beta2 * u, abs(g) + eps) (Kingma and Ba, "Adam: a method for stochastic optimization", 2014).
    params: tensors, (name, tensor) pairs or groups. lr: learning rate (2e-3). betas: shares of m and u that are kept
    each step ((0.9, 0.999)). eps: against division by 0 (1e-8). weight_decay: this times p is added to the gradient
    (0).
    maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for negative options and betas outside [0, 1).
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Adamax([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.adamax)

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr betas eps weight_decay foreach maximize differentiable capturable"
        checks = {"eps": not_negative("epsilon"), "betas": below_one, "weight_decay": not_negative("weight_decay")}
        super().__init__(params, options(locals(), order, lr=rate, **checks))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, (beta1, beta2), eps = number(group["lr"]), group["betas"], group["eps"]
        decay, maximize = group["weight_decay"], group["maximize"]
        step = adamax(decays=bool(decay), maximize=maximize, far=1 - beta1 >= 0.5)
        for _, array, gradient, state in self._each(group, step=scalar(0.0), exp_avg=zeros, exp_inf=zeros):
            rate = lr / (1 - beta1 ** advance(state))
            arrays = [array, gradient, state["exp_avg"]._array, state["exp_inf"]._array]
            yield step, arrays, (decay, share(1 - beta1, array.dtype), beta2, eps, -rate)
