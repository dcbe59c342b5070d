"""Resilient backpropagation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.tensor import Tensor, wrap
from .arithmetic import pieces
from .optimizer import Optimizer, advance, check_lr, number, scalar, zeros

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Steps by the signs of the gradients; each element's step grows while its sign stays and shrinks when it turns."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: Any = (0.5, 1.2), step_sizes: Any = (1e-6, 50), *,
        capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: dict) -> None:
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]

        def start(p: Tensor) -> Tensor:
            return wrap(np.full_like(p._array, number(group["lr"])))

        for _, array, gradient, state in self._each(group, step=scalar(0.0), prev=zeros, step_size=start):
            advance(state)
            for x, g, before, size in pieces(array, gradient, state["prev"]._array, state["step_size"]._array):
                kind = x.dtype.type
                g = -g if group["maximize"] else g
                product = g * before
                turned = product < 0
                size *= np.where(turned, kind(shrink), np.where(product > 0, kind(grow), kind(1)))
                np.clip(size, kind(least), kind(most), out=size)
                g = np.where(turned, kind(0), g)
                x -= np.where(np.isnan(g), kind(0), np.sign(g)) * size  # PyTorch: the sign of NaN is 0
                before[...] = g
