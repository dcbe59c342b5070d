"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import kernels
from ...engine.arrays.state import state as engine
from . import differentiable
from .arithmetic import Launches, axpy, check_fused, in_one_pass, pieces, plus
from .differentiable import recorded
from .optimizer import Optimizer, bounded, number, one_element, options, zeros

__all__ = ["SGD"]


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

    def _update(self, group: dict) -> None:
        lr, decay, momentum = number(group["lr"]), number(group["weight_decay"]), group["momentum"]
        share, nesterov, maximize = 1 - group["dampening"], group["nesterov"], group["maximize"]
        sign = -1.0 if maximize else 1.0
        launches = Launches()
        name = "momentum_step" if momentum else "sgd_step"
        kernel = None if engine.threads > 1 else kernels.kernel(name)
        if not momentum:
            for p in group["params"]:
                if p._grad is None:
                    continue
                array, gradient = p._array, p._grad._array
                if type(array) is not np.ndarray and launches.take("SGD", [array, gradient], decay, sign, lr):
                    pass
                elif kernel is not None and kernel(array, gradient, -lr, decay, sign) is not None:
                    pass
                elif in_one_pass(name, [array, gradient], -lr, decay, sign):
                    pass
                elif not decay and not maximize:
                    axpy(array, gradient, -lr)
                else:
                    for x, g in pieces(array, gradient):
                        g = -g if maximize else g
                        axpy(x, plus(g, x, decay) if decay else g, -lr)
                p._bump()
            launches.run()
            return
        for p in group["params"]:
            gradient = p._grad
            if gradient is None:
                continue
            state = self.state[p]
            buffer = state.get("momentum_buffer")
            first = buffer is None
            if first:
                buffer = state["momentum_buffer"] = zeros(p)
            arrays = [p._array, gradient._array, buffer._array]
            rates = (0.0, 1.0) if first else (momentum, share)
            if type(arrays[0]) is not np.ndarray and launches.take(
                "MOMENTUM", arrays, decay, sign, lr, *rates, momentum if nesterov else 0.0
            ):
                p._bump()
                continue
            numbers = (-lr, decay, sign, momentum, share, nesterov)
            taken = not first and kernel is not None and kernel(*arrays, *numbers) is not None
            if taken or not first and in_one_pass(name, arrays, *numbers):
                p._bump()
                continue
            for x, g, m in pieces(*arrays):
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                if first:
                    m[...] = g
                else:
                    m *= m.dtype.type(momentum)
                    axpy(m, g, share)
                axpy(x, plus(g, m, momentum) if nesterov else m, -lr)
            p._bump()
        launches.run()
