"""SparseAdam, and the steps of other optimizers by sparse gradients: only the rows change that a gradient has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from .optimizer import Optimizer, below_one, bounded, number, one_element, options, zeros

__all__ = ["SparseAdam"]


def add_at(target: Any, gradient: Any, values: Any, factor: float) -> None:
    """``target += factor * values`` at the places of a sparse gradient, those that come twice one after the other."""
    values = values * values.dtype.type(factor)
    if gradient.xp is np:
        np.add.at(target, tuple(gradient.indices), values)
        return
    added = gradient.with_values(values).coalesce()
    target[tuple(added.indices)] += added.values


def sgd(p: Tensor, state: dict, group: dict) -> None:
    """A step of stochastic gradient descent."""
    gradient, lr, momentum = p._grad._array, number(group["lr"]), group["momentum"]
    if group["maximize"]:
        gradient = -gradient
    if group["weight_decay"]:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if momentum:
        kept = state.get("momentum_buffer")
        if kept is None:
            buffer = gradient.copy()
        else:
            share = gradient.dtype.type(1 - group["dampening"])
            buffer = kept._array * momentum + gradient.with_values(gradient.values * share)
        state["momentum_buffer"] = wrap(buffer)
        gradient = gradient + buffer * momentum if group["nesterov"] else buffer
    add_at(p._array, gradient, gradient.values, -lr)
    p._bump()


def adagrad(p: Tensor, state: dict, group: dict) -> None:
    """A step of Adagrad."""
    if group["weight_decay"]:
        raise RuntimeError("weight_decay option is not compatible with sparse gradients")
    state["step"] += 1
    rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
    gradient = p._grad._array.coalesce()
    values = -gradient.values if group["maximize"] else gradient.values
    total = state["sum"]._array
    at = tuple(gradient.indices)
    total[at] += values * values
    root = gradient.xp.sqrt(total[at]) + values.dtype.type(group["eps"])
    add_at(p._array, gradient, values / root, -rate)
    p._bump()


class SparseAdam(Optimizer):
    """Adam for sparse gradients, such as those of Embedding(sparse=True): only the rows change that a gradient has,
    with the means of all others left as they are.
    params: tensors, (name, tensor) pairs or groups. lr: learning rate, a number or a tensor of one element (1e-3).
    betas: shares of the running means that are kept each step ((0.9, 0.999)). eps: against division by 0 (1e-8).
    maximize: climb instead of descend (False).
    ValueError for an lr or eps that is not positive, for betas outside [0, 1) and for sparse or complex parameters;
    RuntimeError for dense gradients.
    >>> rows = nn.Embedding(2, 1, sparse=True, _weight=torch.ones(2, 1))
    >>> rows(torch.tensor([1])).sum().backward()
    >>> optim.SparseAdam(rows.parameters(), lr=0.1).step()
    >>> rows.weight.tolist()[0]
    [1.0]"""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, maximize: bool = False
    ) -> None:  # fmt: skip
        def positive(words: str) -> Callable:
            return bounded(words, lambda value: 0.0 < value)

        one_element(lr)
        checks = {"lr": positive("Invalid learning rate"), "eps": positive("Invalid epsilon value"), "betas": below_one}
        super().__init__(params, options(locals(), "lr betas eps maximize", **checks))
        found = []
        complex_ones = False
        for number_of, group in enumerate(self.param_groups):
            for at, p in enumerate(group["params"]):
                if hasattr(p._array, "layout"):
                    found.append([number_of, at])
                complex_ones = complex_ones or p._array.dtype.kind == "c"
        if found:
            raise ValueError(f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors")
        if complex_ones:
            raise ValueError("SparseAdam does not support complex parameters")

    def _update(self, group: dict) -> None:
        if any(p._grad is not None for p in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _update_sparse(self, group: dict, params: list) -> None:
        if any(p._grad is not None and not hasattr(p._grad._array, "layout") for p in group["params"]):
            self._update(group)
        beta1, beta2 = group["betas"]
        for p in params:
            state = self.state[p]
            if not state:
                state.update(step=0, exp_avg=zeros(p), exp_avg_sq=zeros(p))
            state["step"] += 1
            gradient = p._grad._array.coalesce()
            values = -gradient.values if group["maximize"] else gradient.values
            if not values.size:
                continue
            kind = values.dtype.type
            at = tuple(gradient.indices)
            mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
            mean[at] += (values - mean[at]) * kind(1 - beta1)
            square[at] += (values * values - square[at]) * kind(1 - beta2)
            corrected = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
            denominator = gradient.xp.sqrt(square[at]) + kind(group["eps"])
            p._array[at] += mean[at] / denominator * kind(-number(group["lr"]) * corrected)
            p._bump()
