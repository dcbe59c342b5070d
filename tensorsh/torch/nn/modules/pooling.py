"""Pooling: windows of signals, images and volumes reduced to one value each."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .conv import repeated
from .family import family
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d",
    "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip


class Pool(Module):
    """Windows of an input with so many dimensions, described by their sizes."""

    dims: int

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool(Pool):
    """The largest value of each window."""

    _owners = {"__init__": "_MaxPoolNd"}

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        return getattr(F, f"max_pool{self.dims}d")(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, dilation={self.dilation}, ceil_mode={self.ceil_mode}"


MaxPool1d, MaxPool2d, MaxPool3d = family(
    MaxPool,
    "MaxPool",
    """The largest value of each window: (N, C, {size}), or without N, with each size n of the last {n} becoming
    (n + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1. Of equal values the first counts; NaN wins.
    kernel_size: size of the window, a number or one for each dimension. stride: its step; None for the kernel_size.
    padding: places of -inf added on both sides, at most half the kernel_size (0). dilation: step within a window (1).
    return_indices: give (values, flat places in the input), as MaxUnpool{n}d needs them (False).
    ceil_mode: round sizes up, so that a last window may hang over the edge (False).
    RuntimeError for other numbers of dimensions, for too much padding and where no window fits.
    >>> nn.MaxPool{n}d(2)(torch.zeros(1, 4{6s})).shape
    torch.Size([1, 4{3s}])""",
)


class MaxUnpool(Pool):
    """The largest values put back to where their indices say."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, self.dims)
        self.stride = repeated(kernel_size if stride is None else stride, self.dims)
        self.padding = repeated(padding, self.dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return getattr(F, f"max_unpool{self.dims}d")(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = family(
    MaxUnpool,
    "MaxUnpool",
    """The inverse of MaxPool{n}d as far as there is one: each value goes where its index says, the rest is zero. Called with
    the values, the indices (int64) and, where several sizes could have been pooled, the `output_size`.
    kernel_size, stride, padding: those of the MaxPool{n}d (stride None for the kernel_size, padding 0).
    ValueError for an output_size out of reach, RuntimeError for an index beyond it.
    >>> values, places = nn.MaxPool{n}d(2, return_indices=True)(torch.zeros(1, 4{6s}))
    >>> nn.MaxUnpool{n}d(2)(values, places).shape
    torch.Size([1, 4{6s}])""",
)


class AveragePool(Pool):
    """The mean of each window, for any number of dimensions."""


class AvgPool1d(AveragePool):
    """The mean of each window: (N, C, L), or (C, L), with L becoming (L + 2 * padding - kernel_size) // stride + 1.
    kernel_size: size of the window. stride: its step; None for the kernel_size. padding: zeros added on both sides, at most
    half the kernel_size (0). ceil_mode: round the size up, so that a last window may hang over the edge (False).
    count_include_pad: count the zeros of the padding in the means (True).
    RuntimeError for other numbers of dimensions, for too much padding and where no window fits.
    >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[2., 6.]])"""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = repeated(kernel_size, 1)
        self.stride = repeated(kernel_size if stride is None else stride, 1)
        self.padding = repeated(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool(AveragePool):
    """The mean of each window."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, f"avg_pool{self.dims}d")(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


AvgPool2d, AvgPool3d = family(
    AvgPool,
    "AvgPool",
    """The mean of each window: (N, C, {size}), or without N, with each size n of the last {n} becoming
    (n + 2 * padding - kernel_size) // stride + 1.
    kernel_size: size of the window, a number or one for each dimension. stride: its step; None for the kernel_size.
    padding: zeros added on both sides, at most half the kernel_size (0).
    ceil_mode: round sizes up, so that a last window may hang over the edge (False).
    count_include_pad: count the zeros of the padding in the means (True).
    divisor_override: divide the sums by this number instead (None). It must not be 0.
    RuntimeError for other numbers of dimensions, for too much padding and where no window fits.
    >>> nn.AvgPool{n}d(2)(torch.zeros(1, 4{6s})).shape
    torch.Size([1, 4{3s}])""",
    2,
    3,
)


class FractionalMaxPool(Module):
    """The largest value of windows whose places are drawn at random."""

    dims: int

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        numbers = kernel_size if isinstance(kernel_size, (tuple, list)) else [kernel_size]
        if (
            self.dims == 3
            and (numbers is kernel_size or isinstance(kernel_size, int))
            and not all(k > 0 for k in numbers)
        ):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = repeated(kernel_size, self.dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else repeated(output_size, self.dims)
        self.output_ratio = None if output_ratio is None else repeated(output_ratio, self.dims)
        if output_size is None and output_ratio is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < self.output_ratio[i] < 1 for i in range(self.dims)):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return getattr(F, f"fractional_max_pool{self.dims}d")(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


FractionalMaxPool2d, FractionalMaxPool3d = family(
    FractionalMaxPool,
    "FractionalMaxPool",
    """The largest value of windows at random places (Graham, "Fractional max-pooling", 2014), for sizes that need not divide
    those of the input: (N, C, {size}), or without N, to the output_size.
    kernel_size: size of the windows, a number or one for each dimension.
    output_size: sizes of the result; or output_ratio: the share of the input's sizes, between 0 and 1. One is needed.
    return_indices: give (values, flat places in the input) (False).
    _random_samples: numbers in [0, 1) of shape (N, C, {n}) that decide on the places, instead of new ones (None).
    ValueError for both sizes, for none, and for a ratio out of bounds.
    >>> nn.FractionalMaxPool{n}d(2, output_size=4)(torch.zeros(1, 4{6s})).shape
    torch.Size([1, 4{4s}])""",
    2,
    3,
)


class LPPool(Pool):
    """The p-norm of each window."""

    _owners = {"__init__": "_LPPoolNd"}

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, f"lp_pool{self.dims}d")(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self) -> str:
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, ceil_mode={self.ceil_mode}"


LPPool1d, LPPool2d, LPPool3d = family(
    LPPool,
    "LPPool",
    """The p-norm of each window, sum(x ** p) ** (1 / p): (N, C, {size}), or without N, with each size n of the last {n}
    becoming (n - kernel_size) // stride + 1.
    norm_type: the p; 1 gives sums, inf the largest value. kernel_size: size of the window, a number or one for each
    dimension. stride: its step; None for the kernel_size. ceil_mode: round sizes up (False).
    >>> nn.LPPool{n}d(2, 3)(torch.ones(1, 4{6s})).shape
    torch.Size([1, 4{2s}])""",
)


class AdaptivePool(Pool):
    """Windows chosen so that the result has a size."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool(AdaptivePool):
    """Means of windows chosen so that the result has a size."""

    _owners = {"__init__": "_AdaptiveAvgPoolNd"}

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, f"adaptive_avg_pool{self.dims}d")(input, self.output_size)


AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = family(
    AdaptiveAvgPool,
    "AdaptiveAvgPool",
    """The mean of windows that divide the input evenly into the wanted size: (N, C, {size}), or without N, to
    (N, C, *output_size). Along a size n, window i of k goes from floor(i * n / k) to ceil((i + 1) * n / k).
    output_size: a number, or one for each of the last {n} dimensions; None keeps a dimension's size (not in 1d).
    >>> nn.AdaptiveAvgPool{n}d(2)(torch.zeros(1, 4{6s})).shape
    torch.Size([1, 4{2s}])""",
)


class AdaptiveMaxPool(AdaptivePool):
    """Largest values of windows chosen so that the result has a size."""

    _owners = {"__init__": "_AdaptiveMaxPoolNd"}

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return getattr(F, f"adaptive_max_pool{self.dims}d")(input, self.output_size, self.return_indices)


AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = family(
    AdaptiveMaxPool,
    "AdaptiveMaxPool",
    """The largest value of windows that divide the input evenly into the wanted size: (N, C, {size}), or without N, to
    (N, C, *output_size). Along a size n, window i of k goes from floor(i * n / k) to ceil((i + 1) * n / k).
    output_size: a number, or one for each of the last {n} dimensions; None keeps a dimension's size (not in 1d).
    return_indices: give (values, flat places in the input) (False).
    >>> nn.AdaptiveMaxPool{n}d(2)(torch.zeros(1, 4{6s})).shape
    torch.Size([1, 4{2s}])""",
)
