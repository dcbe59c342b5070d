"""Convolutions and transposed convolutions over one, two and three dimensions, and their lazy forms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ....engine.tensor import Tensor
from .. import init
from ..parameter import Parameter, UninitializedParameter
from ..reach import F, T
from .lazy import LazyModule
from .module import Module

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "_ConvNd", "_ConvTransposeNd",
]  # fmt: skip


def repeated(value: Any, times: int) -> tuple:
    """A number as a tuple of so many; a tuple as it is."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * times


class Convolution(Module):
    """What all convolutions share: checks, parameters, text."""

    dims: int
    transposed = False

    def _setup(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        output_padding: Any, groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        dims = self.dims
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.kernel_size, self.stride = repeated(kernel_size, dims), repeated(stride, dims)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            modes = "{'zeros', 'reflect', 'replicate', 'circular'}"
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.padding = padding if isinstance(padding, str) else repeated(padding, dims)
        self.dilation, self.output_padding = repeated(dilation, dims), repeated(output_padding, dims)
        self.groups, self.padding_mode = groups, padding_mode
        self.weight = Parameter(T.empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(T.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple:
        if self.transposed:
            return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draw the first values anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan = init._calculate_fan_in_and_fan_out(self.weight)[0]
            if fan != 0:
                bound = 1 / math.sqrt(fan)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class Forward(Convolution):
    """A convolution: (N, in_channels, ...) to (N, out_channels, ...)."""

    _owners = {"forward": ""}

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._setup(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Any) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._both_sides(), mode=self.padding_mode)
            padding = (0,) * self.dims
        convolve = F.conv2d if self.dims == 2 else F.conv1d if self.dims == 1 else F.conv3d
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _both_sides(self) -> list[int]:
        """The padding as `pad` takes it: last dimension first, both sides of each."""
        if self.padding == "valid":
            return [0, 0] * self.dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        return [p for p in reversed(self.padding) for _ in range(2)]


class Conv1d(Forward):
    """A convolution over signals: (N, in_channels, L) to (N, out_channels, L')."""

    dims = 1


class Conv2d(Forward):
    """A convolution over images: (N, in_channels, H, W) to (N, out_channels, H', W')."""

    dims = 2


class Conv3d(Forward):
    """A convolution over volumes: (N, in_channels, D, H, W) to (N, out_channels, D', H', W')."""

    dims = 3


class Transposed(Convolution):
    """The gradient of a convolution as a module of its own: makes larger what that makes smaller."""

    _owners = {"forward": ""}
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__()
        self._setup(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias, padding_mode,
            device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        output_padding = self.output_padding if output_size is None else self._padding_for(input, output_size)
        convolve = (
            F.conv_transpose2d if self.dims == 2 else F.conv_transpose1d if self.dims == 1 else F.conv_transpose3d
        )
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )

    def _padding_for(self, input: Tensor, size: Any) -> list:
        """The output padding that gives a wanted size."""
        dims = self.dims
        outer = 2 if input.ndim == dims + 2 else 1
        if len(size) == outer + dims:
            size = size[outer:]
        if len(size) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or {outer + dims} elements "
                f"(got {len(size)})"
            )
        parts = zip(input.shape[outer:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in parts]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not low <= wanted <= high for low, wanted, high in zip(least, size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.shape[2:]})"
            )
        return [wanted - low for wanted, low in zip(size, least, strict=True)]


class ConvTranspose1d(Transposed):
    """A transposed convolution over signals."""

    dims = 1


class ConvTranspose2d(Transposed):
    """A transposed convolution over images."""

    dims = 2


class ConvTranspose3d(Transposed):
    """A transposed convolution over volumes."""

    dims = 3


class LazyConvolution(LazyModule, Convolution):
    """A convolution that takes the number of input channels from its first input."""

    def _setup(self, in_channels: int, out_channels: int, *rest: Any) -> None:
        *options, bias, padding_mode, device, dtype = rest
        super()._setup(0, 0, *options, False, padding_mode, None, None)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the number of channels from an input."""
        dims = self.dims
        if input.ndim not in (dims + 1, dims + 2):
            raise RuntimeError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {type(self).__name__}, but got input of "
                f"size: {input.shape}"
            )
        self.in_channels = input.shape[1 if input.ndim == dims + 2 else 0]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()


class LazyForward(LazyConvolution, Forward):
    """A lazy convolution."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
        bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class LazyConv1d(LazyForward, Conv1d):
    """A Conv1d that takes the number of input channels from its first input."""

    becomes = Conv1d


class LazyConv2d(LazyForward, Conv2d):
    """A Conv2d that takes the number of input channels from its first input."""

    becomes = Conv2d


class LazyConv3d(LazyForward, Conv3d):
    """A Conv3d that takes the number of input channels from its first input."""

    becomes = Conv3d


class LazyTransposed(LazyConvolution, Transposed):
    """A lazy transposed convolution."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )


class LazyConvTranspose1d(LazyTransposed, ConvTranspose1d):
    """A ConvTranspose1d that takes the number of input channels from its first input."""

    becomes = ConvTranspose1d


class LazyConvTranspose2d(LazyTransposed, ConvTranspose2d):
    """A ConvTranspose2d that takes the number of input channels from its first input."""

    becomes = ConvTranspose2d


class LazyConvTranspose3d(LazyTransposed, ConvTranspose3d):
    """A ConvTranspose3d that takes the number of input channels from its first input."""

    becomes = ConvTranspose3d


# PyTorch's names of the base classes, which programs ask for with `isinstance` and derive from.
_ConvNd, _ConvTransposeNd = Convolution, Transposed
