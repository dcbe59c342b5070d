"""The current CUDA device, and calls on tensors of another one.

cupy computes on its current device, wherever the arrays lie. As PyTorch's device guard does, a call is to run on the device of
its tensors, and to leave the current device as it was. A program that uses one device pays nothing for that: when a second one
comes in, every call is asked for its place (operators/hooks.py), and the backward walk goes from device to device."""

from __future__ import annotations

from _thread import _local  # threading adds nothing but its import
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .cupy_module import cupy

several = False
"""Whether the program has used a device that was not the current one."""
_program = _local()
"""`index`: the device that is current for the program, while a call runs on another one."""


def runtime() -> Any:
    return cupy().cuda.runtime


def program_index() -> int:
    """The number of the device that the program has made the current one."""
    index = getattr(_program, "index", None)
    return runtime().getDevice() if index is None else index


def note(index: int) -> bool:
    """A device is asked for: whether it is the first that is not the current one, so that from now on calls have to look where
    their tensors lie."""
    global several
    if several or index == runtime().getDevice():
        return False
    several = True
    return True


def index_of(values: Iterable) -> int:
    """The number of the device of the first array, or tensor, on one; -1 where all are on the CPU."""
    for x in values:
        if hasattr(type(x), "_array"):
            x = x._array
        elif type(x) is list or type(x) is tuple:
            found = index_of(x)
            if found >= 0:
                return found
            continue
        if hasattr(type(x), "__cuda_array_interface__"):
            return x.device.id
        if hasattr(x, "layout") and hasattr(type(x.values), "__cuda_array_interface__"):
            return x.device.id
    return -1


@contextmanager
def on(index: int) -> Iterator[None]:
    """A block that runs on a device (-1: on any); afterwards the device is current that was so before."""
    if index < 0:
        yield
        return
    here = runtime()
    before, outer = here.getDevice(), getattr(_program, "index", None)
    if outer is None:
        _program.index = before
    if index != before:
        here.setDevice(index)
    try:
        yield
    finally:
        here.setDevice(before)
        _program.index = outer


def copied(array: Any) -> Any:
    """A copy of an array on its own device; cupy's lie on the current one."""
    if type(array) is np.ndarray:
        return array.copy()
    with on(index_of([array])):
        return array.copy()


def follow(gradient: Any) -> None:
    """Make the device of a gradient current (of the first, of several)."""
    index = index_of(gradient if isinstance(gradient, list) else (gradient,))
    if index >= 0:
        runtime().setDevice(index)


def following(gradients: Iterable) -> Iterator:
    """Gradients one by one (or pairs of a node and its gradient), each when its device is current."""
    for each in gradients:
        gradient = each[1] if type(each) is tuple else each
        if gradient is not None:
            follow(gradient)
        yield each
