"""MNIST and its like: images of 28 by 28 bytes in idx files that the user has."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .reading import missing, permissions, place, read_idx, readable
from .vision import VisionDataset


class MNIST(VisionDataset):
    """Handwritten digits: arrays (28, 28) of bytes with their number. The files (train-images-idx3-ubyte, ..., also with .gz) lie in
    `root`/MNIST/raw, or in `root` itself; nothing is downloaded. RuntimeError where they are not there."""

    classes = [
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine",
    ]  # fmt: skip

    def __init__(
        self, root: Any, train: bool = True, transform: Callable | None = None,
        target_transform: Callable | None = None, download: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        names = self._files()
        readable(self.root, self.raw_folder)
        for folder in (self.raw_folder, os.fspath(self.root)):
            if not permissions().allows(folder):
                continue
            found = [place(folder, name) for name in names]
            if None not in found:
                break
        else:
            raise missing(type(self).__name__, names, self.raw_folder)
        self.data, self.targets = self._checked(*(read_idx(path) for path in found if path is not None))

    def _files(self) -> list[str]:
        part = "train" if self.train else "t10k"
        return [f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"]

    @staticmethod
    def _checked(images: Any, labels: Any) -> tuple[Any, Any]:
        if images.ndim != 3 or labels.ndim != 1 or len(images) != len(labels):
            raise ValueError(
                f"images of shape {list(images.shape)} and labels of shape {list(labels.shape)} do not belong together"
            )
        return images, labels.long()

    raw_folder = property(lambda self: os.path.join(self.root, type(self).__name__, "raw"), doc="Where the files lie.")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: number for number, name in enumerate(self.classes)}

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        return self.sample(self.data[index].numpy(), int(self.targets[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train is True else 'Test'}"


class FashionMNIST(MNIST):
    """Pictures of clothes, as MNIST."""

    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


class KMNIST(MNIST):
    """Characters of cursive Japanese, as MNIST."""

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class EMNIST(MNIST):
    """Handwritten letters and digits, as MNIST; `split` is byclass, bymerge, balanced, letters, digits or mnist."""

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")

    def __init__(self, root: Any, split: str, **options: Any) -> None:
        if split not in self.splits:
            raise ValueError(
                f"Unknown value '{split}' for argument split. Valid values are {{{', '.join(map(repr, self.splits))}}}."
            )
        self.split = split
        super().__init__(root, **options)
        digits, small = "0123456789", "abcdefghijklmnopqrstuvwxyz"
        merged = [each for each in digits + small.upper() + small if each not in "cijklmopsuvwxyz"]
        self.classes = {
            "byclass": sorted(digits + small.upper() + small), "bymerge": sorted(merged), "balanced": sorted(merged),
            "letters": ["N/A", *small], "digits": list(digits), "mnist": list(digits),
        }[split]  # fmt: skip

    def _files(self) -> list[str]:
        part = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return [f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"]
