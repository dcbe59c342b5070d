"""Kernels that draw random numbers as PyTorch's do: each element works out which word of which thread's draws is its own.

What is known of PyTorch's kernels is written in DistributionTemplates.h, TransformationHelper.h, Dropout.cu, Randperm.cuh and
cuRAND's headers."""

from __future__ import annotations

import re
from math import pi
from typing import Any

import numpy as np

from .kernels import FLOATS, Raw
from .philox import PREAMBLE, Philox
from .sources import pieces

CODE = pieces(__file__)

INTEGERS_OF = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
ORIGIN = """unsigned long long seed, unsigned long long start, const unsigned long long* words"""
SHIFT = """  if (words) {
    seed = words[0];
    start += words[1];
  }
"""
"""The seed and the first draw, or where a captured graph finds them."""


def drawing(name: str, parameters: str, body: str, dtypes: tuple = FLOATS, result: str = "T") -> Raw:
    """A kernel that sets `y` for the element `i`."""
    more = f", {parameters}" if parameters else ""
    return Raw(
        f"tensorsh_{name}",
        f"""{PREAMBLE}
extern "C" __global__ void tensorsh_{name}({result}* out, long long n, {ORIGIN}, long long threads{more}) {{
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
{SHIFT}  {result} y = ({result})0;
  {body}
  out[i] = y;
}}""",
        dtypes,
    )


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
QUICK = {"LOG": "__logf", "EXP": "__expf", "TAN": "__tanf", "LEAST": "1.1920929e-7f"}
EXACT = {"LOG": "log", "EXP": "exp", "TAN": "tan", "LEAST": "0.0"}
"""What the transformations of PyTorch's kernels take in single and in double precision."""


def spelling(words: dict[str, str]) -> Any:
    """What a word is exchanged for."""
    return lambda found: words[found[0]]


class Drawn:
    """A sampler of floating-point numbers, in single or double precision as its results are: `a` and `b` are parameters."""

    def __init__(self, name: str, result: str, gauss: bool = False) -> None:
        spelled = [re.sub("|".join(words), spelling(words), result) for words in (QUICK, EXACT)]
        single, double = (GAUSS, GAUSS_DOUBLE) if gauss else (UNIT, UNIT_DOUBLE)
        self.single = drawing(name, "A a, A b", single + spelled[0], FLOATS[:-1])
        self.double = drawing(f"{name}_double", "A a, A b", double + spelled[1], FLOATS[-1:])

    def __call__(self, g: Philox, shape: Any, dtype: np.dtype, a: float = 0.0, b: float = 0.0) -> Any:
        if dtype == np.float64:
            return g.fill(self.double, shape, dtype, 2, np.float64(a), np.float64(b))
        return g.fill(self.single, shape, dtype, 4, np.float32(a), np.float32(b))


UNIFORM = Drawn("uniform", "T value = T(u * b + a); y = value == T(b + a) ? T(a) : value;")
NORMAL = Drawn("normal", "y = T(u * b + a);", gauss=True)
LOG_NORMAL = Drawn("log_normal", "y = T(EXP(u * b + a));", gauss=True)
EXPONENTIAL = Drawn("exponential", "y = T(A(-1) / a * (u >= A(1) - b ? -b : LOG(u)));")
CAUCHY = Drawn("cauchy", f"A w = min(max(u, LEAST), A(1) - LEAST); y = T(a + b * TAN(A({pi!r}) * (w - A(0.5))));")
GEOMETRIC = Drawn("geometric", "y = T(ceil(LOG(u) / LOG(A(1) - a)));")
BERNOULLI = Drawn("bernoulli", "y = u < a ? T(1) : T(0);")
RANGE = "unsigned long long range, long long base"
INTEGERS = drawing("integers", RANGE, FOURS + "y = T((long long)(word % range) + base);", INTEGERS_OF)
INTEGERS_WIDE = drawing(
    "integers_wide", RANGE,
    TWOS + "unsigned long long all = (pair << 32) | (pair >> 32); y = T((long long)(range ? all % range : all) + base);",
    INTEGERS_OF,
)  # fmt: skip
CHANCES = drawing(
    "chances", "const A* p",
    "unsigned long long pair = philox(seed, i / 4, start, (int)(i % 4 / 2));"
    "unsigned int word = i % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;"
    "y = word * 2.3283064e-10f + 1.1641532e-10f <= p[i] ? T(1) : T(0);",
)  # fmt: skip
"""1 with the chance that another array tells for each element; four elements in a row belong to one thread."""
DROPOUT = drawing(
    "dropout", "float keep, A scale, long long lanes",
    "long long at = i / lanes; long long own = at / threads * lanes + i % lanes; int part = (int)(own % 4);"
    "unsigned long long pair = philox(seed, at % threads, start + own / 4, part / 2);"
    "unsigned int word = part % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;"
    "y = word * 2.3283064e-10f + 1.1641532e-10f < keep ? T(scale) : T(0);",
)  # fmt: skip
"""Dropout's factors: threads take `lanes` elements in a row at a time."""
DROPOUT_SINGLE = drawing("dropout_single", "float keep, A scale", UNIT + "y = u < keep ? T(scale) : T(0);")
CHOSEN = drawing(
    "chosen", "long long samples, long long lines, long long width, long long categories, const T* chances, const T* sums",
    CODE["CHOSEN"],
    ("float32", "float64"), "long long",
)  # fmt: skip
"""Categories drawn with replacement: where the running sums of the chances reach a uniform number, the first of a thread's four.
A row of `width` threads draws for every `lines`-th distribution, a sample to a thread."""
ISLANDS = Raw(
    "tensorsh_islands",
    f"""{PREAMBLE}
extern "C" __global__ void tensorsh_islands(const long long* keys, long long* places, long long n, {ORIGIN}) {{
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  if (keys[i] != keys[i + 1]) return;
  if (i > 0) {{
    if (keys[i] == keys[i - 1]) return;
  }}
{SHIFT}  long long size = 2;
  while (i + size < n) {{
    if (keys[i + size] != keys[i]) break;
    size += 1;
  }}
  for (long long k = size - 1; k > 0; k = k - 1) {{
    long long count = size - 1 - k;
    unsigned long long pair = philox(seed, i, start + count / 4, (int)(count % 4 / 2));
    unsigned int word = count % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;
    long long other = word % (unsigned int)(k + 1);
    long long kept = places[i + k];
    places[i + k] = places[i + other];
    places[i + other] = kept;
  }}
}}""",
    ("int64",),
)
"""Shuffles the places whose sorted random keys are equal."""
