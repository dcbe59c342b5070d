"""RAdam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import differentiable
from .differentiable import recorded
from .formula import decayed, in_one_pass, share, shrinking
from .optimizer import Optimizer, advance, below_one, not_negative, number, options, rate, scalar, zeros

__all__ = ["RAdam"]


@in_one_pass
def radam(
    x, g, m, v, decay, weight, beta2, less2, eps, correction, rate, scale, rectified, *, decays, decoupled, maximize,
    far, rectifies,
):  # fmt: skip
    x, g = decayed(x, g, decay, decays, decoupled, maximize)
    m, v = m.towards(g, weight, far), v.mean_square(g, beta2, less2)
    change = m / correction * rate
    if rectifies:  # a number over a tensor is the tensor's reciprocal times the number
        change = change * ((v.sqrt() + eps).reciprocal() * scale) * rectified
    return x - change, None, m, v


class RAdam(Optimizer):
    """Adam whose first steps are rectified for the variance of their scale: while too few squares have been seen (5
    steps with the default betas) it is SGD with momentum (Liu and others, "On the variance of the adaptive learning
    rate and beyond", 2019).
    params: tensors, (name, tensor) pairs or groups. lr: learning rate (1e-3). betas: shares of the running means that
    are kept each step ((0.9, 0.999)). eps: against division by 0 (1e-8). weight_decay: this times p is added to the
    gradient (0), or with decoupled_weight_decay lr times this shrinks p (False). maximize: climb instead of descend
    (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for negative options and betas outside [0, 1).
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.RAdam([x], lr=0.1).step()
    >>> x
    tensor([0.8000, 0.8000], requires_grad=True)"""

    _recorded = recorded(differentiable.radam)

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        order = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
        checks = {"eps": not_negative("epsilon"), "betas": below_one, "weight_decay": not_negative("weight_decay")}
        super().__init__(params, options(locals(), order, lr=rate, **checks))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, (beta1, beta2), eps = number(group["lr"]), group["betas"], group["eps"]
        factor, settings = shrinking(group, lr)
        for _, array, gradient, state in self._each(group, step=scalar(0.0), exp_avg=zeros, exp_avg_sq=zeros):
            count = advance(state)
            correction1, correction2 = 1 - beta1**count, 1 - beta2**count
            longest = 2 / (1 - beta2) - 1
            length = longest - 2 * count * beta2**count / correction2
            rectified = 0.0
            if length > 5.0:
                rectified = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            arrays = [array, gradient, state["exp_avg"]._array, state["exp_avg_sq"]._array]
            weight = share(1 - beta1, array.dtype)
            numbers = (factor, weight, beta2, 1 - beta2, eps, correction1, lr, correction2**0.5, rectified**0.5)
            yield radam(**settings, far=1 - beta1 >= 0.5, rectifies=bool(rectified)), arrays, numbers
