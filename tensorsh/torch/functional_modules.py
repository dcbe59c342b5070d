"""``functorch``: modules as functions of their parameters, as they were made before ``torch.func.functional_call``."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ..engine.loading.table import find_function
from .func import functional_call, functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from .mapping.vmap import chunk_vmap  # noqa: F401 - of functorch.experimental
from .nn.modules.module import Module
from .nn.parameter import Parameter

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functionalize", "grad",
    "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers", "make_fx", "vjp", "vmap",
]  # fmt: skip


class FunctionalModuleWithBuffers(Module):
    """A module without state: called with its parameters, its buffers, and the inputs."""

    __module__ = "torch._functorch.make_functional"

    def __init__(self, stateless_model: Any, names: tuple, buffer_names: tuple) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = names, buffer_names

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        state = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without state, where it has no buffers: called with its parameters and the inputs."""

    __module__ = "torch._functorch.make_functional"

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return super().forward(params, (), *args, **kwargs)


def _apart(model: Any, without: bool) -> tuple:
    """The names and values of a model's parameters and buffers, and the model on the meta device."""
    params, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    values = [x.detach() if without else x for x in params.values()]
    memo: dict = {}
    for each in (*params.values(), *buffers.values()):  # those that are tied stay so
        empty = each.detach().to("meta")
        memo[id(each)] = Parameter(empty, each.requires_grad) if isinstance(each, Parameter) else empty
    bare = copy.deepcopy(model, memo)
    return bare, tuple(params), tuple(buffers), tuple(values), tuple(buffers.values())


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple:
    """A function of a model's parameters and inputs, and the parameters. RuntimeError: the model has buffers."""
    bare, names, buffer_names, params, buffers = _apart(model, disable_autograd_tracking)
    if buffers:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule(bare, names, buffer_names), params


def make_functional_with_buffers(model: Any, disable_autograd_tracking: bool = False) -> tuple:
    """A function of a model's parameters, buffers and inputs, the parameters, and the buffers."""
    bare, names, buffer_names, params, buffers = _apart(model, disable_autograd_tracking)
    return FunctionalModuleWithBuffers(bare, names, buffer_names), params, buffers


def combine_state_for_ensemble(models: Sequence) -> tuple:
    """The function of one of several like models, their parameters stacked, and their buffers."""
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    every = [make_functional_with_buffers(m) for m in models]
    stack = find_function("stack")
    params, buffers = (
        tuple(
            stack([x.detach() if at == 1 else x for x in each]).requires_grad_(at == 1)
            for each in zip(*column, strict=True)
        )
        for at, column in ((1, [e[1] for e in every]), (2, [e[2] for e in every]))
    )
    return every[0][0], params, buffers


def make_fx(f: Any, *args: Any, **kwargs: Any) -> Any:
    """As ``torch.fx.experimental.proxy_tensor.make_fx``."""
    from .fx.experimental.proxy_tensor import make_fx as made

    return made(f, *args, **kwargs)
