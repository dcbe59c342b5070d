"""NAdam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import differentiable
from .differentiable import recorded
from .formula import decayed, in_one_pass, share, shrinking
from .optimizer import Optimizer, advance, below_one, not_negative, number, options, rate, scalar, zeros

__all__ = ["NAdam"]


@in_one_pass
def nadam(x, g, m, v, decay, weight, beta2, less2, correction, eps, rate, ahead, *, decays, decoupled, maximize, far):
    x, g = decayed(x, g, decay, decays, decoupled, maximize)
    m, v = m.towards(g, weight, far), v.mean_square(g, beta2, less2)
    root = (v / correction).sqrt() + eps
    return x + g * rate / root + m * ahead / root, None, m, v


class NAdam(Optimizer):
    """Adam with Nesterov's momentum: a step takes the next mean of gradients, as far as it is known (Dozat,
    "Incorporating Nesterov momentum into Adam", 2016). The momentum grows towards beta1 as 1 - 0.96 ** (step *
    momentum_decay) / 2.
    params: tensors, (name, tensor) pairs or groups. lr: learning rate (2e-3). betas: shares of the running means that
    are kept each step ((0.9, 0.999)). eps: against division by 0 (1e-8). weight_decay: this times p is added to the
    gradient (0), or with decoupled_weight_decay lr times this shrinks p (False). momentum_decay: see above (4e-3).
    maximize: climb (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for negative options and betas outside [0, 1).
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.NAdam([x], lr=0.1).step()
    >>> x
    tensor([0.8944, 0.8944], requires_grad=True)"""

    _recorded = recorded(differentiable.nadam)

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        order = (
            "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable differentiable"
        )
        checks = {"eps": not_negative("epsilon"), "betas": below_one}
        checks |= {each: not_negative(each) for each in ("weight_decay", "momentum_decay")}
        super().__init__(params, options(locals(), order, lr=rate, **checks))

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, (beta1, beta2), eps = number(group["lr"]), group["betas"], group["eps"]
        slowing = group["momentum_decay"]
        fresh = {"step": scalar(0.0), "mu_product": scalar(1.0), "exp_avg": zeros, "exp_avg_sq": zeros}
        factor, settings = shrinking(group, lr)
        step = nadam(**settings, far=1 - beta1 >= 0.5)
        for _, array, gradient, state in self._each(group, **fresh):
            count = advance(state)
            correction = 1 - beta2**count
            mu = beta1 * (1.0 - 0.5 * 0.96 ** (count * slowing))
            mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((count + 1) * slowing))
            running = state["mu_product"]._array
            running *= running.dtype.type(mu)
            product = float(running)
            rate, ahead = lr * (1.0 - mu) / (1.0 - product), lr * mu_next / (1.0 - product * mu_next)
            arrays = [array, gradient, state["exp_avg"]._array, state["exp_avg_sq"]._array]
            weight = share(1 - beta1, array.dtype)
            yield step, arrays, (factor, weight, beta2, 1 - beta2, correction, eps, -rate, -ahead)
