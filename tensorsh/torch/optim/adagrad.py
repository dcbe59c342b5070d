"""Adagrad."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from ..nn.reach import T
from .arithmetic import addcdiv, addcmul, pieces, plus, root
from .optimizer import Optimizer, advance, check_lr, number, scalar

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        for name, value in (
            ("lr_decay", lr_decay), ("weight_decay", weight_decay),
            ("initial_accumulator_value", initial_accumulator_value), ("epsilon", eps),
        ):  # fmt: skip
            if not 0.0 <= value:
                raise ValueError(f"Invalid {name} value: {value}")
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(step=scalar(0.0)(p), sum=self._start(p))

    def _start(self, p: Tensor) -> Tensor:
        return T.full_like(p.detach(), self.defaults["initial_accumulator_value"])

    def share_memory(self) -> None:
        """Nothing to do in one process."""

    def _update_sparse(self, group: dict, params: list) -> None:
        from .sparse_adam import adagrad

        for p in params:
            adagrad(p, self.state[p], group)

    def _update(self, group: dict) -> None:
        lr, decay, maximize = number(group["lr"]), group["weight_decay"], group["maximize"]
        for _, array, gradient, state in self._each(group, step=scalar(0.0), sum=self._start):
            step = advance(state)
            rate = lr / (1 + (step - 1) * group["lr_decay"])
            for x, g, total in pieces(array, gradient, state["sum"]._array):
                g = -g if maximize else g
                g = plus(g, x, decay) if decay else g
                addcmul(total, g, g, 1)
                addcdiv(x, g, root(total, group["eps"]), -rate)
