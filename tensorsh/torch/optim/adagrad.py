"""Adagrad."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine.tensors.tensor import Tensor
from ..nn.reach import T
from . import differentiable
from .arithmetic import check_fused
from .differentiable import recorded
from .formula import ascent, in_one_pass
from .optimizer import Optimizer, advance, not_negative, number, options, rate, scalar

__all__ = ["Adagrad"]


@in_one_pass
def adagrad(x, g, total, decay, eps, rate, *, decays, maximize):
    g = ascent(x, g, decay, decays, maximize)
    total = total.plus(g, g)
    return x + g * rate / (total.sqrt() + eps), None, total


class Adagrad(Optimizer):
    """Steps that fall with all gradients so far: p -= lr / (1 + (step - 1) * lr_decay) * g / (sqrt(sum of g ** 2) +
    eps) (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011). Sparse gradients are taken, too.
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-2).
    lr_decay: see above (0). weight_decay: this times p is added to the gradient (0). initial_accumulator_value: first
    value of the sum (0).
    eps: against division by 0 (1e-10). maximize: climb instead of descend (False).
    foreach, fused, differentiable: PyTorch's ways to compute the same, accepted (None, None, False), fused excluding
    both others.
    ValueError for negative options.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Adagrad([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.adagrad)

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        order = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
        checks = {each: not_negative(each) for each in ("lr_decay", "weight_decay", "initial_accumulator_value")}
        super().__init__(params, options(locals(), order, lr=rate, **checks, eps=not_negative("epsilon")))
        check_fused(self.defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(step=scalar(0.0)(p), sum=self._start(p))

    def _start(self, p: Tensor) -> Tensor:
        start = self.defaults["initial_accumulator_value"]
        return T.full_like(p.detach(), complex(start, start) if p.is_complex() else start)

    def share_memory(self) -> None:
        """Nothing to do in one process."""

    def _update_sparse(self, group: dict, params: list) -> None:
        from .sparse_adam import adagrad

        for p in params:
            adagrad(p, self.state[p], group)

    def _update(self, group: dict) -> Iterator[tuple]:
        lr, decay, maximize = number(group["lr"]), group["weight_decay"], group["maximize"]
        step = adagrad(decays=bool(decay), maximize=maximize)
        for _, array, gradient, state in self._each(group, step=scalar(0.0), sum=self._start):
            rate = lr / (1 + (advance(state) - 1) * group["lr_decay"])
            arrays = [array, gradient, state["sum"]._array]
            yield step, arrays, (decay, group["eps"], -rate)
