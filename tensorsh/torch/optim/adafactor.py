"""Adafactor."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.graph.fields import wrap
from ...engine.tape.grad_modes import no_grad
from ..nn.reach import T
from .optimizer import Optimizer, advance, bounded, number, one_element, options, scalar

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Adaptive steps in little memory: squares of a matrix's gradients are kept as running means of rows and of columns
    only, not for each element (Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost",
    2018).
    params: tensors, (name, tensor) pairs or groups. lr: largest learning rate, reduced to 1 / sqrt(step) and multiplied
    by the parameter's root mean square (1e-2). beta2_decay: the means keep 1 - step ** beta2_decay (-0.8). eps: least
    mean of squares (None: the dtype's step at 1) and least root mean square of the parameter ((None, 1e-3)). d: updates
    whose root mean square exceeds this are scaled down (1.0). weight_decay: p shrinks by lr times this before each step
    (0).
    maximize: climb instead of descend (False). foreach: PyTorch's way to compute the same, accepted (None).
    ValueError for options out of bounds, RuntimeError for complex parameters.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Adafactor([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    def __init__(
        self, params: Any, lr: Any = 1e-2, beta2_decay: float = -0.8, eps: tuple = (None, 1e-3), d: float = 1.0,
        weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        def epsilons(eps: tuple) -> None:
            if eps[0] is not None:
                bounded("epsilon1 should be >= 0 but is")(eps[0])
            bounded("epsilon2 should be >= 0 but is")(eps[1])

        one_element(lr)
        checks = {
            "lr": bounded("Learning rate should be >= 0 but is"),
            "beta2_decay": bounded("beta2_decay should be <= 0 but is", lambda value: 0.0 >= value),
            "eps": epsilons,
            "d": bounded("Clipping threshold d should be >= 1 but is", lambda value: 1.0 <= value),
            "weight_decay": bounded("weight_decay should be >= 0 but is"),
        }
        super().__init__(params, options(locals(), "lr beta2_decay eps d weight_decay foreach maximize", **checks))

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
