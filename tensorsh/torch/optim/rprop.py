"""Resilient backpropagation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from . import differentiable
from .differentiable import recorded
from .formula import in_one_pass
from .optimizer import Optimizer, advance, number, options, rate, scalar, zeros

__all__ = ["Rprop"]


@in_one_pass
def rprop(x, g, before, size, shrink, grow, least, most, *, maximize):
    g = -g if maximize else g
    product = g * before
    turned = -product
    size = (size * turned.if_positive(shrink, product.if_positive(grow, 1.0))).at_least(least).at_most(most)
    g = turned.if_positive(0.0, g)
    sign = g.if_positive(1.0, (-g).if_positive(-1.0, 0.0))  # of NaN it is 0, as PyTorch's
    return x - sign * size, None, g, size


class Rprop(Optimizer):
    """Resilient backpropagation: steps by the signs of the gradients alone, each element's step growing while its sign
    stays and shrinking when it turns, in which case the element waits (Riedmiller and Braun, 1993). For whole data
    sets, not for batches.
    params: tensors, (name, tensor) pairs or groups. lr: first step (1e-2). etas: factors by which steps shrink and grow
    ((0.5, 1.2)). step_sizes: least and largest step ((1e-6, 50)). maximize: climb instead of descend (False).
    foreach, capturable, differentiable: PyTorch's ways to compute the same, accepted (None, False, False).
    ValueError for a negative lr and for etas not on either side of 1.
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> optim.Rprop([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)"""

    _recorded = recorded(differentiable.rprop)

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: Any = (0.5, 1.2), step_sizes: Any = (1e-6, 50), *,
        capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        def either_side_of_one(etas: Any) -> None:
            if not 0.0 < etas[0] < 1.0 < etas[1]:
                raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")

        order = "lr etas step_sizes foreach maximize differentiable capturable"
        super().__init__(params, options(locals(), order, lr=rate, etas=either_side_of_one))

    def _update(self, group: dict) -> Iterator[tuple]:
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]

        def start(p: Tensor) -> Tensor:
            lr = number(group["lr"])
            return wrap(np.full_like(p._array, complex(lr, lr) if p.is_complex() else lr))

        step = rprop(maximize=group["maximize"])
        for _, array, gradient, state in self._each(group, step=scalar(0.0), prev=zeros, step_size=start):
            advance(state)
            arrays = [array, gradient, state["prev"]._array, state["step_size"]._array]
            yield step, arrays, (shrink, grow, least, most)
