"""Data pipes: streams of samples that are made of streams, ``IterableWrapper(range(4)).map(f).shuffle().batch(2)``."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from .collate import default_collate
from .file_pipes import FileLister, FileOpener, StreamReader
from .functions import _check_unpickable_fn, validate_input_col
from .keyed_pipes import MAPS  # noqa: F401 - the methods of pipes by key
from .pipe import (
    SHARDING_PRIORITIES,
    Batching,
    DataChunk,
    DFIterDataPipe,
    IterableWrapper,
    IterDataPipe,
    MapDataPipe,
    Pipe,
    Shuffling,
    apply_sharding,
    functional_datapipe,
    graph,
    named,
    shown,
    walking,
)  # fmt: skip
from .sampler import draw_seed
from .shared_pipes import Demultiplexer, Forker, Grouper, Multiplexer, Sampling

__all__ = [
    "DFIterDataPipe", "DataChunk", "Demultiplexer", "FileLister", "FileOpener", "Forker", "Grouper", "IterDataPipe", "IterableWrapper",
    "MapDataPipe", "Multiplexer", "Pipe", "Sampling", "StreamReader", "apply_sharding", "draw_seed", "functional_datapipe", "shown",
    "walking",
]  # fmt: skip


def apply_random_seed(datapipe: Any, rng: Any) -> Any:
    """A pipe of which all pipes that draw are seeded. rng: a generator."""
    for pipe in graph(datapipe):
        if hasattr(pipe, "set_seed"):
            pipe.set_seed(draw_seed(rng))
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """A pipe whose shuffling pipes do so, or not; one is put at the end where there is none to do it."""
    if shuffle is None:
        return datapipe
    shufflers = [pipe for pipe in graph(datapipe) if hasattr(pipe, "set_shuffle") and hasattr(pipe, "set_seed")]
    if shuffle and not shufflers:
        from warnings import warn

        warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = Shuffler(datapipe)
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


@functional_datapipe("map")
class Mapper(IterDataPipe):
    """A function of each sample, or of its element `input_col`, stored as `output_col`."""

    def __init__(self, datapipe: Any, fn: Callable, input_col: Any = None, output_col: Any = None) -> None:
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        _check_unpickable_fn(fn)
        validate_input_col(fn, input_col)
        self.datapipe, self.fn, self.input_col, self.output_col = datapipe, fn, input_col, output_col

    def _of(self, sample: Any) -> Any:
        if self.input_col is None:
            return self.fn(sample)
        several = isinstance(self.input_col, (list, tuple))
        found = self.fn(*(sample[c] for c in self.input_col)) if several else self.fn(sample[self.input_col])
        places = list(sample) if isinstance(sample, tuple) else copy.copy(sample)
        if self.output_col == -1:
            places.append(found)
        else:
            into = self.output_col if self.output_col is not None else self.input_col[0] if several else self.input_col
            places[into] = found
            if several and self.output_col is None:
                for c in sorted(self.input_col[1:], reverse=True):
                    del places[c]
        return tuple(places) if isinstance(sample, tuple) else places

    def __iter__(self) -> Iterator:
        for sample in self.datapipe:
            yield self._of(sample)

    def __len__(self) -> int:
        return self._size(self.datapipe)


@functional_datapipe("collate")
class Collator(Mapper):
    """Batches as tensors."""

    def __init__(self, datapipe: Any, conversion: Any = default_collate, collate_fn: Callable | None = None) -> None:
        super().__init__(datapipe, fn=conversion if collate_fn is None else collate_fn)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The samples for which a function is true."""

    def __init__(self, datapipe: Any, filter_fn: Callable, input_col: Any = None) -> None:
        _check_unpickable_fn(filter_fn)
        validate_input_col(filter_fn, input_col)
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self) -> Iterator:
        for sample in self.datapipe:
            if self.input_col is None:
                given = [sample]
            elif isinstance(self.input_col, (list, tuple)):
                given = [sample[c] for c in self.input_col]
            else:
                given = [sample[self.input_col]]
            kept = self.filter_fn(*given)
            if not isinstance(kept, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(kept))
            if kept:
                yield sample


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """The samples of batches, `unbatch_level` deep; all the way for -1."""

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator:
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element: Any, level: int) -> Iterator:
        if level == 0 or level == -1 and not isinstance(element, list):
            yield element
        elif isinstance(element, list):
            for each in element:
                yield from self._dive(each, max(level - 1, -1))
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")


@functional_datapipe("shuffle")
class Shuffler(Shuffling, IterDataPipe):
    """The samples in random order, drawn from a buffer."""

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = UnBatcher(datapipe, unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size
        self._rng = random.Random()  # noqa: S311 - as PyTorch's

    def reset(self) -> None:
        if self._enabled:
            self._rng.seed(draw_seed(None) if self._seed is None else self._seed)
            self._seed = None

    def __iter__(self) -> Iterator:
        if not self._enabled:
            yield from self.datapipe
            return
        buffer: list = []
        for sample in self.datapipe:
            if len(buffer) < self.buffer_size:
                buffer.append(sample)
                continue
            i = self._rng.randint(0, len(buffer) - 1)
            buffer[i], sample = sample, buffer[i]
            yield sample
        while buffer:
            yield buffer.pop(self._rng.randint(0, len(buffer) - 1))

    def __len__(self) -> int:
        return self._size(self.datapipe)


@functional_datapipe("batch")
class Batcher(Batching, IterDataPipe):
    """Batches of `batch_size` samples."""

    def __iter__(self) -> Iterator:
        batch: list = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


@functional_datapipe("concat")
class Concater(IterDataPipe):
    """The samples of pipes one after the other."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for each in self.datapipes:
            yield from each

    def __len__(self) -> int:
        return sum(map(self._size, self.datapipes))


@functional_datapipe("zip")
class Zipper(Concater):
    """The samples of pipes side by side."""

    def __init__(self, *datapipes: Any) -> None:
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(map(self._size, self.datapipes))


@functional_datapipe("sharding_filter")
class ShardingFilter(IterDataPipe):
    """Each n-th sample, where n workers share them."""

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(
        self, num_of_instances: int, instance_id: int, sharding_group: int = SHARDING_PRIORITIES.DEFAULT
    ) -> None:
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        default = SHARDING_PRIORITIES.DEFAULT
        if self.groups and (sharding_group == default) != (default in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = num_of_instances, instance_id
        self.num_of_instances, self.instance_id = 1, 0
        for key in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, key):
                count, number = self.groups[key]
                self.instance_id += self.num_of_instances * number
                self.num_of_instances *= count

    def __iter__(self) -> Iterator:
        for i, sample in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield sample

    def __len__(self) -> int:
        size = self._size(self.source_datapipe)
        return size // self.num_of_instances + (self.instance_id < size % self.num_of_instances)


named("iter", "IterDataPipe", {
    "callable": (Mapper, Collator), "combinatorics": (Shuffler,), "combining": (Concater, Zipper),
    "grouping": (Batcher, UnBatcher), "selecting": (Filter,), "sharding": (ShardingFilter,), 
})  # fmt: skip
