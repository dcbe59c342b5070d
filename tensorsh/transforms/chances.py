"""The transforms that draw: from torch's generator, as many numbers and in the order in which torchvision draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

from ..engine.arrays.warning import warn
from ..sandbox.sealed import Sealed
from ..torch.root import torch
from . import functional as F
from .images import InterpolationMode, mode_of, pair
from .steps import Module, listed, told


def drawn(low: float, high: float) -> float:
    """A number between two."""
    return torch.empty(1).uniform_(float(low), float(high)).item()


def whole(count: int) -> int:
    """A whole number below another."""
    return torch.randint(0, count, size=(1,)).item()


class RandomApply(Module):
    """Transforms that are applied with a probability, all or none."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, img: Any) -> Any:
        if self.p < torch.rand(1):
            return img
        for step in self.transforms:
            img = step(img)
        return img

    def __repr__(self) -> str:
        return listed(type(self).__name__, f"p={self.p}", *self.transforms)


class RandomOrder(metaclass=Sealed):
    """Transforms one after the other in an order that is drawn."""

    def __init__(self, transforms: Sequence[Any]) -> None:
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for place in torch.randperm(len(self.transforms)).tolist():
            img = self.transforms[place](img)
        return img

    def __repr__(self) -> str:
        return listed(type(self).__name__, *self.transforms)


class RandomChoice(RandomOrder):
    """One of the transforms, drawn by their probabilities `p`."""

    def __init__(self, transforms: Sequence[Any], p: Any = None) -> None:
        super().__init__(transforms)
        if p is not None and not isinstance(p, Sequence):
            raise TypeError("Argument p should be a sequence")
        self.p = p

    def __call__(self, img: Any) -> Any:
        weights = torch.tensor([1.0] * len(self.transforms) if self.p is None else self.p)
        return self.transforms[torch.multinomial(weights, 1).item()](img)

    def __repr__(self) -> str:
        return f"{super().__repr__()}(p={self.p})"


class RandomCrop(Module):
    """A part of the image from a place that is drawn, after padding."""

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = "constant"
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = tuple(pair(size))
        self.padding, self.pad_if_needed, self.fill, self.padding_mode = padding, pad_if_needed, fill, padding_mode

    @staticmethod
    def get_params(img: Any, output_size: Any) -> tuple[int, int, int, int]:
        """The top, the left, the height and the width of a part."""
        _, h, w = F.get_dimensions(img)
        th, tw = output_size
        if h < th or w < tw:
            raise ValueError(f"Required crop size {(th, tw)} is larger than input image size {(h, w)}")
        return (0, 0, h, w) if (h, w) == (th, tw) else (whole(h - th + 1), whole(w - tw + 1), th, tw)

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        for axis in (1, 0) if self.pad_if_needed else ():
            lacks = self.size[axis] - F.get_dimensions(img)[1 + axis]
            if lacks > 0:
                img = F.pad(img, [lacks, 0] if axis else [0, lacks], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    __repr__ = told("size", "padding")


class RandomHorizontalFlip(Module):
    """Left and right exchanged, with a probability."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.hflip(img) if torch.rand(1) < self.p else img

    __repr__ = told("p")


class RandomVerticalFlip(RandomHorizontalFlip):
    """Top and bottom exchanged, with a probability."""

    def forward(self, img: Any) -> Any:
        return F.vflip(img) if torch.rand(1) < self.p else img


class RandomGrayscale(RandomHorizontalFlip):
    """The image without colours, with a probability."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__(p)

    def forward(self, img: Any) -> Any:
        channels, _, _ = F.get_dimensions(img)
        return F.rgb_to_grayscale(img, channels) if torch.rand(1) < self.p else img


def tried(area: float, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int]:
    """The height and width of a rectangle whose share of the area and whose shape are drawn."""
    low, high = torch.log(torch.tensor(ratio))
    wanted = area * drawn(scale[0], scale[1])
    shape = torch.exp(torch.empty(1).uniform_(float(low), float(high))).item()
    return round(math.sqrt(wanted / shape)), round(math.sqrt(wanted * shape))


def _check(scale: Any, ratio: Any) -> None:
    for value, name in ((scale, "Scale"), (ratio, "Ratio")):
        if not isinstance(value, Sequence):
            raise TypeError(f"{name} should be a sequence")
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        warn("Scale and ratio should be of kind (min, max)")


class RandomResizedCrop(Module):
    """A part of the image whose place, size and shape are drawn, in a size that is given."""

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = InterpolationMode.BILINEAR, antialias: Any = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = pair(size)
        _check(scale, ratio)
        self.scale, self.ratio = scale, ratio
        self.interpolation, self.antialias = mode_of(interpolation), antialias

    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any) -> tuple[int, int, int, int]:
        """The top, the left, the height and the width of a part."""
        _, height, width = F.get_dimensions(img)
        for _ in range(10):
            h, w = tried(height * width, scale, ratio)
            if 0 < w <= width and 0 < h <= height:
                return whole(height - h + 1), whole(width - w + 1), h, w
        w, h = width, height
        if width / height < min(ratio):
            h = round(w / min(ratio))
        elif width / height > max(ratio):
            w = round(h * max(ratio))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img: Any) -> Any:
        place = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *place, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self) -> str:
        scale, ratio = (tuple(round(each, 4) for each in both) for both in (self.scale, self.ratio))
        return (
            f"{type(self).__name__}(size={self.size}, scale={scale}, ratio={ratio}, interpolation={self.interpolation.value}, "
            f"antialias={self.antialias})"
        )


class RandomErasing(Module):
    """A rectangle of the image overwritten, with a probability; by noise where `value` is "random"."""

    def __init__(
        self, p: float = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0, inplace: bool = False
    ) -> None:
        super().__init__()
        if not isinstance(value, (Number, str, tuple, list)):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        _check(scale, ratio)
        if scale[0] < 0 or scale[1] > 1:
            raise ValueError("Scale should be between 0 and 1")
        if p < 0 or p > 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any, value: Any = None) -> tuple[int, int, int, int, Any]:
        """The top, the left, the height and the width of a rectangle, and what is written there."""
        channels, height, width = img.shape[-3:]
        for _ in range(10):
            h, w = tried(height * width, scale, ratio)[::-1]
            if h < height and w < width:
                noise = torch.empty([channels, h, w]).normal_() if value is None else torch.tensor(value)[:, None, None]
                return whole(height - h + 1), whole(width - w + 1), h, w, noise
        return 0, 0, height, width, img

    def forward(self, img: Any) -> Any:
        if torch.rand(1) >= self.p:
            return img
        value = self.value
        value = (
            None
            if value is None or value == "random"
            else [float(v) for v in (value if isinstance(value, (list, tuple)) else [value])]
        )
        if value is not None and len(value) not in (1, img.shape[-3]):
            raise ValueError(
                f"If value is a sequence, it should have either a single value or {img.shape[-3]} (number of input channels)"
            )
        return F.erase(img, *self.get_params(img, self.scale, self.ratio, value), inplace=self.inplace)

    __repr__ = told("p", "scale", "ratio", "value", "inplace")


class RandomRotation(Module):
    """The image turned by an angle that is drawn, in degrees."""

    def __init__(
        self, degrees: Any, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False, center: Any = None, fill: Any = 0
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(degrees, Number):
            if degrees < 0:  # type: ignore[operator]
                raise ValueError("If degrees is a single number, it must be positive.")
            degrees = [-degrees, degrees]  # type: ignore[operator]
        elif len(degrees) != 2:
            raise ValueError("degrees should be a sequence of length 2.")
        self.degrees = [float(each) for each in degrees]
        self.interpolation, self.expand = mode_of(interpolation), expand
        self.fill = 0 if fill is None else fill
        self.center = center

    @staticmethod
    def get_params(degrees: Any) -> float:
        """An angle."""
        return drawn(degrees[0], degrees[1])

    def forward(self, img: Any) -> Any:
        channels = F.get_dimensions(img)[0]
        fill = [float(self.fill)] * channels if isinstance(self.fill, (int, float)) else [float(f) for f in self.fill]
        return F.rotate(img, self.get_params(self.degrees), self.interpolation, self.expand, self.center, fill)

    def __repr__(self) -> str:
        center = f", center={self.center}" if self.center is not None else ""
        return (
            f"{type(self).__name__}(degrees={self.degrees}, interpolation={self.interpolation.value}, expand={self.expand}"
            f"{center}, fill={self.fill})"
        )


class GaussianBlur(Module):
    """The image under a Gaussian window whose width is drawn."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__()
        self.kernel_size = pair(kernel_size, "Kernel size should be a tuple/list of two integers")
        for each in self.kernel_size:
            if each <= 0 or each % 2 == 0:
                raise ValueError("Kernel size value should be an odd and positive number.")
        if isinstance(sigma, Number):
            if sigma <= 0:  # type: ignore[operator]
                raise ValueError("If sigma is a single number, it must be positive.")
            sigma = (sigma, sigma)
        elif not (isinstance(sigma, Sequence) and len(sigma) == 2):
            raise ValueError("sigma should be a single number or a list/tuple with length 2.")
        elif not 0.0 < sigma[0] <= sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")
        self.sigma = sigma

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """A width."""
        return drawn(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        sigma = self.get_params(*self.sigma)
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])

    __repr__ = told("kernel_size", "sigma")


class ColorJitter(Module):
    """Brightness, contrast, saturation and hue changed by factors that are drawn, in an order that is drawn."""

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        super().__init__()
        self.brightness = self._range(brightness, "brightness")
        self.contrast = self._range(contrast, "contrast")
        self.saturation = self._range(saturation, "saturation")
        self.hue = self._range(hue, "hue", 0, (-0.5, 0.5))

    @staticmethod
    def _range(value: Any, name: str, center: float = 1, bound: Any = (0, float("inf"))) -> Any:
        if isinstance(value, Number):
            if value < 0:  # type: ignore[operator]
                raise ValueError(f"If {name} is a single number, it must be non negative.")
            value = [center - float(value), center + float(value)]  # type: ignore[arg-type]
            if center:
                value[0] = max(value[0], 0.0)
        elif isinstance(value, (tuple, list)) and len(value) == 2:
            value = [float(value[0]), float(value[1])]
        else:
            raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
        if not bound[0] <= value[0] <= value[1] <= bound[1]:
            raise ValueError(f"{name} values should be between {bound}, but got {value}.")
        return None if value[0] == value[1] == center else tuple(value)

    @staticmethod
    def get_params(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> tuple[Any, ...]:
        """The order, and the four factors."""
        order = torch.randperm(4)
        return order, *(None if each is None else drawn(*each) for each in (brightness, contrast, saturation, hue))

    def forward(self, img: Any) -> Any:
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        ways = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for place in order.tolist():
            if factors[place] is not None:
                img = ways[place](img, factors[place])
        return img

    __repr__ = told("brightness", "contrast", "saturation", "hue")
