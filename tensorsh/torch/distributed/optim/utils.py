"""``torch.distributed.optim.utils``: optimizers that are given gradients, instead of finding them on parameters."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ...root import torch

__all__ = ["as_functional_optim", "functional_optim_map", "register_functional_optim"]


class _Functional:
    """An optimizer of one group, by the steps of torch.optim's."""

    _kind: Any

    def __init__(self, params: list[Tensor], *args: Any, _allow_empty_param_list: bool = False, **kwargs: Any) -> None:
        if not params and not _allow_empty_param_list:
            raise ValueError("optimizer got an empty parameter list")
        self._options = args, kwargs
        self._each: dict[Tensor, Any] = {}
        self.param_group = {"params": params}

    def step_param(self, param: Tensor, grad: Tensor | None) -> None:
        """One step of one parameter."""
        if param not in self._each:
            self._each[param] = self._kind([param], *self._options[0], **self._options[1])
        before, param.grad = param.grad, grad
        try:
            self._each[param].step()
        finally:
            param.grad = before

    def step(self, gradients: list[Tensor | None]) -> None:
        """One step of all parameters."""
        params = self.param_group["params"]
        if len(params) != len(gradients):
            raise ValueError(
                "the gradients passed in does not equal to the size of the parameters!"
                f"Params length: {len(params)}. Gradients length: {len(gradients)}"
            )
        for param, grad in zip(params, gradients, strict=True):
            self.step_param(param, grad)


functional_optim_map: dict[Any, Any] = {
    kind: type(f"_Functional{kind.__name__}", (_Functional,), {"_kind": kind})
    for kind in (
        torch.optim.Adagrad, torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adadelta, torch.optim.RMSprop,
        torch.optim.Rprop, torch.optim.Adamax,
    )
}  # fmt: skip
"""Optimizers, and what does their steps with gradients that it is given."""


def register_functional_optim(key: Any, optim: Any) -> None:
    """Enter one, under the name by which it is asked for."""
    functional_optim_map.setdefault(key, optim)


def as_functional_optim(optim_cls: type, *args: Any, **kwargs: Any) -> Any:
    """The functional form of an optimizer, without parameters of its own."""
    if optim_cls not in functional_optim_map:
        raise ValueError(f"Optimizer {optim_cls} does not have a functional counterpart!")
    return functional_optim_map[optim_cls]([], *args, **kwargs, _allow_empty_param_list=True)
