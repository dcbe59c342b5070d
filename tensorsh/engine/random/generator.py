"""PyTorch's CPU random number generator, bit for bit: one Mersenne Twister and one cached normal.

Every sampler (see `sampling`) is a function of a stream of 32-bit words. The words come from a compiled MT19937 or from
numpy's. They are drawn ahead in blocks of 624 words (later of eight times as many), so that a small draw is a
slice of words, or of tables made from the whole block at once. The state that PyTorch would report can still be written
at any point, because the 624 state words are the last 624 outputs with the tempering undone.

A 64-bit draw is two words, the first of them the high half. A double in [0, 1) is the low 53 bits of such a draw.
The second hidden piece of state is one double normal left over by Box-Muller; only the serial samplers touch it."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Any

import numpy as np

from ...sandbox.long_calls import moves
from ..arrays.state import here, state
from ..arrays.switches import ever
from ..kernels import compiled

DEFAULT_SEED = 67280421310721
STATE_BYTES = 5056
BLOCK = 624

_U32 = np.dtype(np.uint32)
_LOW53 = np.uint64((1 << 53) - 1)
_HALF = np.uint64(32)
_LITTLE = np.little_endian
_STATE = np.dtype([
    ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", (BLOCK,)), ("unused_x", "<f8"),
    ("normal", "<f8"), ("unused_rho", "<f8"), ("has_normal", "<i4"), ("pad", "<i4"), ("float_normal", "<f4"),
    ("has_float_normal", "u1"), ("pad_end", "V3"),
])  # fmt: skip


def check_seed(seed: int) -> int:
    """The seed as PyTorch keeps it (unsigned, 64 bits), or PyTorch's error."""
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError("Overflow when unpacking long long")
    return seed & 0xFFFFFFFFFFFFFFFF


class NumpyTwister:
    """MT19937 as numpy has it; its 624 words of state are the key."""

    def __init__(self) -> None:
        from numpy.random import MT19937, Generator

        self.machine = MT19937(0)
        self.bulk = Generator(self.machine).integers

    def seed(self, seed: int) -> None:
        self.machine._legacy_seeding(seed)

    def key(self) -> np.ndarray:
        return self.machine.state["state"]["key"]

    def set_key(self, key: np.ndarray) -> None:
        """All words of this key have been drawn."""
        self.machine.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": BLOCK}}

    def words(self, n: int) -> np.ndarray:
        """The next n words, a multiple of 624."""
        if n == BLOCK:
            return self.machine.random_raw(BLOCK).astype(_U32)
        # For many words integers() is eight times as fast as random_raw(), and gives the same words.
        return self.bulk(0, 1 << 32, n, _U32)


class CompiledTwister:
    """The same in compiled loops, without numpy's module of random numbers."""

    __slots__ = ("_key",)

    def seed(self, seed: int) -> None:
        self._key = compiled.twister_key(seed)

    def key(self) -> np.ndarray:
        return self._key

    def set_key(self, key: np.ndarray) -> None:
        self._key = key.copy()

    def words(self, n: int) -> np.ndarray:
        return compiled.twister_words(self._key, n)


Twister: Any = NumpyTwister if compiled is None else CompiledTwister


class Seeded:
    """What a generator of any device does with its seed."""

    __slots__ = ("_seed",)
    _seed: int

    def manual_seed(self, seed: int) -> Any:
        raise NotImplementedError

    def seed(self) -> int:
        """Seed from the system's entropy and return the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        return self._seed


@lru_cache(1)
def _samplers() -> Any:
    from . import uniform_words

    return uniform_words


class Generator(Seeded):
    """`torch.Generator` for the CPU, plus the draws that samplers are made of."""

    __slots__ = (
        "_twister", "_unseeded", "_fresh", "_block", "_pos", "_end", "_next_size", "_normal", "_unit32", "_unit64",
        "__weakref__",
    )  # fmt: skip

    def __init__(self, device: Any = "cpu") -> None:
        if str(device) != "cpu":
            raise RuntimeError(f"Device type {device} is not supported for torch.Generator() api.")
        self._twister: Any = None
        self._unit32: np.ndarray | None
        self._unit64: list[float] | None
        self.manual_seed(DEFAULT_SEED)

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def samplers(self) -> Any:
        """The module of functions that draw from such a generator."""
        return _samplers()

    def manual_seed(self, seed: int) -> Generator:
        if type(seed) is not int:
            if isinstance(seed, np.integer):
                seed = int(seed)
            elif isinstance(seed, bool) or not isinstance(seed, int):
                raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._seed = check_seed(seed)
        # The 624 words are filled when the first number is drawn.
        self._unseeded = self._fresh = True
        self._next_size = BLOCK
        self._normal: float | None = None
        self._set_block(_NOTHING, BLOCK)
        return self

    def clone_state(self) -> Generator:
        twin = Generator()
        twin.set_state(self.get_state())
        return twin

    def get_state(self) -> np.ndarray:
        """The 5056 bytes that `torch.get_rng_state()` would give."""
        record = np.zeros((), _STATE)
        record["seed"] = self._seed
        record["seeded"] = 1
        if self._fresh:
            record["left"] = 1
            record["words"] = self._ready().key()
        else:
            turn, position = divmod(self._pos - 1, BLOCK)
            record["next"] = position + 1
            record["left"] = BLOCK - position
            record["words"] = _untemper(self._block[turn * BLOCK : (turn + 1) * BLOCK])
        if self._normal is not None:
            record["normal"] = self._normal
            record["has_normal"] = 1
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> Generator:
        if not isinstance(state, np.ndarray):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {state.size}"
            )
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        left, position, seeded = int(record["left"]), int(record["next"]), int(record["seeded"])
        key = record["words"].astype(_U32)
        if seeded != 1 or not 0 < left <= BLOCK or position > BLOCK or not moves(key):
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(record["seed"])
        self._normal = float(record["normal"]) if record["has_normal"] else None
        self._unseeded = False
        # `left` decides when PyTorch twists the words again, `next` where it reads; they agree in every real state.
        self._fresh = position == 0
        self._next_size = BLOCK
        self._ready().set_key(key)
        self._set_block(_temper(key), BLOCK if left == 1 else position)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.get_state(),)

    def get_offset(self) -> int:
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        raise RuntimeError("CPU Generator does not use offset")

    def _ready(self) -> Any:
        """The twister, seeded."""
        twister = self._twister
        if twister is None:
            twister = self._twister = Twister()
        if self._unseeded:
            twister.seed(self._seed & 0xFFFFFFFF)
            self._unseeded = False
        return twister

    def _set_block(self, block: np.ndarray, position: int) -> None:
        self._block = block
        self._pos = position
        self._end = len(block)
        self._unit32 = self._unit64 = None

    def _refill(self, used: int) -> np.ndarray:
        """Draw a new block, of which `used` words are taken at once."""
        twister = self._ready()
        block = twister.words(self._next_size)
        self._next_size = 8 * BLOCK
        self._fresh = False
        self._set_block(block, used)
        return block

    def words32(self, n: int) -> np.ndarray:
        """The next n words as uint32. May be a view of the current block: not to be written to."""
        start = self._pos
        end = start + n
        if end <= self._end:
            self._pos = end
            return self._block[start:end]
        head = self._block[start:]
        n -= len(head)
        if n <= self._next_size:
            body = self._refill(n)[:n]
        else:
            body = self._ready().words(-(-n // BLOCK) * BLOCK)
            self._fresh = False
            self._set_block(body[-BLOCK:].copy(), (n - 1) % BLOCK + 1)
            body = body[:n]
        return np.concatenate((head, body)) if len(head) else body

    def ahead(self) -> np.ndarray:
        """The words that are drawn already: a view, not to be written to. Who takes some of them says so by `take`."""
        return self._block[self._pos :]

    def take(self, n: int) -> None:
        """So many of the words `ahead` are used; where none were, for want of more, some are drawn."""
        if n:
            self._pos += n
        elif self._pos >= self._end:
            self._refill(0)
        else:  # a block begins where the twister's words do
            start = self._pos // BLOCK * BLOCK
            words = self._ready().words(8 * BLOCK)
            self._set_block(np.concatenate((self._block[start:], words)), self._pos - start)

    def words64(self, n: int) -> np.ndarray:
        """The next n 64-bit draws as a new uint64 array."""
        words = self.words32(2 * n).view(np.uint64)
        if not _LITTLE:
            return words.copy()
        draws = words << _HALF
        draws |= words >> _HALF
        return draws

    def floats(self, n: int) -> np.ndarray:
        """The next n float32 in [0, 1), one word each; may be a view, as `words32`."""
        start = self._pos
        end = start + n
        if end <= self._end:
            table = self._unit32
            if table is None:
                table = self._unit32 = _to_unit32(self._block)
            self._pos = end
            return table[start:end]
        if n <= 16 * BLOCK:
            return _to_unit32(self.words32(n))
        # In pieces that stay in the second-level cache.
        out = np.empty(n, np.float32)
        piece = 52 * BLOCK
        for i in range(0, n, piece):
            part = out[i : i + piece]
            words = self.words32(len(part)) & _LOW24
            np.copyto(part, words.view(np.int32))
            part *= _UNIT24
        return out

    def doubles(self, n: int) -> np.ndarray:
        """The next n float64 in [0, 1), two words each, as a new array."""
        if n <= 16 * BLOCK:
            if distributed is not None:
                return distributed(self.words32(2 * n), 0, 0.0, 1.0, np.empty(n))
            return _low53(self.words64(n)) * 2.0**-53
        out = np.empty(n)
        piece = 26 * BLOCK
        for i in range(0, n, piece):
            part = out[i : i + piece]
            np.multiply(_low53(self.words64(len(part))), 2.0**-53, out=part)
        return out

    def double_list(self, n: int) -> list[float]:
        """The next n float64 in [0, 1) as Python floats: the fast way for a few, and for serial samplers."""
        start = self._pos
        end = start + 2 * n
        if end > self._end:
            return self.doubles(n).tolist()
        self._pos = end
        return self._doubles_of_block()[start:end:2]

    def double(self) -> float:
        """The next float64 in [0, 1)."""
        start = self._pos
        if start > self._end - 2:
            return self.doubles(1).item()
        self._pos = start + 2
        return self._doubles_of_block()[start]

    def _doubles_of_block(self) -> list[float]:
        """The double that starts at each word of the block: draws may start at odd words too."""
        table = self._unit64
        if table is None:
            high = (self._block[:-1] & _LOW21) * 2.0**-21
            table = self._unit64 = (high + self._block[1:] * 2.0**-53).tolist()
        return table

    def normals(self, n: int) -> list[float]:
        """The next n normals of the serial stream: Box-Muller on doubles, the odd one kept for the next call."""
        if n == 0:
            return []
        kept, self._normal = self._normal, None
        values = [] if kept is None else [kept]
        if n == len(values):
            return values
        pairs = (n - len(values) + 1) // 2
        uniforms = self.double_list(2 * pairs)
        angles = iter(uniforms)
        append = values.append
        for a in angles:
            r = _sqrt(-2.0 * _log1p(-next(angles)))
            a *= _TWO_PI
            append(r * _cos(a))
            append(r * _sin(a))
        if len(values) > n:
            self._normal = values.pop()
        return values

    def many_normals(self, n: int) -> np.ndarray:
        """`normals` as an array."""
        if library_cos is None:
            return np.array(self.normals(n), np.float64)
        kept, self._normal = self._normal, None
        first = 0 if kept is None else 1
        pairs = (n - first + 1) // 2
        uniforms = self.doubles(2 * pairs).reshape(pairs, 2)
        values = np.empty((pairs, 2))
        radius = np.sqrt(-2.0 * library_log1p(-uniforms[:, 1]))
        angle = uniforms[:, 0] * _TWO_PI
        np.multiply(radius, library_cos(angle), values[:, 0])
        np.multiply(radius, library_sin(angle), values[:, 1])
        made = values.reshape(-1)
        if kept is not None:
            made = np.concatenate((np.array([kept]), made))
        if made.size > n:
            self._normal = made[n].item()
        return made[:n]

    def normal(self) -> float:
        """The next standard normal of the serial stream."""
        value = self._normal
        if value is not None:
            self._normal = None
            return value
        angle = _TWO_PI * self.double()
        r = _sqrt(-2.0 * _log1p(-self.double()))
        self._normal = r * _sin(angle)
        return r * _cos(angle)


def _restored(state: np.ndarray) -> Generator:
    return Generator().set_state(state)


def nondeterministic() -> Generator:
    """A generator as the default one is at start: seeded from the system's entropy."""
    generator = Generator()
    generator.seed()
    return generator


def _low53(draws: np.ndarray) -> np.ndarray:
    draws &= _LOW53
    return draws.view(np.int64)


def _to_unit32(words: np.ndarray) -> np.ndarray:
    unit = (words & _LOW24).astype(np.float32)
    unit *= _UNIT24
    return unit


def _temper(words: np.ndarray) -> np.ndarray:
    """MT19937's output function on uint32 state words."""
    y = words ^ words >> 11
    y ^= y << 7 & np.uint32(0x9D2C5680)
    y ^= y << 15 & np.uint32(0xEFC60000)
    return y ^ y >> 18


def _untemper(outputs: np.ndarray) -> np.ndarray:
    """State words from outputs: each step of the tempering undone, seven (or eleven) more bits known at each turn."""
    y = outputs ^ outputs >> 18
    y ^= y << 15 & np.uint32(0xEFC60000)
    z = y
    for _ in range(4):
        z = y ^ z << 7 & np.uint32(0x9D2C5680)
    y = z ^ z >> 11
    return z ^ y >> 11


_LOW24 = np.uint32(0xFFFFFF)
_LOW21 = np.uint32(0x1FFFFF)
_UNIT24 = np.float32(2.0**-24)
_TWO_PI = 2.0 * math.pi
MANY = 64
"""From so many on, what is drawn one by one is computed at once."""
distributed: Any = getattr(compiled, "distributed", None)
library_cos: Any = getattr(compiled, "library_cos", None)
library_sin: Any = getattr(compiled, "library_sin", None)
library_log1p: Any = getattr(compiled, "library_log1p", None)
_sqrt, _log1p, _cos, _sin = math.sqrt, math.log1p, math.cos, math.sin
_NOTHING = np.zeros(BLOCK, _U32)


def default_generator() -> Any:
    """The session's own generator; the first time it is made, from a seed that nobody can foresee. What the thread has in its place,
    if anything."""
    if ever and here.generator is not None:
        return here.generator
    if state.generator is None:
        made = Generator()
        made.seed()
        state.generator = made
    return state.generator
