"""Samplers: in which order a dataset's items are taken, drawn as PyTorch draws them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....engine.arrays.dtype import int64
from ....sandbox.sealed import OpenSealed, housed
from ...nn.reach import T

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip


def draw_seed(generator: Any = None) -> int:
    """A 64-bit number from a generator, or the session's."""
    return T.empty((), dtype=int64).random_(generator=generator).item()


class Sampler(metaclass=OpenSealed):
    """Base class of samplers: an iterable of numbers of items, or of lists of them, for a DataLoader. One of one's own
    defines `__iter__` and maybe `__len__`.
    >>> class Backwards(torch.utils.data.Sampler):
    ...     def __iter__(self): return iter([2, 1, 0])
    >>> list(torch.utils.data.DataLoader([5, 6, 7], batch_size=3, sampler=Backwards()))
    [tensor([7, 6, 5])]"""

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh."):
            housed(cls, cls.__module__[9:])

    def __iter__(self) -> Iterator:
        raise NotImplementedError


housed(Sampler, "torch.utils.data.sampler")


class SequentialSampler(Sampler):
    """Numbers of items in order: 0, 1, 2...
    data_source: the dataset, of which the length counts.
    >>> list(torch.utils.data.SequentialSampler("abc"))
    [0, 1, 2]"""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Numbers of items in random order, or drawn with replacement.
    data_source: the dataset, of which the length counts. replacement: draw each from all (False). num_samples: how many
    (None: the length). generator: draws them (None: seeded by the default one). TypeError and ValueError for options of
    other kind.
    >>> sorted(torch.utils.data.RandomSampler("abc"))
    [0, 1, 2]"""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many items are drawn; all, by default."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            # The order comes from a generator of its own: one number of the session's stream is used for its seed.
            from ...settings import Generator

            generator = Generator().manual_seed(draw_seed())
        wanted = self.num_samples
        if self.replacement:
            for _ in range(wanted // 32):
                yield from T.randint(high=n, size=(32,), dtype=int64, generator=generator).tolist()
            yield from T.randint(high=n, size=(wanted % 32,), dtype=int64, generator=generator).tolist()
        else:
            for _ in range(wanted // n):
                yield from T.randperm(n, generator=generator).tolist()
            yield from T.randperm(n, generator=generator).tolist()[: wanted % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some numbers of items in random order, each once.
    indices: the numbers. generator: draws the order (None: the default one).
    >>> sorted(torch.utils.data.SubsetRandomSampler([4, 7]))
    [4, 7]"""

    def __init__(self, indices: Sequence, generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator:
        for i in T.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers of items drawn with given weights.
    weights: numbers from 0, one for each item, which need not add to 1. num_samples: how many. replacement: draw each
    from all (True). generator: draws them (None: the default one). ValueError for options of other kind.
    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]"""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        from ....engine.arrays.dtype import float64

        self.weights = T.as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator:
        yield from T.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of numbers of items from another sampler.
    sampler: the other one, any iterable. batch_size: numbers in a list. drop_last: leave out a last list that is not
    full.
    ValueError for options of other kind.
    >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]"""

    def __init__(self, sampler: Iterable, batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole + (rest > 0 and not self.drop_last)
