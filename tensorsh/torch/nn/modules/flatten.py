"""Modules that change shapes only: flatten and unflatten, shuffles between channels and pixels, patches."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .module import Module

__all__ = ["ChannelShuffle", "Flatten", "Fold", "PixelShuffle", "PixelUnshuffle", "Unflatten", "Unfold"]


class Flatten(Module):
    """A range of dimensions joined into one: (N, C, H, W) to (N, C * H * W). A view where strides allow, else a copy;
    any dtype.
    start_dim: the first dimension to join (1, which keeps a batch). end_dim: the last (-1).
    RuntimeError where start_dim comes behind end_dim, IndexError for a dimension that is not there.
    >>> nn.Flatten()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 12])"""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A dimension split into several, the inverse of Flatten: (N, C * H * W) to (N, C, H, W). A view; any dtype.
    dim: the dimension to split. unflattened_size: a tuple or list of sizes whose product is its size; -1 for the one to
    infer.
    TypeError for sizes that are no integers, RuntimeError where the product is another.
    >>> nn.Unflatten(1, (3, 4))(torch.zeros(2, 12)).shape
    torch.Size([2, 3, 4])"""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos {i}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class PixelShuffle(Module):
    """Channels to pixels: (..., C * r ** 2, H, W) to (..., C, H * r, W * r), r ** 2 channels making a square of pixels
    (Shi and others, "Real-time single image and video super-resolution", 2016). Any dtype.
    upscale_factor: the r. RuntimeError for fewer than 3 dimensions and where r ** 2 does not divide the channels.
    >>> nn.PixelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1, 1))
    tensor([[[[0., 1.],
              [2., 3.]]]])"""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels to channels, the inverse of PixelShuffle: (..., C, H * r, W * r) to (..., C * r ** 2, H, W). Any dtype.
    downscale_factor: the r. RuntimeError for fewer than 3 dimensions and where r does not divide height and width.
    >>> nn.PixelUnshuffle(2)(torch.arange(4.0).reshape(1, 1, 2, 2)).flatten()
    tensor([0., 1., 2., 3.])
    >>> nn.PixelUnshuffle(2)(torch.zeros(1, 3, 4, 6)).shape
    torch.Size([1, 12, 2, 3])"""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels in a new order: divided into groups and taken from each in turn, so that a following grouped convolution
    sees all:
    (N, C, ...) to the same shape (Zhang and others, "ShuffleNet", 2017). Any dtype.
    groups: the number of groups. RuntimeError where it does not divide C, and for fewer than 3 dimensions.
    >>> nn.ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])"""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Patches(Module):
    """Windows over images."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(Patches):
    """Patches of images as columns: (N, C, H, W), or (C, H, W), to (N, C * prod(kernel_size), L), L being the number of
    places of the window. A convolution is a matrix product with it.
    kernel_size: size of the window, a number or one for each dimension. dilation: step within the window (1).
    padding: zeros added on both sides (0). stride: step of the window (1). RuntimeError where no window fits.
    >>> nn.Unfold(2)(torch.arange(6.0).reshape(1, 1, 2, 3))
    tensor([[[0., 1.],
             [1., 2.],
             [3., 4.],
             [4., 5.]]])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Patches):
    """Columns of patches summed into images: (N, C * prod(kernel_size), L) to (N, C, *output_size), also without N. The
    transpose of Unfold: where patches overlap they add up.
    output_size: height and width of the image, a number for a square. kernel_size: size of the window, a number or one
    for each dimension. dilation: step within the window (1). padding: zeros that Unfold added on both sides (0).
    stride: step of the window (1). RuntimeError where L is not the number of places of the window.
    >>> nn.Fold((2, 3), 2)(torch.ones(1, 4, 2))
    tensor([[[[1., 2., 1.],
              [1., 2., 1.]]]])"""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"


for _kind, _place in {
    ChannelShuffle: "channelshuffle", Fold: "fold", Unfold: "fold", PixelShuffle: "pixelshuffle",
    PixelUnshuffle: "pixelshuffle",
}.items():  # fmt: skip
    _kind.__module__ = "torch.nn.modules." + _place
