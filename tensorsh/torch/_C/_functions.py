"""``torch._C._functions``: classes of nodes, as far as libraries ask for them. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ...engine.graph.nodes import AccumulateGrad  # noqa: F401 - a name of this module
from ...engine.tape.function import Error, Function  # noqa: F401
from ...engine.tensors.tensor import Tensor


class _Undefined(Function):
    """Lets values through and no gradient."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Any:
        found = tuple(t.clone() for t in tensors)  # type: ignore[attr-defined]
        return found if len(found) > 1 else found[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None,) * len(gradients)


class UndefinedGrad:
    """A function that lets values through and no gradient: ``UndefinedGrad()(x)``."""

    def __call__(self, *tensors: Tensor) -> Any:
        return _Undefined.apply(*tensors)


class _Raises(Function):
    """Lets values through and raises an error in the backward pass."""

    @staticmethod
    def forward(ctx: Any, message: str, *tensors: Tensor) -> Any:
        ctx.message = message
        found = tuple(t.clone() for t in tensors)  # type: ignore[attr-defined]
        return found if len(found) > 1 else found[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise RuntimeError(ctx.message)


class DelayedError:
    """A function that lets values through; in the backward pass it is an error: ``DelayedError("message", 1)(x)``."""

    def __init__(self, msg: str, num_inputs: int) -> None:
        self.msg = msg

    def __call__(self, *tensors: Tensor) -> Any:
        return _Raises.apply(self.msg, *tensors)
