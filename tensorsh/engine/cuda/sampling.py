"""The samplers of `engine/random/uniform_words.py` for a CUDA device's generator: the same functions, on the device."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..arrays import device_guard
from ..arrays.backend import cupy
from ..random.uniform_words import within_dtype
from .drawing import (
    BERNOULLI,
    CAUCHY,
    CHANCES,
    CHOSEN,
    DROPOUT,
    DROPOUT_SINGLE,
    EXPONENTIAL,
    GEOMETRIC,
    INTEGERS,
    INTEGERS_WIDE,
    ISLANDS,
    LOG_NORMAL,
    NORMAL,
    UNIFORM,
)  # fmt: skip
from .philox import BLOCK, NOWHERE, WIDE, Philox, key_bits

__all__ = [
    "uniform", "normal", "log_normal", "randint", "random", "randperm", "exponential", "geometric", "cauchy", "bernoulli",
    "bernoulli_mask", "dropout_noise", "multinomial", "with_replacement", "in_memory_order", "within_dtype",
]  # fmt: skip

F4, I8 = np.dtype(np.float32), np.dtype(np.int64)
REAL = {np.dtype(np.complex64): F4, np.dtype(np.complex128): np.dtype(np.float64)}
EXACT = {"float64": 1 << 53, "float32": 1 << 24, "float16": 1 << 11, "bfloat16": 1 << 8}
"""Up to where a floating-point type holds every integer."""


def at_home(sampler: Any) -> Any:
    """A sampler that runs on the device of its arrays, or else of its generator."""

    @wraps(sampler)
    def run(g: Philox, *args: Any, **options: Any) -> Any:
        if not device_guard.several:
            return sampler(g, *args, **options)
        index = device_guard.index_of(args)
        with device_guard.on(g.index if index < 0 else index):
            return sampler(g, *args, **options)

    return run


def in_memory_order(array: Any, like: Any = None) -> Any:
    """An array as it is: PyTorch's kernels count the elements of what they fill in the order of its dimensions."""
    return array


def in_single(draw: Any, g: Philox, shape: Any, dtype: Any, *parameters: float) -> Any:
    """What a sampler of floating-point numbers draws for a dtype; for integers and bools in single precision."""
    dtype = np.dtype(dtype)
    return draw(g, shape, F4, *parameters).astype(dtype) if dtype.kind in "biu" else draw(g, shape, dtype, *parameters)


@at_home
def uniform(g: Philox, shape: Any, dtype: Any = F4, low: float = 0.0, high: float = 1.0) -> Any:
    real = REAL.get(np.dtype(dtype))
    if real is not None:
        return uniform(g, (*shape, 2), real, low, high).view(dtype)[..., 0]
    kind = np.dtype(dtype).type
    low = float(kind(low))
    return in_single(UNIFORM, g, shape, dtype, low, float(kind(high)) - low)


@at_home
def normal(
    g: Philox, shape: Any, dtype: Any = F4, mean: float = 0.0, std: float = 1.0, *, contiguous: bool = True
) -> Any:
    real = REAL.get(np.dtype(dtype))
    if real is not None:
        return normal(g, (*shape, 2), real, mean, std * 0.5**0.5).view(dtype)[..., 0]
    return in_single(NORMAL, g, shape, dtype, mean, std)


@at_home
def log_normal(g: Philox, shape: Any, dtype: Any = F4, mean: float = 1.0, std: float = 2.0) -> Any:
    return in_single(LOG_NORMAL, g, shape, dtype, mean, std)


@at_home
def exponential(g: Philox, shape: Any, dtype: Any = F4, rate: float = 1.0) -> Any:
    tiny = np.finfo(np.float64 if np.dtype(dtype) == np.float64 else np.float32).eps / 2
    return in_single(EXPONENTIAL, g, shape, dtype, rate, float(tiny))


@at_home
def geometric(g: Philox, shape: Any, dtype: Any, p: float) -> Any:
    return in_single(GEOMETRIC, g, shape, dtype, p)


@at_home
def cauchy(g: Philox, shape: Any, dtype: Any = F4, median: float = 0.0, sigma: float = 1.0) -> Any:
    return in_single(CAUCHY, g, shape, dtype, median, sigma)


@at_home
def randint(g: Philox, low: int, high: int, shape: Any, dtype: Any = I8) -> Any:
    dtype, range_ = np.dtype(dtype), high - low
    made = dtype if dtype.kind in "iu" else I8
    kernel, together = (INTEGERS_WIDE, 2) if range_ >= WIDE else (INTEGERS, 4)
    drawn = g.fill(kernel, shape, made, together, np.uint64(range_ & 0xFFFFFFFFFFFFFFFF), np.int64(low))
    return drawn if made == dtype else drawn.astype(dtype)


@at_home
def random(g: Philox, shape: Any, dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return randint(g, 0, 2, shape, dtype)
    range_ = EXACT[dtype.name] + 1 if dtype.kind in "fV" else int(np.iinfo(dtype).max) + 1
    if dtype.name in ("float64", "int64"):
        drawn = g.fill(INTEGERS_WIDE, shape, I8, 2, np.uint64(range_), np.int64(0))
    else:
        drawn = g.fill(INTEGERS, shape, I8, 4, np.uint64(range_), np.int64(0))
    return drawn.astype(dtype, copy=False)


@at_home
def randperm(g: Philox, n: int, dtype: Any = I8) -> Any:
    """The order of random keys; where some are equal, which is rare, their places are shuffled."""
    module = cupy()
    if not n:
        return module.zeros(n, dtype)
    bits = key_bits(n)
    least = -(1 << (31 if bits <= 32 else 63))
    keys = randint(g, least, -least - 1, (n,), np.int32 if bits <= 32 else I8).astype(I8, copy=False)
    if bits < 64:
        keys &= np.int64((1 << bits) - 1)
    order = keys.argsort(kind="stable")
    origin = g.take(n)
    if n > 1:
        ISLANDS(I8, -(-n // 512), 512, keys[order], order, np.int64(n), *origin)
    return order.astype(dtype, copy=False)


@at_home
def bernoulli(g: Philox, p: Any, dtype: Any = None) -> Any:
    """1 with the chance that each element of an array tells."""
    dtype = np.dtype(p.dtype if dtype is None else dtype)
    module = cupy()
    made = dtype if dtype.kind in "fV" else F4
    chances = module.ascontiguousarray(p, np.float64 if dtype == np.float64 else np.float32)
    drawn = module.empty(p.shape, made)
    if p.size:
        g.draw(CHANCES, made, drawn, 10, 1, chances)
    return drawn.astype(dtype, copy=False)


@at_home
def bernoulli_mask(g: Philox, shape: Any, p: float) -> Any:
    return in_single(BERNOULLI, g, shape, F4, p).astype(bool)


def dropout_draw(g: Philox, count: int, p: float) -> tuple:
    """What dropout of float32 elements is drawn by: the seed, the first draw, the threads, the elements that one takes in a
    row, and p."""
    lanes, threads = 4, g.threads(count)
    while count % lanes:
        lanes //= 2
    seed, start, words = g.take(((count - 1) // (threads * 4) + 1) * 4)
    if words is not NOWHERE:
        raise RuntimeError(
            "Attention with dropout cannot be captured in a CUDA graph: its backward pass draws its numbers again, and would find "
            "those of another replay. Pass dropout_p=0."
        )
    return int(seed), int(start), threads, lanes, p


def dropout_again(xp: Any, draw: tuple, shape: Any, dtype: Any) -> Any:
    """The factors of a draw."""
    seed, start, threads, lanes, p = draw
    made, keep = xp.empty(shape, F4), np.float32(1.0 - p)
    kernel, more = (DROPOUT_SINGLE, ()) if lanes == 1 else (DROPOUT, (np.int64(lanes),))
    origin = np.uint64(seed), np.uint64(start), NOWHERE, np.int64(threads)
    kernel(F4, -(-made.size // BLOCK), BLOCK, made, np.int64(made.size), *origin, keep, F4.type(1.0 / keep), *more)
    return made.astype(dtype, copy=False)


@at_home
def dropout_noise(g: Philox, shape: Any, dtype: Any, p: float) -> Any:
    """What dropout multiplies with: 0 with probability p, else 1 / (1 - p)."""
    dtype = np.dtype(dtype)
    made = dtype if dtype.kind in "fV" else F4
    keep = np.float32(1.0 - p)
    scale = (np.float64 if made == np.float64 else np.float32)(made.type(1.0 / keep))
    count, lanes = prod(shape), max(1, 16 // dtype.itemsize)
    while count % lanes:
        lanes //= 2
    if lanes == 1:
        drawn = g.fill(DROPOUT_SINGLE, shape, made, 4, keep, scale)
    else:
        drawn = g.fill(DROPOUT, shape, made, 4, keep, scale, np.int64(lanes))
    return drawn.astype(dtype, copy=False)


@at_home
def multinomial(g: Philox, p: Any, samples: int) -> Any:
    """Indices drawn without replacement (or one): where the probabilities over exponential numbers are largest."""
    made = p.dtype if p.dtype.kind == "f" else F4
    order = p.astype(made, copy=False) / exponential(g, p.shape, made)
    if samples == 1:
        return order.argmax(-1)[..., None]
    return (-order).argsort(-1)[..., :samples]


GROUP, MOST_LINES = 128, 65535
"""Threads of a block, and rows of blocks, of PyTorch's kernel for draws with replacement."""


@at_home
def with_replacement(g: Philox, p: Any, samples: int) -> Any:
    """Indices [..., samples] drawn with replacement, with the chances [..., n]."""
    module = cupy()
    made = p.dtype if p.dtype.kind == "f" and p.dtype.itemsize > 2 else F4
    rows = module.ascontiguousarray(p.astype(made, copy=False)).reshape(-1, p.shape[-1])
    chances = rows / rows.sum(-1, keepdims=True)
    found = module.empty((*p.shape[:-1], samples), I8)
    if found.size:
        lines, width = min(len(rows), MOST_LINES), -(-samples // GROUP) * GROUP
        numbers = [np.int64(n) for n in (samples, lines, width, p.shape[-1])]
        sums = module.cumsum(chances, -1)
        g.draw(CHOSEN, made, found, ((len(rows) - 1) // lines + 1) * 4, 1, *numbers, chances, sums)
    return found
