"""The transforms that always do the same."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from ..sandbox.sealed import Sealed
from ..torch.root import torch
from . import functional as F
from .images import InterpolationMode, mode_of, pair

Module = torch.nn.Module


def listed(name: str, *lines: Any) -> str:
    """How a transform of transforms shows itself."""
    return f"{name}(" + "".join(f"\n    {line}" for line in lines) + "\n)"


def told(*names: str) -> Any:
    """The `__repr__` of a transform that tells these of its attributes; of an interpolation its name."""

    def __repr__(self: Any) -> str:
        values = [getattr(self, name) for name in names]
        given = [f"{name}={getattr(value, 'value', value)}" for name, value in zip(names, values, strict=True)]
        return f"{type(self).__name__}({', '.join(given)})"

    return __repr__


class Compose(metaclass=Sealed):
    """Transforms one after the other.
    >>> tensorsh.transforms.Compose([tensorsh.transforms.ToTensor()])"""

    def __init__(self, transforms: Sequence[Any]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for step in self.transforms:
            img = step(img)
        return img

    def __repr__(self) -> str:
        return listed(type(self).__name__, *self.transforms)


class ToTensor(metaclass=Sealed):
    """An array (H, W) or (H, W, C) as a tensor (C, H, W); bytes become floats from 0 to 1."""

    def __call__(self, pic: Any) -> Any:
        return F.to_tensor(pic)

    __repr__ = told()


class PILToTensor(metaclass=Sealed):
    """An array (H, W) or (H, W, C) as a tensor (C, H, W) of the same dtype."""

    def __call__(self, pic: Any) -> Any:
        return F.pil_to_tensor(pic)

    __repr__ = told()


class ToPILImage(metaclass=Sealed):
    """A tensor (C, H, W) as an array (H, W, C), which stands for PIL's image; floats from 0 to 1 become bytes."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(" + (f"mode={self.mode}" if self.mode is not None else "") + ")"


class Lambda(metaclass=Sealed):
    """A function as a transform."""

    def __init__(self, lambd: Any) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    __repr__ = told()


class ConvertImageDtype(Module):
    """The image in another dtype, its values scaled to that dtype's range."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Any) -> Any:
        return F.convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """Each channel minus its mean, divided by its deviation."""

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor: Any) -> Any:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    __repr__ = told("mean", "std")


class Resize(Module):
    """The image in another size; of one number, that is the shorter edge's."""

    def __init__(
        self, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None, antialias: Any = True
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(size, (int, Sequence)):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size, self.interpolation = size, mode_of(interpolation)
        self.max_size, self.antialias = max_size, antialias

    def forward(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    __repr__ = told("size", "interpolation", "max_size", "antialias")


class CenterCrop(Module):
    """The middle of the image, with 0 around it where the image is smaller."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = pair(size)

    def forward(self, img: Any) -> Any:
        return F.center_crop(img, self.size)

    __repr__ = told("size")


class FiveCrop(Module):
    """The four corners and the middle of the image."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = pair(size)

    def forward(self, img: Any) -> Any:
        return F.five_crop(img, self.size)

    __repr__ = told("size")


class Pad(Module):
    """The image with pixels around it: `constant`, `edge`, `reflect` or `symmetric`."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        if not isinstance(padding, (Number, tuple, list)):
            raise TypeError("Got inappropriate padding arg")
        if not isinstance(fill, (Number, tuple, list)):
            raise TypeError("Got inappropriate fill arg")
        F.check_mode(padding_mode)
        if isinstance(padding, Sequence):
            F.sides_of(padding)
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    __repr__ = told("padding", "fill", "padding_mode")


class Grayscale(Module):
    """The image without colours, in one channel or three."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        return F.rgb_to_grayscale(img, num_output_channels=self.num_output_channels)

    __repr__ = told("num_output_channels")
