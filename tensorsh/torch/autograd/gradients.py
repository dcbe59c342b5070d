"""``torch.autograd.grad``, which classes and modes may override as they may a function of tensors."""

from __future__ import annotations

from typing import Any

from ...engine.arrays import door
from ...engine.operators.torch_function import override
from ...engine.tape import backward
from ...sandbox.wrapping import wraps

__all__ = ["grad"]


@wraps(backward.grad)
def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> tuple:
    if door.asked:
        answer = override(grad, (outputs, inputs, *args), kwargs)
        if answer is not NotImplemented:
            return answer
    return backward.grad(outputs, inputs, *args, **kwargs)
