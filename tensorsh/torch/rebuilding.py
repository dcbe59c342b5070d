"""Small private functions of PyTorch's that programs import: from ``torch._utils`` and ``torch._prims_common``."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from ..engine.arrays.deferred import bits, turned
from ..engine.arrays.device import device
from ..engine.arrays.dtype import complex32, float16, of, of_pairs
from ..engine.arrays.dtype import dtype as dtype_type
from ..engine.graph.fields import wrap
from ..engine.tensors.tensor import Tensor
from ..language import plain_tracebacks
from .makers import UnpicklingError
from .quantized_codes import CODES

__all__: list[str] = []


def metadata_of(t: Tensor) -> tuple:
    """What files say of a view of conjugates or negatives, as one argument more; none of other tensors."""
    found = {name: True for name, bit in zip(("conj", "neg"), bits(t._array), strict=True) if bit}
    return (found,) if found else ()


def as_written(t: Tensor, metadata: dict) -> Tensor:
    """A tensor on memory, read as a file says."""
    conj, neg = bool(metadata.get("conj")) and t._array.dtype.kind == "c", bool(metadata.get("neg"))
    return wrap(turned(t._array, conj, neg)) if conj or neg else t


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor on a typed storage."""
    made = Tensor([]).to(storage.device, storage.dtype)
    return made.set_(storage.untyped(), storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor on a typed storage, wanting gradients or not."""
    made = as_written(_rebuild_tensor(storage, storage_offset, size, stride), metadata or {})
    return made.requires_grad_(requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """A parameter on a tensor."""
    from .nn.parameter import Parameter

    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: dict) -> Any:
    """A parameter with attributes of its own."""
    made = _rebuild_parameter(data, requires_grad, backward_hooks)
    for name, value in state.items():
        setattr(made, name, value)
    return made


def _rebuild_tensor_v3(
    storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, dtype: Any,
    metadata: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of a dtype without a storage class, on bytes."""
    storage = getattr(storage, "_untyped_storage", storage)
    if dtype is complex32:
        pairs = (*size, 2), (*[2 * s for s in stride], 1)
        halves = Tensor([]).to(storage.device, float16).set_(storage, 2 * storage_offset, *pairs)
        return as_written(wrap(of_pairs(halves._array)), metadata or {}).requires_grad_(requires_grad)
    made = as_written(Tensor([]).to(storage.device, dtype).set_(storage, storage_offset, size, stride), metadata or {})
    return made.requires_grad_(requires_grad)


def _rebuild_from_type_v2(func: Any, new_type: type, args: tuple, state: dict) -> Any:
    """A tensor of a class derived from Tensor, with its attributes."""
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    if hasattr(new_type, "__setstate__"):  # type: ignore[attr-defined]
        made.__setstate__(state)
    else:
        for part in state if isinstance(state, tuple) else (state,):
            for name, value in (part or {}).items():
                setattr(made, name, value)
    return made


def _rebuild_qtensor(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    quantizer_params: Any,
    requires_grad: bool,
    backward_hooks: Any,
) -> Tensor:
    """A quantized tensor on the storage of its codes."""
    plain = CODES.get(storage.dtype)
    kind = storage.dtype if plain is None else of(np.empty(0, plain))
    codes = Tensor([]).to(storage.device, kind).set_(storage.untyped(), storage_offset, size, stride)
    return quantized(codes, quantizer_params)


def quantizer(t: Any) -> tuple:
    """How a quantized tensor's codes stand for values, as files say it."""
    if t._axis is None:
        return t.qscheme(), t._scale, t._zero_point
    return t.qscheme(), t.q_per_channel_scales(), t.q_per_channel_zero_points(), t._axis


def quantized(codes: Tensor, how: Any) -> Tensor:
    """A quantized tensor of its codes: how they stand for values, in a tuple as files have it."""
    from .quantized import made

    kind = next((kind for kind, alike in CODES.items() if alike == codes._array.dtype), None)
    if kind is None or type(how) is not tuple or len(how) not in (3, 4):
        raise UnpicklingError("damaged file: a quantized tensor of unknown form")
    _, scale, zero, *axis = how
    if not axis:
        return made(codes._array, kind, float(scale), int(zero))
    whole = isinstance(scale, Tensor) and isinstance(zero, Tensor) and axis[0] in range(codes.ndim)
    if not whole or not scale.shape == zero.shape == (codes.shape[axis[0]],):
        raise UnpicklingError("damaged file: a quantized tensor of unknown form")
    return made(codes._array, kind, scale._array.astype(np.float64), zero._array.astype(np.int64), axis[0])


def _rebuild_sparse_tensor(layout: Any, data: tuple) -> Tensor:
    """A sparse tensor of its parts."""
    return rebuild_sparse(layout, data)


def _rebuild_storage(data: bytes, dtype: Any) -> Any:
    """A storage of bytes; typed where a dtype is given."""
    from ..engine.tensors.storage import storage_on
    from ..engine.tensors.typed_storage import TypedStorage

    untyped = storage_on(np.frombuffer(bytearray(data), np.uint8) if data else np.zeros(0, np.uint8))
    return untyped if dtype is None else TypedStorage(wrap_storage=untyped, dtype=dtype)


def rebuild_sparse(layout: Any, data: Any) -> Tensor:
    """A sparse tensor of its loaded parts, which are checked."""
    from ..engine.loading.table import find_function

    coordinates = str(layout) == "torch.sparse_coo"
    if type(data) is not tuple or len(data) not in (4, 3 if coordinates else 4):
        raise UnpicklingError("damaged file: a sparse tensor of unknown form")
    if coordinates:
        return find_function("sparse_coo_tensor")(
            *data[:3], check_invariants=True, is_coalesced=bool(data[3:] and data[3])
        )
    return find_function("sparse_compressed_tensor")(*data, layout=layout, check_invariants=True)


def _rebuild_on(data: Tensor, device: str, requires_grad: bool) -> Tensor:
    """A tensor on another device."""
    return data.to(device).requires_grad_(requires_grad)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:
    """A tensor of the meta device, of which a file holds the form."""
    numbers = [*size, *stride] if type(size) is type(stride) is tuple else [None]
    if (
        not isinstance(dtype, dtype_type)
        or any(type(n) is not int or n < 0 for n in numbers)
        or len(size) != len(stride)
    ):
        raise UnpicklingError("damaged file: a tensor of unknown form")
    from ..engine.loading.table import find_function

    made = find_function("empty_strided")(size, stride, dtype=dtype, device="meta")
    return made.requires_grad_(bool(requires_grad))


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


DeviceLikeType = str | device | int


def make_contiguous_strides_for(shape: tuple, row_major: bool = True) -> tuple:
    """The strides of a tensor whose elements lie in a row; of matrices whose columns do, if it is not `row_major`."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    found = tuple(reversed(strides))[: len(shape)]
    return found if row_major or len(shape) < 2 else (*found[:-2], 1, max(shape[-2], 1))


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
        self.exc_type, self.exc_msg, self.where = info[0], plain_tracebacks.told(info[1].with_traceback(info[2])), where

    def reraise(self) -> None:
        """Raise the exception with its traceback in the message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        try:
            raised = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise raised


def matmul(A: Any, B: Tensor) -> Tensor:  # noqa: N803 - PyTorch's names
    """The product with a matrix that may be None, which stands for the identity."""
    if A is None:
        return B
    return A @ B if A.layout == B.layout else A.mm(B)


def qform(A: Any, S: Tensor) -> Tensor:  # noqa: N803
    """``S.T @ A @ S``"""
    return S.mT.conj() @ matmul(A, S)


for _function in list(vars().values()):
    if getattr(_function, "__module__", None) == __name__ and getattr(_function, "__name__", "")[:8] == "_rebuild":
        _function.__module__ = "torch._tensor" if "from_type" in _function.__name__ else "torch._utils"
