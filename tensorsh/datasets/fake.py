"""Images of noise, to try a program with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..torch.root import torch
from .vision import VisionDataset


class FakeData(VisionDataset):
    """So many images of noise, arrays (H, W, C) of bytes, each with a class; the same number is always the same image.
    >>> len(tensorsh.datasets.FakeData(size=10))
    10"""

    def __init__(
        self, size: int = 1000, image_size: tuple[int, int, int] = (3, 224, 224), num_classes: int = 10,
        transform: Callable | None = None, target_transform: Callable | None = None, random_offset: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(transform=transform, target_transform=target_transform)
        self.size, self.num_classes, self.image_size, self.random_offset = size, num_classes, image_size, random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        before = torch.get_rng_state()
        torch.manual_seed(index + self.random_offset)
        noise = torch.randn(*self.image_size)
        target = torch.randint(0, self.num_classes, size=(1,), dtype=torch.long)[0]
        torch.set_rng_state(before)
        pixels = (noise.permute(1, 2, 0).numpy() * 255).astype(np.int64).astype(np.uint8)  # wraps, as C does
        image = np.ascontiguousarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
        image, target = self.sample(image, target)
        return image, target.item()

    def __len__(self) -> int:
        return self.size
