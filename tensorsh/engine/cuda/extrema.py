"""The largest and smallest elements of rows, or of a whole array, and where they first stand. NaN is both."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .kernels import FLOATS, Launch, Raw, empty
from .philox import NOWHERE
from .places import KINDS, ours
from .sources import pieces
from .sums import parts_of, threads

CODE = pieces(__file__)

EXTREMA = Raw("tensorsh_extrema", CODE["EXTREMA"], dtypes=(*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64"))
"""given: 1 where the elements are wanted, 2 their places, 4 where the places of x are told."""


INDEX = np.dtype(np.int64)


@lru_cache(maxsize=2048)
def extrema_launch(
    array_class: type, dtype: np.dtype, rows: int, n: int, least: bool, wanted: int, told: bool
) -> Launch:
    chunk, parts = parts_of(n, rows, 4096)
    given = np.int32((wanted if parts == 1 else 3) + 4 * told)
    numbers = (n, chunk, parts, np.int32(least), given)
    return Launch(EXTREMA.launcher(dtype), rows * parts, threads(chunk), numbers, parts)


def extrema(x: Any, n: int, shape: tuple, least: bool, wanted: int, places: Any = None) -> tuple:
    """The extreme elements of rows of n, and their places, in a shape (wanted: 1, 2 or both)."""
    how = extrema_launch(x.__class__, x.dtype, x.size // n, n, least, wanted, places is not None)
    last = how.parts == 1
    values = empty(shape if last else how.blocks, x.dtype) if wanted & 1 or not last else x
    at = empty(shape if last else how.blocks, INDEX) if wanted & 2 or not last else None
    told = NOWHERE if places is None else places
    how.launcher(how.blocks, how.threads, x, told, values, NOWHERE if at is None else at, *how.numbers)
    return (values, at) if last else extrema(values, how.parts, shape, least, wanted, at)


def rows_of(x: Any, dim: Any, keepdim: Any) -> tuple | None:
    """How many elements a row has, and the shape of what its extrema are; None for other dimensions than the last or all."""
    if not ours(x) or not x._c_contiguous or not x.size or x.dtype not in KINDS or type(keepdim) is not bool:
        return None
    shape = x.shape
    if dim is None or not shape:
        return None if shape == () else (x.size, (1,) * len(shape) if keepdim else ())
    if type(dim) is not int or dim not in (-1, len(shape) - 1):
        return None
    return shape[-1], (*shape[:-1], 1) if keepdim else shape[:-1]


def direct(least: bool, wanted: int, refused: str = "") -> Callable:
    """The extreme elements, their places, or both; refused: kinds of dtypes that the operator refuses."""

    def run(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
        found = rows_of(input, None if dim == () else dim, keepdim)
        if found is None or input.dtype.kind in refused:
            return None
        n, shape = found
        values, at = extrema(input, n, shape, least, wanted)
        return (values, at) if wanted == 3 else values if wanted == 1 else at

    return run


def along(least: bool) -> Callable:
    run = direct(least, 3)
    return lambda input, dim, keepdim=False: None if dim is None else run(input, dim, keepdim)


DIRECT: dict[str, Callable] = {
    "_max_all": direct(False, 1), "_min_all": direct(True, 1), "amax": direct(False, 1), "amin": direct(True, 1),
    "argmax": direct(False, 2, "b"), "argmin": direct(True, 2, "b"), "_max_dim": along(False), "_min_dim": along(True),
}  # fmt: skip
