"""CIFAR-10 and CIFAR-100: colour images of 32 by 32 in files that the user has."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .reading import missing, permissions, place, plain, read_batch, readable, unpacked
from .vision import VisionDataset


class CIFAR10(VisionDataset):
    """Pictures of ten kinds of things: arrays (32, 32, 3) of bytes with their class. The files lie in `root`/cifar-10-batches-py (or
    -bin, the binary version); nothing is downloaded. RuntimeError where they are not there."""

    base_folder = "cifar-10-batches-py"
    binary_folder = "cifar-10-batches-bin"
    train_list = [f"data_batch_{number}" for number in range(1, 6)]
    test_list = ["test_batch"]
    meta = ("batches.meta", "label_names")
    label_bytes = 1

    def __init__(
        self, root: Any, train: bool = True, transform: Callable | None = None,
        target_transform: Callable | None = None, download: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        names = self.train_list if train else self.test_list
        home = os.path.join(self.root, self.base_folder)
        readable(self.root, home)
        found = [place(home, name) for name in [*names, self.meta[0]]]
        if None not in found:
            self._batches([path for path in found if path is not None])
        else:
            other = os.path.join(self.root, self.binary_folder)
            found = [place(other, f"{name}.bin") if permissions().allows(other) else None for name in names]
            if None in found:
                raise missing(type(self).__name__, [*names, self.meta[0]], home)
            self._records([path for path in found if path is not None], other)
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}

    def _batches(self, paths: list[str]) -> None:
        parts, self.targets = [], []
        for path in paths[:-1]:
            told = read_batch(path)
            array, labels = told.get("data"), told.get("labels", told.get("fine_labels"))
            if (
                not isinstance(array, np.ndarray)
                or array.dtype != np.uint8
                or not array.size
                or array.size % 3072
                or type(labels) is not list
            ):
                raise ValueError(f"{path!r} is no batch of CIFAR's")
            parts.append(array.reshape(-1, 3, 32, 32))
            self.targets += labels
        self.data = np.concatenate(parts).transpose(0, 2, 3, 1)
        if len(self.targets) != len(self.data) or any(type(each) is not int for each in self.targets):
            raise ValueError(f"{len(self.data)} images and {len(self.targets)} labels do not belong together")
        names = read_batch(paths[-1]).get(self.meta[1], [])
        texts = [plain(each) for each in names] if type(names) is list else []
        self.classes = [each for each in texts if type(each) is str]
        if type(names) is not list or len(self.classes) < len(names):
            raise ValueError(f"{paths[-1]!r} holds no names of classes")

    def _records(self, paths: list[str], folder: str) -> None:
        """The binary version: of each image its labels, a byte each, and its 3072 bytes."""
        size = self.label_bytes + 3072
        parts = []
        for path in paths:
            data = np.frombuffer(unpacked(path), np.uint8)
            if data.size == 0 or data.size % size:
                raise ValueError(f"{path!r} is damaged: it holds {data.size} bytes, and not a multiple of {size}")
            parts.append(data.reshape(-1, size))
        records = np.concatenate(parts)
        self.targets = records[:, self.label_bytes - 1].tolist()
        self.data = records[:, self.label_bytes :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        names = place(folder, "batches.meta.txt" if self.label_bytes == 1 else "fine_label_names.txt")
        self.classes = []
        if names is not None:
            self.classes = unpacked(names).decode("ascii", "replace").split()

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        return self.sample(np.array(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train is True else 'Test'}"


class CIFAR100(CIFAR10):
    """Pictures of a hundred kinds of things, as CIFAR10."""

    base_folder = "cifar-100-python"
    binary_folder = "cifar-100-binary"
    train_list = ["train"]
    test_list = ["test"]
    meta = ("meta", "fine_label_names")
    label_bytes = 2
