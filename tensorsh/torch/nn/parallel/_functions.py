"""``torch.nn.parallel._functions``: tensors sent to several devices."""

from __future__ import annotations

from typing import Any

from ....engine.tape.function import Function


class Broadcast(Function):
    """Copies of tensors on each of several devices."""

    @staticmethod
    def forward(ctx: Any, target_gpus: Any, *inputs: Any) -> Any:
        if not all(x.is_cuda for x in inputs):
            raise AssertionError("Broadcast function not implemented for CPU tensors")
        ctx.mark_non_differentiable(*[])
        return tuple(x.to(f"cuda:{i}") for i in target_gpus for x in inputs)
