"""``torch.nn.utils.stateless``: the old place of `torch.func.functional_call`."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.warning import warn
from ...stateless import functional_call as _call
from ...stateless import reparametrized as _reparametrize_module

__all__ = ["_reparametrize_module", "functional_call"]


def functional_call(
    module: Any, parameters_and_buffers: dict, args: Any = None, kwargs: dict | None = None, *, tie_weights: bool = True,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other tensors in the place of some of its parameters and buffers."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    _ = module.named_parameters, parameters_and_buffers.keys
    return _call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
