"""Adadelta."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import differentiable
from .differentiable import recorded
from .formula import ascent, in_one_pass
from .optimizer import Optimizer, advance, bounded, not_negative, number, options, rate, scalar, zeros

__all__ = ["Adadelta"]


@in_one_pass
def adadelta(x, g, v, d, decay, rho, rest, eps, rate, *, decays, maximize):
    g = ascent(x, g, decay, decays, maximize)
    v = v.mean_square(g, rho, rest)
    delta = (d + eps).sqrt() / (v + eps).sqrt() * g
    return x.plus(delta, rate), None, v, d.mean_square(delta, rho, rest)


class Adadelta(Optimizer):
    """Steps that need no learning rate: p -= lr * g * sqrt(d + eps) / sqrt(v + eps), with the running means d of
    squared steps and v of squared gradients (Zeiler, "ADADELTA: an adaptive learning rate method", 2012).
    params: tensors, (name, tensor) pairs or groups. lr: factor of all steps (1.0). rho: share of the means that is kept
    each step, in [0, 1] (0.9). eps: first size of steps, against division by 0 (1e-6). weight_decay: this times p is
    added to the gradient (0). maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for options out of bounds.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Adadelta([x]).step()
    >>> x
    tensor([0.9968, 0.9968], requires_grad=True)"""

    _recorded = recorded(differentiable.adadelta)

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr rho eps weight_decay maximize capturable foreach differentiable"
        share = bounded("Invalid rho value", lambda value: 0.0 <= value <= 1.0)
        checks = {
            "lr": rate,
            "rho": share,
            "eps": not_negative("epsilon"),
            "weight_decay": not_negative("weight_decay"),
        }
        super().__init__(params, options(locals(), order, **checks))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, rho, eps = number(group["lr"]), group["rho"], group["eps"]
        decay, maximize = group["weight_decay"], group["maximize"]
        step = adadelta(decays=bool(decay), maximize=maximize)
        for _, array, gradient, state in self._each(group, step=scalar(0.0), square_avg=zeros, acc_delta=zeros):
            advance(state)
            arrays = [array, gradient, state["square_avg"]._array, state["acc_delta"]._array]
            yield step, arrays, (decay, rho, 1 - rho, eps, -lr)
