"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine.tensors.tensor import Tensor
from . import differentiable
from .arithmetic import check_fused
from .differentiable import recorded
from .formula import decayed, in_one_pass, share, shrinking
from .optimizer import Optimizer, advance, below_one, not_negative, number, options, rate, scalar, zeros

__all__ = ["Adam", "AdamW"]


@in_one_pass
def adam(x, g, m, v, decay, weight, beta2, less2, correction, eps, rate, *, decays, decoupled, maximize, far):
    x, g = decayed(x, g, decay, decays, decoupled, maximize)
    m, v = m.towards(g, weight, far), v.mean_square(g, beta2, less2)
    return x + m * rate / (v.sqrt() / correction + eps), None, m, v


@in_one_pass
def amsgrad(x, g, m, v, most, decay, weight, beta2, less2, correction, eps, rate, *, decays, decoupled, maximize, far):
    x, g = decayed(x, g, decay, decays, decoupled, maximize)
    m, v = m.towards(g, weight, far), v.mean_square(g, beta2, less2)
    most = most.at_least(v)
    return x + m * rate / (most.sqrt() / correction + eps), None, m, v, most


class Adam(Optimizer):
    """Adaptive moments (Kingma and Ba, "Adam: a method for stochastic optimization", 2014): p -= lr * m / (sqrt(v) +
    eps), with the running means m of gradients and v of their squares, divided by 1 - beta ** step because they start
    from 0.
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-3).
    betas: shares of m and v that are kept each step ((0.9, 0.999)), two floats or two tensors. eps: against division by
    0 (1e-8).
    weight_decay: this times p is added to the gradient (0). decoupled_weight_decay: shrink p by lr * weight_decay
    instead, as AdamW does (False). amsgrad: use the largest v so far (False) (Reddi, Kale and Kumar, 2018). maximize:
    climb (False).
    foreach, fused, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, None, False, False).
    ValueError for negative options and betas outside [0, 1), RuntimeError for fused with foreach or differentiable, and
    for sparse gradients.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Adam([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.adam)

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        order = (
            "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay"
        )
        checks = {
            "lr": rate,
            "eps": not_negative("epsilon"),
            "betas": below_one,
            "weight_decay": not_negative("weight_decay"),
        }
        defaults = options(locals(), order, **checks)
        if not all(isinstance(b, Tensor) for b in betas) and not all(isinstance(b, float) for b in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if isinstance(beta, Tensor) and foreach and not capturable:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            if isinstance(beta, Tensor) and beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
        super().__init__(params, defaults | {"betas": tuple(betas)})
        check_fused(self.defaults)

    def _update_sparse(self, group: dict, params: list) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, eps, largest = number(group["lr"]), group["eps"], group["amsgrad"]
        beta1, beta2 = map(number, group["betas"])
        fresh = {"step": scalar(0.0), "exp_avg": zeros, "exp_avg_sq": zeros}
        if largest:
            fresh["max_exp_avg_sq"] = zeros
        factor, settings = shrinking(group, lr)
        step = (amsgrad if largest else adam)(**settings, far=1 - beta1 >= 0.5)
        last = None
        for _, array, gradient, state in self._each(group, **fresh):
            count = advance(state)
            if count != last:  # the parameters of a group have taken as many steps, as a rule
                last = count
                rate, correction = lr / (1 - beta1**count), (1 - beta2**count) ** 0.5
            arrays = [array, gradient, state["exp_avg"]._array, state["exp_avg_sq"]._array]
            if largest:
                arrays.append(state["max_exp_avg_sq"]._array)
            yield step, arrays, (factor, share(1 - beta1, array.dtype), beta2, 1 - beta2, correction, eps, -rate)


class AdamW(Adam):
    """Adam whose weight decay goes past the gradient's means: p shrinks by lr * weight_decay * p before each step
    (Loshchilov and Hutter, "Decoupled weight decay regularization", 2017).
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-3).
    betas: shares of the running means that are kept each step ((0.9, 0.999)). eps: against division by 0 (1e-8).
    weight_decay: see above (1e-2). amsgrad: use the largest mean of squares so far (False). maximize: climb (False).
    foreach, fused, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, None, False, False).
    ValueError for negative options and betas outside [0, 1).
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.AdamW([x], lr=0.1).step()
    >>> x
    tensor([0.8990, 0.8990], requires_grad=True)"""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2,
        amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


AdamW.__module__ = "torch.optim.adamw"
