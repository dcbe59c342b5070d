"""Where a tensor lies in memory, and changing its shape or memory in place: size, stride, storage, resize_, set_, t_ ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import table
from ..autograd import Node, tick
from ..errors import combination_error, type_name, wrap_dim
from ..inplace import Region, check
from ..overloads import refuse
from ..state import state
from ..storage import (
    TypedStorage,
    UntypedStorage,
    address,
    check_bounds,
    contiguous_strides,
    element_offset,
    element_strides,
    extent,
    owner,
    strided,
)
from ..tensor import Tensor
from ..viewing import ints, module_of, view_node
from .shape import squeeze, squeezed_dims, t, transpose, unsqueeze
from .views import as_strided_view, restrided


def method(function: Any) -> Any:
    table.METHODS[function.__name__] = function
    setattr(Tensor, function.__name__, function)
    return function


@method
@table.attentive
def size(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The shape, or the length of one dimension."""
    if not kwargs:
        if not args:
            return self.shape
        if len(args) == 1 and type(args[0]) is int:
            shape, dim = self._array.shape, args[0]
            if 0 <= dim < len(shape):
                return shape[dim]
    refuse("Tensor.size", args, kwargs)
    dim = args[0] if args else kwargs["dim"]
    if dim is None:
        return self.shape
    shape = self._array.shape
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[wrap_dim(dim, len(shape))]


@method
@table.attentive
def dim(self: Tensor, *args: Any, **kwargs: Any) -> int:
    """The number of dimensions."""
    if args or kwargs:
        refuse("Tensor.dim", args, kwargs)
    return self._array.ndim


@method
def ndimension(self: Tensor) -> int:
    """The number of dimensions."""
    return self._array.ndim


@method
def nelement(self: Tensor) -> int:
    """The number of elements."""
    return self._array.size


@method
def element_size(self: Tensor) -> int:
    """How many bytes an element takes."""
    return self.dtype.itemsize


@method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements of the storage lie between neighbours along each dimension, or along one."""
    strides = element_strides(self._array)
    if dim is None:
        return strides
    if not strides:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return strides[wrap_dim(dim, len(strides))]


@method
def storage_offset(self: Tensor) -> int:
    """Where in the storage the first element lies."""
    return element_offset(self._array)


@method
def data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    return address(self._array)


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The bytes under the tensor."""
    return UntypedStorage(self._array)


TYPED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


@method
def storage(self: Tensor) -> TypedStorage:
    """The elements under the tensor."""
    import warnings

    warnings.warn(TYPED, stacklevel=2)
    return TypedStorage(self._array)


@method
def storage_type(self: Tensor) -> type:
    """The class of what `storage()` gives."""
    return TypedStorage


@method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same part of the same storage."""
    a, b = self._array, tensor._array
    return a.shape == b.shape and element_strides(a) == element_strides(b) and address(a) == address(b)


@method
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the one whose neighbours lie farthest apart to the nearest.

    ambiguity_check: True refuses a tensor whose elements could as well lie in another order of dimensions; a list of
    memory formats, one that is in none of them or in several.
    """
    from ..layout import memory_format

    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(f, memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    strides = element_strides(self._array)
    several = 1 in self._array.shape or any(a == b for a, b in zip(strides, strides[1:], strict=False))
    if ambiguity_check is not False and several and sum(self.is_contiguous(memory_format=f) for f in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    return tuple(sorted(range(len(strides)), key=lambda i: -strides[i]))


@method
def _is_view(self: Tensor) -> bool:
    return self._root is not None


def family(tensor: Tensor) -> list[Tensor]:
    """The living tensors known to share a tensor's storage."""
    root = tensor if tensor._root is None else tensor._root
    members = [root, *(v for v in (r() for r in root._views or ()) if v is not None)]
    return members if any(m is tensor for m in members) else [*members, tensor]


def grow(tensor: Tensor, needed: int) -> None:
    """Move a storage to a larger one, old bytes kept and new ones zero, with all tensors known to lie in it."""
    root = owner(tensor._array)
    low, high = extent(root)
    memory = module_of(root).zeros(needed, np.uint8)
    memory[: high - low] = UntypedStorage(root)._bytes()
    for member in family(tensor):
        array = member._array
        if owner(array) is root:
            at = address(array) - low
            place = (memory, at) if type(array) is np.ndarray else (memory.data + at,)
            member._array = type(array)(array.shape, array.dtype, *place, array.strides)


@method
def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Take another shape in place, in row order from the first element on; a storage too small is replaced."""
    shape = ints("resize_", "size", size[0] if len(size) == 1 else size)
    if self._node is not None:
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if shape == self._array.shape:
        return self
    count = 1
    for n in shape:
        count *= n
    itemsize = self._array.itemsize
    low, high = extent(owner(self._array))
    needed = address(self._array) - low + count * itemsize
    if needed > high - low and count:
        grow(self, needed)
    if type(self._array) is np.ndarray:
        self._array = restrided(self._array, shape, contiguous_strides(shape), None)
    else:  # an array that was made on memory does not tell whose it is
        strides = contiguous_strides(shape)
        self._array = strided(self._array, shape, tuple([s * itemsize for s in strides]))
    self._bump()
    return self


@method
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The non-inplace name of old; deprecated."""
    import warnings

    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return self.view(*sizes)


@method
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Take the shape of another tensor in place."""
    return resize_(self, the_template._array.shape)


table.FUNCTIONS["resize_as_"] = resize_as_


@method
def resize_as(self: Tensor, the_template: Tensor) -> Tensor:
    """The non-inplace name of old; deprecated."""
    import warnings

    warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
    return self.view(the_template._array.shape)


class Underivable(Node):
    """The node of an operation that has no derivative."""

    _title = "NotImplemented"

    def __init__(self, tensor: Tensor, name: str) -> None:
        self._edges = (tensor._node,)
        self._name = name
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{self._name} is not implemented")


Underivable.__name__ = "NotImplemented"


@method
def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Lie on another tensor's memory, or on a part of a storage, from now on."""
    tracked = self._node is not None and state.grad_enabled
    check(self, tracked)
    if tracked:
        self._node = Underivable(self, "set_")
    if source is None:
        self._array = np.empty(0, self._array.dtype)
        return self
    if isinstance(source, Tensor):
        array = source._array
        if array.dtype != self._array.dtype:
            raise RuntimeError(
                f"Could not set tensor of type {source.dtype.short.lower()} to a tensor of type {self.dtype.short.lower()}"
            )
        if size is None:
            self._array = array
            if source._cell is not None:
                self._cell = source._cell
            return self
    elif isinstance(source, TypedStorage):
        array = source._items()
    elif isinstance(source, UntypedStorage):
        array = source._bytes().view(self._array.dtype)
    else:
        raise combination_error("set_", source)
    if size is None:
        size = (array.size - storage_offset,)
    shape = ints("set_", "size", size, 3)
    steps = contiguous_strides(shape) if stride is None else ints("set_", "stride", stride, 4)
    check_bounds(array, shape, steps, storage_offset)
    self._array = restrided(array, shape, steps, storage_offset)
    return self


@method
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Take other sizes and strides in the same storage, in place."""
    tracked = self._node is not None and state.grad_enabled
    check(self, tracked)
    array = restrided(self._array, size, stride, storage_offset)
    if tracked:
        node = view_node(as_strided_view, [self, Region(self._array, array), array])
        node.__class__ = as_strided_view.node_class("AsStridedBackward1")
        self._node = node
    self._array = array
    self._bump()
    return self


def reshaped(op: Any, title: str, values: list) -> Tensor:
    """The in-place form of a view: the tensor itself gets the new shape."""
    self = values[0]
    if not isinstance(self, Tensor):
        raise TypeError(f"expected Tensor, but got {type_name(self)}")
    tracked = self._node is not None and state.grad_enabled
    check(self, tracked)
    array = op.kernel(np, self._array, *values[1:])
    if tracked:
        node = view_node(op, values)
        node.__class__ = op.node_class(title)
        self._node = node
    self._array = array
    self._bump()
    return self


@method
def squeeze_(self: Tensor, dim: Any = squeeze.defaults[1]) -> Tensor:
    """Lose the dimensions of size 1, in place."""
    squeezed_dims(self._array.shape, dim)
    number = 3 if dim is squeeze.defaults[1] else 4 if isinstance(dim, int) else 5
    return reshaped(squeeze, f"SqueezeBackward{number}", [self, dim])


@method
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Get a dimension of size 1 at `dim`, in place."""
    return reshaped(unsqueeze, "UnsqueezeBackward1", [self, dim])


@method
def t_(self: Tensor) -> Tensor:
    """Exchange the dimensions of a matrix, in place."""
    return reshaped(t, "TBackward1", [self])


@method
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchange two dimensions, in place."""
    return reshaped(transpose, "TransposeBackward1", [self, dim0, dim1])


@method
def swapdims_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchange two dimensions, in place."""
    return transpose_(self, dim0, dim1)


@method
def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchange two dimensions, in place."""
    return transpose_(self, axis0, axis1)
