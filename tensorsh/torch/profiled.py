"""What ``torch.profiler`` tells of a call beside its time, and how its tables show numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import log10, prod
from typing import Any

from ..engine.tensors.tensor import Tensor

UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
"""How many microseconds a unit of the tables has."""


def in_words(microseconds: float, unit: str | None = None) -> str:
    """A time as the tables show it."""
    if unit not in UNITS:
        unit = next((name for name, size in UNITS.items() if microseconds >= size), "us")
    return f"{microseconds / UNITS[unit]:.3f}{unit}"


def bytes_in_words(count: int) -> str:
    """An amount of memory as the tables show it."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(count) >= 1024**power:
            return f"{count / 1024**power:.2f} {unit}"
    return f"{count} B"


def made(result: Any, args: Iterable = ()) -> int:
    """How many bytes of memory a call's result has that is no argument's."""
    if isinstance(result, (tuple, list)):
        return sum(made(each, args) for each in result)
    if not isinstance(result, Tensor) or result._root is not None:
        return 0
    if any(isinstance(a, Tensor) and a._array is result._array for a in args):
        return 0
    return int(result._array.nbytes)


def row(cells: Iterable, widths: list) -> str:
    return "".join(f"{cell!s:>{width}}  " for cell, width in zip(cells, widths, strict=True))


def share(part: float, whole: float) -> str:
    return f"{part * 100 / whole:.2f}%" if whole else "NaN"


PRODUCTS = {"mm": 0, "bmm": 0, "linear": 0, "matmul": 0, "addmm": 1, "baddbmm": 1}
"""Products of matrices, and which argument is the first matrix."""


def operations(name: str, args: tuple, result: Any) -> int:
    """How many additions and multiplications a call makes, for the operators of which PyTorch's profiler tells it."""
    shapes = [a._array.shape for a in args if isinstance(a, Tensor)]
    if not isinstance(result, Tensor) or len(shapes) < (name not in ("add", "mul")) + 1:
        return 0
    if name in ("add", "mul"):
        return prod(shapes[0])
    if name == "conv2d":
        return 2 * result.numel() * prod(shapes[1][1:])
    if name not in PRODUCTS or name == "matmul" and min(map(len, shapes)) < 2:
        return 0
    return 2 * result.numel() * shapes[PRODUCTS[name]][-1]


def scaled(counts: list[int]) -> tuple[float, str]:
    """The factor by which a table shows counts of operations, and their unit."""
    least = min((count for count in counts if count > 0), default=1)
    power = min(int(log10(least) / 3), 5)
    return 10.0 ** (-3 * power), ("", "K", "M", "G", "T", "P")[power] + "FLOPs"
