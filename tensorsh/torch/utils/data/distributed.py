"""``torch.utils.data.distributed``: the share of a dataset that one of several processes takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...nn.reach import T
from ...settings import Generator
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """Every `num_replicas`-th item, from number `rank`, so that processes side by side read different ones; the order
    is drawn anew after set_epoch(number).
    dataset: the dataset. num_replicas, rank: number of processes and which this is (None: those of the process group).
    shuffle: draw an order (True). seed: for that, the same in all processes (0). drop_last: leave out items so that all
    have as many, instead of repeating some (False). ValueError for a rank out of range.
    >>> list(torch.utils.data.DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]"""

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0,
        drop_last: bool = False,
    ) -> None:  # fmt: skip
        if num_replicas is None or rank is None:
            from ...distributed.starting import get_rank, get_world_size

            num_replicas = get_world_size() if num_replicas is None else num_replicas
            rank = get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        n = len(dataset)
        cut = drop_last and n % num_replicas
        self.num_samples = math.ceil((n - num_replicas if cut else n) / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator:
        n = len(self.dataset)
        order = list(range(n))
        if self.shuffle:
            order = T.randperm(n, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if self.drop_last:
            order = order[: self.total_size]
        else:
            missing = self.total_size - n
            order += (order * math.ceil(missing / n))[:missing] if missing else []
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Number the epoch, so that another order is drawn."""
        self.epoch = epoch
