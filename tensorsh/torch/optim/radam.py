"""RAdam."""

from __future__ import annotations

from typing import Any

from .arithmetic import addcmul, lerp, pieces, plus, root
from .optimizer import Optimizer, advance, check_betas, check_lr, number, scalar, zeros

__all__ = ["RAdam"]


class RAdam(Optimizer):
    """Adam whose first steps are rectified for the variance of their scale."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, (beta1, beta2), eps = number(group["lr"]), group["betas"], group["eps"]
        decay, maximize = group["weight_decay"], group["maximize"]
        for _, array, gradient, state in self._each(group, step=scalar(0.0), exp_avg=zeros, exp_avg_sq=zeros):
            step = advance(state)
            correction1, correction2 = 1 - beta1**step, 1 - beta2**step
            longest = 2 / (1 - beta2) - 1
            length = longest - 2 * step * beta2**step / correction2
            for x, g, m, v in pieces(array, gradient, state["exp_avg"]._array, state["exp_avg_sq"]._array):
                kind = x.dtype.type
                g = -g if maximize else g
                if decay:
                    if group["decoupled_weight_decay"]:
                        x *= kind(1 - lr * decay)
                    else:
                        g = plus(g, x, decay)
                lerp(m, g, 1 - beta1)
                v *= kind(beta2)
                addcmul(v, g, g, 1 - beta2)
                change = m / kind(correction1)
                change *= kind(lr)
                if length > 5.0:
                    rectified = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
                    # A number over a tensor is the tensor's reciprocal times the number.
                    scale = kind(1) / root(v, eps)
                    scale *= kind(correction2**0.5)
                    change *= scale
                    change *= kind(rectified**0.5)
                x -= change
