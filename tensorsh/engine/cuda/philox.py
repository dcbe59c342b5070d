"""PyTorch's CUDA generator: Philox4x32-10, counted by a seed and an offset, and the draws of its kernels.

A kernel of PyTorch's runs a number of threads that depends on the GPU. Thread n draws from the stream n of the seed, four
words at a time, from where the offset stands; of the words of one draw each goes to another element. Here each element
works out the draw that is its own, so the numbers are PyTorch's, and the launch is not. What is known of PyTorch's kernels
is written in DistributionTemplates.h, Dropout.cu and cuRAND's headers.
"""

from __future__ import annotations

import re
from math import log2, pi, prod
from typing import Any

import numpy as np

from ..arrays.backend import cupy
from ..random.generator import DEFAULT_SEED, Seeded, check_seed
from .kernels import Elementwise, Raw

BLOCK = 256
"""Threads of a block in PyTorch's kernels."""
RNG_STATE_BYTES = 16
WIDE = 1 << 28
"""Integers of a larger range are drawn from 64 bits."""

PREAMBLE = """
__device__ unsigned long long philox(unsigned long long seed, unsigned long long thread, unsigned long long count, int half) {
  unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);
  unsigned int a = (unsigned int)count, b = (unsigned int)(count >> 32);
  unsigned int c = (unsigned int)thread, d = (unsigned int)(thread >> 32);
  for (int round = 0; round < 10; ++round) {
    unsigned int low0 = 0xD2511F53u * a, high0 = __umulhi(0xD2511F53u, a);
    unsigned int low1 = 0xCD9E8D57u * c, high1 = __umulhi(0xCD9E8D57u, c);
    a = high1 ^ b ^ k0;
    b = low1;
    c = high0 ^ d ^ k1;
    d = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return half ? ((unsigned long long)d << 32) | c : ((unsigned long long)b << 32) | a;
}
"""
PARAMETERS = "uint64 seed, uint64 start, int64 threads"
FOURS = (
    "long long turn = threads * 4; long long within = i % turn; int part = (int)(within / threads);"
    "unsigned long long pair = philox(seed, within % threads, start + i / turn, part / 2);"
    "unsigned int word = part % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;"
)
"""An element's word of the four that its thread draws at a time."""
TWOS = (
    "long long turn = threads * 2; long long within = i % turn; int part = (int)(within / threads);"
    "unsigned long long first = philox(seed, within % threads, start + i / turn, 0);"
    "unsigned long long second = philox(seed, within % threads, start + i / turn, 1);"
    "unsigned long long pair = part ? second : first;"
)
"""An element's pair of words of the two that its thread draws at a time."""
UNIT = FOURS + "float u = word * 2.3283064e-10f + 1.1641532e-10f;"
UNIT_DOUBLE = (
    TWOS + "double u = ((pair & 0xffffffffull) ^ (pair >> 32 << 21)) * 1.1102230246251565e-16 + 5.551115123125783e-17;"
)
"""A uniform number from (0, 1]."""
GAUSS = FOURS + (
    "float v = (unsigned int)pair * 2.3283064e-10f + 1.1641532e-10f;"
    "float w = (unsigned int)(pair >> 32) * 1.4629181e-09f + 7.3145904e-10f;"
    "float u = sqrt(-2.0f * log(v)) * (part % 2 ? __cosf(w) : __sinf(w));"
)
GAUSS_DOUBLE = TWOS + (
    "double v = ((first & 0xffffffffull) ^ (first >> 32 << 21)) * 1.1102230246251565e-16 + 5.551115123125783e-17;"
    "double w = ((second & 0xffffffffull) ^ (second >> 32 << 21)) * 2.220446049250313e-16 + 1.1102230246251565e-16;"
    "double u = sqrt(-2.0 * log(v)) * (part ? cospi(w) : sinpi(w));"
)
"""A standard normal number, by Box and Muller's transformation, with the quick sine and cosine that cuRAND takes."""
QUICK = {"LOG": "__logf", "EXP": "__expf", "TAN": "__tanf", "REAL": "float", "LEAST": "1.1920929e-7f"}
EXACT = {"LOG": "log", "EXP": "exp", "TAN": "tan", "REAL": "double", "LEAST": "0.0"}
"""What the transformations of PyTorch's kernels take in single and in double precision."""


def spelled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"\b(LOG|EXP|TAN|REAL|LEAST)\b", lambda found: words[found[0]], text)


class Drawn:
    """A sampler of floating-point numbers, in single or double precision as its results are: `a` and `b` are parameters."""

    def __init__(self, name: str, result: str, gauss: bool = False) -> None:
        sources = (GAUSS, GAUSS_DOUBLE) if gauss else (UNIT, UNIT_DOUBLE)
        self.kernels = [
            Elementwise(
                f"{PARAMETERS}, {kind} a, {kind} b", "T y", draw + spelled(result, words), f"tensorsh_{name}{end}",
                preamble=PREAMBLE,
            )
            for draw, kind, words, end in zip(sources, ("float32", "float64"), (QUICK, EXACT), ("", "_double"), strict=True)
        ]  # fmt: skip

    def __call__(self, g: Philox, shape: Any, dtype: np.dtype, a: float = 0.0, b: float = 0.0) -> Any:
        double = dtype == np.float64
        number = np.float64 if double else np.float32
        return g.fill(self.kernels[double], shape, dtype, 2 if double else 4, number(a), number(b))


UNIFORM = Drawn("uniform", "T value = T(u * b + a); y = value == T(b + a) ? T(a) : value")
NORMAL = Drawn("normal", "y = T(u * b + a)", gauss=True)
LOG_NORMAL = Drawn("log_normal", "y = T(EXP(u * b + a))", gauss=True)
EXPONENTIAL = Drawn("exponential", "y = T(REAL(-1) / a * (u >= REAL(1) - b ? -b : LOG(u)))")
CAUCHY = Drawn(
    "cauchy", f"REAL w = min(max(u, LEAST), REAL(1) - LEAST); y = T(a + b * TAN(REAL({pi!r}) * (w - REAL(0.5))))",
)  # fmt: skip
GEOMETRIC = Drawn("geometric", "y = T(ceil(LOG(u) / LOG(REAL(1) - a)))")
BERNOULLI = Drawn("bernoulli", "y = u < a ? T(1) : T(0)")
INTEGERS = Elementwise(
    f"{PARAMETERS}, uint64 range, int64 base", "T y", FOURS + "y = T((long long)(word % range) + base)",
    "tensorsh_integers", preamble=PREAMBLE, floats=False,
)  # fmt: skip
INTEGERS_WIDE = Elementwise(
    f"{PARAMETERS}, uint64 range, int64 base", "T y",
    TWOS + "unsigned long long all = (pair << 32) | (pair >> 32);"
    "y = T((long long)(range ? all % range : all) + base)",
    "tensorsh_integers_wide", preamble=PREAMBLE, floats=False,
)  # fmt: skip
CHANCES = Elementwise(
    f"{PARAMETERS}, S p", "T y",
    "long long thread = i / 4; unsigned long long pair = philox(seed, thread, start, (int)(i % 4 / 2));"
    "unsigned int word = i % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;"
    "y = word * 2.3283064e-10f + 1.1641532e-10f <= p ? T(1) : T(0)",
    "tensorsh_chances", preamble=PREAMBLE,
)  # fmt: skip
"""1 with the chance that another array tells for each element; four elements in a row belong to one thread."""
DROPOUT = Elementwise(
    f"{PARAMETERS}, int64 lanes, float32 keep, T scale", "T y",
    "long long at = i / lanes; long long own = at / threads * lanes + i % lanes; int part = (int)(own % 4);"
    "unsigned long long pair = philox(seed, at % threads, start + own / 4, part / 2);"
    "unsigned int word = part % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;"
    "y = word * 2.3283064e-10f + 1.1641532e-10f < keep ? scale : T(0)",
    "tensorsh_dropout", preamble=PREAMBLE,
)  # fmt: skip
"""Dropout's factors: threads take `lanes` elements in a row at a time."""
ISLANDS = Raw(
    "tensorsh_islands", PREAMBLE + """
extern "C" __global__ void tensorsh_islands(const long long* keys, long long* places, long long n, unsigned long long seed,
    unsigned long long start) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  if (keys[i] != keys[i + 1]) return;
  if (i > 0) {
    if (keys[i] == keys[i - 1]) return;
  }
  long long size = 2;
  while (i + size < n) {
    if (keys[i + size] != keys[i]) break;
    size += 1;
  }
  for (long long k = size - 1; k > 0; k = k - 1) {
    long long count = size - 1 - k;
    unsigned long long pair = philox(seed, i, start + count / 4, (int)(count % 4 / 2));
    unsigned int word = count % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;
    long long other = word % (unsigned int)(k + 1);
    long long kept = places[i + k];
    places[i + k] = places[i + other];
    places[i + other] = kept;
  }
}""",
)  # fmt: skip
"""Shuffles the places whose sorted random keys are equal."""
DROPOUT_SINGLE = Elementwise(
    f"{PARAMETERS}, float32 keep, T scale", "T y", UNIT + "y = u < keep ? scale : T(0)", "tensorsh_dropout_single",
    preamble=PREAMBLE,
)  # fmt: skip

CHOSEN = Elementwise(
    "uint64 seed, uint64 start, int64 samples, int64 lines, int64 width, int64 categories, raw T chances, raw T sums",
    "int64 place",
    "long long row = i / samples; long long thread = row % lines * width + i % samples, base = row * categories;"
    "T u = T((unsigned int)philox(seed, thread, start + row / lines, 0) * 2.3283064e-10f + 1.1641532e-10f);"
    "long long low = 0, high = categories;"
    "while (low < high) { long long at = low + (high - low) / 2; if (sums[base + at] < u) low = at + 1; else high = at; }"
    "low = low == categories ? categories - 1 : low;"
    "while (low > 0 && chances[base + low] == T(0)) low -= 1;"
    "place = low",
    "tensorsh_chosen", preamble=PREAMBLE,
)  # fmt: skip
"""Categories drawn with replacement: where the running sums of the chances reach a uniform number, the first of a thread's four.
A row of `width` threads draws for every `lines`-th distribution, a sample to a thread."""


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

    def take(self, increment: int) -> tuple[Any, Any]:
        """The seed and the number of the draw that a kernel starts from; `increment`: how far it lets the offset go on.

        While a graph is captured both are arrays of the device, which a replay fills before it runs.
        """
        start = self._offset // 4
        self._offset += (increment + 3) // 4 * 4
        if self._captured is None:
            return np.uint64(self._seed), np.uint64(start)
        return self._captured[0], self._captured[1] + np.uint64(start)

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

    def fill(self, kernel: Elementwise, shape: Any, dtype: np.dtype, together: int, *parameters: Any) -> Any:
        """A new array with what a kernel draws, `together` elements at a time for each thread."""
        module = cupy()
        made = module.empty(shape, dtype)
        count = prod(made.shape)
        if count:
            threads = self.threads(count)
            kernel(*self.take(((count - 1) // (threads * together) + 1) * 4), np.int64(threads), *parameters, made)
        return made


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
