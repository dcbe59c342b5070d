"""Passes over a loader's dataset: the numbers of items, the batches made of them, who reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....engine.arrays.backend import cupy
from ....engine.arrays.warning import warn
from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import Sealed
from .collate import default_collate
from .dataset import IterableDataset, Subset, TensorDataset
from .sampler import draw_seed

HAS_NUMPY = True
_worker_init_fn_t = Any


class WorkerInfo(metaclass=Sealed):
    """What `get_worker_info` tells a dataset within a worker."""

    def __init__(self, id: int, num_workers: int, seed: int, dataset: Any) -> None:
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset
        self.rng, self.worker_method = None, "multiprocessing"

    def __repr__(self) -> str:
        return (
            f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset!r}, "
            f"rng={self.rng}, worker_method={self.worker_method!r})"
        )


_worker: WorkerInfo | None = None


def become(info: WorkerInfo) -> None:
    """This process is a worker from now on."""
    global _worker
    _worker = info


def get_worker_info() -> WorkerInfo | None:
    """Within a worker of a DataLoader, which one; None elsewhere."""
    return _worker


get_worker_info.__module__ = "torch.utils.data._utils.worker"


class Fetcher:
    """Makes batches of the items of a loader's dataset, wherever that is read."""

    def __init__(self, loader: Any, seed: int | None = None) -> None:
        self.loader = loader
        if seed is not None:
            loader.dataset._begin_pass(seed)
        self.batched = loader.batch_sampler is not None
        self.iterable = isinstance(loader.dataset, IterableDataset)
        self.source: Any = iter(loader.dataset) if self.iterable else None
        plain = loader.collate_fn is default_collate and self.batched
        self.columns = _columns(loader.dataset) if plain else None

    def fetch(self, numbers: Any) -> Any:
        """The batch of some numbers, or the item of one. StopIteration where an iterable dataset has no more."""
        loader = self.loader
        dataset = loader.dataset
        if self.iterable:
            return self._next(numbers)
        if self.columns is not None and all(type(i) is int for i in numbers):
            chosen = self.columns[1]
            where = np.array(numbers if chosen is None else [chosen[i] for i in numbers], np.int64)
            return [wrap(array[where]) for array in self.columns[0]]
        if not self.batched:
            return loader.collate_fn(dataset[numbers])
        several = getattr(dataset, "__getitems__", None)
        return loader.collate_fn(several(numbers) if callable(several) else [dataset[i] for i in numbers])

    def _next(self, numbers: Any) -> Any:
        loader = self.loader
        if not self.batched:
            return loader.collate_fn(next(self.source))
        items = []
        for _ in numbers:
            for item in self.source:
                items.append(item)
                break
            else:
                break
        if not items or (loader.drop_last and len(items) < len(numbers)):
            raise StopIteration
        return loader.collate_fn(items)


def _columns(dataset: Any) -> tuple | None:
    """The arrays of a dataset of plain tensors, whose batches are taken at once, and the numbers of a subset's items."""
    chosen = None
    if type(dataset) is Subset and type(dataset.dataset) is TensorDataset and isinstance(dataset.indices, list):
        dataset, chosen = dataset.dataset, dataset.indices
    if type(dataset) is not TensorDataset:
        return None
    tensors = dataset.tensors
    if not all(type(t) is Tensor and t._node is None and type(t._array) is np.ndarray for t in tensors):
        return None
    return [t._array for t in tensors], chosen


def pinned(data: Any, device: Any = None) -> Any:
    """A batch with its tensors in pinned memory."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, dict):
        return type(data)({k: pinned(v) for k, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(pinned, data))
    return type(data)(map(pinned, data)) if isinstance(data, (list, tuple)) else data


class Pass(metaclass=Sealed):
    """One pass over a loader's dataset, read in this process."""

    __module__, __qualname__ = "torch.utils.data.dataloader", "_BaseDataLoaderIter"
    _yielded = 0

    def __init__(self, loader: Any) -> None:
        self._pins = loader.pin_memory and cupy() is not None
        if loader.pin_memory and not self._pins:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
            )
        self._loader, self._told = loader, loader._IterableDataset_len_called
        self._numbers = iter(loader.sampler if loader.batch_sampler is None else loader.batch_sampler)
        self._seed = self._drawn()
        # Drawn in any case: every later random number of the program depends on it.
        self._base = draw_seed(loader.generator)
        self._begin()

    def _begin(self) -> None:
        self._fetcher = Fetcher(self._loader, self._seed)

    def _drawn(self) -> int | None:
        """The seed of a data pipe for a pass; other datasets have none."""
        return draw_seed(self._loader.generator) if hasattr(self._loader.dataset, "_begin_pass") else None

    def __iter__(self) -> Iterator:
        return self

    def __len__(self) -> int:
        return len(self._loader)

    def __next__(self) -> Any:
        batch = self._next()
        if self._told is not None:
            self._check_length(self._told)
        return pinned(batch) if self._pins else batch

    def _next(self) -> Any:
        return self._fetcher.fetch(next(self._numbers))

    def _check_length(self, told: int) -> None:
        """Warn of an iterable dataset that gives more than it said."""
        loader = self._loader
        self._yielded += 1
        if self._yielded <= told:
            return
        hint = (
            "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica "
            "at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for "
            "examples."
        )
        warn(
            f"Length of IterableDataset {loader.dataset} was reported to be {told}(when accessing len(dataloader)), but "
            f"{self._yielded} samples have been fetched. {hint if loader.num_workers else ''}"
        )
