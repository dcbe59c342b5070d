"""Names of ``torch.optim.optimizer`` and its schedules that optimizers of other libraries use. Plain Python's alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...engine.tape.grad_modes import set_grad_enabled
from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from ..root import torch as T  # noqa: N812

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


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


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype in which an optimizer counts its steps."""
    return T.float64 if not is_fused and T.get_default_dtype() is T.float64 else T.float32


def _view_as_real(params: list, *state_and_grads: list) -> None:
    """Put real views in the places of complex parameters and what belongs to them."""
    for i, param in enumerate(params):
        if T.is_complex(param):
            for values in (params, *state_and_grads):
                values[i] = T.view_as_real(values[i])
