"""What a call does with what its kernel computed: dtypes of numbers and half types, and the ``out=`` form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..arrays.backend import device_of, move_like
from ..arrays.device import META
from ..arrays.device import device as device_type
from ..arrays.device_errors import two_of
from ..arrays.dtype import COMPLEX_HALF, as_complex_half, of
from ..arrays.layout import TITLES
from ..arrays.numbers import check_width
from ..arrays.promotion import fits_dtype
from ..arrays.state import here
from ..arrays.warning import warn
from ..numerics.halves import FLOAT32, HALF, converted
from ..tensors.inplace import INFERENCE
from ..tensors.resizing import resize
from ..tensors.tensor import Tensor

ndarray = np.ndarray


def delivered(result: Tensor, out: Tensor | None) -> Tensor:
    """A composite's result, or `out` with the result written to it."""
    if out is None:
        return result
    store_out(out, result)
    return out


def store_out(t: Tensor, result: Any, fits: bool = False) -> None:
    """Write a result into an ``out=`` tensor: an array, or a tensor together with its history. `fits`: whether it is known to
    fit the dtype."""
    array = getattr(result, "_array", result)
    if type(array) is not ndarray or type(t._array) is not ndarray:
        same_place(array, t)
    if t._inference and not here.inference:
        raise RuntimeError(INFERENCE)
    if not fits:
        fits_dtype(t.dtype, of(array))
    if t._array.shape != array.shape:
        if t._array.size:
            warn(
                f"An output with one or more elements was resized since it had shape {list(t._array.shape)}, which does not "
                f"match the required output shape {list(array.shape)}. This behavior is deprecated, and in a future PyTorch "
                "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor "
                "t by resizing it, inplace, to zero elements with t.resize_(0)."
            )
        resize(t, array.shape)
    if array is not result and here.grad_enabled and (result._node is not None or t._node is not None):
        t.copy_(result)
        return
    t._array[...] = array
    t._bump()


def same_place(array: Any, t: Tensor) -> None:
    """Refuse to write a result into a tensor on another device."""
    own, there = device_of(array), device_of(t._array)
    if own != there:
        if META in (own, there):
            raise RuntimeError(
                f"Attempting to copy from device {own} to device {there}, but cross-device copies are not allowed!"
            )
        raise RuntimeError(two_of((own, there)))


def check_out(out: Any, layout: Any, device: Any) -> None:
    """RuntimeError: an ``out`` in another layout, or on another device, than was asked for."""
    if out is None:
        return
    if layout is not None and layout is not out.layout:
        raise RuntimeError(f"layout {TITLES[layout]} does not match layout of out parameter ({TITLES[out.layout]})")
    if device is not None and (kind := device_type(device).type) != out.device.type:
        raise RuntimeError(f"device type {kind} does not match device type of out parameter ({out.device.type})")


def stored(array: Any, out: Tensor, given: Any, requires_grad: bool = False) -> Tensor:
    """A new array in the tensor ``out``. `given`: the dtype that was asked for, which that must have."""
    if given is not None and (made := of(array)) is not out.dtype:
        raise RuntimeError(f"dtype {made.short} does not match dtype of out parameter ({out.dtype.short})")
    if type(out._array) is not ndarray:
        if hasattr(out._array, "layout"):
            out._array.filled(array)
            return out.requires_grad_() if requires_grad else out
        array = move_like(array, out._array)
    if out._array.shape != array.shape:  # which what only makes new elements never warns of
        resize(out, array.shape)
    store_out(out, array)
    return out.requires_grad_(requires_grad) if out._node is None or out.is_leaf else out


def writes_out(function: Callable) -> Callable:
    """Give a function made of operators the ``out=`` form."""

    @wraps(function)
    def wrapped(*args: Any, out: Tensor | None = None, **kwargs: Any) -> Tensor:
        result = function(*args, **kwargs)
        if out is None:
            return result
        if here.grad_enabled and (result._node is not None or out._node is not None):
            raise RuntimeError(
                f"{function.__name__}(): functions with out=... arguments don't support automatic differentiation, but one "
                "of the arguments requires grad."
            )
        store_out(out, result._array)
        return out

    return wrapped


def scalar(value: Any, target: np.dtype) -> Any:
    """A Python number as a numpy scalar of a dtype; integers wrap, as PyTorch's do."""
    kind = target.kind
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole:
        check_width(int(value))
    if whole and kind in "iu":
        bits = 8 * target.itemsize
        value = int(value) & ((1 << bits) - 1)
        if kind == "i" and value >> (bits - 1):
            value -= 1 << bits
        return target.type(value)
    if kind == "b":
        return target.type(bool(value))
    return target.type(value)


def narrowed(result: Any, narrow: np.dtype) -> Any:
    """A result computed in float32 for half operands, brought back to the half type."""
    if type(result) in (tuple, list):
        return type(result)(narrowed(r, narrow) for r in result)
    if narrow is COMPLEX_HALF:
        kind = getattr(getattr(result, "dtype", None), "kind", "")
        return as_complex_half(result) if kind == "c" else converted(result, HALF) if kind == "f" else result
    if getattr(result, "dtype", None) == FLOAT32:
        return converted(result, narrow)
    return result
