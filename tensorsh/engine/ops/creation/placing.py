"""Where what is made lies: the device asked for, that of another tensor, or the default one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import cupy_module, device_guard
from ...arrays.backend import check_device, move, on_gpu
from ...arrays.cupy_module import accelerator, cupy, nowhere
from ...arrays.device import as_device
from ...arrays.dtype import COMPLEX_HALF
from ...arrays.layout import dense_as, is_expanded
from ...arrays.state import here
from ...graph.fields import wrap
from ...tensors.tensor import Tensor


def beside(input: Tensor, device: Any) -> Any:
    """The device asked for, or else that of another tensor; None for the CPU where that is the default."""
    if device is None and (here.default_device is not None or type(input._array) is not np.ndarray):
        return input.device
    return device


def placed(array: Any, device: Any) -> Any:
    """The array on a device (None: the default one)."""
    chosen = here.default_device if device is None else device
    if chosen is None:
        return array
    chosen = as_device(chosen)
    if chosen.type == "cpu" or there(array, chosen):
        return array
    return move(array, chosen)


def there(array: Any, chosen: Any) -> bool:
    """Whether an array visibly lies on a CUDA device, of a program that uses one."""
    alone = type(array) is cupy_module.array_class and not device_guard.several
    return alone and chosen.type == "cuda" and chosen.index in (None, array.device.id)


def empty_as(a: Any, d: Any) -> Any:
    """Memory laid out as an array, to be written whole."""
    return dense_as(a, np.empty, d) if is_expanded(a) else np.empty_like(a, d)


def zeros_as(a: Any, d: Any) -> Any:
    """Zeros laid out as an array: numpy's function for that takes several times as long as the making of an array."""
    if is_expanded(a):
        return dense_as(a, np.zeros, d)
    if type(a) is not np.ndarray:
        return np.zeros_like(a, d)
    if a.flags.c_contiguous or a.ndim == 2 and a.strides[0] > a.strides[1] > 0 and 1 not in a.shape:
        return np.zeros(a.shape, d)
    return filled(np.empty_like(a, d), 0)


BYTES = 1 << 10


def filled(made: Any, number: Any) -> Any:
    """An array of one number, which lies there already: numpy's functions that also make it take three times as long, and its
    bytes are cleared three times as fast as its elements."""
    plain = type(made) is np.ndarray
    if type(number) is int and not number and plain and made.size > BYTES and made.flags.c_contiguous:
        made.view(np.uint8).fill(0)
    elif plain and made.dtype.kind != "V":
        made.fill(number)
    else:
        made[...] = number
    return made


def ones_as(a: Any, d: Any) -> Any:
    if is_expanded(a):
        return dense_as(a, np.ones, d)
    return filled(np.empty_like(a, d), 1) if type(a) is np.ndarray and d.kind in "biuf" else np.ones_like(a, d)


def filled_on(device: Any, shape: tuple, dtype: Any, fill: Callable, new: bool) -> Any:
    """What a function of numpy's fills, made where it is to lie (None: on the default device); `new`: nothing else is written."""
    chosen = here.default_device if device is None else device
    if chosen is None:
        return fill(shape, dtype)
    chosen = as_device(chosen)
    if chosen.type == "meta":
        return nowhere().MetaArray(shape, dtype)
    found = None
    if chosen.type == "cuda" and dtype is not COMPLEX_HALF and new and min(shape, default=0) >= 0:
        index = check_device(chosen).index
        if device_guard.several:
            with device_guard.on(index):
                found = accelerator().filled(shape, dtype, fill is np.ones)
        else:
            found = accelerator().filled(shape, dtype, fill is np.ones)
    return fill(shape, dtype) if found is None else found


def known_array(data: Any) -> Any:
    """An array of CuPy's as a tensor on its memory, and all else as it is: no other class is believed where its memory lies."""
    return wrap(data) if on_gpu(data) and isinstance(data, getattr(cupy(), "ndarray", ())) else data


def nowhere_on(device: Any) -> bool:
    """Whether what is made on a device (None: the default one) has no elements."""
    chosen = here.default_device if device is None else device
    if chosen is None:
        return False
    return chosen[:4] == "meta" if type(chosen) is str else getattr(chosen, "type", "") == "meta"


def pattern(array: Any, device: Any) -> Any:
    """An array for one on the CPU to be like: itself, or where it lies elsewhere, one that lies on the CPU as it does there."""
    if type(array) is np.ndarray or device is None or as_device(device).type != "cpu":
        return array
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    return np.empty([array.shape[i] for i in order], array.dtype).transpose(
        sorted(range(array.ndim), key=order.__getitem__)
    )
