"""Weights as a length times a direction, recomputed before each forward."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ....sandbox.named import delete_named, read_named, write_named
from ....sandbox.sealed import Sealed
from ..parameter import Parameter, is_lazy
from ..reach import T


class WeightNorm(metaclass=Sealed):
    """The hook that computes the weight."""

    __module__ = "torch.nn.utils.weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """The weight from its length and direction."""
        return T._weight_norm(read_named(module, self.name + "_v"), read_named(module, self.name + "_g"), self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        write_named(module, self.name, self.compute_weight(module))


def hooks_of(module: Any, kind: type) -> dict:
    return {k: hook for k, hook in module._forward_pre_hooks.items() if isinstance(hook, kind)}


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Make a parameter the product of its length ``name_g`` and its direction ``name_v``."""

    warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
    )
    if any(hook.name == name for hook in hooks_of(module, WeightNorm).values()):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = read_named(module, name)
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward before "
            "applying weight normalization"
        )
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(T.norm_except_dim(weight.detach(), 2, hook.dim)))
    module.register_parameter(name + "_v", Parameter(weight.data))
    write_named(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a plain parameter again."""
    for number, hook in hooks_of(module, WeightNorm).items():
        if hook.name == name:
            weight = hook.compute_weight(module)
            delete_named(module, name)
            del module._parameters[name + "_g"], module._parameters[name + "_v"]
            write_named(module, name, Parameter(weight.detach()))
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


for _f in (weight_norm, remove_weight_norm):
    _f.__module__ = "torch.nn.utils.weight_norm"
