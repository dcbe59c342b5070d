"""PyTorch's CUDA generator: Philox4x32-10, counted by a seed and an offset, and the draws of its kernels.

A kernel of PyTorch's runs a number of threads that depends on the GPU. Thread n draws from the stream n of the seed, four
words at a time, from where the offset stands; of the words of one draw each goes to another element. Here each element
works out the draw that is its own, so the numbers are PyTorch's, and the launch is not. What is known of PyTorch's kernels
is written in DistributionTemplates.h, Dropout.cu and cuRAND's headers."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from ..arrays.backend import cupy
from ..random.generator import DEFAULT_SEED, Seeded, check_seed
from .kernels import Raw, empty
from .sources import pieces

CODE = pieces(__file__)

BLOCK = 256
"""Threads of a block in PyTorch's kernels."""
RNG_STATE_BYTES = 16
WIDE = 1 << 28
"""Integers of a larger range are drawn from 64 bits."""

PREAMBLE = CODE["PREAMBLE"]
NOWHERE = np.uint64(0)
"""The address of no array."""


class Philox(Seeded):
    """`torch.Generator` for a CUDA device: a seed, and an offset that counts the draws of a thread."""

    __slots__ = ("_before", "_captured", "_offset", "index", "__weakref__")
    samplers: Any
    """The module of the distributions on a device, which needs the class: the room enters it."""

    def __init__(self, index: int = 0) -> None:
        self.index = index
        self._seed, self._offset = DEFAULT_SEED, 0
        self._captured: Any = None

    @property
    def device(self) -> str:
        return f"cuda:{self.index}"

    def manual_seed(self, seed: int) -> Philox:
        self._seed, self._offset = check_seed(int(seed)), 0
        return self

    def clone_state(self) -> Philox:
        return Philox(self.index).set_state(self.get_state())

    def get_state(self) -> np.ndarray:
        """Seed and offset, as PyTorch keeps them."""
        return np.array([self._seed, self._offset], np.uint64).view(np.uint8)

    def set_state(self, state: np.ndarray) -> Philox:
        if state.size not in (RNG_STATE_BYTES, RNG_STATE_BYTES - 8):
            raise RuntimeError("RNG state is wrong size")
        words = np.frombuffer(state.tobytes(), np.uint64).tolist()
        self._seed, self._offset = words[0], words[1] if len(words) > 1 else 0
        return self

    def get_offset(self) -> int:
        return self._offset

    def set_offset(self, offset: int) -> Philox:
        if offset % 4:
            raise RuntimeError("offset must be a multiple of 4")
        self._offset = offset
        return self

    def __reduce__(self) -> tuple:
        return _restored, (self.index, self.get_state())

    def take(self, increment: int) -> tuple[Any, Any, Any]:
        """The seed and the number of the draw that a kernel starts from; `increment`: how far it lets the offset go on.

        While a graph is captured the third is an array of the device, which a replay fills before it runs, of the seed and
        of what is added to the number; else it is no array."""
        start = self._offset // 4
        self._offset += (increment + 3) // 4 * 4
        return np.uint64(self._seed), np.uint64(start), NOWHERE if self._captured is None else self._captured

    def begin_capture(self, words: Any) -> None:
        """Let what is drawn start from `words`, a seed and a draw that lie on the device."""
        self._captured, self._before, self._offset = words, self._offset, 0

    def end_capture(self) -> int:
        """How far a replay lets the offset go on."""
        drawn, self._offset, self._captured = self._offset, self._before, None
        return drawn

    def prepare_replay(self, words: Any, drawn: int) -> None:
        """Write where a replay starts to draw from, and go on behind it."""
        words.set(np.array([self._seed, self._offset // 4], np.uint64))
        self._offset += drawn

    def threads(self, count: int) -> int:
        """How many threads PyTorch's kernels run for a number of elements."""
        most = limits(cupy(), self.index)
        return BLOCK * min(-(-count // BLOCK), most)

    def fill(self, kernel: Raw, shape: Any, dtype: np.dtype, together: int, *parameters: Any) -> Any:
        """A new array with what a kernel draws, `together` elements at a time for each thread."""
        made = empty(shape, dtype)
        count = made.size
        if count:
            threads = self.threads(count)
            self.draw(kernel, made.dtype, made, ((count - 1) // (threads * together) + 1) * 4, threads, *parameters)
        return made

    def draw(self, kernel: Raw, dtype: Any, made: Any, increment: int, threads: int, *parameters: Any) -> None:
        """Fill an array with what a kernel for a dtype draws."""
        size = made.size
        blocks = -(-size // BLOCK)
        kernel(dtype, blocks, BLOCK, made, size, *self.take(increment), threads, *parameters)


def _restored(index: int, state: np.ndarray) -> Philox:
    return Philox(index).set_state(state)


_limits: dict[tuple, int] = {}


def limits(module: Any, index: int) -> int:
    """How many blocks of 256 threads a device holds at a time."""
    found = _limits.get((module, index))
    if found is None:
        properties = module.cuda.runtime.getDeviceProperties(index)
        found = properties["multiProcessorCount"] * (properties["maxThreadsPerMultiProcessor"] // BLOCK)
        _limits[module, index] = found
    return found


def key_bits(n: int) -> int:
    """How many bits of a random key make a permutation of n places without many equal keys."""
    return min(64, max(1, int(-(-log2(n - (6.0 * n * n + 1) / (12 * np.log(0.9))) // 1))))
