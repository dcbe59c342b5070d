"""RMSprop."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from .arithmetic import addcdiv, addcmul, axpy, lerp, pieces, plus, root
from .optimizer import Optimizer, advance, check, number, scalar, zeros

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """Steps divided by the root of a running mean of squared gradients."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        check(epsilon_value=eps, momentum_value=momentum)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        check(alpha_value=alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered, "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, alpha, decay, momentum = number(group["lr"]), group["alpha"], group["weight_decay"], group["momentum"]
        centered, maximize, eps = group["centered"], group["maximize"], group["eps"]
        fresh: dict[str, Any] = {"step": scalar(0.0), "square_avg": zeros}
        if momentum > 0:
            fresh["momentum_buffer"] = zeros
        if centered:
            fresh["grad_avg"] = zeros
        for _, array, gradient, state in self._each(group, **fresh):
            advance(state)
            # A mean or a momentum that is not wanted is stood in for by the squares, and not touched.
            squares = state["square_avg"]._array
            mean = state["grad_avg"]._array if centered else squares
            buffer = state["momentum_buffer"]._array if momentum > 0 else squares
            for x, g, v, a, m in pieces(array, gradient, squares, mean, buffer):
                kind = x.dtype.type
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                v *= kind(alpha)
                addcmul(v, g, g, 1 - alpha)
                if centered:
                    lerp(a, g, 1 - alpha)
                    v = v.copy()
                    addcmul(v, a, a, -1)
                average = root(v, eps)
                if momentum > 0:
                    m *= kind(momentum)
                    m += g / average
                    axpy(x, m, -lr)
                else:
                    addcdiv(x, g, average, -lr)
