"""Names of ``torch.optim.optimizer`` and its schedules that optimizers of other libraries use. Plain Python's alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...engine.arrays.warning import warn
from ...engine.tape.grad_modes import set_grad_enabled
from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from ..root import torch as T  # noqa: N812

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

_params_doc = """params (iterable): parameters, or dicts of them with options of their own"""
_foreach_doc = """foreach (bool, optional): whether parameters are updated together (None: as is fastest)"""
_fused_doc = """fused (bool, optional): whether one kernel updates a parameter (None: as is fastest)"""
_maximize_doc = """maximize (bool, optional): go up instead of down (False)"""
_capturable_doc = """capturable (bool, optional): whether a step can be captured in a CUDA graph (False)"""
_differentiable_doc = """differentiable (bool, optional): whether gradients flow through a step (False)"""


def _use_grad_for_differentiable(func: Callable) -> Callable:
    """A step that records gradients where its optimizer is to be differentiable, and else none."""

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _default_to_fused_or_foreach(params: list, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether parameters are updated by one kernel, or together: neither, each by itself is as fast here."""
    return False, False


def _disable_dynamo_if_unsupported(single_tensor_fn: Callable | None = None) -> Callable:
    """A decorator that leaves a function as it is."""
    return lambda func: func


def _get_value(x: Any) -> Any:
    """A tensor's number; anything else as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """What was given: nothing is compiled."""
    return x


def _to_scalar(x: Any) -> Any:
    """A tensor of one element without dimensions; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype in which an optimizer counts its steps."""
    return T.float64 if not is_fused and T.get_default_dtype() is T.float64 else T.float32


def _view_as_real(params: list, *state_and_grads: list) -> None:
    """Put real views in the places of complex parameters and what belongs to them."""
    for i, param in enumerate(params):
        if T.is_complex(param):
            for values in (params, *state_and_grads):
                values[i] = T.view_as_real(values[i])


class _enable_get_lr_call:  # noqa: N801 - PyTorch's name
    """A context in which a schedule may be asked for its next rate."""

    def __init__(self, o: Any) -> None:
        self.o = o

    def __enter__(self) -> Any:
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, *_: object) -> None:
        self.o._get_lr_called_within_step = False


def _warn_get_lr_called_within_step(lr_scheduler: Any) -> None:
    """Warn who asks a schedule for its next rate and means the last."""
    if not getattr(lr_scheduler, "_get_lr_called_within_step", True):
        warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning)


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The devices on which steps can be captured."""
    return ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * supports_xla]
