"""SparseAdam, and the steps of other optimizers by sparse gradients: only the rows change that a gradient has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.tensor import Tensor, wrap
from .optimizer import Optimizer, number, zeros

__all__ = ["SparseAdam"]


def add_at(target: Any, gradient: Any, values: Any, factor: float) -> None:
    """``target += factor * values`` at the places of a sparse gradient, those that come twice one after the other."""
    np.add.at(target, tuple(gradient.indices), values * values.dtype.type(factor))


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
    root = np.sqrt(total[at]) + values.dtype.type(group["eps"])
    add_at(p._array, gradient, values / root, -rate)
    p._bump()


class SparseAdam(Optimizer):
    """Adam for sparse gradients: the means of what a gradient has no elements of stay as they are."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, maximize: bool = False
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for at, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {at}: {beta}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
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
            denominator = np.sqrt(square[at]) + kind(group["eps"])
            p._array[at] += mean[at] / denominator * kind(-number(group["lr"]) * corrected)
            p._bump()
