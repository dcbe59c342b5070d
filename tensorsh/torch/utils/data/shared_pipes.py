"""Data pipes that share a stream: several that read one, one that reads several, samples in groups and in a sampler's order."""

from __future__ import annotations

import copy as copies
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from ....engine.arrays.warning import warn
from .functions import _check_unpickable_fn
from .pipe import FEEDBACK, DataChunk, IterDataPipe, functional_datapipe, named, shown
from .sampler import SequentialSampler

__all__ = ["Demultiplexer", "Forker", "Grouper", "Multiplexer", "Sampling"]


class Shared(IterDataPipe):
    """What several pipes read from: it keeps for each what others have passed already."""

    def __init__(self, datapipe: Any, count: int, buffer_size: int, name: str) -> None:
        self.main_datapipe, self.num_instances, self.buffer_size = datapipe, count, buffer_size
        if buffer_size < 0:
            warn(f"Unlimited buffer size is set for `{name}`, please be aware of OOM at random places")
        self.reset()

    def reset(self) -> None:
        self._source: Any = None
        self._over = False
        self._kept: list[deque] = [deque() for _ in range(self.num_instances)]
        self._stopped = [True] * self.num_instances

    def __getstate__(self) -> dict:
        return {k: v for k, v in vars(self).items() if k not in ("_source", "_kept", "_stopped", "_over")}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        self.reset()

    def exhausted(self) -> bool:
        """Whether all have read all."""
        return self._over and all(self._stopped)

    def elements(self, instance: int) -> Iterator:
        """What one of them reads."""
        if self._source is None and self._stopped[instance] and not self._over:
            self._source = iter(self.main_datapipe)
            self._stopped = [False] * self.num_instances
        self._stopped[instance] = False
        try:
            while not self._stopped[instance]:
                if not self._kept[instance] and not self._read(instance):
                    break
                if self._kept[instance]:
                    yield self._given(self._kept[instance].popleft())
        finally:
            self._stopped[instance] = True
            if all(self._stopped):
                self._source = None

    def _read(self, instance: int) -> bool:
        """Reads one sample for all; whether there was one."""
        if self._over:
            return False
        try:
            self._place(next(self._source), instance)
        except StopIteration:
            self._over, self._source = True, None
            return False
        return True

    def _place(self, value: Any, instance: int) -> None:
        """Keeps a sample for those that are to read it."""

    def _given(self, value: Any) -> Any:
        return value

    def size(self) -> int:
        """How many samples one of them has."""
        return self._size(self.main_datapipe)


class _ChildDataPipe(IterDataPipe):
    """One of several pipes that read the same stream: an iterator of one that has read before makes all begin anew."""

    __module__ = "torch.utils.data.datapipes.iter.combining"

    def __init__(self, main_datapipe: Any, instance_id: int) -> None:
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __len__(self) -> int:
        return self.main_datapipe.size()

    def _begin(self) -> Iterator:
        main = self.main_datapipe
        if main._valid_iterator_id is None:
            main._valid_iterator_id = 0
        elif main._valid_iterator_id == self._valid_iterator_id:
            main._valid_iterator_id += 1
            if not main.exhausted():
                warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and each child "
                    "DataPipe will read from the start again."
                )
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._walk(self._valid_iterator_id)

    def _walk(self, number: int) -> Iterator:
        source = self.main_datapipe.elements(self.instance_id)
        while True:
            if not number == self._valid_iterator_id == self.main_datapipe._valid_iterator_id:
                raise RuntimeError(
                    "This iterator has been invalidated, because a new iterator has been created from one of the ChildDataPipes "
                    f"of {shown(self.main_datapipe)}.{FEEDBACK}"
                )
            try:
                item = next(source)
            except StopIteration:
                return
            self._number_of_samples_yielded += 1
            yield item


_ChildDataPipe.__iter__ = _ChildDataPipe._begin  # type: ignore[method-assign]


class Forked(Shared):
    """Each sample for all."""

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int, copy: str | None) -> None:
        if copy not in (None, "shallow", "deep"):
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        self.copied = copy
        super().__init__(datapipe, num_instances, buffer_size, "fork")

    def _place(self, value: Any, instance: int) -> None:
        for i, kept in enumerate(self._kept):
            kept.append(value)
            if self.buffer_size >= 0 and i != instance and len(kept) > self.buffer_size:
                raise BufferError(f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient.")

    def _given(self, value: Any) -> Any:
        if self.copied is None:
            return value
        return copies.copy(value) if self.copied == "shallow" else copies.deepcopy(value)


class Parted(Shared):
    """Each sample for one, which a function names."""

    def __init__(
        self, datapipe: Any, num_instances: int, classifier_fn: Any, drop_none: bool, buffer_size: int
    ) -> None:
        self.classifier_fn, self.drop_none = classifier_fn, drop_none
        super().__init__(datapipe, num_instances, buffer_size, "demux")

    def _place(self, value: Any, instance: int) -> None:
        to = self.classifier_fn(value)
        if to is None and self.drop_none:
            return
        if to is None or not 0 <= to < self.num_instances:
            raise ValueError(
                f"Output of the classification fn should be between 0 and {self.num_instances - 1}. {to} is returned."
            )
        self._kept[to].append(value)
        if to != instance and 0 <= self.buffer_size < sum(map(len, self._kept)):
            raise BufferError(
                f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient."
            )

    def size(self) -> int:
        raise TypeError


for _kind, _name in ((Forked, "_ForkerIterDataPipe"), (Parted, "_DemultiplexerIterDataPipe")):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = "torch.utils.data.datapipes.iter.combining"


def check_count(count: int) -> None:
    if count < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {count} is found")


@functional_datapipe("fork")
class Forker(IterDataPipe):
    """Several pipes of the same samples. copy: "shallow" or "deep" for copies of them."""

    def __new__(cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> Any:  # type: ignore[misc]
        check_count(num_instances)
        if num_instances == 1:
            return datapipe
        shared = Forked(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(shared, i) for i in range(num_instances)]


@functional_datapipe("demux")
class Demultiplexer(IterDataPipe):
    """Several pipes that share the samples: `classifier_fn` of a sample is the number of its pipe, or None for a sample that is
    left out where `drop_none`."""

    def __new__(  # type: ignore[misc]
        cls, datapipe: Any, num_instances: int, classifier_fn: Callable, drop_none: bool = False, buffer_size: int = 1000
    ) -> Any:  # fmt: skip
        check_count(num_instances)
        _check_unpickable_fn(classifier_fn)
        shared = Parted(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(shared, i) for i in range(num_instances)]


@functional_datapipe("mux")
class Multiplexer(IterDataPipe):
    """A sample of each pipe in turn, until one has no more."""

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for row in zip(*self.datapipes, strict=False):
            yield from row

    def __len__(self) -> int:
        return min(map(self._size, self.datapipes)) * len(self.datapipes)


@functional_datapipe("groupby")
class Grouper(IterDataPipe):
    """Samples of the same key together, as they come in a buffer."""

    def __init__(
        self, datapipe: Any, group_key_fn: Callable, *, keep_key: bool = False, buffer_size: int = 10000,
        group_size: int | None = None, guaranteed_group_size: int | None = None, drop_remaining: bool = False,
    ) -> None:  # fmt: skip
        _check_unpickable_fn(group_key_fn)
        if group_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed_group_size is not None and (group_size is None or not 0 < guaranteed_group_size <= group_size):
            raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
        self.datapipe, self.group_key_fn, self.keep_key, self.max_buffer_size = (
            datapipe, group_key_fn, keep_key, buffer_size,
        )  # fmt: skip
        self.group_size, self.drop_remaining = group_size, drop_remaining
        self.guaranteed_group_size = group_size if guaranteed_group_size is None else guaranteed_group_size
        self.wrapper_class = DataChunk

    def _shown(self, key: Any, samples: list) -> Any:
        made = self.wrapper_class(samples)
        return (key, made) if self.keep_key else made

    def _largest(self, kept: dict) -> list | None:
        """Takes out the largest group, where the buffer is full; None where it is too small to be given."""
        key = max(kept, key=lambda each: len(kept[each]))
        enough = self.guaranteed_group_size is None or len(kept[key]) >= self.guaranteed_group_size
        if not enough and not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(kept[key]))
        samples = kept.pop(key)
        return samples if enough else None

    def __iter__(self) -> Iterator:
        kept: dict[Any, list] = defaultdict(list)
        for sample in self.datapipe:
            key = self.group_key_fn(sample)
            kept[key].append(sample)
            if self.group_size == len(kept[key]):
                yield self._shown(key, kept.pop(key))
            if sum(map(len, kept.values())) == self.max_buffer_size:
                samples = self._largest(kept)
                if samples is not None:
                    yield self._shown(key, samples)
        while kept:
            key = next(iter(kept))
            yield self._shown(key, kept.pop(key))


class Sampling(IterDataPipe):
    """What a sampler gives of a pipe."""

    def __init__(
        self, datapipe: Any, sampler: Callable = SequentialSampler, sampler_args: tuple | None = None,
        sampler_kwargs: dict | None = None,
    ) -> None:  # fmt: skip
        if not hasattr(datapipe, "__len__"):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe = datapipe
        self.sampler_args, self.sampler_kwargs = sampler_args or (), {**(sampler_kwargs or {}), "data_source": datapipe}
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self) -> Iterator:
        yield from self.sampler

    def __len__(self) -> int:
        return self._size(self.sampler)


Sampling.__name__ = Sampling.__qualname__ = "Sampler"
named("iter", "IterDataPipe", {
    "combining": (Forker, Demultiplexer, Multiplexer), "grouping": (Grouper,), "combinatorics": (Sampling,),
})  # fmt: skip
