"""Data pipes: streams of samples that are made of streams, ``IterableWrapper(range(4)).map(f).shuffle().batch(2)``.

A pipe has one valid iterator at a time. A loader seeds those of its pipes that draw, and tells those that share the samples
among workers which worker it is.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ....sandbox.wrapping import signature
from ...settings import Generator
from .collate import default_collate
from .dataset import Dataset, IterableDataset
from .sampler import draw_seed


class DataChunk(list):
    """A batch of samples, as a list."""

    __module__ = "torch.utils.data.datapipes.datapipe"

    def __init__(self, items: Iterable) -> None:
        super().__init__(items)
        self.items = list(self)

    def as_str(self, indent: str = "") -> str:
        return f"{indent}[{', '.join(map(str, self))}]"

    def raw_iterator(self) -> Iterator:
        yield from self.items


class Pipe:
    """What pipes of both kinds share: methods by the registered names, ``pipe.map(f)`` for ``Mapper(pipe, f)``."""

    functions: dict[str, Callable] = {}

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            return partial(type(self).functions[name], self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}")

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable, enable_df_api_tracing: bool = False
    ) -> None:
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")  # noqa: TRY002
        cls.functions[function_name] = cls_to_register

    def __repr__(self) -> str:
        return type(self).__qualname__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]

    def __getstate__(self) -> dict:
        return self.__dict__

    def _size(self, source: Any) -> int:
        """The length of a source; TypeError where it has none."""
        if hasattr(source, "__len__"):
            return len(source)
        raise TypeError(f"{type(self).__name__} instance doesn't have valid length")


def shown(pipe: IterDataPipe) -> str:
    """A pipe with its arguments, as far as it keeps them."""
    names = sorted(set(signature(type(pipe).__init__).parameters) & set(vars(pipe)))
    return f"{type(pipe).__name__}({', '.join(f'{name}={vars(pipe)[name]}' for name in names)})"


def walking(begin: Callable) -> Callable:
    """An ``__iter__`` with whose first item the iterators of before are no longer valid."""

    def walk(self: Any) -> Iterator:
        self._valid_iterator_id = number = (-1 if self._valid_iterator_id is None else self._valid_iterator_id) + 1
        self._number_of_samples_yielded = 0
        self.reset()
        for item in begin(self):
            self._number_of_samples_yielded += 1
            yield item
            if self._valid_iterator_id != number:
                raise RuntimeError(
                    "This iterator has been invalidated because another iterator has been created from the same "
                    f"IterDataPipe: {shown(self)}\nThis may be caused by multiple references to the same IterDataPipe. We recommend "
                    "using `.fork()` if that is necessary.\nFor feedback regarding this single iterator per IterDataPipe "
                    "constraint, feel free to comment on this issue: https://github.com/pytorch/data/issues/45."
                )

    return walk


class IterDataPipe(Pipe, IterableDataset):
    """A stream of samples; one of one's own defines ``__iter__``, and `reset` where something is to begin anew with it."""

    functions: dict[str, Callable] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded = 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__iter__" in cls.__dict__:
            cls.__iter__ = walking(cls.__dict__["__iter__"])  # type: ignore[method-assign]

    def __iter__(self) -> Iterator:
        return self  # type: ignore[return-value]

    def reset(self) -> None:
        """Begin anew; called with each iterator."""

    def _begin_pass(self, seed: int) -> None:
        """Seed what draws, in the order of the pipes."""
        drawn = Generator()
        drawn.manual_seed(seed)
        for pipe in graph(self):
            if hasattr(pipe, "set_seed"):
                pipe.set_seed(draw_seed(drawn))


class DFIterDataPipe(IterDataPipe):
    """A stream of data frames; there are none here."""


class MapDataPipe(Pipe, Dataset):
    """Samples by key; one of one's own defines ``__getitem__``."""

    functions: dict[str, Callable] = {}


for _kind in (IterDataPipe, MapDataPipe, DFIterDataPipe):
    _kind.__module__ = "torch.utils.data.datapipes.datapipe"


def graph(pipe: Any) -> list:
    """A pipe and those that it is made of, each once."""
    found: list = []

    def visit(value: Any) -> None:
        if isinstance(value, Pipe):
            if not any(value is each for each in found):
                found.append(value)
                for each in vars(value).values():
                    visit(each)
        elif isinstance(value, (list, tuple)):
            for each in value:
                visit(each)

    visit(pipe)
    return found


def apply_sharding(datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> Any:
    """A pipe whose sharing pipes give a worker its part of the samples."""
    for pipe in graph(datapipe):
        if hasattr(pipe, "apply_sharding"):
            pipe.apply_sharding(num_of_instances, instance_id)
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


class functional_datapipe:  # noqa: N801 - PyTorch's name
    """A decorator: the class of a pipe, as a method of all pipes under a name."""

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: Any) -> Any:
        for kind in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, kind):
                kind.register_datapipe_as_function(self.name, cls)
                return cls
        raise TypeError("`functional_datapipe` can only decorate IterDataPipe")


class IterableWrapper(IterDataPipe):
    """The items of any iterable; of a copy of it, unless `deepcopy` is False."""

    def __init__(self, iterable: Iterable, deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:
                from warnings import warn

                warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self) -> int:
        return self._size(self.iterable)


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
class Shuffler(IterDataPipe):
    """The samples in random order, drawn from a buffer."""

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = UnBatcher(datapipe, unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size
        self._enabled = True
        self._seed: int | None = None
        self._rng = random.Random()  # noqa: S311 - as PyTorch's

    def set_shuffle(self, shuffle: bool = True) -> Shuffler:
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Shuffler:
        self._seed = seed
        return self

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
class Batcher(IterDataPipe):
    """Batches of `batch_size` samples."""

    def __init__(
        self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Callable = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = (
            datapipe, batch_size, drop_last, wrapper_class,
        )  # fmt: skip

    def __iter__(self) -> Iterator:
        batch: list = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        size = self._size(self.datapipe)
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)


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
        self.source_datapipe = source_datapipe
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> None:
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        self.num_of_instances, self.instance_id = num_of_instances, instance_id

    def __iter__(self) -> Iterator:
        for i, sample in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield sample

    def __len__(self) -> int:
        size = self._size(self.source_datapipe)
        return size // self.num_of_instances + (self.instance_id < size % self.num_of_instances)


_FILES = {
    "callable": (Mapper, Collator), "combinatorics": (Shuffler,), "combining": (Concater, Zipper),
    "grouping": (Batcher, UnBatcher), "selecting": (Filter,), "sharding": (ShardingFilter,), "utils": (IterableWrapper,),
}  # fmt: skip
"""Where PyTorch has the classes, which it names ``BatcherIterDataPipe``."""
for _file, _kinds in _FILES.items():
    for _kind in _kinds:
        _kind.__name__ = _kind.__qualname__ = _kind.__name__ + "IterDataPipe"
        _kind.__module__ = "torch.utils.data.datapipes.iter." + _file
