"""``torch.nn.grad``: the gradients of convolutions, from shapes and the gradient of the result."""

from __future__ import annotations

from typing import Any

from ...engine.ops.nn.convolution import input_gradient
from ...engine.tape.worlds import differentiable
from ...engine.tensors.tensor import Tensor
from ...engine.wording.convolution import tuples

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _spatial(d: int, *values: Any) -> list[tuple]:
    names = ("stride", "padding", "dilation")
    return [tuples(f"conv{d}d", value, d, name) for name, value in zip(names, values, strict=True)]


def _input(d: int) -> Any:
    def gradient(
        input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        size = tuple(input_size)
        if len(size) != d + 2:
            raise RuntimeError(
                f"Expected {d + 2}-dimensional input for {d + 2}-dimensional weight {list(weight.shape)}, but got "
                f"{len(size)}-dimensional input of size {list(size)} instead"
            )
        steps = _spatial(d, stride, padding, dilation)
        return input_gradient(differentiable, grad_output, size, weight, *steps, False, groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{d}d_input"
    gradient.__doc__ = f"The gradient of the input of ``conv{d}d``, whose size is `input_size`."
    return gradient


def _weight(d: int) -> Any:
    def gradient(
        input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        kernel = tuple(weight_size)[2:]
        steps = _spatial(d, stride, padding, dilation)
        return differentiable._convolution_weight(input, grad_output, kernel, *steps, groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{d}d_weight"
    gradient.__doc__ = f"The gradient of the weight of ``conv{d}d``, whose size is `weight_size`."
    return gradient


conv1d_input, conv2d_input, conv3d_input = map(_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_weight, (1, 2, 3))
