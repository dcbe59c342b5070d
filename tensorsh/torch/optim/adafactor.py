"""Adafactor."""

from __future__ import annotations

from typing import Any

from ...engine.dtype import finfo
from ...engine.modes import no_grad
from ...engine.tensor import Tensor, wrap
from ..nn.reach import T
from .optimizer import Optimizer, advance, number, scalar

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Steps scaled by running means of squares that are kept for rows and columns only, not for each element."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, beta2_decay: float = -0.8, eps: tuple = (None, 1e-3), d: float = 1.0,
        weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        lr, (eps1, eps2) = number(group["lr"]), group["eps"]
        with no_grad():
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.is_complex():
                    raise RuntimeError("Adafactor does not support complex parameters")
                self._step_one(group, p, lr, finfo(p.dtype).eps if eps1 is None else eps1, eps2)
                p._bump()

    def _step_one(self, group: dict, p: Any, lr: float, eps1: float, eps2: float) -> None:
        state, grad, data = self.state[p], wrap(p.grad._array), p.detach()
        if not state:
            state["step"] = scalar(0.0)(p)
            if grad.ndim > 1:
                state["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
                state["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
            else:
                state["variance"] = T.zeros_like(grad)
        if group["maximize"]:
            grad = -grad
        step = advance(state)
        weight = step ** group["beta2_decay"]
        scale = max(eps2, data.norm(2).item() / data.numel() ** 0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"]:
            data.mul_(1 - lr * group["weight_decay"])
        if grad.ndim > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(grad.norm(dim=-1, keepdim=True).square_().div_(grad.shape[-1]), weight)
            columns.lerp_(grad.norm(dim=-2, keepdim=True).square_().div_(grad.shape[-2]), weight)
            variance = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = state["variance"].lerp_(grad * grad, weight).clone()
        update = variance.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        clip = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
        data.add_(update, alpha=-scale / clip)


Adafactor.__module__ = "torch.optim"
