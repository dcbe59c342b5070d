"""``transforms.functional``: what the transforms do, as functions of an image and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..torch.root import torch
from .colors import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    invert,
    posterize,
    rgb_to_grayscale,
    solarize,
)
from .images import (
    InterpolationMode,
    Tensor,
    as_tensor,
    checked,
    get_dimensions,
    get_image_num_channels,
    get_image_size,
    mode_of,
    on_arrays,
    pair,
    resized,
)

__all__ = [
    "InterpolationMode", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "center_crop",
    "convert_image_dtype", "crop", "erase", "five_crop", "gaussian_blur", "get_dimensions", "get_image_num_channels", "get_image_size",
    "hflip", "invert", "normalize", "pad", "pil_to_tensor", "posterize", "resize", "resized_crop", "rgb_to_grayscale", "rotate",
    "solarize", "to_grayscale", "to_pil_image", "to_tensor", "vflip",
]  # fmt: skip


def to_tensor(pic: Any) -> Any:
    """An array (H, W) or (H, W, C) as a tensor (C, H, W); bytes become floats from 0 to 1."""
    if not isinstance(pic, np.ndarray):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    image = as_tensor(pic)
    return image.to(torch.get_default_dtype()).div(255) if image.dtype == torch.uint8 else image


def pil_to_tensor(pic: Any) -> Any:
    """An array (H, W) or (H, W, C) as a tensor (C, H, W) of the same dtype."""
    if not isinstance(pic, np.ndarray):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return as_tensor(pic)


def to_pil_image(pic: Any, mode: str | None = None) -> np.ndarray:
    """A tensor (C, H, W) as an array (H, W, C), or (H, W) of one channel; floats from 0 to 1 become bytes."""
    if isinstance(pic, Tensor):
        pic = (pic.permute(1, 2, 0) if pic.ndim == 3 else pic).detach().numpy()
    elif not isinstance(pic, np.ndarray):
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if pic.ndim == 2:
        pic = pic[:, :, None]
    if pic.ndim != 3:
        raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    if pic.shape[-1] > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {pic.shape[-1]} channels.")
    if pic.dtype.kind == "f" and mode != "F":
        pic = (pic * 255).astype(np.int64).astype(np.uint8)
    return np.array(pic[:, :, 0] if pic.shape[2] == 1 else pic)


def normalize(tensor: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Any:
    """Each channel minus its mean, divided by its deviation."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    checked(tensor)
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}"
        )
    tensor = tensor if inplace else tensor.clone()
    parts = [torch.as_tensor(each, dtype=tensor.dtype, device=tensor.device) for each in (mean, std)]
    if (parts[1] == 0).any():
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.")
    first, second = (each.view(-1, 1, 1) if each.ndim == 1 else each for each in parts)
    return tensor.sub_(first).div_(second)


def resize(
    img: Any, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:  # fmt: skip
    """The image in another size; of one number, that is the shorter edge's."""
    mode = mode_of(interpolation).value
    if isinstance(size, (list, tuple)):
        if len(size) not in (1, 2):
            raise ValueError(
                f"Size must be an int or a 1 or 2 element tuple/list, not a {len(size)} element tuple/list"
            )
        if max_size is not None and len(size) != 1:
            raise ValueError(
                "max_size should only be passed if size specifies the length of the smaller edge, i.e. size should be an int or "
                "a sequence of length 1 in torchscript mode."
            )
    _, height, width = get_dimensions(img)
    wanted = resized(height, width, [size] if isinstance(size, int) else list(size), max_size)
    return img if [height, width] == wanted else _resize(img, wanted, mode, antialias)


@on_arrays
def _resize(img: Any, size: list[int], mode: str, antialias: bool | None) -> Any:
    checked(img)
    smooth = mode in ("bilinear", "bicubic")
    if mode == "lanczos":
        raise ValueError("Lanczos mode requires antialias=True")
    options: dict[str, Any] = {"align_corners": False, "antialias": bool(antialias)} if smooth else {}

    def run(image: Any) -> Any:
        found = torch.nn.functional.interpolate(image, size=size, mode=mode, **options)
        return found.clamp(0, 255) if mode == "bicubic" and img.dtype == torch.uint8 else found

    return in_floats(img, run)


def in_floats(img: Any, run: Any, dtypes: Any = None) -> Any:
    """A function of a batch of floats, of an image of any dtype: whole numbers are rounded."""
    batch = img.unsqueeze(0) if img.ndim < 4 else img
    casts = img.dtype not in (dtypes or (torch.float32, torch.float64))
    found = run(batch.to((dtypes or (torch.float32,))[0]) if casts else batch)
    found = found.squeeze(0) if img.ndim < 4 else found
    if not casts:
        return found
    return (found if img.dtype.is_floating_point else torch.round(found)).to(img.dtype)


@on_arrays
def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """The image with so many pixels at its left, top, right and bottom; two numbers are left and right, top and bottom."""
    checked(img)
    if not isinstance(padding, (int, tuple, list)):
        raise TypeError("Got inappropriate padding arg")
    if not isinstance(fill, (int, float, type(None))):
        raise TypeError("Got inappropriate fill arg")
    check_mode(padding_mode)
    sides = sides_of(padding)
    if padding_mode == "symmetric":
        return _mirrored(img, sides)
    if padding_mode == "constant":
        return torch.nn.functional.pad(img, sides, value=float(fill or 0))
    mode = "replicate" if padding_mode == "edge" else "reflect"
    return in_floats(img, lambda batch: torch.nn.functional.pad(batch, sides, mode=mode))


def check_mode(padding_mode: str) -> None:
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")


def sides_of(padding: Any) -> list[int]:
    """Left, right, top and bottom of what `pad` is told."""
    given = [padding] if isinstance(padding, int) else list(padding)
    if len(given) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(given)} element tuple")
    left, top, right, bottom = given * (4 // len(given))
    return [left, right, top, bottom]


def _mirrored(img: Any, sides: list[int]) -> Any:
    """The image with its own edge mirrored around it, the last pixel twice."""
    for dim, (before, after) in ((-1, sides[:2]), (-2, sides[2:])):
        size = img.shape[dim]
        if before < 0 or after < 0:
            img = img.narrow(dim, max(-before, 0), size - max(-before, 0) - max(-after, 0))
            size, before, after = img.shape[dim], max(before, 0), max(after, 0)
        places = [*range(before - 1, -1, -1), *range(size), *range(-1, -after - 1, -1)]
        img = img.index_select(dim, torch.tensor([place % size for place in places], device=img.device))
    return img


@on_arrays
def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of the image; what lies outside of it is 0."""
    checked(img)
    own_height, own_width = img.shape[-2:]
    right, bottom = left + width, top + height
    part = img[..., max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if left >= 0 and top >= 0 and right <= own_width and bottom <= own_height:
        return part
    around = [
        max(min(right, 0) - left, 0),
        max(right - max(own_width, left), 0),
        max(min(bottom, 0) - top, 0),
        max(bottom - max(own_height, top), 0),
    ]
    return torch.nn.functional.pad(part, around)


def center_crop(img: Any, output_size: Any) -> Any:
    """The middle of the image, with 0 around it where the image is smaller."""
    height, width = pair(output_size)
    _, own_height, own_width = get_dimensions(img)
    if width > own_width or height > own_height:
        across, down = max(width - own_width, 0), max(height - own_height, 0)
        img = pad(img, [across // 2, down // 2, (across + 1) // 2, (down + 1) // 2], fill=0)
        _, own_height, own_width = get_dimensions(img)
        if (height, width) == (own_height, own_width):
            return img
    return crop(img, int(round((own_height - height) / 2.0)), int(round((own_width - width) / 2.0)), height, width)


def five_crop(img: Any, size: Any) -> tuple[Any, ...]:
    """The four corners and the middle of the image."""
    height, width = pair(size)
    _, own_height, own_width = get_dimensions(img)
    if width > own_width or height > own_height:
        raise ValueError(f"Requested crop size {size} is bigger than input size {(own_height, own_width)}")
    down, across = own_height - height, own_width - width
    corners = (crop(img, top, left, height, width) for top in (0, down) for left in (0, across))
    return (*corners, center_crop(img, [height, width]))


def resized_crop(
    img: Any, top: int, left: int, height: int, width: int, size: Any,
    interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True,
) -> Any:  # fmt: skip
    """A part of the image in another size."""
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


@on_arrays
def hflip(img: Any) -> Any:
    """Left and right exchanged."""
    return checked(img).flip(-1)


@on_arrays
def vflip(img: Any) -> Any:
    """Top and bottom exchanged."""
    return checked(img).flip(-2)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """The image without colours."""
    return rgb_to_grayscale(img, num_output_channels)


@on_arrays
def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """The image with a rectangle of it overwritten."""
    img = checked(img) if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img


@on_arrays
def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """The image under a Gaussian window."""
    checked(img)
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    widths = [size * 0.15 + 0.35 for size in sizes] if sigma is None else sigma
    widths = [float(widths)] * 2 if isinstance(widths, (int, float)) else [float(each) for each in widths]
    for size in sizes:
        if size % 2 == 0 or size < 0:
            raise ValueError(f"kernel_size should have odd and positive integers. Got {sizes}")
    for each in widths:
        if each <= 0.0:
            raise ValueError(f"sigma should have positive values. Got {widths}")
    dtype = img.dtype if img.is_floating_point() else torch.float32
    across, down = (_gaussian(size, each, dtype) for size, each in zip(sizes, widths, strict=False))
    channels = img.shape[-3]
    window = torch.mm(down[:, None], across[None, :]).expand(channels, 1, sizes[1], sizes[0])
    around = [sizes[0] // 2, sizes[0] // 2, sizes[1] // 2, sizes[1] // 2]

    def run(batch: Any) -> Any:
        return torch.nn.functional.conv2d(
            torch.nn.functional.pad(batch, around, mode="reflect"), window, groups=channels
        )

    return in_floats(img, run, (dtype,))


def _gaussian(size: int, sigma: float, dtype: Any) -> Any:
    half = (size - 1) * 0.5
    x = torch.linspace(-half, half, steps=size, dtype=dtype)
    density = torch.exp(-0.5 * (x / sigma).pow(2))
    return density / density.sum()


@on_arrays
def rotate(
    img: Any, angle: float, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False, center: Any = None,
    fill: Any = None,
) -> Any:  # fmt: skip
    """The image turned counter-clockwise by degrees; what comes from outside of it is `fill`."""
    checked(img)
    mode = mode_of(interpolation).value
    if not isinstance(angle, (int, float)):
        raise TypeError("Argument angle should be int or float")
    height, width = img.shape[-2:]
    x, y = (0.0, 0.0) if center is None else (center[0] - width * 0.5, center[1] - height * 0.5)
    turn = math.radians(-angle)
    cos, sin = math.cos(turn), math.sin(turn)
    matrix = [cos, sin, x - cos * x - sin * y, -sin, cos, y + sin * x - cos * y]
    new_width, new_height = _bounds(matrix, width, height) if expand else (width, height)
    dtype = img.dtype if img.is_floating_point() else torch.float32
    theta = torch.tensor(matrix, dtype=dtype).reshape(1, 2, 3)
    grid = torch.empty(1, new_height, new_width, 3, dtype=dtype)
    grid[..., 0] = torch.linspace(-new_width * 0.5 + 0.5, new_width * 0.5 - 0.5, steps=new_width)
    grid[..., 1] = torch.linspace(-new_height * 0.5 + 0.5, new_height * 0.5 - 0.5, steps=new_height).unsqueeze(-1)
    grid[..., 2] = 1
    scaled = theta.transpose(1, 2) / torch.tensor([0.5 * width, 0.5 * height], dtype=dtype)
    places = grid.view(1, new_height * new_width, 3).bmm(scaled).view(1, new_height, new_width, 2)
    return in_floats(img, lambda batch: _sampled(batch, places, mode, fill), (dtype,))


def _sampled(batch: Any, places: Any, mode: str, fill: Any) -> Any:
    places = places.expand(batch.shape[0], *places.shape[1:])
    if fill is not None:
        batch = torch.cat((batch, torch.ones_like(batch[:, :1])), dim=1)
    found = torch.nn.functional.grid_sample(batch, places, mode=mode, padding_mode="zeros", align_corners=False)
    if fill is None:
        return found
    found, mask = found[:, :-1], found[:, -1:]
    colour = torch.tensor(
        [float(each) for each in (fill if isinstance(fill, (tuple, list)) else [fill])], dtype=found.dtype
    )
    colour = colour.view(1, -1, 1, 1)
    return torch.where(mask < 0.5, colour, found) if mode == "nearest" else found * mask + (1.0 - mask) * colour


def _bounds(matrix: list[float], width: int, height: int) -> tuple[int, int]:
    """The width and height that a turned image takes."""
    right, bottom = 0.5 * width, 0.5 * height
    corners = torch.tensor([[-right, -bottom, 1.0], [-right, bottom, 1.0], [right, bottom, 1.0], [right, -bottom, 1.0]])
    found = torch.matmul(corners, torch.tensor(matrix).view(2, 3).T)
    low, high = found.min(dim=0)[0] + torch.tensor((right, bottom)), found.max(dim=0)[0] + torch.tensor((right, bottom))
    size = torch.ceil((high / 1e-4).trunc_() * 1e-4) - torch.floor((low / 1e-4).trunc_() * 1e-4)
    return int(size[0]), int(size[1])
