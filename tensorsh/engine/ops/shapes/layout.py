"""Where a tensor lies in memory, and changing its shape or memory in place: size, stride, storage, resize_, set_, t_ ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.integers import whole
from ...arrays.backend import module_of
from ...arrays.deferred import as_read, memory_of, through
from ...arrays.device import absent
from ...arrays.errors import combination_error, length
from ...arrays.extents import address, contiguous_strides, count, element_offset, element_strides, extent, owner, span
from ...arrays.layout import (
    COMPRESSED,
    TITLES,
    channels_are_last,
    channels_last,
    channels_last_3d,
    memory_format,
    preserve_format,
    sparse_coo,
)
from ...arrays.state import here
from ...arrays.type_names import type_name
from ...arrays.warning import warn, warn_once
from ...graph.fields import wrap
from ...graph.gradient_nodes import Underivable
from ...loading import table
from ...operators.registration import method
from ...tensors.captured import captured
from ...tensors.captured import refuse as refuse_captured
from ...tensors.inplace import Region, check_history
from ...tensors.lots import enter, known
from ...tensors.resizing import grow
from ...tensors.resizing import resize as resize_storage
from ...tensors.sizes import ints
from ...tensors.storage import UntypedStorage, classes, elements, resize_bytes, storage_on
from ...tensors.tensor import Tensor
from ...tensors.typed_storage import TypedStorage, typed_on
from ...wording.overloads import refuse
from .shape import squeeze, squeezed_dims, t, transpose, unsqueeze
from .views import as_strided_view, restrided


@method
@table.attentive
def size(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The shape, or the length of one dimension.
    Without `dim` a `torch.Size`, which is a tuple; with it an int, negative ones counted from the end. IndexError: no
    such dimension."""
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
    return length(self._array.shape, dim, "size")


@method
@table.attentive
def dim(self: Tensor, *args: Any, **kwargs: Any) -> int:
    """The number of dimensions.
    0 for a single number, 1 for a vector, 2 for a matrix; `ndim` is the same."""
    if args or kwargs:
        refuse("Tensor.dim", args, kwargs)
    return self._array.ndim


@method
def ndimension(self: Tensor) -> int:
    """The number of dimensions.
    0 for a single number, 1 for a vector, 2 for a matrix; `ndim` is the same."""
    return self._array.ndim


@method
def nelement(self: Tensor) -> int:
    """The number of elements.
    The product of all sizes: 1 for a tensor without dimensions, 0 where one size is 0."""
    return self._array.size


@method
def element_size(self: Tensor) -> int:
    """How many bytes an element takes.
    4 for float32, 8 for int64, 1 for bool; times `numel()` it is what the elements take."""
    return self.dtype.itemsize


@method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements of the storage lie between neighbours along each dimension, or along one.
    A tuple, or an int with `dim`; (3, 1) for a 2 by 3 matrix in row order, (1, 3) for its transpose. IndexError: no
    such dimension."""
    kind = getattr(self._array, "layout", None)
    if kind in COMPRESSED:
        raise RuntimeError(f"Sparse {TITLES[kind][6:].upper()} tensors do not have strides")
    strides = element_strides(self._array)
    if dim is None:
        return strides
    return length(strides, dim, "stride")


@method
def storage_offset(self: Tensor) -> int:
    """Where in the storage the first element lies."""
    return element_offset(self._array)


@method
def data_ptr(self: Tensor) -> int:
    """The address of the first element; 0 where there is none.
    An integer; two tensors with the same one begin at the same place in memory, as a view and its base do."""
    return address(self._array) if self._array.size and not absent(self._array) else 0


def check_dense(array: Any) -> None:
    if hasattr(array, "layout"):
        kind = "SparseTensorImpl" if str(array.layout) == "torch.sparse_coo" else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The bytes under the tensor, one object for all tensors that lie there.

    NotImplementedError: a sparse tensor, which lies in parts."""
    check_dense(self._array)
    return storage_on(self._array, self)


TYPED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


@method
def storage(self: Tensor) -> TypedStorage:
    """The elements under the tensor."""
    warn_once(TYPED)
    check_dense(self._array)
    return typed_on(self._array, self._array.dtype, self)


@method
def _typed_storage(self: Tensor) -> TypedStorage:
    check_dense(self._array)
    return typed_on(self._array, self._array.dtype, self)


@method
def storage_type(self: Tensor) -> type:
    """The class of what `storage()` gives."""
    return classes.get(self.dtype.short + "Storage", TypedStorage)


@method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same part of the same storage."""
    a, b = self._array, tensor._array
    return a.shape == b.shape and element_strides(a) == element_strides(b) and address(a) == address(b)


@method
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the one whose neighbours lie farthest apart to the nearest.

    ambiguity_check: True refuses a tensor whose elements could as well lie in another order of dimensions; a list of
    memory formats, one that is in none of them or in several."""
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


@method
def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Take another shape in place, in row order from the first element on; a storage too small is replaced."""
    shape = ints("resize_", "size", size[0] if len(size) == 1 else size)
    if self._node is not None and not self._inference:
        raise RuntimeError("cannot resize variables that require grad")
    if hasattr(self._array, "layout"):
        from ...sparse.resized_rows import resize_rows

        resize_rows(self._array, shape)
        self._bump()
        return self
    if shape != self._array.shape:
        resize_storage(self, shape)
        self._bump()
    if memory_format in (channels_last, channels_last_3d):
        array = self._array
        if array.ndim != (4 if memory_format is channels_last else 5):
            raise RuntimeError(
                f"required rank {4 if memory_format is channels_last else 5} tensor to use {memory_format} format"
            )
        laid = array.reshape(shape[0], *shape[2:], shape[1])
        self._array = np.moveaxis(laid, -1, 1)
    return self


@method
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The non-inplace name of old; deprecated."""
    warn("non-inplace resize is deprecated")
    return self.view(*sizes)


@method
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Take the shape of another tensor in place."""
    if getattr(self._array, "layout", None) is sparse_coo:
        return self.resize_as_sparse_(the_template)  # type: ignore[attr-defined]
    if memory_format is preserve_format and channels_are_last(the_template._array):
        memory_format = channels_last if the_template._array.ndim == 4 else channels_last_3d
    return resize_(self, the_template._array.shape, memory_format=memory_format)


table.FUNCTIONS["resize_as_"] = resize_as_


@method
def resize_as(self: Tensor, the_template: Tensor) -> Tensor:
    """The non-inplace name of old; deprecated."""
    warn("non-inplace resize_as is deprecated")
    return self.view(the_template._array.shape)


@method
def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Lie on another tensor's memory, or on a part of a storage, from now on."""
    tracked = self._node is not None and here.grad_enabled
    check_history(self, tracked)
    if tracked:
        self._node = Underivable(self, "set_")
    if source is None:
        self._array = module_of(self._array).empty(0, self._array.dtype)
        return self
    if isinstance(source, Tensor):
        array = source._array
        if array.dtype != self._array.dtype:
            raise RuntimeError(
                f"Could not set tensor of type {source.dtype.short.lower()} to a tensor of type {self.dtype.short.lower()}"
            )
        if size is None:
            self._array = as_read(memory_of(array), self._array)
            if source._cell is not None:
                self._cell = source._cell
            return self
    elif isinstance(source, TypedStorage):
        array = elements(source._untyped_storage, source._dtype)
        if array.dtype != self._array.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {self.dtype.short.lower()} or an UntypedStorage, but got type "
                f"{source.dtype.short} for argument 1 'storage'"
            )
    elif isinstance(source, UntypedStorage):
        array = elements(source, self._array.dtype)
    else:
        raise combination_error("set_", source)
    offset = whole(storage_offset)
    shape = (array.size - offset,) if size is None else ints("set_", "size", size, 3)
    steps = ints("set_", "stride", stride, 4) if stride else contiguous_strides(shape)
    count(shape)
    if len(steps) != len(shape):
        raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(steps)})")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = span(shape, steps, array.itemsize, offset)
    low, high = extent(owner(array))
    if needed > high - low:
        if isinstance(source, Tensor):
            grow(source, needed)
            array = source._array
        else:
            untyped = source._untyped_storage if isinstance(source, TypedStorage) else source
            resize_bytes(untyped, needed)
            array = elements(untyped, array.dtype)
    self._array = as_read(restrided(memory_of(array), shape, steps, offset), self._array)
    lot = known(owner(self._array))
    if lot is not None:
        enter(lot, self)
    return self


@method
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Take other sizes and strides in the same storage, in place."""
    tracked = self._node is not None and here.grad_enabled
    check_history(self, tracked)
    array = restrided(self._array, size, stride, storage_offset)
    if tracked:
        region = Region(self._array, array)
        self._node = as_strided_view.make_node([self, region, array], [wrap(array)], [array], "AsStridedBackward1")
    self._array = array
    self._bump()
    return self


def reshaped(op: Any, title: str, values: list) -> Tensor:
    """The in-place form of a view: the tensor itself gets the new shape."""
    self = values[0]
    if not isinstance(self, Tensor):
        raise TypeError(f"expected Tensor, but got {type_name(self)}")
    tracked = self._node is not None and here.grad_enabled
    if here.born and captured(self):
        refuse_captured(op.names[0])
    check_history(self, tracked)
    array = through(lambda memory: op.kernel(np, memory, *values[1:]), self._array)
    if tracked:
        self._node = op.make_node(values, [wrap(array)], [array], title)
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
