"""Images and signals made larger."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Signals, images and volumes resized: (N, C, L), (N, C, H, W) or (N, C, D, H, W) to the same with other last
    sizes.
    size: the new sizes, a number or one for each dimension; or scale_factor: what the sizes are multiplied by (one of
    the two).
    mode: 'nearest' (default), 'linear' (3 dimensions), 'bilinear', 'bicubic' (4), 'trilinear' (5), 'area' or
    'nearest-exact'.
    align_corners: let the corner values stay in the corners, in the linear and cubic modes (None: no).
    recompute_scale_factor: use the rounded sizes' ratio instead of the given factor (None: no).
    ValueError where both or none of size and scale_factor are given, NotImplementedError for a mode of other
    dimensions.
    >>> nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])"""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None,
        recompute_scale_factor: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        what = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{what}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images resized with the nearest value: (N, C, H, W) to (N, C, H', W'). An older name of Upsample with mode
    'nearest'.
    size: the new height and width, a number for both; or scale_factor: what height and width are multiplied by.
    ValueError where both or none of the two are given. Any real dtype of Upsample's, the same out.
    >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])"""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images resized by bilinear interpolation: (N, C, H, W) to (N, C, H', W'), corner values staying in the corners.
    An older name of Upsample with mode 'bilinear' and align_corners.
    size: the new height and width, a number for both; or scale_factor: what height and width are multiplied by.
    ValueError where both or none of the two are given.
    >>> nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])"""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
