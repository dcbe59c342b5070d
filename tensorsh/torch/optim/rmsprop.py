"""RMSprop."""

from __future__ import annotations

from typing import Any

from . import differentiable
from .arithmetic import Launches, addcdiv, addcmul, axpy, lerp, pieces, plus, root
from .differentiable import recorded
from .optimizer import Optimizer, advance, not_negative, number, options, rate, scalar, zeros

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """Steps divided by the root of a running mean of squared gradients: p -= lr * g / (sqrt(v) + eps) (Hinton, "Neural
    networks for machine learning", lecture 6, 2012).
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-2).
    alpha: share of the mean that is kept each step (0.99). eps: against division by 0 (1e-8). weight_decay: this times
    p is added to the gradient (0). momentum: share of the last step that is kept (0). centered: subtract the squared
    mean of gradients from v (False) (Graves, 2013). maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for negative options.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.RMSprop([x], lr=0.01).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.rmsprop)

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        names = {"eps": "epsilon", "momentum": "momentum", "weight_decay": "weight_decay", "alpha": "alpha"}
        checks = {name: not_negative(words) for name, words in names.items()}
        super().__init__(params, options(locals(), order, lr=rate, **checks))

    def _update(self, group: dict) -> None:
        lr, alpha, decay, momentum = number(group["lr"]), group["alpha"], group["weight_decay"], group["momentum"]
        centered, maximize, eps = group["centered"], group["maximize"], group["eps"]
        fresh: dict[str, Any] = {"step": scalar(0.0), "square_avg": zeros}
        if momentum > 0:
            fresh["momentum_buffer"] = zeros
        if centered:
            fresh["grad_avg"] = zeros
        launches = Launches()
        for _, array, gradient, state in self._each(group, **fresh):
            advance(state)
            # A mean or a momentum that is not wanted is stood in for by the squares, and not touched.
            squares = state["square_avg"]._array
            mean = state["grad_avg"]._array if centered else squares
            buffer = state["momentum_buffer"]._array if momentum > 0 else squares
            kept = [squares, *([mean] if centered else []), *([buffer] if momentum > 0 else [])]
            kernel = "RMSPROP" + ("_BOTH" if len(kept) == 3 else "_CENTRED" * centered + "_MOMENTUM" * (momentum > 0))
            rates = (decay, -1.0 if maximize else 1.0, alpha, 1 - alpha, eps, lr, momentum)
            if launches.take(kernel, [array, gradient, *kept], *rates):
                continue
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
        launches.run()
