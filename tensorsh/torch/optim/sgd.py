"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import differentiable
from .arithmetic import check_fused
from .differentiable import recorded
from .formula import ascent, in_one_pass
from .optimizer import Optimizer, bounded, number, one_element, options, zeros

__all__ = ["SGD"]


@in_one_pass
def sgd(x, g, decay, rate, *, decays, maximize):
    return x.plus(ascent(x, g, decay, decays, maximize), rate), None


@in_one_pass
def rolled(x, g, m, decay, rate, momentum, part, *, decays, maximize, first, nesterov):
    g = ascent(x, g, decay, decays, maximize)
    m = +g if first else (m * momentum).plus(g, part)
    return x.plus(g.plus(m, momentum) if nesterov else m, rate), None, m


class SGD(Optimizer):
    """Stochastic gradient descent: p -= lr * g, with momentum b = momentum * b + (1 - dampening) * g in the place of g,
    b being g at first (Polyak, 1964), or with Nesterov's, g + momentum * b (Sutskever and others, 2013). Sparse
    gradients are taken, too.
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-3).
    momentum: share of the last step that is kept (0). dampening: see above (0). weight_decay: this times p is added to
    g (0).
    nesterov: Nesterov's momentum (False). maximize: climb instead of descend (False).
    foreach, fused, differentiable: PyTorch's ways to compute the same, accepted (None, None, False), fused excluding
    both others.
    ValueError for negative options and for nesterov without momentum or with dampening.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.SGD([x], lr=0.1).step()
    >>> x
    tensor([0.8000, 0.8000], requires_grad=True)"""

    _recorded = recorded(differentiable.sgd)

    def __init__(
        self, params: Any, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        def allowed(words: str) -> Callable:
            return bounded(words, lambda value: not value < 0.0)

        def nesterov_fits(nesterov: bool) -> None:
            if nesterov and (momentum <= 0 or dampening != 0):
                raise ValueError("Nesterov momentum requires a momentum and zero dampening")

        order = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
        one_element(lr)
        checks = {"lr": allowed("Invalid learning rate"), "momentum": allowed("Invalid momentum value")}
        checks |= {"weight_decay": allowed("Invalid weight_decay value"), "nesterov": nesterov_fits}
        super().__init__(params, options(locals(), order, **checks))
        check_fused(self.defaults)

    def _update_sparse(self, group: dict, params: list) -> None:
        from .sparse_adam import sgd

        for p in params:
            sgd(p, self.state[p], group)

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, decay, momentum = number(group["lr"]), number(group["weight_decay"]), group["momentum"]
        part, nesterov, maximize = 1 - group["dampening"], group["nesterov"], group["maximize"]
        settings = {"decays": bool(decay), "maximize": maximize}
        if not momentum:
            step = sgd(**settings)
            for p in group["params"]:
                if p._grad is None:
                    continue
                yield step, [p._array, p._grad._array], (decay, -lr)
                p._bump()
            return
        step = rolled(**settings, first=False, nesterov=nesterov)
        for p in group["params"]:
            gradient = p._grad
            if gradient is None:
                continue
            state = self.state[p]
            buffer = state.get("momentum_buffer")
            first = buffer is None
            if first:
                buffer = state["momentum_buffer"] = zeros(p)
            run = rolled(**settings, first=True, nesterov=nesterov) if first else step
            yield run, [p._array, gradient._array, buffer._array], (decay, -lr, momentum, part)
            p._bump()
