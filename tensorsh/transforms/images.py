"""Images: tensors of shape (..., C, H, W), and numpy arrays of shape (H, W) or (H, W, C), which stand here for PIL's images."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from ..sandbox.wrapping import wraps
from ..torch.root import torch

Tensor = torch.Tensor


class InterpolationMode(enum.Enum):
    """How pixels between pixels are found."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_NUMBERED = {0: "NEAREST", 2: "BILINEAR", 3: "BICUBIC", 4: "BOX", 5: "HAMMING", 1: "LANCZOS"}


def mode_of(interpolation: Any) -> InterpolationMode:
    """A mode, also of its name and of the number by which PIL knows it."""
    if isinstance(interpolation, InterpolationMode):
        return interpolation
    if type(interpolation) is int and interpolation in _NUMBERED:
        return InterpolationMode[_NUMBERED[interpolation]]
    if type(interpolation) is str:
        return InterpolationMode(interpolation)
    raise TypeError("Argument interpolation should be a InterpolationMode or a corresponding Pillow integer constant")


def is_tensor(image: Any) -> bool:
    """Whether a value is a tensor."""
    return isinstance(image, Tensor)


def checked(image: Any) -> Any:
    """The image itself, a tensor of at least two dimensions."""
    if not isinstance(image, Tensor) or image.ndim < 2:
        raise TypeError("Tensor is not a torch image.")
    return image


def as_tensor(array: np.ndarray) -> Any:
    """An array (H, W) or (H, W, C) as a tensor (C, H, W) of the same numbers."""
    if array.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    return torch.from_numpy(np.ascontiguousarray(array[None] if array.ndim == 2 else array.transpose(2, 0, 1)))


def as_array(image: Any, flat: bool = True) -> np.ndarray:
    """A tensor (C, H, W) as an array (H, W, C), or (H, W) of one channel."""
    array = np.array(image.permute(1, 2, 0).numpy())
    return array[:, :, 0] if flat and array.shape[2] == 1 else array


def on_arrays(function: Callable) -> Callable:
    """A function of a tensor that takes arrays as well, and gives an array for one."""

    @wraps(function)
    def call(img: Any, *arguments: Any, **options: Any) -> Any:
        if not isinstance(img, np.ndarray):
            if not isinstance(img, Tensor):
                raise TypeError(f"img should be a tensor or an ndarray of shape (H, W, C). Got {type(img)}")
            return function(img, *arguments, **options)
        found = function(as_tensor(img), *arguments, **options)
        if isinstance(found, tuple):
            return tuple(as_array(each, img.ndim == 2) for each in found)
        return as_array(found, img.ndim == 2 or found.shape[0] != img.shape[2])

    return call


def get_dimensions(img: Any) -> list[int]:
    """The channels, the height and the width of an image."""
    if isinstance(img, np.ndarray):
        return [1 if img.ndim == 2 else img.shape[2], img.shape[0], img.shape[1]]
    return [1 if checked(img).ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]


def get_image_size(img: Any) -> list[int]:
    """The width and the height of an image."""
    return get_dimensions(img)[:0:-1]


def get_image_num_channels(img: Any) -> int:
    """The channels of an image."""
    return get_dimensions(img)[0]


def pair(size: Any, said: str = "Please provide only two dimensions (h, w) for size.") -> Any:
    """A size as height and width."""
    if isinstance(size, Number):
        return int(size), int(size)  # type: ignore[call-overload]
    if isinstance(size, Sequence) and len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(said)
    return size


def resized(height: int, width: int, size: Sequence[int], longest: int | None = None) -> list[int]:
    """The height and width of an image that is resized, the shorter edge to `size` where that is one number."""
    if len(size) != 1:
        return [size[0], size[1]]
    short, long = sorted((height, width))
    new_short, new_long = size[0], int(size[0] * long / short)
    if longest is not None:
        if longest <= size[0]:
            raise ValueError(
                f"max_size = {longest} must be strictly greater than the requested size for the smaller edge size = {size}"
            )
        if new_long > longest:
            new_short, new_long = int(longest * new_short / new_long), longest
    return [new_long, new_short] if width <= height else [new_short, new_long]
