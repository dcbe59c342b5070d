"""Adadelta."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import addcmul, axpy, pieces, plus
from .optimizer import Optimizer, advance, check_lr, number, scalar, zeros

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Steps scaled by running means of squared steps over those of squared gradients."""

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        for name, value in (("epsilon", eps), ("weight_decay", weight_decay)):
            if not 0.0 <= value:
                raise ValueError(f"Invalid {name} value: {value}")
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "capturable": capturable,
            "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, rho, eps = number(group["lr"]), group["rho"], group["eps"]
        decay, maximize = group["weight_decay"], group["maximize"]
        for _, array, gradient, state in self._each(group, step=scalar(0.0), square_avg=zeros, acc_delta=zeros):
            advance(state)
            for x, g, v, d in pieces(array, gradient, state["square_avg"]._array, state["acc_delta"]._array):
                kind = x.dtype.type
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                v *= kind(rho)
                addcmul(v, g, g, 1 - rho)
                delta = np.sqrt(d + kind(eps))
                delta /= np.sqrt(v + kind(eps))
                delta *= g
                d *= kind(rho)
                addcmul(d, delta, delta, 1 - rho)
                axpy(x, delta, -lr)
