"""The samplers of `engine/random/uniform_words.py` for a CUDA device's generator: the same functions, on the device."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..arrays import device_guard
from ..arrays.backend import cupy
from ..random.uniform_words import within_dtype
from .philox import (
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
    WIDE,
    Philox,
    key_bits,
)  # fmt: skip

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


def in_memory_order(array: Any) -> Any:
    """An array as it is: PyTorch's kernels count the elements of what they fill in the order of its dimensions."""
    return array


def halves(draw: Any, g: Philox, shape: Any, dtype: Any, *parameters: float) -> Any:
    """bfloat16, which cupy's kernels do not write, is drawn in single precision and rounded."""
    dtype = np.dtype(dtype)
    if dtype.kind == "V" or dtype.kind in "biu":
        return draw(g, shape, F4, *parameters).astype(dtype)
    return draw(g, shape, dtype, *parameters)


@at_home
def uniform(g: Philox, shape: Any, dtype: Any = F4, low: float = 0.0, high: float = 1.0) -> Any:
    real = REAL.get(np.dtype(dtype))
    if real is not None:
        return uniform(g, (*shape, 2), real, low, high).view(dtype)[..., 0]
    kind = np.dtype(dtype).type
    low, high = float(kind(low)), float(kind(high))
    drawn = halves(UNIFORM, g, shape, dtype, low, high - low)
    if drawn.dtype.kind != "V":
        return drawn
    wide = drawn.astype(F4)  # where a number was rounded up to the end that is left out, the first one comes
    return cupy().where(wide == F4.type(high), F4.type(low), wide).astype(drawn.dtype)


@at_home
def normal(
    g: Philox, shape: Any, dtype: Any = F4, mean: float = 0.0, std: float = 1.0, *, contiguous: bool = True
) -> Any:
    real = REAL.get(np.dtype(dtype))
    if real is not None:
        return normal(g, (*shape, 2), real, mean, std * 0.5**0.5).view(dtype)[..., 0]
    return halves(NORMAL, g, shape, dtype, mean, std)


@at_home
def log_normal(g: Philox, shape: Any, dtype: Any = F4, mean: float = 1.0, std: float = 2.0) -> Any:
    return halves(LOG_NORMAL, g, shape, dtype, mean, std)


@at_home
def exponential(g: Philox, shape: Any, dtype: Any = F4, rate: float = 1.0) -> Any:
    tiny = np.finfo(np.float64 if np.dtype(dtype) == np.float64 else np.float32).eps / 2
    return halves(EXPONENTIAL, g, shape, dtype, rate, float(tiny))


@at_home
def geometric(g: Philox, shape: Any, dtype: Any, p: float) -> Any:
    return halves(GEOMETRIC, g, shape, dtype, p)


@at_home
def cauchy(g: Philox, shape: Any, dtype: Any = F4, median: float = 0.0, sigma: float = 1.0) -> Any:
    return halves(CAUCHY, g, shape, dtype, median, sigma)


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
    seed, start = g.take(n)
    if n > 1:
        ISLANDS(F4, -(-n // 512), 512, keys[order], order, np.int64(n), *single(seed, start))
    return order.astype(dtype, copy=False)


def single(seed: Any, start: Any) -> tuple[np.uint64, np.uint64]:
    """A draw's numbers, for kernels that do not read them from the device."""
    if not isinstance(start, np.uint64):
        raise RuntimeError(
            "A permutation, or attention with dropout, cannot be captured in a CUDA graph: its random numbers would be the same "
            "at each replay. Make it before, or outside the graph."
        )
    return seed, start


@at_home
def bernoulli(g: Philox, p: Any, dtype: Any = None) -> Any:
    """1 with the chance that each element of an array tells."""
    dtype = np.dtype(p.dtype if dtype is None else dtype)
    module = cupy()
    made = dtype if dtype.kind == "f" else F4
    chances = p.astype(np.float64 if dtype == np.float64 else np.float32, copy=False)
    drawn = module.empty(p.shape, made)
    if p.size:
        CHANCES(*g.take(10), np.int64(1), chances, drawn)
    return drawn.astype(dtype, copy=False)


@at_home
def bernoulli_mask(g: Philox, shape: Any, p: float) -> Any:
    return halves(BERNOULLI, g, shape, F4, p).astype(bool)


def dropout_draw(g: Philox, count: int, p: float) -> tuple:
    """What dropout of float32 elements is drawn by: the seed, the first draw, the threads, the elements that one takes in a
    row, and p."""
    lanes, threads = 4, g.threads(count)
    while count % lanes:
        lanes //= 2
    seed, start = single(*g.take(((count - 1) // (threads * 4) + 1) * 4))
    return int(seed), int(start), threads, lanes, p


def dropout_again(xp: Any, draw: tuple, shape: Any, dtype: Any) -> Any:
    """The factors of a draw."""
    seed, start, threads, lanes, p = draw
    made, keep = xp.empty(shape, F4), np.float32(1.0 - p)
    single = (DROPOUT_SINGLE,) if lanes == 1 else (DROPOUT, np.int64(lanes))
    single[0](np.uint64(seed), np.uint64(start), np.int64(threads), *single[1:], keep, F4.type(1.0 / keep), made)
    return made.astype(dtype, copy=False)


@at_home
def dropout_noise(g: Philox, shape: Any, dtype: Any, p: float) -> Any:
    """What dropout multiplies with: 0 with probability p, else 1 / (1 - p)."""
    dtype = np.dtype(dtype)
    made = dtype if dtype.kind == "f" else F4
    keep, scale = np.float32(1.0 - p), made.type(1.0 / np.float32(1.0 - p))
    count, lanes = prod(shape), max(1, 16 // dtype.itemsize)
    while count % lanes:
        lanes //= 2
    if lanes == 1:
        return g.fill(DROPOUT_SINGLE, shape, made, 4, keep, scale).astype(dtype, copy=False)
    return g.fill(DROPOUT, shape, made, 4, np.int64(lanes), keep, scale).astype(dtype, copy=False)


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
        draw = g.take(((len(rows) - 1) // lines + 1) * 4)
        numbers = [np.int64(n) for n in (samples, lines, width, p.shape[-1])]
        CHOSEN(*draw, *numbers, chances, module.cumsum(chances, -1), found)
    return found
