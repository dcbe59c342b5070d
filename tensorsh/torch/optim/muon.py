"""Muon."""

from __future__ import annotations

import math
from typing import Any

from ...engine.graph.fields import wrap
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.reach import T
from .optimizer import Optimizer, bounded, number, one_element, options

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
    """Momentum, made orthogonal before each step: the singular values of a matrix's momentum are brought near 1 by a
    polynomial applied several times (Jordan and others, "Muon: an optimizer for hidden layers in neural networks",
    2024).
    params: matrices, (name, matrix) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-3).
    weight_decay: p shrinks by lr times this before each step (0.1). momentum: share of the last steps that is kept
    (0.95).
    nesterov: Nesterov's momentum (True). ns_coefficients: the polynomial's, of x, x ** 3 and x ** 5 ((3.4445, -4.775,
    2.0315)).
    eps: least norm to divide by (1e-7). ns_steps: how often the polynomial is applied, below 100 (5).
    adjust_lr_fn: 'original' (None) multiplies lr by sqrt(max(1, rows / columns)), 'match_rms_adamw' by
    0.2 * sqrt(max(rows, columns)).
    ValueError for negative options, for another adjust_lr_fn and for parameters that are no matrices.
    >>> x = torch.zeros(1, 2, requires_grad=True)
    >>> x.sum().backward()
    >>> optim.Muon([x], lr=0.1).step()
    >>> x.argmax(), x.shape
    (tensor(0), torch.Size([1, 2]))"""

    def __init__(
        self, params: Any, lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple = (3.4445, -4.775, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        one_element(lr)
        names = {"lr": "Learning rate", "momentum": "momentum", "weight_decay": "weight decay"}
        checks = {name: bounded(f"{words} should be >= 0 but is") for name, words in names.items()}
        order = "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn"
        defaults = options(locals(), order, **checks)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
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
