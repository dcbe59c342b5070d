"""Evenly spaced numbers, rounded where PyTorch rounds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.dtype import given_dtype
from ..arrays.errors import not_implemented
from ..arrays.state import state
from ..arrays.warning import warn
from ..kernels import kernel, unsuited
from ..numerics.rounding import fused
from .resizing import resize
from .tensor import Tensor

COUNTED = {np.dtype(np.float64): 4, np.dtype(np.float32): 8, "bfloat16": 16}
"""How many numbers PyTorch's arange makes at a time."""


MANTISSAS = {"f": 1 << 24, "d": 1 << 53}
"""The whole numbers that a type has all of, up to here."""


def counted(start: float, count: int, step: float, d: np.dtype) -> np.ndarray:
    """PyTorch's arange: in double, but a block's first number is rounded before the others are counted from it."""
    most = MANTISSAS.get(d.char, 0)
    if start == int(start) and step == int(step) and max(abs(start), abs(start + count * step), count) < most:
        whole_numbers = np.arange(count, dtype=d)  # which no order of steps would round
        if step != 1:
            whole_numbers *= step
        return whole_numbers if step == 1 and start == 0 else np.add(whole_numbers, start, whole_numbers)
    exact = fused(np.arange(count, dtype=np.float64), step, start)
    lanes = COUNTED.get(d if d.char in "fd" else d.name, count + 1)
    whole = count // lanes * lanes
    if not whole:
        return exact.astype(d)
    heads = exact[:whole:lanes].astype(d).astype(np.float64)
    blocks = fused(np.arange(lanes, dtype=np.float64), step, heads[:, None]).reshape(-1)
    return np.concatenate((blocks, exact[whole:])).astype(d)


spaced = kernel("spaced", unsuited)


def both_halves(start: Any, end: Any, steps: int, d: np.dtype, power: bool = False) -> np.ndarray:
    """PyTorch's linspace: the first half counts from the start, the second back from the end, each with one rounding; half
    types round after each step. `power`: real numbers in double, for logspace."""
    kind = np.dtype(np.float64) if d.kind in "iu" else d
    first, last = kind.type(start), kind.type(end)
    half = steps // 2
    if kind.char in "fd" and not power and steps > 1:
        step = kind.type((last - first) / (steps - 1))
        if (found := spaced(float(first), float(last), float(step), np.empty(steps, kind))) is not None:
            return found
        near, far = np.arange(half, dtype=kind), np.arange(steps - half - 1, -1, -1, dtype=kind)
        return np.concatenate((fused(near, step, first), fused(far, -step, last)))
    if power and d.kind != "c":
        first, last = float(first), float(last)
        step = (last - first) / (steps - 1)
        if (found := spaced(first, last, step, np.empty(steps), True)) is not None:
            return found
        near, far = np.arange(half, dtype=float), np.arange(steps - half - 1, -1, -1, dtype=float)
        return np.concatenate((first + step * near, last - step * far))
    i = np.arange(steps)
    if d.kind == "c" and not power:
        found = np.empty(steps, kind)
        found.real = both_halves(first.real, last.real, steps, found.real.dtype)
        found.imag = both_halves(first.imag, last.imag, steps, found.real.dtype)
        return found
    if d.kind == "c":  # a quotient of complex numbers is a product with the reciprocal
        part = kind.type().real
        step, i = (last - first) * kind.type(type(part)(1) / type(part)(steps - 1)), i.astype(kind)
        return np.where(i.real < half, first + step * i, last - step * (steps - 1 - i))
    step = kind.type((last - first) / (steps - 1))
    near, far = i[:half].astype(kind), i[: steps - half][::-1].astype(kind)
    return np.concatenate((fused(near, step, first), fused(far, -step, last)))


def of_size(name: str, dtype: Any, out: Any) -> Any:
    """The dtype of a tensor of a size: that of `out`, or the default one, unless one is given."""
    if dtype is None:
        return out.dtype if isinstance(out, Tensor) else state.default_dtype
    return given_dtype(dtype, name)


def of_out(name: str, dtype: Any, out: Any) -> Any:
    """The dtype of a sequence that is written into a tensor: the tensor's, unless one is given."""
    if dtype is not None or not isinstance(out, Tensor):
        return dtype
    if out._array.dtype.kind == "b":
        raise not_implemented(name + "_cpu", out._array)
    return out.dtype


def check_bounds(name: str, start: Any, end: Any) -> None:
    """Tensors that say where a sequence begins and ends are single numbers."""
    for title, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {title} with {value.ndim} dimension(s)."
            )


def with_room(out: Any, array: Any) -> Any:
    """An ``out=`` tensor for the numbers of a range, with a warning where there are others: their number comes of a division."""
    if out is not None and out._array.size != array.size:
        if out._array.size:
            warn(
                f"The number of elements in the out tensor of shape {list(out._array.shape)} is {out._array.size} which does not "
                f"match the computed number of elements {array.size}. Note that this may occur as a result of rounding error. "
                f"The out tensor will be resized to a tensor of shape ({array.size},)."
            )
        resize(out, array.shape)
    return out
