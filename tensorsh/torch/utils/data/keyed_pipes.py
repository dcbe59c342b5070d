"""Data pipes by key: ``SequenceWrapper(range(4)).map(f).batch(2)``."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from ....engine.arrays.warning import warn
from .functions import _check_unpickable_fn
from .pipe import Batching, IterDataPipe, MapDataPipe, Shuffling, functional_datapipe, named
from .sampler import draw_seed

__all__ = ["MAPS"]


class SequenceWrapper(MapDataPipe):
    """The elements of a sequence, or of a dict, by key. deepcopy: whether of a copy of it."""

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        if deepcopy:
            try:
                sequence = copy.deepcopy(sequence)
            except TypeError:
                warn(
                    "The input sequence can not be deepcopied, please be aware of in-place modification would affect source data"
                )
        self.sequence = sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


def default_fn(data: Any) -> Any:
    return data


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """A function of each sample."""

    def __init__(self, datapipe: Any, fn: Callable = default_fn) -> None:
        _check_unpickable_fn(fn)
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("concat")
class Concater(MapDataPipe):
    """The samples of pipes one after the other."""

    def __init__(self, *datapipes: Any) -> None:
        check_all(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index: int) -> Any:
        before = 0
        for pipe in self.datapipes:
            if index - before < len(pipe):
                return pipe[index - before]
            before += len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class Zipper(MapDataPipe):
    """The samples of pipes side by side."""

    def __init__(self, *datapipes: Any) -> None:
        check_all(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index: Any) -> tuple:
        found = []
        for pipe in self.datapipes:
            try:
                found.append(pipe[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {pipe}.") from error
        return tuple(found)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))


def check_all(pipes: tuple) -> None:
    if not pipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(each, MapDataPipe) for each in pipes):
        raise TypeError("Expected all inputs to be `MapDataPipe`")
    if not all(hasattr(each, "__len__") for each in pipes):
        raise TypeError("Expected all inputs to be `Sized`")


@functional_datapipe("batch")
class Batcher(Batching, MapDataPipe):
    """Batches of `batch_size` samples."""

    def __getitem__(self, index: int) -> Any:
        batch: list = []
        try:
            for i in range(index * self.batch_size, (index + 1) * self.batch_size):
                batch.append(self.datapipe[i])
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)


class Shuffler(Shuffling, IterDataPipe):
    """The samples in random order, as a stream. indices: the keys (None: from 0 on)."""

    def __init__(self, datapipe: Any, *, indices: list | None = None) -> None:
        self.datapipe, self.indices = datapipe, list(range(len(datapipe))) if indices is None else indices
        self._rng = random.Random()  # noqa: S311 - the order of samples
        self._left: list = self.indices

    def reset(self) -> None:
        if self._enabled and self._seed is None:
            self._seed = draw_seed(None)
        self._rng.seed(self._seed)
        self._seed = None
        self._left = self._rng.sample(self.indices, len(self.indices))

    def __iter__(self) -> Iterator:
        if not self._enabled:
            for each in self.indices:
                yield self.datapipe[each]
            return
        while self._left:
            yield self.datapipe[self._left.pop()]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)
MAPS = (SequenceWrapper, Mapper, Concater, Zipper, Batcher)
named("map", "MapDataPipe", {
    "utils": (SequenceWrapper,), "callable": (Mapper,), "combining": (Concater, Zipper), "grouping": (Batcher,),
})  # fmt: skip
named("map", "IterDataPipe", {"combinatorics": (Shuffler,)})
