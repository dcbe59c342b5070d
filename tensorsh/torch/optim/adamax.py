"""Adamax."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import addcdiv, lerp, pieces, plus
from .optimizer import Optimizer, advance, check_betas, check_lr, number, scalar, zeros

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adam with the largest gradient in the place of the mean of squares."""

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, (beta1, beta2), eps = number(group["lr"]), group["betas"], group["eps"]
        decay, maximize = group["weight_decay"], group["maximize"]
        for _, array, gradient, state in self._each(group, step=scalar(0.0), exp_avg=zeros, exp_inf=zeros):
            rate = lr / (1 - beta1 ** advance(state))
            for x, g, m, most in pieces(array, gradient, state["exp_avg"]._array, state["exp_inf"]._array):
                kind = x.dtype.type
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                lerp(m, g, 1 - beta1)
                most *= kind(beta2)
                np.maximum(most, np.abs(g) + kind(eps), out=most)
                addcdiv(x, m, most, -rate)
