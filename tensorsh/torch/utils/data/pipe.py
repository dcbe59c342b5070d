"""What data pipes have in common: their classes, their methods by names, and the graph that they make.

A pipe has one valid iterator at a time. A loader seeds those of its pipes that draw, and tells those that share the samples
among workers which worker it is.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import partial
from types import FunctionType
from typing import Any

from ....sandbox.wrapping import signature
from ...settings import Generator
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


SINGLE = "single iterator per IterDataPipe constraint"
FEEDBACK = f"\nFor feedback regarding this {SINGLE}, feel free to comment on this issue: https://github.com/pytorch/data/issues/45."


class Batching:
    """How pipes of both kinds make batches: of so many samples, perhaps without a shorter last one, each as such a class."""

    def __init__(
        self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Callable = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = (
            datapipe, batch_size, drop_last, wrapper_class,
        )  # fmt: skip

    def __len__(self) -> int:
        size = self._size(self.datapipe)  # type: ignore[attr-defined] - the pipe's
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)


class Shuffling:
    """How pipes that bring samples into random order are told whether to, and by which seed."""

    _enabled = True
    _seed: int | None = None

    def set_shuffle(self, shuffle: bool = True) -> Any:
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Any:
        self._seed = seed
        return self


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


def word(value: Any) -> Any:
    return value.__name__ if isinstance(value, FunctionType) else value


def shown(pipe: IterDataPipe) -> str:
    """A pipe with its arguments, as far as it keeps them."""
    names = sorted(set(signature(type(pipe).__init__).parameters) & set(vars(pipe)))
    return f"{type(pipe).__name__}({', '.join(f'{name}={word(vars(pipe)[name])}' for name in names)})"


def invalidated(pipe: IterDataPipe) -> RuntimeError:
    """The error of an iterator that is no longer valid."""
    return RuntimeError(
        "This iterator has been invalidated because another iterator has been created from the same "
        f"IterDataPipe: {shown(pipe)}\nThis may be caused by multiple references to the same IterDataPipe. We recommend "
        f"using `.fork()` if that is necessary.{FEEDBACK}"
    )


def started(pipe: Any) -> int:
    """Begins a walk of a pipe, which ends those of before; its number."""
    pipe._valid_iterator_id = number = (-1 if pipe._valid_iterator_id is None else pipe._valid_iterator_id) + 1
    pipe._number_of_samples_yielded = 0
    pipe.reset()
    return number


class Walk:
    """The walk of a pipe whose ``__iter__`` gives an iterator, maybe itself: has what the iterator has."""

    def __init__(self, iterator: Any, pipe: Any, number: int) -> None:
        self.iterator, self._pipe, self._number = iterator, pipe, number

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self._pipe._valid_iterator_id != self._number:
            raise invalidated(self._pipe)
        item = next(self.iterator)
        self._pipe._number_of_samples_yielded += 1
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)


def walking(begin: Callable) -> Callable:
    """An ``__iter__`` with which the iterators of before are no longer valid: with its first item, where it is a generator."""

    def walk(self: Any) -> Iterator:
        number = started(self)
        try:
            for item in begin(self):
                self._number_of_samples_yielded += 1
                yield item
                if self._valid_iterator_id != number:
                    raise invalidated(self)
        except Exception as error:
            told_where(error, self)
            raise

    def once(self: Any) -> Iterator:
        number = started(self)
        return Walk(begin(self), self, number)

    return walk if inspect.isgeneratorfunction(begin) else once


def told_where(error: Exception, pipe: Any) -> None:
    """Adds to an error which pipe has thrown it."""
    words = f"\nThis exception is thrown by __iter__ of {shown(pipe)}"
    if not error.args or not isinstance(error.args[0], str):
        error.args = (words,)
    elif "thrown by __iter__ of" not in error.args[0] and SINGLE not in error.args[0]:
        error.args = (error.args[0] + words, *error.args[1:])


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


def sources(pipe: Any) -> list:
    """The pipes that a pipe holds."""
    found: list = []

    def visit(value: Any) -> None:
        if isinstance(value, Pipe):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            for each in value:
                visit(each)

    visit([*vars(pipe).values()])
    return found


def graph(pipe: Any) -> list:
    """A pipe and those that it is made of, each once."""
    found: list = []

    def visit(each: Any) -> None:
        if not any(each is known for known in found):
            found.append(each)
            for source in sources(each):
                visit(source)

    visit(pipe)
    return found


class SHARDING_PRIORITIES(IntEnum):  # noqa: N801 - PyTorch's name
    """Who shares the samples: nobody says, ranks or workers."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


SHARDING_PRIORITIES.__module__ = "torch.utils.data.datapipes.iter.sharding"


def apply_sharding(
    datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = SHARDING_PRIORITIES.DEFAULT
) -> Any:  # fmt: skip
    """A pipe whose sharing pipes give one of several their part of the samples. num_of_instances: how many there are.
    instance_id: which of them. sharding_group: who shares."""

    def visit(pipe: Any, above: Any) -> None:
        if hasattr(pipe, "apply_sharding"):
            if above is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                    f"Sharding already applied to {above} while trying to apply to {pipe}"
                )
            more = {"sharding_group": sharding_group}
            known = len(signature(pipe.apply_sharding).parameters) >= 3
            pipe.apply_sharding(num_of_instances, instance_id, **more if known else {})
            above = pipe
        for each in sources(pipe):
            visit(each, above)

    visit(datapipe, None)
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


def named(kind: str, end: str, files: dict[str, tuple]) -> None:
    """Gives classes the names and the places that they have in PyTorch, where ``Batcher`` is ``BatcherIterDataPipe``."""
    for file, classes in files.items():
        for each in classes:
            each.__name__ = each.__qualname__ = each.__name__ + end
            each.__module__ = f"torch.utils.data.datapipes.{kind}.{file}"


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


named("iter", "IterDataPipe", {"utils": (IterableWrapper,)})
