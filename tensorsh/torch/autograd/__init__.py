"""``torch.autograd``: gradients, custom functions, anomaly detection."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.warning import warn
from ...engine.graph.raw_saved import SavedTensor  # noqa: F401 - a name of this module
from ...engine.tape.backward import queue_callback
from ...engine.tape.function import Function
from ...engine.tape.grad_modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ...engine.tensors.tensor import Tensor, TensorMeta
from ...sandbox.sealed import Sealed
from .gradients import backward, grad

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "grad", "inference_mode", "no_grad",
    "set_detect_anomaly", "set_grad_enabled", "gradcheck", "gradgradcheck", "set_multithreading_enabled",
    "is_multithreading_enabled",
]  # fmt: skip


class _VariableMeta(TensorMeta):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)

    def __call__(cls, data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Tensor:
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        t = data.detach()
        t.requires_grad = requires_grad
        return t


class ExecutionEngine(metaclass=Sealed):
    """What walks the graph, as far as libraries ask it: functions to be called once a walk has ended."""

    __module__ = "torch._C._EngineBase"
    queue_callback = staticmethod(queue_callback)


class Variable(Tensor, metaclass=_VariableMeta):
    """The name tensors with history once had: makes one that shares the memory of `data`."""

    __module__ = "torch.autograd.variable"

    _execution_engine = ExecutionEngine()


def gradcheck(*args: Any, **kwargs: Any) -> bool:
    """Compare gradients with finite differences."""
    from . import checking

    return checking.gradcheck(*args, **kwargs)


def gradgradcheck(*args: Any, **kwargs: Any) -> bool:
    """Compare second-order gradients with finite differences."""
    from . import checking

    return checking.gradgradcheck(*args, **kwargs)
