"""numpy and cupy behind one door: the only file that knows how they differ.

Arrays tell their device themselves, so an operator's `xp` follows
from its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import MANY
from . import cupy_module, device_guard
from .bounds import settle
from .constants import NUMBERS
from .cupy_module import INSTALL, NO_CUDA, accelerator, cupy, device_count, nowhere
from .device import CPU, META, absent, cuda, device
from .device_errors import convolved, mixed, two_of
from .dtype import COMPLEX_HALF, HALF_ON_GPU, is_half
from .state import state

INTERFACE = "__cuda_array_interface__"
"""What the classes of a GPU's arrays have."""


_ready: dict[int, device] = {}
"""The devices that a program has asked for, which are prepared."""


def check_device(wanted: device) -> device:
    """A CUDA device with its number; PyTorch's error where there is none."""
    if _ready and wanted.type == "cuda":
        here = device_guard.program_index()
        index = here if wanted.index is None else wanted.index
        if index in _ready and (index == here or device_guard.several):
            return _ready[index]
    if wanted.type == "meta":
        return META
    if wanted.type == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if wanted.type != "cuda":
        raise RuntimeError(f"Could not run on the '{wanted.type}' device: tensorsh has cpu and cuda.")
    module = cupy()
    if module is None:
        error = AssertionError(NO_CUDA)
        error.add_note(INSTALL)
        raise error
    index = device_guard.program_index() if wanted.index is None else wanted.index
    if index >= device_count():
        raise RuntimeError("CUDA error: invalid device ordinal")
    accelerator().prepare(index)
    found = _ready[index] = cuda(index)
    return found


def device_of(array: Any) -> device:
    if isinstance(array, (np.ndarray, np.generic)):
        return CPU
    if hasattr(array, "layout"):  # a sparse one
        return device_of(array.values)
    return META if absent(array) else cuda(array.device.id)


def module_of(arrays: Any, op: Any = None) -> Any:
    """The module for an array, or for a list of a call's arguments; RuntimeError, PyTorch's, when they lie on several devices.

    Arrays without dimensions may stay on the CPU, as PyTorch's may. `op`: the operator that takes them, for the error.
    """
    if type(arrays) is np.ndarray:
        return np
    chosen = arrays if isinstance(arrays, (list, tuple)) else (arrays,)
    if not device_guard.several and cupy_module.array_class is not None and alone(chosen):
        return cupy()
    found = None
    for a in flat(arrays if isinstance(arrays, (list, tuple)) else [arrays]):
        if isinstance(a, np.ndarray):
            if a.ndim and found is None:
                found = CPU
            elif a.ndim and found != CPU:
                found = mixing(arrays, op)
        elif on_device(a):
            here = device_of(a)
            if found is not None and found != here:
                here = mixing(arrays, op)
            found = here
        elif hasattr(a, "layout"):
            here = device_of(a)
            found = here if found is None or found == here else mixing(arrays, op)
    if found is None or found.type == "cpu":
        return np
    return cupy() if found.type == "cuda" else nowhere().module


def alone(arrays: Any) -> bool:
    """Whether arrays are a GPU's, and no others among them, of a program that uses one device."""
    kind = cupy_module.array_class
    some = False
    for a in arrays:
        if type(a) is kind:
            some = True
        elif a is not None and not isinstance(a, NUMBERS):
            return False
    return some


def mixing(arrays: Any, op: Any) -> device:
    """The device on which a call with arrays of several devices runs, which is the meta device or none; RuntimeError, PyTorch's."""
    places = [
        device_of(x) for x in flat(arrays if isinstance(arrays, (list, tuple)) else [arrays]) if hasattr(x, "dtype")
    ]
    if META not in places:
        raise RuntimeError(_mixed(arrays, op))
    nowhere().check_mixing(op, arrays, places)
    return META


def on_device(x: Any) -> bool:
    """Whether a value is an array of another device than the CPU."""
    return on_gpu(x) or absent(x)


def on_gpu(x: Any) -> bool:
    """Whether a value is a dense array of a GPU."""
    return type(x) is not np.ndarray and hasattr(type(x), INTERFACE)


def generator_of(where: device) -> Any:
    """A device's own generator of random numbers."""
    if where.type == "meta":
        return nowhere().generator
    index = where.index or 0
    found = state.device_generators.get(index)
    if found is None:
        found = state.device_generators[index] = accelerator().Philox(index)
        if state.device_seed is None:
            found.seed()
        else:
            found.manual_seed(state.device_seed)
    return found


def flat(arrays: Any) -> Any:
    """The arrays of a call's arguments, one by one, also those in lists."""
    for a in arrays:
        if isinstance(a, (list, tuple)):
            yield from flat(list(a))
        else:
            yield a


NO_DATA = "Cannot copy out of meta tensor; no data!"
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
    return told or two_of(device_of(x) for x in flat(arrays) if getattr(x, "ndim", 0) or on_device(x))


def same_device(name: str, **arrays: Any) -> None:
    """Raise PyTorch's error unless the arrays of a function lie on one device."""
    told = mixed(name, {k: device_of(a) for k, a in arrays.items() if hasattr(a, "dtype")})
    if told:
        raise RuntimeError(told)


def check_statistics(input: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool) -> None:
    """Raise PyTorch's error where tensors of a batch norm lie on several devices; cuDNN's kernel names itself."""
    others = [x for x in (weight, bias, mean, var) if x is not None]
    if type(input._array) is np.ndarray and all(type(x._array) is np.ndarray for x in others):
        return
    whole = weight is not None and bias is not None and input.ndim > 2 and (mean is not None or training)
    names = {"input": input, "weight": weight, "bias": bias, "running_mean": mean, "running_var": var}
    same_device(
        "cudnn_batch_norm" if whole else "native_batch_norm",
        **{k: x._array for k, x in names.items() if x is not None and not absent(x._array)},
    )


_tf32 = [False]


def rounds_products() -> bool:
    """Whether products of float32 matrices round their factors to TF32."""
    return _tf32[0]


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


def follow_precision() -> None:
    """Let products of float32 matrices round their factors as ``torch.set_float32_matmul_precision`` says."""
    wanted = state.matmul_precision != "highest"
    if wanted is not _tf32[0]:
        rounded_products(wanted)


def fetched(array: Any) -> Any:
    """A device's array as numpy's: the place where the program waits for the device, and hears of its errors."""
    if absent(array):
        raise NotImplementedError(NO_DATA)
    if device_guard.several:
        with device_guard.on(array.device.id):
            found = array.get()
    else:
        found = array.get()
    settle()
    return found


def fold_at(xp: Any, fold: str, target: Any, where: Any, values: Any, stepwise: bool = False) -> None:
    """Fold values into the elements at places that may come twice: `fold` is a ufunc's name, ``add`` or ``maximum``.

    `where`: what numpy takes as an index. Half types are rounded at the end or, `stepwise`, each time."""
    if xp is np:
        if not stepwise and fold in ("add", "multiply") and is_half(target.dtype):
            wide = target.astype(np.float32)
            fold_at(np, fold, wide, where, np.asarray(values, np.float32))
            target[...] = wide.astype(target.dtype)
            return
        put = getattr(np, fold).at
        if type(where) is not np.ndarray or where.ndim != 1 or where.size <= MANY or target.ndim != 1:
            put(target, where, values)
            return
        values = np.broadcast_to(values, where.shape)
        for top in range(0, where.size, MANY):  # numpy holds its lock
            put(target, where[top : top + MANY], values[top : top + MANY])
        return
    if not absent(target):
        accelerator().fold(xp, fold, target, where, values)


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
    if hasattr(array, "layout"):  # a sparse one
        return array.moved(target)
    if target.type == "cpu":
        return array if isinstance(array, (np.ndarray, np.generic)) else fetched(array)
    if target.type == "meta":
        return nowhere().placed(array)
    if absent(array):
        raise NotImplementedError(NO_DATA)
    if array.dtype is COMPLEX_HALF:
        raise RuntimeError(HALF_ON_GPU)
    index = check_device(target).index or 0
    if not isinstance(array, np.ndarray) and array.device.id != index:
        return carried(array, index)
    if not device_guard.several:
        return sent(array)
    with device_guard.on(index):
        return sent(array)


SMALL = 1 << 14


def sent(array: Any) -> Any:
    """An array of the CPU, copied to the current device. A small one goes without pinned memory between: the driver has taken
    it when the call returns."""
    module = cupy()
    if not 0 < array.nbytes <= SMALL or not array.flags.c_contiguous or type(array) is not np.ndarray:
        return module.asarray(array)
    found = cupy_module.array_class(array.shape, array.dtype)
    found.set(array, module.cuda.get_current_stream())
    return found


def carried(array: Any, index: int) -> Any:
    """A copy on another device, in order with what both devices are given to do; it lies in memory as the array does."""
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    with device_guard.on(array.device.id):
        dense = array.transpose(order)
        dense = dense if dense.flags.c_contiguous else dense.copy()
        ready = moment()
    with device_guard.on(index):
        cupy().cuda.get_current_stream().wait_event(ready)
        found = dense.copy()
        done = moment()
    with device_guard.on(array.device.id):
        cupy().cuda.get_current_stream().wait_event(done)
    return found.transpose(sorted(range(array.ndim), key=order.__getitem__))


def moment() -> Any:
    """This moment in what the current device is given to do."""
    event = cupy().cuda.Event(disable_timing=True)
    event.record()
    return event
