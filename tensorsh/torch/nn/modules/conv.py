"""Convolutions and transposed convolutions over one, two and three dimensions, and their lazy forms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter, UninitializedParameter
from ..reach import F, T
from .family import family
from .lazy import LazyModuleMixin, lazy_forms
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
        kernels, strides = repeated(kernel_size, dims), repeated(stride, dims)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in strides):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            modes = "{'zeros', 'reflect', 'replicate', 'circular'}"
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = kernels, strides
        self.padding = padding if isinstance(padding, str) else repeated(padding, dims)
        self.dilation, self.transposed = repeated(dilation, dims), self.transposed
        self.output_padding = repeated(output_padding, dims)
        self.groups, self.padding_mode = groups, padding_mode
        self._reversed_padding_repeated_twice = self._both_sides()
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

    def _both_sides(self) -> list[int] | tuple[int, ...]:
        """The padding as `pad` takes it: last dimension first, both sides of each."""
        if self.padding == "valid":
            return [0, 0] * self.dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=False)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        return tuple([p for p in reversed(self.padding) for _ in range(2)])

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

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._setup(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device, dtype
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Any) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self.dims
        convolve = F.conv2d if self.dims == 2 else F.conv1d if self.dims == 1 else F.conv3d
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


Conv1d, Conv2d, Conv3d = family(
    Forward,
    "Conv",
    """Convolution (a cross-correlation, as is usual): (N, in_channels, {size}), or without N, to (N, out_channels, ...), each
    size n of the last {n} becoming (n + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1.
    in_channels: channels of the input.
    out_channels: channels of the output. kernel_size: size of the window, a number or one for each dimension.
    stride: step of the window (1). dilation: step within the window (1).
    padding: places added on both sides (0), or 'valid' for none, or 'same' for as many as keep the size (stride 1 only).
    groups: parts into which the channels of input and output are divided, each part convolved by itself (1); in_channels
    gives a convolution of each channel.
    bias: add a learned number to each channel of the output (True). padding_mode: values in the padding: 'zeros',
    'reflect' (mirror image), 'replicate' (edge) or 'circular' (opposite side).
    device, dtype: those of the parameters (None: the defaults), and of the inputs to come.
    weight (out_channels, in_channels / groups, *kernel_size) and bias are drawn from uniform numbers within
    1 / sqrt(in_channels / groups * prod(kernel_size)) (He and others, "Delving deep into rectifiers", 2015).
    ValueError for channels that groups do not divide and for unknown padding; RuntimeError for inputs of other shape.
    >>> nn.Conv{n}d(3, 8, 3, padding=1)(torch.zeros(1, 3{6s})).shape
    torch.Size([1, 8{6s}])""",
)


class Transposed(Convolution):
    """The gradient of a convolution as a module of its own: makes larger what that makes smaller."""

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


ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = family(
    Transposed,
    "ConvTranspose",
    """Transposed convolution, the gradient of Conv{n}d as a module: (N, in_channels, {size}), or without N, to
    (N, out_channels, ...), each size n becoming
    (n - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.
    in_channels: channels of the input.
    out_channels: channels of the output. kernel_size: size of the window, a number or one for each dimension.
    stride: step of the window in the output (1). dilation: step within the window (1).
    padding: places taken off both sides of the output (0). output_padding: places added to its far side (0), smaller
    than stride or dilation; a call with `output_size` chooses it.
    groups: parts into which the channels of input and output are divided, each part by itself (1).
    bias: add a learned number to each channel of the output (True). padding_mode: 'zeros', the only one.
    device, dtype: those of the parameters (None: the defaults), and of the inputs to come.
    weight (in_channels, out_channels / groups, *kernel_size) and bias are drawn from uniform numbers within
    1 / sqrt(out_channels / groups * prod(kernel_size)).
    ValueError for channels that groups do not divide and for an output_size out of reach.
    >>> nn.ConvTranspose{n}d(8, 3, 2, stride=2)(torch.zeros(1, 8{3s})).shape
    torch.Size([1, 3{6s}])""",
)


class LazyConvolution(LazyModuleMixin, Convolution):
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
        if input.dim() not in (dims + 1, dims + 2):
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


vars(LazyConvolution)["initialize_parameters"].__qualname__ = "_LazyConvXdMixin.initialize_parameters"


class LazyForward(LazyConvolution, Forward):
    """A lazy convolution."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
        bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


LazyConv1d, LazyConv2d, LazyConv3d = lazy_forms(
    LazyForward,
    (Conv1d, Conv2d, Conv3d),
    "in_channels",
    """>>> nn.LazyConv{n}d(8, 3)(torch.zeros(1, 3{6s})).shape
    torch.Size([1, 8{4s}])""",
)


class LazyTransposed(LazyConvolution, Transposed):
    """A lazy transposed convolution."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device,
            dtype,
        )  # fmt: skip


LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = lazy_forms(
    LazyTransposed,
    (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d),
    "in_channels",
    """>>> nn.LazyConvTranspose{n}d(3, 2, stride=2)(torch.zeros(1, 8{3s})).shape
    torch.Size([1, 3{6s}])""",
)

# PyTorch's names of the base classes, which programs ask for with `isinstance` and derive from.
_ConvNd, _ConvTransposeNd = Convolution, Transposed


class _ConvTransposeMixin(Transposed):
    """An older name, which libraries import."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        text = "`_ConvTransposeMixin` is a deprecated internal class. Please consider using public APIs."
        warn(text, FutureWarning)
        super().__init__(*args, **kwargs)
