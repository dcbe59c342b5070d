"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.tensor import wrap
from .arithmetic import axpy, pieces, plus
from .optimizer import Optimizer, advance, check_lr, number, scalar, scalar_dtype, zeros

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Gradient descent that also keeps the mean of the parameters over the steps, in the state `ax`."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, lambd, decay, maximize = number(group["lr"]), group["lambd"], group["weight_decay"], group["maximize"]
        fresh = {"step": scalar(0.0), "eta": scalar(lr), "mu": scalar(1.0), "ax": zeros}
        for _, array, gradient, state in self._each(group, **fresh):
            step = advance(state)
            eta, mu = float(state["eta"]._array), float(state["mu"]._array)
            for x, g, mean in pieces(array, gradient, state["ax"]._array):
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                x *= x.dtype.type(1 - lambd * eta)
                axpy(x, g, -eta)
                if mu == 1:
                    mean[...] = x
                else:
                    mean += (x - mean) * x.dtype.type(mu)
            state["eta"] = wrap(np.array(lr / (1 + lambd * lr * step) ** group["alpha"], scalar_dtype()))
            state["mu"] = wrap(np.array(1 / max(1, step - group["t0"]), scalar_dtype()))
