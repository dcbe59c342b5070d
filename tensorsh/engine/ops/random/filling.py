"""Tensors filled in place with random numbers, from PyTorch's own streams."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import FLOAT, finfo, iinfo
from ...arrays.errors import cpp_name, not_implemented
from ...arrays.state import here
from ...arrays.warning import warn
from ...graph.fields import tick
from ...graph.nodes import OperatorNode
from ...operators.registration import add_method
from ...random.uniform_words import LONG_NAMES, in_memory_order, within_range
from ...tensors.captured import captured, refuse
from ...tensors.inplace import check, rewrite
from ...tensors.sizes import OVERFLOW
from ...tensors.tensor import Tensor
from ..creation.copying import assign
from .sampling import source

_zero_nodes: dict[str, type] = {}


class _NoGradient:
    """The operator behind the nodes of in-place samplers: nothing is saved, the gradient is zero."""

    joint = None
    keeps = False
    saved_names: tuple = ()
    lists: tuple = ()
    tensors: tuple = (0,)
    formulas = [(lambda t, g: t.zeros_like(g), ())]
    runners = [(formulas[0][0], None, None)]


WORDS = re.compile("(?<=[a-z])(?=[A-Z])")


def filled(t: Tensor, generator: Any, title: str, draw: Callable) -> Tensor:
    """Fill a tensor with a sampler's numbers; its history then begins at a node without gradient. ``draw(g, shape)`` makes them, and
    may write them into an array that is given third."""
    tracked = t._node is not None and here.grad_enabled
    if here.born and captured(t):
        refuse(WORDS.sub("_", title.partition("Backward")[0]).lower(), (t, 0))
    check(t, tracked)
    a = t._array
    g = source(generator, like=a)
    if type(a) is np.ndarray and a.flags.c_contiguous:
        array = draw(g, a.shape, a)
    else:
        array = _in_order(a, g, draw)
    if array is not a:
        assign(a, np.asarray(array) if isinstance(array, np.generic) else array)
    t._bump()
    if tracked:
        cls = _zero_nodes.setdefault(title, type(title, (OperatorNode,), {"_operator": _NoGradient, "_title": title}))
        node = cls()
        node._edges = (t._node,)
        node._sequence = tick()
        rewrite(t, node)
    return t


def _in_order(a: Any, g: Any, draw: Callable) -> Any:
    """A sampler's numbers in the order in which PyTorch's loops visit an array's memory."""
    ordered = in_memory_order(a)
    values = draw(g, ordered.shape)
    if ordered is a:
        return values
    result = module_of(a).empty_like(a)
    in_memory_order(result, a)[...] = values
    return result


def filler(f: Callable) -> Callable:
    """Enter a Tensor method that fills with random numbers."""
    add_method(f.__name__, f)
    return f


def _floating(t: Tensor, kernel: str) -> None:
    if t._array.itemsize == 1 or t._array.dtype.kind != "f" and t.dtype.category < FLOAT:
        raise not_implemented(kernel, t.dtype)


@filler
def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Fill with uniform random numbers from [from, to), by default from [0, 1).
    The tensor itself is returned; `generator` draws (None: the default one, which `manual_seed` seeds)."""
    low = bounds.pop("from", from_)
    low, high = float(low), float(to)
    _floating(self, "check_uniform_bounds")
    within_range(self.dtype, low, high)
    d = self._array.dtype
    draw = lambda g, shape, *into: g.samplers.uniform(g, shape, d, low, high, *into)
    return filled(self, generator, "UniformBackward0", draw)


@filler
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal random numbers of a mean (0) and a standard deviation (1).
    The tensor itself is returned; `generator` draws (None: the default one, which `manual_seed` seeds). RuntimeError: a
    negative standard deviation."""
    mean, std = float(mean), float(std)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if not self._array.size:
        return self
    _floating(self, "normal_kernel_cpu")
    d, whole = self._array.dtype, self._array.flags.c_contiguous
    draw = lambda g, shape, *_: g.samplers.normal(g, shape, d, mean, std, contiguous=whole)
    return filled(self, generator, "NormalBackward0", draw)


EXACT = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""The bits of the integers that a dtype holds exactly."""


@cache
def bounds_of(kind: Any) -> tuple[Any, Any, int | None]:
    """The least and the largest number of a dtype; up to which integers it holds exactly, if it's not one of integers."""
    if kind.numpy.kind == "b":
        return 0, 1, None
    limits = iinfo(kind) if kind.numpy.kind in "iu" else finfo(kind)
    exact = EXACT.get(kind.name)
    return limits.min, limits.max, None if exact is None else 1 << exact


@filler
def random_(self: Tensor, *limits: Any, generator: Any = None, **bounds: Any) -> Tensor:
    """Fill with random integers from [from, to); without bounds, all that the dtype holds exactly.
    The tensor itself is returned, of its own dtype: float32 reaches 2**24. `generator` draws (None: the default one,
    which `manual_seed` seeds). RuntimeError: `from` is not below `to`."""
    low, to = (*limits, *(None, None)[len(limits) :])
    low, to = bounds.pop("from", low), bounds.pop("to", to)
    upwards = to is None and len(limits) == 2
    d = self._array.dtype
    if d.kind == "c":
        raise not_implemented("random_kernel_cpu", self.dtype)
    if low is None and to is None:
        return filled(self, generator, "RandomBackward2", lambda g, shape, *into: g.samplers.random(g, shape, d, *into))
    least, most, exact = bounds_of(self.dtype)
    if upwards:  # to the largest that the dtype holds exactly
        low, high = int(low), 1 + (most if exact is None else exact)
        if d.kind == "b" and not 0 <= low <= 1:
            raise RuntimeError("from is out of bounds for bool")
    else:
        low, high = (0, int(low)) if to is None else (int(low or 0), int(to))
    if not -(2**63) <= min(low, high) <= max(low, high) <= 2**63:
        raise ValueError(OVERFLOW)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= most:
            raise RuntimeError(f"{name} is out of bounds for {cpp_name(self.dtype)}")
        if exact is not None and not -exact <= bound <= exact:
            bits = exact.bit_length() - 1
            warn(
                f"{name} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations "
                f"{cpp_name(self.dtype)} can support discrete uniform distribution only within this range. This warning will "
                "become an error in version 1.7 release, please fix the code in advance"
            )
    title = "RandomBackward1" if to is None and not upwards else "RandomBackward0"
    return filled(self, generator, title, lambda g, shape, *into: g.samplers.randint(g, low, high, shape, d, *into))


@filler
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability p, else 0."""
    d = self._array.dtype
    if isinstance(p, Tensor):
        chances = p.detach().expand(self._array.shape)._array
        if p.dtype.category != FLOAT:
            raise not_implemented("bernoulli_tensor_cpu_p_", p.dtype)
        g = source(generator, like=self._array)
        array = in_memory_order(g.samplers.bernoulli(g, chances, d), self._array)
        return filled(self, generator, "BernoulliBackward1", lambda g, shape, *_: array)
    draw = lambda g, shape, *_: g.samplers.bernoulli_mask(g, shape, float(p)).astype(d)
    return filled(self, generator, "BernoulliBackward2", draw)


def _distribution(name: str, sampler: str, defaults: dict[str, float], positive: tuple = (0, "")) -> None:
    title = name.title().replace("_", "") + "Backward0"

    def method(self: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        parameters = [*defaults.values()]
        if args or kwargs:
            values = dict(zip(defaults, args, strict=False)) | kwargs
            unknown = set(values) - set(defaults)
            if unknown or len(args) > len(defaults):
                raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(unknown), '')}'")
            parameters = [float(values.get(k, v)) for k, v in defaults.items()]
        at, sign = positive
        if sign and not parameters[at] > 0:
            raise RuntimeError(f"{name} expects {sign} > 0.0, but found {sign}={parameters[at]:g}")
        if not self._array.size and name != "cauchy_":
            return self
        if name == "geometric_" and self.dtype.category > FLOAT:
            raise not_implemented("geometric_cpu", self.dtype)
        if name != "geometric_" and self.dtype.category != FLOAT:
            if name == "log_normal_":
                raise NotImplementedError(f"\"log_normal_cpu\" not implemented for '{self.dtype.short}'")
            raise RuntimeError(
                f"{sampler.title()} distribution is a continuous probability distribution. dtype must be a floating point but "
                f"you specified {self.dtype.short if name == 'exponential_' else LONG_NAMES[self.dtype.name]}"
            )
        d = self._array.dtype
        draw = lambda g, shape, *into: getattr(g.samplers, sampler)(g, shape, d, *parameters, *into)
        return filled(self, generator, title, draw)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Fill with random numbers of the {sampler.replace('_', ' ')} distribution."
    filler(method)


_distribution("exponential_", "exponential", {"lambd": 1.0}, (0, "lambda"))
_distribution("geometric_", "geometric", {"p": 0.5})
_distribution("cauchy_", "cauchy", {"median": 0.0, "sigma": 1.0}, (1, "sigma"))
_distribution("log_normal_", "log_normal", {"mean": 1.0, "std": 2.0}, (1, "std"))
