"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.tensor import Tensor, wrap
from .arithmetic import axpy, in_one_pass, pieces, plus
from .optimizer import Optimizer, number

__all__ = ["SGD"]


class SGD(Optimizer):
    """``p -= lr * g``, with momentum, Nesterov's momentum and weight decay."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        if fused and differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _update_sparse(self, group: dict, params: list) -> None:
        from .sparse_adam import sgd

        for p in params:
            sgd(p, self.state[p], group)

    def _update(self, group: dict) -> None:
        lr, decay, momentum = number(group["lr"]), number(group["weight_decay"]), group["momentum"]
        share, nesterov, maximize = 1 - group["dampening"], group["nesterov"], group["maximize"]
        sign = -1.0 if maximize else 1.0
        steps: Any = None
        if not momentum:
            for p in group["params"]:
                gradient = p._grad
                if gradient is None:
                    continue
                if type(p._array) is not np.ndarray:
                    from ...engine.cuda import optimizer

                    steps = steps or optimizer.Steps()
                    steps.add(optimizer.SGD, [p._array, gradient._array], lr, decay, sign)
                elif in_one_pass("sgd_step", [p._array, gradient._array], -lr, decay, sign):
                    pass
                elif not decay and not maximize:
                    axpy(p._array, gradient._array, -lr)
                else:
                    for x, g in pieces(p._array, gradient._array):
                        g = -g if maximize else g
                        axpy(x, plus(g, x, decay) if decay else g, -lr)
                p._bump()
            if steps is not None:
                steps.run()
            return
        for p in group["params"]:
            if p._grad is None:
                continue
            state = self.state[p]
            buffer = state.get("momentum_buffer")
            first = buffer is None
            if first:
                buffer = state["momentum_buffer"] = wrap(np.zeros_like(p._array))
            arrays = [p._array, p._grad._array, buffer._array]
            if type(p._array) is not np.ndarray:
                from ...engine.cuda import optimizer

                steps = steps or optimizer.Steps()
                rates = (0.0, 1.0) if first else (momentum, share)
                steps.add(optimizer.MOMENTUM, arrays, lr, decay, sign, *rates, momentum if nesterov else 0.0)
                p._bump()
                continue
            numbers = (-lr, decay, sign, momentum, share, nesterov)
            if not first and in_one_pass("momentum_step", arrays, *numbers):
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
        if steps is not None:
            steps.run()
