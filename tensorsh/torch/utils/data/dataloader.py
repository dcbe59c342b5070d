"""DataLoader: batches of a dataset, in the order and with the random numbers of PyTorch.

Workers are no processes here, but what a program can see of them is kept: each has a random generator of its own, seeded
from the loader's base seed, its `worker_init_fn` is called, and batches go round among them. So random numbers drawn by a
dataset's items leave the session's own stream alone when there are workers, as in PyTorch.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....engine.arrays.backend import cupy
from ....engine.arrays.state import state
from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ....sandbox.sealed import OpenSealed, Sealed
from .collate import default_collate, default_convert
from .dataset import IterableDataset, Subset, TensorDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed

__all__ = ["DataLoader", "default_collate", "get_worker_info"]

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class Endless(metaclass=Sealed):
    """The sampler of iterable datasets: no numbers, without end."""

    def __iter__(self) -> Iterator:
        while True:
            yield None


class DataLoader(metaclass=OpenSealed):
    """Iterates over a dataset in batches, in the order of a sampler, in this process or in workers beside it.
    dataset: with `__getitem__` and `__len__`, or `__iter__`. batch_size: items in a batch (1); None for single items.
    shuffle: draw a new order each time (False). sampler: an iterable of numbers of items instead; batch_sampler: one of
    lists of numbers, which takes the place of batch_size, shuffle, sampler and drop_last. num_workers: processes that
    read items (0).
    collate_fn: makes a batch of a list of items (None: default_collate). drop_last: leave out a last batch that is not
    full (False). timeout: seconds to wait for a worker (0). worker_init_fn: called with its number in each worker.
    generator: draws the order. prefetch_factor: batches read ahead by each worker (None: 2). persistent_workers: keep
    workers for the next time (False).
    in_order: batches come in the order they were asked for (True). pin_memory, pin_memory_device,
    multiprocessing_context: accepted.
    ValueError for options that exclude each other.
    >>> for batch in torch.utils.data.DataLoader([1, 2, 3], batch_size=2): print(batch)
    tensor([1, 2])
    tensor([3])"""

    __module__ = "torch.utils.data.dataloader"
    _ready = False

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable | None = None,
        multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        iterable = isinstance(dataset, IterableDataset)
        if iterable:
            if shuffle not in (False, None):
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
                )
            for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
                if given is not None:
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if iterable:
                sampler = Endless()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device, self.timeout = pin_memory, pin_memory_device, timeout
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.in_order = in_order
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.generator, self.collate_fn = generator, collate_fn
        self.persistent_workers = persistent_workers
        self._iterator: Any = None
        self._ready = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        object.__setattr__(self, name, value)

    def __iter__(self) -> Iterator:
        if self.persistent_workers:
            if self._iterator is None:
                self._iterator = Pass(self)
            else:
                self._iterator.restart()
            return self._iterator
        return Pass(self)

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


allow(DataLoader, "_iterator")


class WorkerInfo(metaclass=Sealed):
    """What `get_worker_info` tells a dataset within a worker."""

    def __init__(self, id: int, num_workers: int, seed: int, dataset: Any) -> None:
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset})"


_worker: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Within a worker of a DataLoader, which one; None elsewhere."""
    return _worker


get_worker_info.__module__ = "torch.utils.data._utils.worker"


class Worker(metaclass=Sealed):
    """One worker: its random numbers, and, for an iterable dataset, its place in it."""

    def __init__(self, info: WorkerInfo, init: Callable | None) -> None:
        from ....engine.random.generator import Generator

        self.info = info
        self.generator = Generator()
        self.generator.manual_seed(info.seed)
        self.source: Any = None
        self.done = False
        if init is not None:
            self.run(init, info.id)

    def run(self, function: Callable, *args: Any) -> Any:
        """Call a function as if in the worker's own process."""
        global _worker
        before, outer = state.generator, _worker
        state.generator, _worker = self.generator, self.info  # type: ignore[attr-defined]
        try:
            return function(*args)
        finally:
            state.generator, _worker = before, outer  # type: ignore[attr-defined]


def pinned(data: Any) -> Any:
    """A batch with its tensors in pinned memory."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, dict):
        return type(data)({k: pinned(v) for k, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(pinned, data))
    return type(data)(map(pinned, data)) if isinstance(data, (list, tuple)) else data


class Pass(metaclass=Sealed):
    """One pass over a loader's dataset."""

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: DataLoader) -> None:
        self._pins = loader.pin_memory and cupy() is not None
        if loader.pin_memory and not self._pins:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=3,
            )
        self._loader = loader
        self._numbers = iter(loader.sampler if loader.batch_sampler is None else loader.batch_sampler)
        # Drawn in any case: every later random number of the program depends on it.
        base = draw_seed(loader.generator)
        n = loader.num_workers
        infos = [WorkerInfo(i, n, base + i, _own(loader.dataset)) for i in range(n)]
        self._workers = [Worker(info, loader.worker_init_fn) for info in infos]
        self._begin()

    def _begin(self) -> None:
        loader = self._loader
        self._turn = 0
        self._source: Any = None
        self._iterable = isinstance(loader.dataset, IterableDataset)
        if self._iterable:
            for worker in self._workers:
                worker.source, worker.done = worker.run(iter, worker.info.dataset), False
            if not self._workers:
                self._source = iter(loader.dataset)
        plain = loader.collate_fn is default_collate and loader.batch_sampler is not None
        self._columns = _columns(loader.dataset) if plain else None

    def restart(self) -> None:
        """Begin anew with the same workers."""
        loader = self._loader
        self._numbers = iter(loader.sampler if loader.batch_sampler is None else loader.batch_sampler)
        draw_seed(loader.generator)
        self._begin()

    def __iter__(self) -> Iterator:
        return self

    def __len__(self) -> int:
        return len(self._loader)

    def __next__(self) -> Any:
        batch = self._next()
        return pinned(batch) if self._pins else batch

    def _next(self) -> Any:
        numbers = next(self._numbers)
        if not self._workers:
            return self._fetch(numbers, self)
        while not all(worker.done for worker in self._workers):
            worker = self._workers[self._turn % len(self._workers)]
            self._turn += 1
            if worker.done:
                continue
            try:
                return worker.run(self._fetch, numbers, worker)
            except StopIteration:
                worker.done = True
        raise StopIteration

    def _fetch(self, numbers: Any, holder: Any) -> Any:
        loader = self._loader
        dataset = loader.dataset
        batched = loader.batch_sampler is not None
        if self._iterable:
            source = holder._source if holder is self else holder.source
            if not batched:
                return loader.collate_fn(next(source))
            items = []
            for _ in numbers:
                for item in source:
                    items.append(item)
                    break
                else:
                    break
            if not items or (loader.drop_last and len(items) < len(numbers)):
                raise StopIteration
            return loader.collate_fn(items)
        if self._columns is not None and all(type(i) is int for i in numbers):
            chosen = self._columns[1]
            where = np.array(numbers if chosen is None else [chosen[i] for i in numbers], np.int64)
            return [wrap(array[where]) for array in self._columns[0]]
        if not batched:
            return loader.collate_fn(dataset[numbers])
        several = getattr(dataset, "__getitems__", None)
        return loader.collate_fn(several(numbers) if callable(several) else [dataset[i] for i in numbers])


def _own(dataset: Any) -> Any:
    """A worker's dataset: what it changes in an iterable one no other worker sees, as each is a process in PyTorch."""
    if not isinstance(dataset, IterableDataset):
        return dataset
    try:
        return copy.deepcopy(dataset)
    except TypeError:  # it holds what cannot be copied, a generator for instance
        return dataset


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


_BaseDataLoaderIter = Pass


class _SingleProcessDataLoaderIter(Pass):
    """The iterator of a loader without workers, in PyTorch; here there is one kind."""


class _MultiProcessingDataLoaderIter(Pass):
    """The iterator of a loader with workers, in PyTorch; here there is one kind."""


class _DatasetKind:
    """What a loader reads from."""

    Map, Iterable = 0, 1
