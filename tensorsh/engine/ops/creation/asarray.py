"""Anything as a tensor, on its own memory where that can be: asarray."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.device import CPU
from ...arrays.device import device as device_type
from ...arrays.dtype import given_dtype, of
from ...arrays.state import state
from ...loading import table
from ...tensors.data import to_array
from ...tensors.storage import UntypedStorage, bytes_of, nbytes_of
from ...tensors.tensor import Tensor, wanting
from .factories import as_tensor, made
from .legacy import from_dlpack, frombuffer


def is_buffer(obj: Any) -> bool:
    """Whether something is memory: it has Python's buffer protocol, and is neither an array nor a sequence of numbers."""
    if isinstance(obj, (np.ndarray, list, tuple, int, float, complex, str)):
        return False
    try:
        return memoryview(obj).nbytes > 0
    except TypeError:
        return False


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """`obj` as a tensor, sharing memory where it can unless `copy`; a tensor keeps its history unless told otherwise."""
    if copy is False:
        check_alias(obj, dtype, device)
    if isinstance(obj, Tensor):
        t = as_tensor(obj, dtype, device)
        if copy and t is obj:
            t = t.clone()
        if requires_grad is False and t._node is not None:
            return wanting(t, False) if t.is_leaf else t.detach()
    elif isinstance(obj, np.generic):
        t = made(to_array(obj, dtype), device)
    elif type(obj).__name__ == "PyCapsule" or is_buffer(obj):
        if type(obj).__name__ == "PyCapsule":
            t = from_dlpack(obj)
            t = t if dtype is None else t.to(given_dtype(dtype, "asarray"))
        else:
            t = frombuffer(obj, dtype=dtype or state.default_dtype)
        t = t.clone() if copy else t
        t = t if device is None else t.to(device)
    elif isinstance(obj, UntypedStorage) and nbytes_of(obj):  # its bytes, as elements
        t = frombuffer(bytes_of(obj), dtype=state.default_dtype if dtype is None else dtype)
    elif copy:
        t = made(to_array(obj, dtype), device)
    else:
        t = as_tensor(obj, dtype, device)
    return wanting(t) if requires_grad and t._node is None else t


def check_alias(obj: Any, dtype: Any, device: Any) -> None:
    """Raise PyTorch's error where a tensor on an object's own memory cannot be made."""
    if isinstance(obj, np.generic):
        raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
    if isinstance(obj, (Tensor, np.ndarray)):
        own = of(obj._array if isinstance(obj, Tensor) else obj)
        wanted = own if dtype is None else given_dtype(dtype, "asarray")
        here = obj.device if isinstance(obj, Tensor) else CPU
        there = here if device is None else device_type(device)
        if here != there:
            raise ValueError(f"can't alias tensor from device '{here}' to '{there}'.")
        if own is not wanted:
            raise ValueError(f"can't alias tensor with dtype '{own.short}' into dtype '{wanted.short}'.")
    elif isinstance(obj, (list, tuple, range, int, float, complex)):
        raise ValueError("can't alias arbitrary sequence into a tensor.")


table.FUNCTIONS["asarray"] = asarray
