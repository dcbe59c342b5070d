"""Random tensors in the size of another tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.state import here
from ...graph.fields import fresh
from ...tensors.tensor import Tensor, wanting
from ..creation.factories import empty_like
from .filling import normal_, random_, uniform_
from .sampling import function, source


def _like(name: str, sampler: str, fill: Callable, doc: str) -> None:
    """A function that fills a tensor of another one's size; one as the other is comes from the sampler as it is."""

    def sample(
        input: Tensor, *, dtype: Any = None, generator: Any = None, device: Any = None, requires_grad: bool = False,
        memory_format: Any = None, **_: Any,
    ) -> Tensor:  # fmt: skip
        a = input._array
        alike = dtype is None and device is None and memory_format is None and here.default_device is None
        if alike and type(a) is np.ndarray and a.dtype.char in "fd" and a.flags.c_contiguous:
            g = source(generator, like=a)
            t = fresh(np.asarray(getattr(g.samplers, sampler)(g, a.shape, a.dtype)))
        else:
            t = fill(empty_like(input, dtype=dtype, device=device, memory_format=memory_format), generator=generator)
        return wanting(t) if requires_grad else t

    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = doc + " in the size of another tensor."
    function(sample)


_like("rand_like", "uniform", uniform_, "Uniform random numbers from [0, 1)")
_like("randn_like", "normal", normal_, "Standard normal random numbers")


@function
def randint_like(
    input: Tensor, low: Any, high: Any = None, *, dtype: Any = None, generator: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, **_: Any,
) -> Tensor:  # fmt: skip
    """Random integers in the size of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    empty = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    t = random_(empty, low, high, generator=generator)
    return wanting(t) if requires_grad else t
