"""What the tests of random numbers and sums compare with PyTorch: the same tables for the recorder and the tests.

Each line of a table is computed by both sides and kept as a short hash of its bytes: thousands of results stay small.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator

FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTS = ("int64", "int32", "int16", "uint8", "int8")
SIZES = (*range(0, 41), 1000, 100003)

# sampler, its arguments, dtypes
SAMPLERS = [
    ("uniform", (0.0, 1.0), FLOATS + COMPLEX),
    ("uniform", (-0.3, 0.7), FLOATS),
    ("uniform", (1.0, 5.0), FLOATS),
    ("normal", (0.0, 1.0), FLOATS + COMPLEX),
    ("normal", (1.5, 0.3), FLOATS),
    ("normal", (0.0, 2.0), FLOATS),
    ("exponential", (1.7,), FLOATS),
    ("cauchy", (0.3, 1.7), FLOATS),
    ("log_normal", (0.3, 0.7), FLOATS),
    ("geometric", (0.3,), FLOATS + INTS),
    ("bernoulli", (), FLOATS),
    ("bernoulli_mask", (0.37,), (*FLOATS, *INTS, "bool")),
    ("random", (), (*FLOATS, *INTS, "bool")),
    ("randint", (0, 2), (*FLOATS, *INTS, "bool")),
    ("randint", (-5, 100), ("float32", "int64", "int32", "int16")),
    ("randint", (-7, 2**28 - 8), ("int64",)),
    ("randint", (-7, 2**28 - 7), ("int64",)),
    ("randint", (0, 2**40), ("int64",)),
    ("randint", (0, 2**63 - 1), ("int64",)),
    ("randperm", (), ("int64", "int32", "float32")),
]


def label(name: str, args: tuple, *rest: str) -> str:
    """A sampler with its arguments, dtype or inputs, in the recorded table."""
    return f"{name} {args} {' '.join(rest)}"


def seeds(n: int) -> tuple[int, ...]:
    return (0, 2**40 + 5, -3) if n < 100 else (3,)


# Calls in a row on one generator: each hash covers every result and the state at the end.
INTERLEAVED = [
    "normal 1 float32, normal 1 float32, uniform 3 float32, normal 5 float64, normal 17 float32, normal 2 float16",
    "normal 3 float32, uniform 1 float64, uniform 1 float32, normal 1 float64, randint 7 int64, normal 31 bfloat16",
    "uniform 623 float32, uniform 1 float64, normal 15 float32, normal 16 float32, uniform 2 float64, randperm 9 int64",
    "uniform 1 float32, normal 100003 float32, normal 1 float32, normal 624 float32, bernoulli_mask 2000 bool",
    "exponential 3 float32, normal 33 float64, random 5 uint8, randperm 700 int64, uniform 5000 float32",
    "uniform 4993 float32, normal 4991 float32, normal 1 float32, uniform 9983 float64, normal 48 float32",
]

# variate, arguments, how its inputs are made
VARIATES = [
    ("standard_gamma", (), ("small",)),
    ("standard_gamma", (), ("shapes",)),
    ("dirichlet", (), ("shapes",)),
    ("dirichlet", (), ("table",)),
    ("poisson", (), ("rates",)),
    ("poisson", (), ("small",)),
    ("binomial", (), ("ten", "line")),
    ("binomial", (), ("thousand", "line")),
    ("multinomial", (1, False), ("line",)),
    ("multinomial", (7, False), ("table",)),
    ("multinomial", (1, True), ("table",)),
    ("multinomial", (500, True), ("shapes",)),
]
VARIATE_INPUTS = {
    "small": [0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0, 1.5, 2.0, 3.0, 9.5],
    "shapes": [0.3, 0.7, 1.0, 1.25, 3.0, 10.0, 100.0, 0.05] * 25,
    "table": [[(7 * i + 3 * k) % 11 + 0.125 * k for k in range(9)] for i in range(4)],
    "rates": [0.0, 0.5, 3.0, 9.99, 10.0, 12.5, 50.0, 1000.0, 1e6] * 20,
    "ten": [10.0] * 257,
    "thousand": [1000.0] * 257,
    "line": [k / 256 for k in range(257)],
}

LENGTHS = (*range(1, 70), 100, 127, 128, 255, 256, 257, 500, 511, 512, 513, 1000, 1023, 4097, 8225, 30000, 65541)
WIDTHS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 64, 100)
SHAPES = [
    (3, 4, 5),
    (2, 3, 4, 5),
    (8, 9, 10),
    (4, 33, 7),
    (5, 16, 16),
    (1, 7, 9),
    (7, 1, 9),
    (7, 9, 1),
    (2, 1, 3, 1, 40),
]
SHAPES += [(2, 3, 100, 40), (20, 20, 20), (16, 3, 8, 8), (32, 64, 4, 4), (2, 2, 2, 2, 2), (1, 1, 1), (10, 1), ()]
RUNNING_SHAPES = [(1,), (2,), (5,), (17,), (100,), (1000,), (3, 7), (33, 9), (100, 20), (4, 5, 6), (40000,)]

# shape, order of axes, steps of a slice, reduced axes
SumCase = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...] | None]


def lengths(kind: str) -> tuple[int, ...]:
    """All lengths for the two main types, a third of them for the others."""
    return LENGTHS if kind in ("float32", "float64") else LENGTHS[::3]


def line_cases(n: int) -> Iterator[SumCase]:
    """Sums of n elements: alone, as rows, as columns, transposed, with steps."""
    yield (n,), (0,), (1,), None
    for width in WIDTHS:
        if n * width > 70000 or (n > 70 and width in (1, 3, 7, 12, 17, 64)):
            continue
        for order in ((0, 1), (1, 0)):
            yield (n, width), order, (1, 1), (0,)
            yield (width, n), order, (1, 1), (1,)
        yield (n, width), (0, 1), (1, 1), None
        for axes in ((0,), (1,), None):
            yield (width, n), (0, 1), (1, 2), axes


def block_cases(shape: tuple[int, ...]) -> Iterator[SumCase]:
    """Every set of axes, each with some orders of the axes and with steps."""
    rank = len(shape)
    plain, steps = tuple(range(rank)), tuple(1 + k % 2 for k in range(rank))
    orders = list(itertools.permutations(range(rank)))
    for count in range(rank + 1):
        for axes in itertools.combinations(range(rank), count):
            yield shape, plain, (1,) * rank, axes
            yield shape, plain, steps, axes
            for k in (3, 5, 11):
                order = orders[k * (1 + len(axes)) % len(orders)]
                yield shape, order, (1,) * rank, axes
                yield shape, order, steps[::-1], axes


def digest(*parts: bytes) -> str:
    return hashlib.sha1(b"".join(parts)).hexdigest()[:8]
