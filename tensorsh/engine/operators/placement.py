"""Where an operator runs: on numpy's arrays, on a GPU's, on sparse ones, or on copies on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..arrays import cupy_module, device_guard
from ..arrays.backend import alone, fetched, flat, follow_precision, module_of, move_like, same_device
from ..arrays.cupy_module import accelerator, nowhere
from ..arrays.device import CPU, device
from ..tensors.tensor import Tensor
from .results import store_out


def module_and_kernel(op: Any, arrays: list) -> tuple[Any, Any]:
    """What computes an operator's results: a module and a kernel that takes it."""
    given = [arrays[i] for i in op.tensors]
    if not device_guard.several and cupy_module.array_class is not None and alone(given):
        xp = cupy_module.cupy()
    else:
        xp = module_of(given, op)
        for x in flat(given):
            if hasattr(x, "layout"):
                return xp, x.kernel_of(op, arrays)
    if xp is np:
        return np, op.kernel
    if getattr(xp, "__name__", "") == "meta":
        return xp, nowhere().kernel_of(op, arrays)
    if op.hosted:
        own = accelerator().HOSTED.get(op.names[0])
        return (np, on_host(op.kernel)) if own is None else (xp, unless_left(own, op.kernel))
    follow_precision()
    kind = None
    for i in op.arrays:
        if type(arrays[i]) is np.ndarray:  # without dimensions: a GPU's functions take it as a number
            arrays[i] = arrays[i][()]
        elif kind is None and hasattr(arrays[i], "dtype"):
            kind = arrays[i].dtype
    if kind is None:
        return xp, op.kernel
    return xp, accelerator().KERNELS.get(op.names[0], op.kernel) if kind in accelerator().KINDS else op.kernel


def unless_left(own: Any, kernel: Any) -> Any:
    """A kernel of a device's, and the CPU's for what it leaves to that."""

    def run(xp: Any, *arrays: Any, **options: Any) -> Any:
        found = own(xp, *arrays, **options)
        return on_host(kernel)(np, *arrays, **options) if found is None else found

    return run


def on_host(kernel: Any) -> Any:
    """A kernel for arrays of a GPU that computes on the CPU and copies back: right, and slow."""

    def run(xp: Any, *arrays: Any, **options: Any) -> Any:
        like = next(a for a in flat([*arrays, *options.values()]) if hasattr(a, "__cuda_array_interface__"))
        result = kernel(xp, *map(_to_host, arrays), **{k: _to_host(v) for k, v in options.items()})
        if isinstance(result, (tuple, list)):
            return type(result)([move_like(np.asarray(r), like) for r in result])
        return move_like(np.asarray(result), like)

    return run


def _to_host(x: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(map(_to_host, x))
    if isinstance(x, Tensor):
        return x.cpu()
    return fetched(x) if hasattr(x, "__cuda_array_interface__") else x


def hosted(function: Any) -> Any:
    """A function of tensors that computes on the CPU and gives its results back on the device that they came from.

    The moves are recorded, so gradients flow through them."""

    def place(x: Any, there: device) -> Any:
        if isinstance(x, Tensor):
            return x if x.device == there else x.to(there)
        if isinstance(x, (list, tuple)) and any(isinstance(y, Tensor) for y in x):
            moved = [place(y, there) for y in x]
            return type(x)(moved)
        return x

    names = function.__code__.co_varnames

    def run(*args: Any, **kwargs: Any) -> Any:
        here = next((x.device for x in (*args, *kwargs.values()) if isinstance(x, Tensor) and not x.is_cpu), None)
        if here is None:
            return function(*args, **kwargs)
        if here.type == "meta":
            nowhere().check(function.__name__)
            return function(*args, **kwargs)
        given = dict(zip(names, args, strict=False)) | kwargs
        same_device(function.__name__, **{k: x._array for k, x in given.items() if isinstance(x, Tensor)})
        out = kwargs.pop("out", None)
        with CPU:  # what it makes by the way is made there too
            found = function(*[place(x, CPU) for x in args], **{k: place(x, CPU) for k, x in kwargs.items()})
        found = place(found, here)
        if out is None:
            return found
        store_out(out, found._array)
        return out

    return wraps(function)(run)
