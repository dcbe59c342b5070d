"""``torchvision.utils``: a batch of images as one picture, and pictures as PNG files.

from torchvision.utils import make_grid, save_image
save_image(torch.rand(16, 3, 28, 28), "samples.png", nrow=4)
"""

from __future__ import annotations

import os
from struct import pack
from typing import Any
from zlib import compress, crc32

import numpy as np

from ..torch.root import torch
from ..torch.serialization import permissions
from .images import is_tensor

__all__ = ["make_grid", "save_image"]

COLOURS = {2: 4, 3: 2, 4: 6}
"""PNG's number for pixels of so many bytes: grey and opacity, colours, colours and opacity."""


def make_grid(
    tensor: Any, nrow: int = 8, padding: int = 2, normalize: bool = False, value_range: tuple | None = None,
    scale_each: bool = False, pad_value: float = 0.0,
) -> Any:  # fmt: skip
    """One picture (C, height, width) of a batch (B, C, H, W) or a list of images, `nrow` of them side by side.
    padding: pixels between images, of `pad_value`. normalize: whether numbers are brought to 0...1, from `value_range`,
    else from the smallest and the largest; of each image with `scale_each`."""
    for each in tensor if isinstance(tensor, list) else ():
        if not is_tensor(each):
            raise TypeError(f"tensor or list of tensors expected, got a list containing {type(each)}")
    if not isinstance(tensor, list) and not is_tensor(tensor):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    with torch.no_grad():
        images = torch.stack(tensor, dim=0) if isinstance(tensor, list) else tensor
        for channels in (2, 3):
            images = images.unsqueeze(0) if images.dim() == channels else images
        if images.dim() == 4 and images.size(1) == 1:
            images = torch.cat((images, images, images), 1)
        if normalize is True:
            images = normalized(images.clone(), value_range, scale_each is True)
        return images.squeeze(0) if images.size(0) == 1 else laid(images, nrow, padding, pad_value)


def normalized(images: Any, value_range: Any, scale_each: bool) -> Any:
    """The images themselves, their numbers brought to 0...1."""
    if value_range is not None and not isinstance(value_range, tuple):
        raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
    for part in images if scale_each else (images,):
        low, high = (float(part.min()), float(part.max())) if value_range is None else value_range[:2]
        part.clamp_(min=low, max=high)
        part.sub_(low).div_(max(high - low, 1e-5))
    return images


def laid(images: Any, nrow: int, padding: int, pad_value: float) -> Any:
    """Images in rows."""
    count, channels, *sides = images.shape
    columns = min(nrow, count)
    rows = -(-count // columns)
    height, width = (int(side + padding) for side in sides)
    grid = images.new_full((channels, height * rows + padding, width * columns + padding), pad_value)
    for k in range(count):
        y, x = divmod(k, columns)
        strip = grid.narrow(1, y * height + padding, height - padding)
        strip.narrow(2, x * width + padding, width - padding).copy_(images[k])
    return grid


def save_image(tensor: Any, fp: Any, format: str | None = None, **kwargs: Any) -> None:
    """Writes an image, or a batch of them as a grid, into a PNG file.
    fp: a path, or an open file, which needs `format="png"`. The rest goes to `make_grid`."""
    grid = make_grid(tensor, **kwargs)
    with torch.no_grad():
        pixels = grid.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to("cpu", torch.uint8).numpy()
    path = isinstance(fp, (str, os.PathLike))
    if (format or (os.path.splitext(os.fspath(fp))[1][1:] if path else "")).lower() != "png":
        raise ValueError('save_image writes PNG alone here: end the name in ".png", or say format="png"')
    if path:
        permissions().write_bytes(fp, png(pixels))
    else:
        fp.write(png(pixels))


def png(pixels: np.ndarray) -> bytes:
    """Bytes (H, W, C) as a PNG file."""
    height, width, depth = pixels.shape
    if depth not in COLOURS:
        raise TypeError(f"Cannot handle this data type: (1, 1, {depth}), |u1")
    lines = np.zeros((height, 1 + width * depth), np.uint8)  # each begins with the number of its filter: none
    lines[:, 1:] = pixels.reshape(height, -1)
    head = pack(">IIBBBBB", width, height, 8, COLOURS[depth], 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", compress(lines.tobytes())), (b"IEND", b""))
    written = (pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(written)
