"""Linear maps: ``y = x A^T + b``, bilinear forms, and the identity."""

from __future__ import annotations

import math
from typing import Any

from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter, UninitializedParameter
from ..reach import F, T
from .lazy import LazyModuleMixin
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """The input itself, as a placeholder where a module is expected. Any shape, any dtype, the same tensor out: no
    copy, no node of the graph. It takes any arguments (args, kwargs), so that it can stand in for another module's
    constructor, and uses none.
    It has no parameters.
    >>> x = torch.ones(2)
    >>> nn.Identity(54, unused=True)(x) is x
    True"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """Linear map ``x @ weight.T + bias``: (..., in_features) to (..., out_features), of the parameters' dtype.
    in_features, out_features: sizes of the last dimension of input and output.
    bias: add a learned number to each output (True); False leaves `bias` None.
    device, dtype: those of the parameters (None: the defaults).
    weight (out_features, in_features) and bias (out_features,) are drawn from uniform numbers within 1 /
    sqrt(in_features).
    RuntimeError for inputs of another last size or dtype.
    >>> layer = nn.Linear(3, 2)
    >>> layer(torch.zeros(5, 3)).shape, layer.weight.shape
    (torch.Size([5, 2]), torch.Size([2, 3]))"""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(T.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(T.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan = init._calculate_fan_in_and_fan_out(self.weight)[0]
            bound = 1 / math.sqrt(fan) if fan > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class LazyLinear(LazyModuleMixin, Linear):
    """Lazy Linear: it takes in_features from the last size of its first input and is a plain Linear from then on;
    before that its parameters have no shape and no values.
    out_features: size of the last dimension of the output. bias: add a learned number to each output (True).
    device, dtype: those of the parameters (None: the defaults). RuntimeError where parameters are looked at before a
    first input.
    >>> layer = nn.LazyLinear(2)
    >>> layer(torch.zeros(5, 3)).shape, layer
    (torch.Size([5, 2]), Linear(in_features=3, out_features=2, bias=True))"""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of inputs from an input."""
        self.in_features = input.shape[-1]
        self.weight.materialize((self.out_features, self.in_features))
        if self.bias is not None:
            self.bias.materialize((self.out_features,))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()


class Bilinear(Module):
    """Bilinear form ``x1 @ weight[k] @ x2 + bias[k]`` for each output k: (..., in1_features) and (..., in2_features) to
    (..., out_features), the other dimensions being equal.
    in1_features, in2_features, out_features: sizes of the last dimensions of both inputs and of the output.
    bias: add a learned number to each output (True). device, dtype: those of the parameters (None: the defaults).
    weight (out_features, in1_features, in2_features) and bias are drawn from uniform numbers within 1 /
    sqrt(in1_features).
    ValueError where in1_features is not positive, RuntimeError for inputs of other sizes.
    >>> nn.Bilinear(3, 4, 2)(torch.zeros(5, 3), torch.zeros(5, 4)).shape
    torch.Size([5, 2])"""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(T.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(T.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values anew."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
