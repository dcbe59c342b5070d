"""DataLoader: batches of a dataset, in the order and with the random numbers of PyTorch.

Items are read in this process, or by workers beside it (`workers.py`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import Any

from ....engine.arrays.warning import warn
from ....sandbox.classes import allow
from ....sandbox.sealed import OpenSealed
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .fetching import Pass, get_worker_info
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "get_worker_info"]

_collate_fn_t = Callable[[list], Any]
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


STARTS = ["fork", "spawn", "forkserver"]
"""The names of ways to start a process; workers begin in the same way by any."""


class _DatasetKind:
    """What a loader reads from."""

    Map, Iterable = 0, 1


class _InfiniteConstantSampler(Sampler):
    """The sampler of iterable datasets: no numbers, without end."""

    def __iter__(self) -> Iterator:
        while True:
            yield None


def ahead(workers: int, timeout: float, prefetch_factor: int | None, persistent: bool, context: Any) -> int | None:
    """How many batches each worker reads ahead, if there are workers; ValueError for options that do not fit their number."""
    if workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if workers > 0 and prefetch_factor is None:
        prefetch_factor = 2
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None and workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={workers}"
        )
    if isinstance(context, str) and context not in STARTS:
        raise ValueError(
            f"multiprocessing_context option should specify a valid start method in {STARTS!r}, but got "
            f"multiprocessing_context={context!r}"
        )
    if not (context is None or isinstance(context, str)) and not hasattr(context, "Process"):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return prefetch_factor


def check_order(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """ValueError for what orders items where a dataset gives them in its own order."""
    if shuffle not in (False, None):
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if given is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
            )


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
    __initialized = False

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable | None = None,
        multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        prefetch_factor = ahead(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        iterable = isinstance(dataset, IterableDataset)
        if iterable and hasattr(dataset, "_begin_pass"):
            from .datapipes import apply_shuffle_settings

            dataset = apply_shuffle_settings(dataset, shuffle)
            shuffle = None
        if iterable:
            check_order(shuffle, sampler, batch_sampler)
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
                sampler = _InfiniteConstantSampler()
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
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        self._iterator: Any = None
        self._IterableDataset_len_called: int | None = None
        self.__initialized = True
        if num_workers:
            self.check_worker_number_rationality()

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        object.__setattr__(self, name, value)

    def _get_iterator(self) -> Pass:
        if not self.num_workers:
            if self.timeout != 0:
                raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
            return _SingleProcessDataLoaderIter(self)
        from .workers import WorkersPass

        return WorkersPass(self._seen_by(object.__new__(DataLoader)) if self.persistent_workers else self)

    def _seen_by(self, reader: Any) -> Any:
        """What a pass that stays reads of the loader, without holding it: workers end when the loader is gone."""
        vars(reader).update(vars(self), _iterator=None)
        return reader

    def __iter__(self) -> Iterator:
        if not self.num_workers or not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._seen_by(self._iterator._loader)
            self._iterator.restart()
        return self._iterator

    def check_worker_number_rationality(self) -> None:
        """Warn of more workers than this process may use processors."""
        affinity = getattr(os, "sched_getaffinity", None)
        processors = len(affinity(0)) if affinity else os.cpu_count() or 1
        if self.num_workers > processors:
            note = "" if affinity else " (`cpuset` is not taken into account)"
            warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number of worker in "
                f"current system is {processors}{note}, which is smaller than what this DataLoader is going to create. Please be aware "
                "that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid "
                "potential slowness/freeze if necessary."
            )

    _auto_collation = property(lambda self: self.batch_sampler is not None)
    _index_sampler = property(lambda self: self.sampler if self.batch_sampler is None else self.batch_sampler)

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


allow(DataLoader, "_iterator")


_BaseDataLoaderIter = Pass


class _SingleProcessDataLoaderIter(Pass):
    """The iterator of a loader without workers, by PyTorch's name."""

    __module__ = "torch.utils.data.dataloader"
