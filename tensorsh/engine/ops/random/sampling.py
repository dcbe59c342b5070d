"""Random tensors, from PyTorch's own streams: the same numbers after the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.backend import check_device, device_of, generator_of
from ...arrays.bounds import refuse
from ...arrays.device import CPU, META, absent, as_device
from ...arrays.dtype import FLOAT, given_dtype, int64
from ...arrays.errors import check_broadcast, not_implemented
from ...arrays.extents import sized
from ...arrays.numbers import converted
from ...arrays.state import here, state
from ...arrays.type_names import type_name
from ...graph.fields import wrap
from ...loading import table
from ...operators.declare import Array, operator
from ...operators.placement import hosted
from ...operators.results import store_out
from ...random import rejection
from ...random.generator import Generator, default_generator
from ...tensors.sizes import named_size, size_of
from ...tensors.tensor import Tensor
from ..creation.factories import delivered, made, of_size
from .drawn import normal_of_both, normal_of_mean, normal_of_std


def source(generator: Any, device: Any = None, like: Any = None) -> Any:
    """The engine's generator behind a torch.Generator; for None that of the device, or of an array's device. A device that is not
    there is refused here, before a number is drawn."""
    if like is not None:
        where = None if isinstance(like, np.ndarray) else device_of(like)
    else:
        where = here.default_device if device is None else device
    if where is None and generator is None:
        return default_generator()
    where = None if where is None else as_device(where)
    if where is not None and where.type != "cpu":
        where = check_device(where)
        core = generator_of(where) if generator is None or where is META else core_of(generator)
    else:
        core = default_generator() if generator is None else core_of(generator)
    wanted, found = "cpu" if where is None else where.type, core.device.partition(":")[0]
    if wanted != found:
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{found}'")
    return core


def core_of(generator: Any) -> Any:
    try:
        return generator._core
    except AttributeError:
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type_name(generator)}") from None


def on_host(generator: Any) -> Any:
    """A generator of the CPU, for what is drawn there also for other devices: their own one's state seeds it."""
    core = default_generator() if generator is None else core_of(generator)
    if core.device == "cpu":
        return core
    return Generator().manual_seed((core.initial_seed() + int(core.take(4))) & 0xFFFFFFFFFFFFFFFF)


def function(f: Callable) -> Callable:
    """Enter a function of torch that makes random tensors."""
    table.FUNCTIONS[f.__name__] = f
    return f


def _sampled(name: str, sampler_name: str) -> Callable:
    def sample(
        *size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
        requires_grad: bool = False, pin_memory: bool = False, **other: Any,
    ) -> Tensor:  # fmt: skip
        if other:
            size = named_size(name, size, other)
        d = of_size(name, dtype, out)
        if (d.category < FLOAT or d.itemsize == 1) and not (name == "randn" and 0 in size_of(name, size)):
            raise not_implemented("normal_kernel_cpu" if name == "randn" else "check_uniform_bounds", d)
        g = source(generator, device)
        array = getattr(g.samplers, sampler_name)(g, size_of(name, size), d.numpy)
        return delivered(array, out, device, requires_grad, dtype)

    sample.__name__ = sample.__qualname__ = name
    return sample


rand = function(_sampled("rand", "uniform"))
rand.__doc__ = """Uniform random numbers from [0, 1) in a tensor of the given size.

The size is given as integers, or as one sequence. The dtype is the default one (float32) where none is given; a `generator`
takes the place of the default one, which `manual_seed` seeds. RuntimeError: a negative size, a dtype without fractions."""
randn = function(_sampled("randn", "normal"))
randn.__doc__ = (
    "Random numbers of the standard normal distribution in a tensor of the given size.\n\nFewer than 16 numbers come from "
    "another stream than 16 or more (as in PyTorch): randn(15) is not the beginning of randn(16)."
)


@function
def randint(
    low: Any, high: Any = None, size: Any = None, *, generator: Any = None, out: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Random integers from `low` up to but without `high`; ``randint(high, size)`` starts at 0.
    The result is int64 where no `dtype` is given. A `generator` takes the place of the default one, which `manual_seed`
    seeds. RuntimeError: `low` not below `high`."""
    if size is None:
        low, high, size = (0, low, high) if high is not None else (0, low, None)
    elif high is None:
        low, high = 0, low
    if size is None or isinstance(size, int):
        raise TypeError(
            "randint(): argument 'size' must be tuple of ints, not " + type_name(size)
            if size is not None
            else "randint() received an invalid combination of arguments - got (int), but expected one of:"
        )
    low, high = (int(v.item()) if isinstance(v, Tensor) else int(v) for v in (low, high))
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    d = int64 if dtype is None else given_dtype(dtype, "randint")
    if not (-(1 << 63) <= low and high < 1 << 63):
        raise ValueError("Overflow when unpacking long long")
    if d.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    g = source(generator, device)
    g.samplers.within_dtype(d, low, high)
    array = g.samplers.randint(g, low, high, size_of("randint", (size,)), d.numpy)
    return delivered(array, out, device, requires_grad, dtype)


COUNTED = {"float16": (2**11 + 1, "2049"), "float32": (2**24 + 1, "2^24+1"), "float64": (2**53 + 1, "2^53+1")}
"""How many numbers a permutation of floats has at most, so that each of them is told from the next."""


@function
def randperm(
    n: int, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The integers from 0 to n - 1 in random order.
    A vector of int64, as it is used to shuffle: ``x[randperm(len(x))]``. A `generator` takes the place of the default one,
    which `manual_seed` seeds. RuntimeError: a negative n."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    d = given_dtype(dtype, "randperm") if dtype is not None else int64 if out is None else out.dtype
    if d.name == "bool" or d.is_complex:
        raise not_implemented("randperm", d)
    if d.category == 1:
        converted(max(n - 1, 0), d.numpy)
    most, told = COUNTED.get(d.name, (n, ""))
    if n > most:
        raise RuntimeError(f"n cannot be greater than {told} for {d.short} type.")
    sized((n,), d.itemsize)
    g = source(generator, device)
    return delivered(g.samplers.randperm(g, int(n), d.numpy), out, device, requires_grad, dtype)


@function
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Any = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False, **_: Any,
) -> Tensor:  # fmt: skip
    """Normal random numbers of a mean and a standard deviation for each element, or of one and a size.
    ``normal(mean, std)`` of tensors broadcasts them, ``normal(0, 1, (2, 3))`` takes two numbers; `generator` draws (None: the
    default one). RuntimeError: a negative standard deviation."""
    if size is not None and device is None:
        device = CPU  # as in PyTorch, which does not ask for the default device here
    given = next((each._array for each in (mean, std) if isinstance(each, Tensor)), None)
    g = source(generator, device, given)
    for each in (mean, std):
        if isinstance(each, Tensor) and each.dtype.category < FLOAT:
            raise not_implemented("normal_kernel_cpu", each.dtype)
    if not isinstance(std, Tensor) and not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if size is not None:
        d = state.default_dtype if dtype is None else given_dtype(dtype, "normal")
        array = g.samplers.normal(g, size_of("normal", (size,)), d.numpy, float(mean), float(std))
        return delivered(array, out, device, requires_grad)
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        raise TypeError(
            "normal() received an invalid combination of arguments - got (float, float), but expected one of:"
        )
    if isinstance(std, Tensor) and std._array.size:
        refuse(std._array < 0, lambda: RuntimeError("normal expects all elements of std >= 0.0"))
    if not isinstance(std, Tensor):
        array = g.samplers.normal(g, mean._array.shape, mean._array.dtype, 0.0, float(std)) + mean._array
    else:
        m = mean._array if isinstance(mean, Tensor) else std._array.dtype.type(mean)
        check_broadcast([m, std._array])
        shape = np.broadcast_shapes(np.shape(m), std._array.shape)
        d = mean._array.dtype if isinstance(mean, Tensor) else std._array.dtype
        array = g.samplers.normal(g, shape, d) * std._array + m
    array = np.asarray(array) if isinstance(array, np.generic) else array
    if out is not None:
        store_out(out, array)
        return out
    parts = [each for each in (mean, std) if isinstance(each, Tensor)]
    if here.grad_enabled and any(each._node is not None for each in parts):
        if len(parts) == 2:
            return normal_of_both.function(mean, std, array)
        return (normal_of_mean if isinstance(mean, Tensor) else normal_of_std).function(parts[0], array)
    return made(array, device, requires_grad)


@operator("bernoulli", node="BernoulliBackward0", inplace=False)
def _bernoulli(xp, input: Array, p=None, *, generator=None):
    """1 with the probability that each element gives, else 0.
    Of the shape and dtype of `input`, with `p` of one probability for all; `generator` draws (None: the default one,
    which `manual_seed` seeds). RuntimeError: a probability outside of [0, 1]."""
    g = source(generator, like=input)
    if p is not None:
        return g.samplers.bernoulli_mask(g, input.shape, float(p)).astype(input.dtype)
    if input.dtype.kind in "biu":
        raise not_implemented("bernoulli_tensor_cpu_p_", input)
    return g.samplers.bernoulli(g, input)


_bernoulli.gradient(input=lambda t, g: t.zeros_like(g))


@function
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Any = None
) -> Tensor:
    """Indices drawn with the probabilities in each row (weights need not sum to 1).
    A vector gives (num_samples,), a matrix (rows, num_samples). RuntimeError: too few weights to draw from, a
    negative one, integers."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.short}")
    p, samples = input._array, int(num_samples)
    if not isinstance(p, np.ndarray) and 0 < samples and (absent(p) or replacement or samples <= p.shape[-1]):
        g = source(generator, like=p)
        bad = ~((p >= 0) & (p < np.inf))
        refuse(bad, lambda: RuntimeError("probability tensor contains either `inf`, `nan` or element < 0"))
        refuse(p.sum(-1) <= 0, lambda: RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)"))
        again = replacement and samples > 1 and not absent(p)
        draw = g.samplers.with_replacement if again else g.samplers.multinomial
        return delivered(draw(g, p, samples), out, input.device, False)
    return _drawn_on_the_cpu(input, samples, replacement, generator=generator, out=out)


@hosted
def _drawn_on_the_cpu(input: Tensor, samples: int, replacement: bool, generator: Any, out: Any = None) -> Tensor:
    array = rejection.multinomial(on_host(generator), input._array, samples, replacement)
    return delivered(array, out, None, False)


table.METHODS["multinomial"] = multinomial


def _variate(name: str, *params: str, node: str) -> None:
    def kernel(xp: Any, input: Array, generator: Any = None) -> Any:
        return xp.zeros_like(input) if absent(input) else getattr(rejection, name)(on_host(generator), input)

    kernel.__name__ = node
    kernel.__doc__ = f"Random numbers of the {name.replace('_', ' ')} distribution, one for each parameter."
    declared = operator(node, method=False, long="hosted")(kernel)
    if node == "poisson":
        declared.gradient(input=lambda t, g: t.zeros_like(g))


_variate("poisson", node="poisson")
_variate("dirichlet", node="_sample_dirichlet")


@operator("_standard_gamma", method=True, long="hosted")
def _standard_gamma(xp, input: Array, generator=None):
    """Gamma variates of unit scale, reparameterised."""
    return rejection.standard_gamma(on_host(generator), input)


_standard_gamma.gradient(input=lambda t, g, input, result: g * t._standard_gamma_grad(input, result))


@function
@hosted
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """Binomial variates of a count and a probability for each element."""
    for name, x in (("count", count), ("prob", prob)):
        if not x.dtype.is_floating_point:
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {x.dtype.short}")
    check_broadcast([count._array, prob._array])
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"Found dtype {prob.dtype.short} but expected {count.dtype.short}")
    if absent(count._array):
        return wrap(count._array + prob._array)
    return wrap(rejection.binomial(on_host(generator), count._array, prob._array))
