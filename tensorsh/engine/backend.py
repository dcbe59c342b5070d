"""numpy and cupy behind one door: the only file that knows how they differ.

cupy is imported when a CUDA device is first asked for. Arrays tell their device themselves, so an operator's `xp` follows
from its arguments.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..wrapping import wraps
from . import current
from .bounds import settle
from .device import CPU, device
from .mixing import convolved, mixed, two_of
from .state import state

INTERFACE = "__cuda_array_interface__"
"""What the classes of a GPU's arrays have."""
NO_CUDA = "Torch not compiled with CUDA enabled"
INSTALL = 'install tensorsh with CUDA support: pip install "tensorsh[cuda13]" (or "tensorsh[cuda12]")'


@cache
def cupy() -> Any:
    """The cupy module where it is installed and finds a device; None elsewhere."""
    try:
        import cupy as module

        return module if module.cuda.runtime.getDeviceCount() else None
    except Exception:  # an installation without driver or libraries fails in many ways
        return None


def device_count() -> int:
    module = cupy()
    return 0 if module is None else module.cuda.runtime.getDeviceCount()


def check_accelerator() -> None:
    """Raise PyTorch's error where there is no device that a number could mean."""
    if not device_count():
        error = RuntimeError("Cannot access accelerator device when none is available.")
        error.add_note(INSTALL)
        raise error


def check_device(wanted: device) -> device:
    """A CUDA device with its number; PyTorch's error where there is none."""
    if wanted.type == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if wanted.type != "cuda":
        raise RuntimeError(f"Could not run on the '{wanted.type}' device: tensorsh has cpu and cuda.")
    module = cupy()
    if module is None:
        error = AssertionError(NO_CUDA)
        error.add_note(INSTALL)
        raise error
    index = current.program_index() if wanted.index is None else wanted.index
    if index >= device_count():
        raise RuntimeError("CUDA error: invalid device ordinal")
    current.note(index)
    from .cuda import install

    install()
    return device("cuda", index)


def device_of(array: Any) -> device:
    if isinstance(array, (np.ndarray, np.generic)) or hasattr(array, "layout"):
        return CPU
    return device("cuda", array.device.id)


def module_of(arrays: list, op: Any = None) -> Any:
    """The array module for a call's arguments; RuntimeError, PyTorch's, when they lie on several devices.

    Arrays without dimensions may stay on the CPU, as PyTorch's may. `op`: the operator that takes them, for the error.
    """
    found = None
    for a in _flat(arrays):
        if isinstance(a, np.ndarray):
            if a.ndim and found is None:
                found = CPU
            elif a.ndim and found != CPU:
                raise RuntimeError(_mixed(arrays, op))
        elif hasattr(type(a), INTERFACE):
            here = device_of(a)
            if found is not None and found != here:
                raise RuntimeError(_mixed(arrays, op))
            found = here
    return np if found is None or found.type == "cpu" else cupy()


def generator_of(index: int) -> Any:
    """A CUDA device's own generator of random numbers."""
    found = state.device_generators.get(index)
    if found is None:
        from .cuda.philox import Philox

        found = state.device_generators[index] = Philox(index)
        if state.device_seed is None:
            found.seed()
        else:
            found.manual_seed(state.device_seed)
    return found


def _flat(arrays: list) -> Any:
    for a in arrays:
        if isinstance(a, (list, tuple)):
            yield from _flat(list(a))
        else:
            yield a


CUDA_DEVICE = 2
"""What DLPack calls a device of CUDA."""


def shared(other: Any) -> Any:
    """An array on the memory of another library's, by DLPack."""
    if other.__dlpack_device__()[0] != CUDA_DEVICE:
        return np.from_dlpack(other)
    check_device(device("cuda", other.__dlpack_device__()[1]))
    return cupy().from_dlpack(other)


def _mixed(arrays: list, op: Any) -> str:
    """PyTorch's words for arrays on several devices."""
    places: dict[str, Any] = {}
    if op and op.names[0] == "_convolution" and (told := convolved(device_of, *arrays)):
        return told
    if op:
        for i, x in zip(op.tensors, arrays, strict=True):
            if isinstance(x, (list, tuple)):
                places[op.params[i]] = [device_of(y) for y in x]
            elif hasattr(x, "dtype"):
                places[op.params[i]] = device_of(x)
    told = mixed(op.names[0], places) if op else None
    return told or two_of(device_of(x) for x in _flat(arrays) if getattr(x, "ndim", 0) or hasattr(type(x), INTERFACE))


def same_device(name: str, **arrays: Any) -> None:
    """Raise PyTorch's error unless the arrays of a function lie on one device."""
    told = mixed(name, {k: device_of(a) for k, a in arrays.items() if hasattr(a, "dtype")})
    if told:
        raise RuntimeError(told)


def module_and_kernel(op: Any, arrays: list) -> tuple[Any, Any]:
    """What computes an operator's results: a module and a kernel that takes it."""
    if any(hasattr(x, "layout") for x in _flat([arrays[i] for i in op.tensors])):
        from .sparse.rules import kernel_of

        return np, kernel_of(op, arrays)
    xp = module_of([arrays[i] for i in op.tensors], op)
    if xp is np:
        return np, op.kernel
    if op.hosted:
        from .cuda import HOSTED

        own = HOSTED.get(op.names[0])
        return (np, on_host(op.kernel)) if own is None else (xp, unless_left(own, op.kernel))
    if (state.matmul_precision != "highest") is not _tf32[0]:
        rounded_products(state.matmul_precision != "highest")
    kind = None
    for i in op.arrays:
        if type(arrays[i]) is np.ndarray:  # without dimensions: a GPU's functions take it as a number
            arrays[i] = arrays[i][()]
        elif kind is None and hasattr(arrays[i], "dtype"):
            kind = arrays[i].dtype
    if kind is None:
        return xp, op.kernel
    from .cuda import KERNELS, KINDS

    return xp, KERNELS.get(op.names[0], op.kernel) if kind in KINDS else op.kernel


_tf32 = [False]


def rounded_products(on: bool) -> bool:
    """Let products of float32 matrices round their factors to TF32, or not; what was so before."""
    before = _tf32[0]
    if on is not before:
        from cupy._core import _routines_linalg as linalg

        cupy()._core.set_compute_type(
            np.dtype(np.float32), linalg.COMPUTE_TYPE_TF32 if on else linalg.COMPUTE_TYPE_DEFAULT
        )
        _tf32[0] = on
    return before


def unless_left(own: Any, kernel: Any) -> Any:
    """A kernel of a device's, and the CPU's for what it leaves to that."""

    def run(xp: Any, *arrays: Any, **options: Any) -> Any:
        found = own(xp, *arrays, **options)
        return on_host(kernel)(np, *arrays, **options) if found is None else found

    return run


def on_host(kernel: Any) -> Any:
    """A kernel for arrays of a GPU that computes on the CPU and copies back: right, and slow."""

    def run(xp: Any, *arrays: Any, **options: Any) -> Any:
        like = next(a for a in _flat([*arrays, *options.values()]) if hasattr(a, "__cuda_array_interface__"))
        result = kernel(xp, *map(_to_host, arrays), **{k: _to_host(v) for k, v in options.items()})
        if isinstance(result, (tuple, list)):
            return type(result)([move_like(np.asarray(r), like) for r in result])
        return move_like(np.asarray(result), like)

    return run


def _to_host(x: Any) -> Any:
    from .tensor import Tensor

    if type(x) in (list, tuple):
        return type(x)(map(_to_host, x))
    if isinstance(x, Tensor):
        return x.cpu()
    return fetched(x) if hasattr(x, "__cuda_array_interface__") else x


def fetched(array: Any) -> Any:
    """A device's array as numpy's: the place where the program waits for the device, and hears of its errors."""
    if current.several:
        with current.on(array.device.id):
            found = array.get()
    else:
        found = array.get()
    settle()
    return found


def hosted(function: Any) -> Any:
    """A function of tensors that computes on the CPU and gives its results back on the device that they came from.

    The moves are recorded, so gradients flow through them.
    """
    from .tensor import Tensor

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
        given = dict(zip(names, args, strict=False)) | kwargs
        same_device(function.__name__, **{k: x._array for k, x in given.items() if isinstance(x, Tensor)})
        out = kwargs.pop("out", None)
        with CPU:  # what it makes by the way is made there too
            found = function(*[place(x, CPU) for x in args], **{k: place(x, CPU) for k, x in kwargs.items()})
        found = place(found, here)
        if out is None:
            return found
        from .results import store_out

        store_out(out, found._array)
        return out

    return wraps(function)(run)


def fold_at(xp: Any, fold: str, target: Any, where: Any, values: Any) -> None:
    """Fold values into the elements at places that may come twice: `fold` is a ufunc's name, ``add`` or ``maximum``.

    `where`: what numpy takes as an index.
    """
    if xp is np:
        getattr(np, fold).at(target, where, values)
        return
    from .cuda import scatter

    scatter.fold(xp, fold, target, where, values)


def pinned(array: np.ndarray) -> np.ndarray:
    """A copy of an array in pinned memory of the CPU."""
    if not array.size:
        return array.copy()
    memory = cupy().cuda.alloc_pinned_memory(array.nbytes)
    made = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    made[...] = array
    return made


def move_like(array: Any, other: Any) -> Any:
    """An array copied to the device of another (itself when it is there)."""
    return move(array, device_of(other))


def move(array: Any, target: device) -> Any:
    """An array copied to a device (itself when it is there)."""
    if target.type == "cpu":
        return array if isinstance(array, np.ndarray) else fetched(array)
    index = check_device(target).index or 0
    if not isinstance(array, np.ndarray) and array.device.id != index:
        return carried(array, index)
    with current.on(index):
        return cupy().asarray(array)


def carried(array: Any, index: int) -> Any:
    """A copy on another device, in order with what both devices are given to do; it lies in memory as the array does."""
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    with current.on(array.device.id):
        dense = array.transpose(order)
        dense = dense if dense.flags.c_contiguous else dense.copy()
        ready = moment()
    with current.on(index):
        cupy().cuda.get_current_stream().wait_event(ready)
        found = dense.copy()
        done = moment()
    with current.on(array.device.id):
        cupy().cuda.get_current_stream().wait_event(done)
    return found.transpose(sorted(range(array.ndim), key=order.__getitem__))


def moment() -> Any:
    """This moment in what the current device is given to do."""
    event = cupy().cuda.Event(disable_timing=True)
    event.record()
    return event
