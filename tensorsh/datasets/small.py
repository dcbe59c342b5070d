"""Small real sets that come along: digits, flowers, wines, tumours, patients. They need no file and no network.

data/ORIGIN.md says where each comes from and under which licence.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np

from ..torch.root import torch
from .vision import Dataset, lines_of

KNOWN = ("breast_cancer", "diabetes", "digits", "iris", "wine")


class SmallSet(Dataset):
    """A table of numbers with a target for each row: items are (features, target).

    data           float32 tensor, a row for each item
    targets        the classes as whole numbers, or the values to be predicted as floats
    feature_names  what the columns are
    classes        what the numbers of the classes mean; none where values are predicted
    """

    NAME = ""

    def __init__(self, transform: Callable | None = None, target_transform: Callable | None = None) -> None:
        if self.NAME not in KNOWN:
            raise ValueError(f"no set of data comes along under the name {self.NAME!r}")
        raw = files(__package__).joinpath("data", f"{self.NAME}.npz").read_bytes()
        with np.load(io.BytesIO(raw), allow_pickle=False) as told:
            self.data = torch.from_numpy(self._prepared(told["data"]))
            self.targets = torch.from_numpy(told["target"])
            self.feature_names = [str(each) for each in told["feature_names"]]
            self.classes = [str(each) for each in told["target_names"]]
        self.transform, self.target_transform = transform, target_transform

    def _prepared(self, array: np.ndarray) -> np.ndarray:
        return array.astype(np.float32)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        item, target = self.data[index], self.targets[index]
        target = target.item() if target.ndim == 0 and self.classes else target
        if self.transform is not None:
            item = self.transform(item)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return item, target

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.data.shape[1:]))
        what = f"{len(self.classes)} classes" if self.classes else "a value to be predicted"
        lines = [f"Number of datapoints: {len(self)}", f"Each: {shape} numbers, {what}"]
        lines += lines_of(self.transform, "Transform: ") if self.transform is not None else []
        return "\n".join([f"Dataset {type(self).__name__}", *(f"    {line}" for line in lines)])


class Iris(SmallSet):
    """150 flowers of three kinds, by the length and width of their leaves.
    >>> tensorsh.datasets.Iris().classes
    ['setosa', 'versicolor', 'virginica']"""

    NAME = "iris"


class Wine(SmallSet):
    """178 wines of three growers, by 13 measurements.
    >>> tensorsh.datasets.Wine().data.shape
    torch.Size([178, 13])"""

    NAME = "wine"


class BreastCancer(SmallSet):
    """569 tumours, malignant or benign, by 30 measurements of their cells.
    >>> tensorsh.datasets.BreastCancer().classes
    ['malignant', 'benign']"""

    NAME = "breast_cancer"


class Diabetes(SmallSet):
    """442 patients, by ten measurements (each scaled to mean 0 and length 1), and how the illness went on in a year.
    >>> tensorsh.datasets.Diabetes().targets.dtype
    torch.float32"""

    NAME = "diabetes"


class Digits(SmallSet):
    """1797 handwritten digits: images (1, 8, 8) of numbers from 0 to 1, with what they show.
    >>> tensorsh.datasets.Digits()[0][1]
    0"""

    NAME = "digits"

    def _prepared(self, array: np.ndarray) -> np.ndarray:
        return (array.reshape(-1, 1, 8, 8) / 16).astype(np.float32)
