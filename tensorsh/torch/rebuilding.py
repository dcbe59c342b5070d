"""Small private functions of PyTorch's that programs import: from ``torch._utils`` and ``torch._prims_common``."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

from ..engine.arrays.dtype import dtype as dtype_type
from ..engine.tensors.tensor import Tensor

__all__: list[str] = []


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor on a typed storage."""
    made = Tensor([]).to(storage.dtype)
    return made.set_(storage.untyped(), storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, metadata: Any = None
) -> Tensor:
    """A tensor on a typed storage, wanting gradients or not."""
    return _rebuild_tensor(storage, storage_offset, size, stride).requires_grad_(requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """A parameter on a tensor."""
    from .nn.parameter import Parameter

    return Parameter(data, requires_grad)


def _element_size(dtype: Any) -> int:
    """The bytes of an element of a dtype."""
    if not isinstance(dtype, dtype_type):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def corresponding_complex_dtype(dtype: dtype_type) -> dtype_type:
    """The complex dtype whose parts are of a dtype."""
    return dtype.to_complex()


def corresponding_real_dtype(dtype: dtype_type) -> dtype_type:
    """The dtype of the parts of a complex dtype."""
    return dtype.to_real()


def get_file_path_2(*parts: str) -> str:
    """A path made of its parts."""
    return os.path.join(*parts)


def get_writable_path(path: str) -> str:
    """The path itself, where it may be written to; else one in a temporary folder."""
    if os.access(path, os.W_OK):
        return path
    import tempfile

    return os.path.join(tempfile.mkdtemp(suffix=os.path.basename(path)), path)


class ExceptionWrapper:
    """An exception of another process or thread with its traceback, to be raised again."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        info = exc_info or sys.exc_info()
        self.exc_type, self.exc_msg, self.where = info[0], "".join(traceback.format_exception(*info)), where

    def reraise(self) -> None:
        """Raise the exception with its traceback in the message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        try:
            raised = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise raised
