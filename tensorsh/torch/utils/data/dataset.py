"""Datasets: what has items by number, or gives them one after another."""

from __future__ import annotations

import bisect
import itertools
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed, housed
from ...nn.reach import T

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset", "random_split",
]  # fmt: skip


class Dataset(metaclass=OpenSealed):
    """Base class of datasets with items: one of one's own defines `__getitem__(number)` and, for samplers, `__len__`.
    Datasets add up with + to a ConcatDataset. NotImplementedError where `__getitem__` is missing.
    >>> class Squares(torch.utils.data.Dataset):
    ...     def __getitem__(self, i): return i * i
    ...     def __len__(self): return 4
    >>> (Squares() + Squares())[5]
    1"""

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh.torch."):
            housed(cls, cls.__module__[9:])

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


housed(Dataset, "torch.utils.data.dataset")


class IterableDataset(Dataset):
    """Base class of datasets that are streams: one of one's own defines `__iter__`. In workers of a DataLoader each has
    a copy, which get_worker_info() tells apart. Datasets follow one another with + as a ChainDataset.
    >>> class Numbers(torch.utils.data.IterableDataset):
    ...     def __iter__(self): return iter(range(3))
    >>> list(torch.utils.data.DataLoader(Numbers(), batch_size=None))
    [0, 1, 2]"""

    @abstractmethod
    def __iter__(self) -> Iterator:
        """The samples, one after the other."""

    def __add__(self, other: Any) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Tensors of one length; an item is a tuple of their rows.
    tensors: tensors whose first sizes are equal; AssertionError where they are not.
    >>> torch.utils.data.TensorDataset(torch.tensor([1, 2]), torch.tensor([3, 4]))[1]
    (tensor(2), tensor(4))"""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Datasets of one length side by side; an item is a tuple, or a dict, of theirs.
    args: the datasets, or kwargs: the datasets by name. ValueError for none, for both and for other lengths.
    >>> torch.utils.data.StackDataset(image=[1, 2], label=[3, 4])[1]
    {'image': 2, 'label': 4}"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types "
                "are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple([dataset[index] for dataset in self.datasets])

    def __getitems__(self, indices: list) -> list:
        named = isinstance(self.datasets, dict)
        columns = []
        for dataset in self.datasets.values() if named else self.datasets:
            several = getattr(dataset, "__getitems__", None)
            columns.append(several(indices) if callable(several) else [dataset[i] for i in indices])
            if len(columns[-1]) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(columns[-1])}"
                )
        rows = zip(*columns, strict=True)
        return [dict(zip(self.datasets, row, strict=True)) for row in rows] if named else list(rows)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """Datasets one behind another, their items numbered through.
    datasets: an iterable of datasets with lengths. AssertionError for none and for an IterableDataset, ValueError for a
    number out of range.
    >>> torch.utils.data.ConcatDataset([[1, 2], [3]])[2]
    3"""

    def __init__(self, datasets: Iterable) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """Iterable datasets one after another.
    datasets: an iterable of IterableDatasets; AssertionError, when it is iterated over, for others.
    >>> class Numbers(torch.utils.data.IterableDataset):
    ...     def __iter__(self): return iter(range(2))
    >>> list(torch.utils.data.ChainDataset([Numbers(), Numbers()]))
    [0, 1, 0, 1]"""

    def __init__(self, datasets: Iterable) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset):
    """Some items of a dataset, in the order of their numbers.
    dataset: the dataset. indices: numbers of items, also repeated ones.
    >>> torch.utils.data.Subset([10, 11, 12], [2, 0])[0]
    12"""

    def __init__(self, dataset: Any, indices: Sequence) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list) -> list:
        chosen = [self.indices[i] for i in indices]
        several = getattr(self.dataset, "__getitems__", None)
        return several(chosen) if callable(several) else [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence, generator: Any = None) -> list[Subset]:
    """Parts of a dataset, drawn at random, as Subsets.
    dataset: the dataset. lengths: numbers of items that add to its length, or shares that add to 1, the rest being
    dealt out one by one. generator: draws the order (None: the default one). ValueError for other lengths.
    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.7, 0.3])]
    [7, 3]"""
    size = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares = lengths
        lengths = []
        for i, share in enumerate(shares):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            lengths.append(math.floor(size * share))
        for i in range(size - sum(lengths)):
            lengths[i % len(lengths)] += 1
        for i, length in enumerate(lengths):
            if length == 0:
                warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = T.randperm(size, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


random_split.__module__ = "torch.utils.data.dataset"
