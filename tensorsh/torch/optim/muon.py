"""Muon."""

from __future__ import annotations

import math
from typing import Any

from ...engine.modes import no_grad
from ...engine.tensor import Tensor, wrap
from ..nn.reach import T
from .optimizer import Optimizer, number

__all__ = ["Muon"]


def orthogonalized(update: Tensor, coefficients: tuple, steps: int, eps: float) -> Tensor:
    """A matrix with its singular values brought near 1, by a polynomial applied several times (Newton and Schulz)."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if update.ndim != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = update.shape[0] > update.shape[1]
    x = update.bfloat16()
    x = x.T if tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = T.addmm(x, T.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


class Muon(Optimizer):
    """Momentum, made orthogonal before each step; for matrices only."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple = (3.4445, -4.775, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def _update(self, group: dict) -> None:
        lr, momentum = number(group["lr"]), group["momentum"]
        fresh = {"momentum_buffer": lambda p: T.zeros_like(p.grad)}
        with no_grad():
            for p, _, gradient, state in self._each(group, **fresh):
                if p.is_complex():
                    raise RuntimeError("Muon does not support complex parameters")
                grad, buffer = wrap(gradient), state["momentum_buffer"]
                buffer.lerp_(grad, 1 - momentum)
                update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
                update = orthogonalized(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
                rows, columns = p.shape
                if group["adjust_lr_fn"] == "match_rms_adamw":
                    ratio = 0.2 * math.sqrt(max(rows, columns))
                else:
                    ratio = math.sqrt(max(1, rows / columns))
                data = p.detach()
                data.mul_(1 - lr * group["weight_decay"])
                data.add_(update, alpha=-lr * ratio)


Muon.__module__ = "torch.optim"
