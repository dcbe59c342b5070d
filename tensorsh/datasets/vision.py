"""The base of datasets of images, and how transforms are given to them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..sandbox.sealed import Sealed
from ..torch.root import torch

Dataset = torch.utils.data.Dataset


def lines_of(transform: Any, head: str) -> list[str]:
    """How a transform shows itself behind a title."""
    first, *rest = repr(transform).splitlines()
    return [head + first, *(" " * len(head) + line for line in rest)]


def transformed(pair: Any, input: Any, target: Any) -> tuple[Any, Any]:
    """An input and its target, each by its transform, where there is one."""
    if pair.transform is not None:
        input = pair.transform(input)
    if pair.target_transform is not None:
        target = pair.target_transform(target)
    return input, target


class StandardTransform(metaclass=Sealed):
    """A transform of images and one of targets."""

    def __init__(self, transform: Callable | None = None, target_transform: Callable | None = None) -> None:
        self.transform, self.target_transform = transform, target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        return transformed(self, input, target)

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        if self.transform is not None:
            lines += lines_of(self.transform, "Transform: ")
        if self.target_transform is not None:
            lines += lines_of(self.target_transform, "Target transform: ")
        return "\n".join(lines)


class VisionDataset(Dataset):
    """Base class of datasets of images in a folder: one of one's own defines `__getitem__(number)` and `__len__`."""

    def __init__(
        self, root: Any = None, transforms: Callable | None = None, transform: Callable | None = None,
        target_transform: Callable | None = None,
    ) -> None:  # fmt: skip
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        separate = transform is not None or target_transform is not None
        if transforms is not None and separate:
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.transform, self.target_transform = transform, target_transform
        self.transforms = StandardTransform(transform, target_transform) if separate else transforms

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"Root location: {self.root}")
        lines += self.extra_repr().splitlines()
        if self.transforms is not None:
            lines += [repr(self.transforms)]
        return "\n".join([f"Dataset {type(self).__name__}", *(f"    {line}" for line in lines)])

    def extra_repr(self) -> str:
        """Further lines of how it shows itself."""
        return ""

    def sample(self, image: Any, target: Any) -> tuple[Any, Any]:
        """An image and its target, transformed."""
        return transformed(self, image, target)
