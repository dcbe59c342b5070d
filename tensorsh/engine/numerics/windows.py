"""The windows of pooling, folding and unfolding: their settings for each dimension, and PyTorch's checks of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.errors import own_dim

WORDS = {1: "one", 2: "two", 3: "three"}
AXES = {2: "HW", 3: "THW"}


PLAIN = frozenset((int, bool, str, type(None)))
INT = (1 << 31) - 1
"""The largest of the integers of 32 bits that hold a pooling's settings."""


def remembered(function: Callable) -> Callable:
    """A function of shapes and settings that keeps what it answered (not what it refused) to numbers, words and tuples of numbers."""
    kept: dict[tuple, Any] = {}

    def ask(*args: Any) -> Any:
        try:
            answer = kept.get(args)
        except TypeError:  # a list
            args, answer = tuple([tuple(x) if type(x) is list else x for x in args]), None
        if answer is None:
            answer = function(*args)
            if all([type(x) in PLAIN or type(x) is tuple and {*map(type, x)} <= {int} for x in args]):
                if len(kept) >= 1000:
                    kept.clear()
                kept[args] = answer
        return answer

    return ask


def many(value: Any, d: int) -> tuple[int, ...]:
    """A setting for each of d dimensions, as it was given where that is several numbers."""
    if isinstance(value, (int, np.integer)) or not getattr(value, "shape", True):
        return (int(value),) * d
    found = tuple(int(n) for n in value)
    return found * d if len(found) == 1 else found


def settings(kind: str, d: int, **values: Any) -> list[tuple[int, ...]]:
    """Each setting of a pooling for each of d dimensions."""
    found = []
    for name, value in values.items():
        each = many(value, d)
        if len(each) != d:
            raise RuntimeError(wrong_count(kind, d, name, len(each)))
        if max(map(abs, each)) > INT and not (d == 1 and kind == "max"):
            raise RuntimeError("value cannot be converted to type int without overflow")
        found.append(each)
    return found


def wrong_count(kind: str, d: int, name: str, count: int) -> str:
    if d == 1 and kind == "max":
        listed = "None, an int, list of ints," if name == "stride" else "an int, list of ints"
        return f"max_pool1d() {name} must be {listed} or tuple of ints of size 1 but got size {count}"
    if d == 1:
        return f"avg_pool1d() argument '{name}' should contain one int (got {count})"
    verb = "must be" if kind == "avg" and d == 3 else "must be either" if name == "dilation" else "must either be"
    omitted = "omitted, " if name == "stride" else ""
    return f"{kind}_pool{d}d: {name} {verb} {omitted}a single int, or a tuple of {WORDS[d]} ints"


def check_pool_input(kind: str, d: int, shape: tuple) -> None:
    """The number of dimensions that a pooling wants of its input."""
    n = len(shape)
    if d == 1 and (n not in (2, 3) or kind == "max" and 0 in shape[-2:]):
        if kind == "max":
            raise RuntimeError(
                "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
                f"got:{list(shape)}"
            )
        check_between("avg_pool1d", shape)
    if kind == "avg" and d == 2:
        if n < 3:
            own_dim(-3, n)
        if n > 4 or 0 in shape[-3:]:
            raise RuntimeError(optional_batch(d, shape))
    elif d > 1:
        if n not in (d + 1, d + 2):
            raise RuntimeError(f"non-empty {d + 1}D or {d + 2}D (batch mode) tensor expected for input")
        if d == 3 and 0 in shape[-4:]:
            title = "avg_pool3d" if kind == "avg" else "max_pool3d_with_indices_out_cpu_template"
            raise RuntimeError(
                f"{title}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
                f"{list(shape)} and non-batch dimension {shape[-4:].index(0)} has length zero!"
            )
        if d == 2 and 0 in shape[-3:]:
            raise RuntimeError(optional_batch(d, shape))


def check_between(name: str, shape: tuple) -> None:
    """One spatial dimension, with or without a batch."""
    if len(shape) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


def optional_batch(d: int, shape: tuple) -> str:
    return f"Expected {d + 1}D or {d + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"


def check_max_pool1d(kernel: int, stride: int, padding: int, dilation: int, out: Any) -> None:
    for name, value in (("kernel_size", kernel), ("stride", stride)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    if out() <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out()}")


def check_window(
    kind: str, size: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, out: Any
) -> None:
    """The settings of a pooling over two or three dimensions; `size` is the input's without the batch, `out()` the
    sizes that come out."""
    d = len(kernel)
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for k, p, w in zip(kernel, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * w + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={w}"
            )
    for name, prefix, values in (
        ("kernel size", "k", kernel),
        ("stride", "d", stride),
        ("dilation", "dilation", dilation),
    ):
        if min(values) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {listed(prefix, values)}")
    if any(p > k // 2 for k, p in zip(kernel, padding, strict=True)):  # whatever the dilation
        raise RuntimeError(
            f"pad should be smaller than or equal to half of kernel size, but got {borders(kernel, padding)}"
        )
    found = out()
    if min(found) < 1:
        if kind == "avg" and d == 3:
            raise RuntimeError(f"input image ({listed('', size[1:])}) smaller than kernel size ({listed('k', kernel)})")
        raise RuntimeError(
            f"Given input size: ({'x'.join(map(str, size))}). Calculated output size: "
            f"({'x'.join(map(str, (size[0], *found)))}). Output size is too small"
        )


def borders(kernel: tuple, padding: tuple) -> str:
    """Sizes of windows and borders, as PyTorch lists them."""
    *outer, high, wide = kernel
    *before, over, beside = padding
    if not outer:
        return f"padW = {beside}, padH = {over}, kW = {wide}, kH = {high}"
    return f"kT: {outer[0]} kW: {wide} kH: {high} padT: {before[0]} padW: {beside} padH: {over}"


def listed(prefix: str, values: tuple) -> str:
    return " ".join(f"{prefix}{axis}: {v}" for axis, v in zip(AXES[len(values)], values, strict=True))


def check_adaptive(kind: str, d: int, shape: tuple, wanted: Any) -> None:
    """The input and the output sizes of an adaptive pooling."""
    name = f"adaptive_{kind}_pool{d}d"
    if d == 1:
        check_between(name, shape)
        if len(wanted) != 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(wanted)})")
        shape, wanted, name = (*shape[:-1], 1, shape[-1]), (1, *wanted), name.replace("1d", "2d")
        d = 2
    if kind == "avg":
        if len(wanted) != d:
            raise RuntimeError(f"{name}: output_size must be {d}")
        if min(wanted) < 0:
            listed = ", ".join(map(str, wanted[:2])) + "".join(f",{n}" for n in wanted[2:])
            raise RuntimeError(
                f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
            )
    if len(shape) not in (d + 1, d + 2):
        colon = ":" if kind == "max" else ""
        raise RuntimeError(f"{name}(): Expected {d + 1}D or {d + 2}D tensor, but got{colon} {list(shape)}")
    for axis in range(1, len(shape)):
        if shape[axis] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(shape)} "
                f"with dimension {axis} being empty"
            )
    if kind == "max":
        if len(wanted) != d:
            raise RuntimeError(f"{name}(): internal error: output_size.size() must be {d}")
        if min(wanted) < 0:
            whole = [*([1] if len(shape) == d + 1 else []), *shape[:-d], *wanted]
            at = next(n for n in wanted if n < 0)
            raise RuntimeError(f"Trying to create tensor with negative dimension {at}: {whole[-len(shape) :]}")


def check_blocks(kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> None:
    """The settings of folding and unfolding."""
    for name, prefix, values, least in (
        ("kernel size", "kernel", kernel, 1),
        ("stride", "stride", stride, 1),
        ("dilation", "dilation", dilation, 1),
        ("padding", "pad", padding, 0),
    ):
        if min(values) < least:
            rule = "greater than zero" if least else "non-negative"
            raise RuntimeError(
                f"{name} should be {rule}, but got {prefix}_height: {values[0]} {prefix}_width: {values[1]}"
            )


def blocks(name: str, value: Any) -> tuple[int, ...]:
    """A setting of folding and unfolding, for two dimensions."""
    found = many(value, 2)
    if len(found) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(found)}")
    return found
