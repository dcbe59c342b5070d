"""The samplers of `engine/random/uniform_words.py` for tensors without elements: nothing is drawn."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..random.uniform_words import within_dtype
from .array import MetaArray

__all__ = ["generator", "within_dtype"]


class Source:
    """The generator of the meta device, which has no state."""

    device = "meta"
    samplers = sys.modules[__name__]

    def initial_seed(self) -> int:
        return 0


generator = Source()


def in_memory_order(array: Any, like: Any = None) -> Any:
    return array


def uniform(g: Any, shape: Any, dtype: Any, *_: Any, **__: Any) -> MetaArray:
    return MetaArray(shape, dtype)


normal = log_normal = random = exponential = geometric = cauchy = dropout_noise = uniform


def bernoulli_mask(g: Any, shape: Any, p: Any) -> MetaArray:
    return MetaArray(shape, np.bool_)


def randint(g: Any, low: Any, high: Any, shape: Any, dtype: Any) -> MetaArray:
    return MetaArray(shape, dtype)


def randperm(g: Any, n: int, dtype: Any) -> MetaArray:
    return MetaArray((n,), dtype)


def bernoulli(g: Any, p: Any) -> MetaArray:
    return p.copy("K")


def multinomial(g: Any, p: Any, samples: int) -> MetaArray:
    return MetaArray((*p.shape[:-1], samples), np.int64)
