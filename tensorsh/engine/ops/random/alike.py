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


def alike(a: Any, dtype: Any, device: Any, memory_format: Any) -> bool:
    """Whether a new array is to be as one of numpy's in row order is."""
    asked = dtype is None and device is None and memory_format is None
    return asked and here.default_device is None and type(a) is np.ndarray and a.flags.c_contiguous


def _like(name: str, sampler: str, fill: Callable, doc: str) -> None:
    """A function that fills a tensor of another one's size; one as the other is comes from the sampler as it is."""

    def sample(
        input: Tensor, *, dtype: Any = None, generator: Any = None, device: Any = None, requires_grad: bool = False,
        memory_format: Any = None, **_: Any,
    ) -> Tensor:  # fmt: skip
        a = input._array
        if alike(a, dtype, device, memory_format) and a.dtype.char in "fd":
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
    a = input._array
    if alike(a, dtype, device, memory_format):
        t = fresh(np.empty(a.shape, a.dtype))
    else:
        t = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    t = random_(t, low, high, generator=generator)
    return wanting(t) if requires_grad else t
