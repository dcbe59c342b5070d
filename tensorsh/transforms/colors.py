"""Colours of images: dtypes with their ranges, grey, brightness, contrast, saturation, hue."""

from __future__ import annotations

from typing import Any

from ..torch.root import torch
from .images import Tensor, checked, get_dimensions, on_arrays

_LARGEST = {torch.uint8: 255, torch.int8: 127, torch.int16: 32767, torch.int32: 2**31 - 1, torch.int64: 2**63 - 1}


def largest(dtype: Any) -> int:
    """White: the largest value of a dtype, 1 of floats."""
    return _LARGEST.get(dtype, 1)


def convert_image_dtype(image: Any, dtype: Any = torch.float32) -> Any:
    """The image in another dtype, its values scaled to that dtype's range."""
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    own = image.dtype
    if own == dtype:
        return image
    if own.is_floating_point:
        if dtype.is_floating_point:
            return image.to(dtype)
        if (
            dtype == torch.int64
            and own in (torch.float32, torch.float64)
            or (own, dtype) == (torch.float32, torch.int32)
        ):
            raise RuntimeError(f"The cast from {own} to {dtype} cannot be performed safely.")
        return image.mul(float(largest(dtype)) + 1.0 - 1e-3).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / float(largest(own))
    if largest(own) > largest(dtype):
        return torch.div(image, (largest(own) + 1) // (largest(dtype) + 1), rounding_mode="floor").to(dtype)
    return image.to(dtype) * ((largest(dtype) + 1) // (largest(own) + 1))


def _of_colours(img: Any) -> int:
    """How many channels an image has, 1 or 3."""
    count = get_dimensions(checked(img))[0]
    if count not in (1, 3):
        raise TypeError(f"Input image tensor permitted channel values are [1, 3], but found {count}")
    return count


@on_arrays
def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """The image without colours, in one channel or three."""
    if img.ndim < 3:
        raise TypeError(f"Input image tensor should have at least 3 dimensions, but found {img.ndim}")
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if _of_colours(img) == 3:
        r, g, b = img.unbind(dim=-3)
        grey = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype).unsqueeze(dim=-3)
    else:
        grey = img.clone()
    return grey.expand(img.shape) if num_output_channels == 3 else grey


def _blend(one: Any, other: Any, ratio: float) -> Any:
    return (ratio * one + (1.0 - ratio) * other).clamp(0, largest(one.dtype)).to(one.dtype)


def _ratio(value: float, name: str) -> float:
    if value < 0:
        raise ValueError(f"{name} ({value}) is not non-negative.")
    return float(value)


@on_arrays
def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """The image brighter (above 1) or darker."""
    ratio = _ratio(brightness_factor, "brightness_factor")
    _of_colours(img)
    return _blend(img, torch.zeros_like(img), ratio)


@on_arrays
def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """The image away from its mean grey (above 1) or towards it."""
    ratio = _ratio(contrast_factor, "contrast_factor")
    grey = rgb_to_grayscale(img) if _of_colours(img) == 3 else img
    dtype = img.dtype if img.is_floating_point() else torch.float32
    return _blend(img, torch.mean(grey.to(dtype), dim=(-3, -2, -1), keepdim=True), ratio)


@on_arrays
def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """The image with more colour (above 1) or less."""
    ratio = _ratio(saturation_factor, "saturation_factor")
    return img if _of_colours(img) == 1 else _blend(img, rgb_to_grayscale(img), ratio)


@on_arrays
def adjust_hue(img: Any, hue_factor: float) -> Any:
    """The image with its colours turned, by at most half of the circle."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if _of_colours(img) == 1:
        return img
    hue, saturation, value = _hsv(convert_image_dtype(img, torch.float32)).unbind(dim=-3)
    turned = torch.stack(((hue + hue_factor) % 1.0, saturation, value), dim=-3)
    return convert_image_dtype(_rgb(turned), img.dtype)


@on_arrays
def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """The image's values to the power of gamma."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    found = img if img.is_floating_point() else convert_image_dtype(img, torch.float32)
    return convert_image_dtype((gain * found**gamma).clamp(0, 1), img.dtype)


@on_arrays
def invert(img: Any) -> Any:
    """White as black, black as white."""
    _of_colours(img)
    return largest(img.dtype) - img


@on_arrays
def solarize(img: Any, threshold: float) -> Any:
    """The image with what is bright inverted."""
    _of_colours(img)
    if threshold > largest(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    return torch.where(img >= threshold, largest(img.dtype) - img, img)


@on_arrays
def posterize(img: Any, bits: int) -> Any:
    """The image with fewer bits in each channel."""
    _of_colours(img)
    if img.dtype != torch.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
    return img & -int(2 ** (8 - bits)) % 256


def _hsv(img: Any) -> Any:
    r, g, b = img.unbind(dim=-3)
    high, low = torch.max(img, dim=-3).values, torch.min(img, dim=-3).values
    is_grey, span = high == low, high - low
    ones = torch.ones_like(high)
    saturation = span / torch.where(is_grey, ones, high)
    divisor = torch.where(is_grey, ones, span)
    rc, gc, bc = (high - r) / divisor, (high - g) / divisor, (high - b) / divisor
    hue = (high == r) * (bc - gc)
    hue = hue + ((high == g) & (high != r)) * (2.0 + rc - bc) + ((high != g) & (high != r)) * (4.0 + gc - rc)
    return torch.stack((torch.fmod(hue / 6.0 + 1.0, 1.0), saturation, high), dim=-3)


def _rgb(img: Any) -> Any:
    hue, s, v = img.unbind(dim=-3)
    sector = torch.floor(hue * 6.0)
    f = hue * 6.0 - sector
    p, q, t = (torch.clamp(each, 0.0, 1.0) for each in (v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))))
    mask = (sector.to(torch.int32) % 6).unsqueeze(-3) == torch.arange(6).view(-1, 1, 1)
    ways = [(v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q)]
    every = torch.stack([torch.stack(way, dim=-3) for way in ways], dim=-4)
    return torch.einsum("...ijk, ...xijk -> ...xjk", mask.to(img.dtype), every)
