"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import differentiable
from .differentiable import recorded
from .formula import ascent, in_one_pass, share
from .optimizer import Optimizer, advance, not_negative, number, options, rate, scalar, zeros

__all__ = ["RMSprop"]


@in_one_pass
def plain(x, g, v, decay, alpha, rest, eps, rate, *, decays, maximize):
    g = ascent(x, g, decay, decays, maximize)
    v = v.mean_square(g, alpha, rest)
    return x + g * rate / (v.sqrt() + eps), None, v


@in_one_pass
def centred(x, g, v, mean, decay, alpha, rest, weight, eps, rate, *, decays, maximize, far):
    g = ascent(x, g, decay, decays, maximize)
    v, mean = v.mean_square(g, alpha, rest), mean.towards(g, weight, far)
    return x + g * rate / (v.plus(-mean, mean).sqrt() + eps), None, v, mean


@in_one_pass
def rolling(x, g, v, m, decay, alpha, rest, eps, rate, momentum, *, decays, maximize):
    g = ascent(x, g, decay, decays, maximize)
    v = v.mean_square(g, alpha, rest)
    m = m * momentum + g / (v.sqrt() + eps)
    return x.plus(m, rate), None, v, m


@in_one_pass
def both(x, g, v, mean, m, decay, alpha, rest, weight, eps, rate, momentum, *, decays, maximize, far):
    g = ascent(x, g, decay, decays, maximize)
    v, mean = v.mean_square(g, alpha, rest), mean.towards(g, weight, far)
    m = m * momentum + g / (v.plus(-mean, mean).sqrt() + eps)
    return x.plus(m, rate), None, v, mean, m


class RMSprop(Optimizer):
    """Steps divided by the root of a running mean of squared gradients: p -= lr * g / (sqrt(v) + eps) (Hinton, "Neural
    networks for machine learning", lecture 6, 2012).
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-2).
    alpha: share of the mean that is kept each step (0.99). eps: against division by 0 (1e-8). weight_decay: this times
    p is added to the gradient (0). momentum: share of the last step that is kept (0). centered: subtract the squared
    mean of gradients from v (False) (Graves, 2013). maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for negative options.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.RMSprop([x], lr=0.01).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.rmsprop)

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        names = {"eps": "epsilon", "momentum": "momentum", "weight_decay": "weight_decay", "alpha": "alpha"}
        checks = {name: not_negative(words) for name, words in names.items()}
        super().__init__(params, options(locals(), order, lr=rate, **checks))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, alpha, decay, momentum = number(group["lr"]), group["alpha"], group["weight_decay"], group["momentum"]
        centered, maximize, eps = bool(group["centered"]), group["maximize"], group["eps"]
        fresh: dict[str, Any] = {"step": scalar(0.0), "square_avg": zeros}
        if momentum > 0:
            fresh["momentum_buffer"] = zeros
        if centered:
            fresh["grad_avg"] = zeros
        settings: dict[str, Any] = {"decays": bool(decay), "maximize": maximize}
        if centered:
            settings["far"] = 1 - alpha >= 0.5
        step = (
            (both if momentum > 0 else centred)(**settings)
            if centered
            else (rolling if momentum > 0 else plain)(**settings)
        )
        kept = ["square_avg", *["grad_avg"] * centered, *["momentum_buffer"] * (momentum > 0)]
        for _, array, gradient, state in self._each(group, **fresh):
            advance(state)
            arrays = [array, gradient, *[state[name]._array for name in kept]]
            weight = (share(1 - alpha, array.dtype),) * centered
            yield step, arrays, (decay, alpha, 1 - alpha, *weight, eps, -lr, *(momentum,) * (momentum > 0))
