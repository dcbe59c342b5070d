"""Views of a part of a tensor: select, slices, diagonals, windows, and several parts at once.

The gradient of a part is zero everywhere else. `part` and `put_back` are each other's gradient, for any index made of
numbers and slices; the others have gradients of their own where an index does not say it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.integers import whole
from ...arrays.backend import module_of
from ...arrays.errors import own_dim, wrap_dim
from ...arrays.extents import check_bounds, element_offset, fitting, strided
from ...loading import table
from ...operators.declare import Array, composite, operator
from ...tensors.duplicates import reclassed
from ...tensors.inplace import Region, spread
from ...tensors.sizes import ints
from ...tensors.tensor import Tensor
from .shape import view_operator


@view_operator("_part", method=False, node="SliceBackward0")
def part(xp, input: Array, index):
    """The part of an array at an index of numbers and slices."""
    return input[(*index, ...)]


part.gradient(input=lambda t, g, input_shape, index: t._put_back(g, input_shape, index))


@operator(
    "_put_back",
    method=False,
    node=lambda grad, shape, index: f"{'Slice' if isinstance(index[-1], slice) else 'Select'}BackwardBackward0",
)
def put_back(xp, grad: Array, shape, index):
    """Zeros but for the part at an index."""
    whole = xp.zeros(shape, grad.dtype)
    whole[(*index, ...)] = grad
    return whole


put_back.gradient(grad=lambda t, g, index: t._part(g, index))


@view_operator(method=False)
def alias(xp, input: Array):
    """A view of everything."""
    return input.view()


alias.gradient(input=lambda t, g: g)
del table.FUNCTIONS["alias"]


def as_subclass(self: Tensor, cls: type) -> Any:
    """The same tensor as an object of a class derived from Tensor."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class inherits "
            "from Tensor."
        )
    return reclassed(alias.run([self]), cls)


Tensor.as_subclass = as_subclass  # type: ignore[attr-defined]


@view_operator()
def select(xp, input: Array, dim, index):
    """The slice number `index` along `dim`, without that dimension."""
    n = input.ndim
    if not n:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrap_dim(dim, n), whole(index)
    if not -input.shape[dim] <= index < input.shape[dim]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return input[(slice(None),) * dim + (index, ...)]


select.gradient(
    input=lambda t, g, input_shape, dim, index: t._put_back(g, input_shape, place(dim, whole(index), len(input_shape)))
)


def place(dim: int, index: Any, ndim: int) -> tuple:
    """An index that takes everything of the dimensions before `dim`."""
    return (slice(None),) * (dim % ndim) + (index,)


@view_operator("_slice", method=False, node="SliceBackward0")
def slice_(xp, input: Array, dim=0, start=None, end=None, step=1):
    """The elements `start:end:step` along `dim`."""
    if not input.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return input[place(dim, slice(start, end, step), input.ndim)]


slice_.gradient(
    input=lambda t, g, input_shape, dim, start, end, step: t._put_back(
        g, input_shape, place(dim, slice(start, end, step), len(input_shape))
    )
)


@composite()
def narrow(input: Tensor, dim, start, length) -> Tensor:
    """The `length` elements from `start` along `dim`."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start, length = whole(start), whole(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, len(shape))
    n = shape[dim]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start += n if start < 0 else 0
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return slice_.function(input, dim, start, start + length)


def diagonal_geometry(shape: tuple, strides: tuple, offset: int, dim1: int, dim2: int) -> tuple:
    """Shape, strides and first element of a diagonal."""
    n = len(shape)
    first, second = wrap_dim(dim1, n), wrap_dim(dim2, n)
    offset = offset if type(offset) is int else whole(offset)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns, down, right = shape[first], shape[second], strides[first], strides[second]
    if offset >= 0:
        columns, start = columns - offset, offset * right
    else:
        rows, start = rows + offset, -offset * down
    length = rows if rows < columns else columns
    if length <= 0:
        length = start = 0
    if n == 2:
        return (length,), (down + right,), start
    others = [i for i in range(n) if i != first and i != second]
    return (*[shape[i] for i in others], length), (*[strides[i] for i in others], down + right), start


@view_operator()
def diagonal(xp, input: Array, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, as the last one.
    A view: `dim1` and `dim2` (0 and 1) go, their diagonal becomes the last dimension; `offset` above 0 takes one
    above the main diagonal, below 0 one below. RuntimeError: `dim1` and `dim2` are the same."""
    return strided(input, *diagonal_geometry(input.shape, input.strides, offset, dim1, dim2))


diagonal.gradient(
    input=lambda t, g, input_shape, offset, dim1, dim2: t._diagonal_backward(g, input_shape, offset, dim1, dim2)
)


@operator("_diagonal_backward", method=False, node="DiagonalBackwardBackward0")
def diagonal_backward(xp, grad: Array, shape, offset, dim1, dim2):
    """Zeros with the given diagonal."""
    whole = xp.zeros(shape, grad.dtype)
    strided(whole, *diagonal_geometry(shape, whole.strides, offset, dim1, dim2))[...] = grad
    return whole


diagonal_backward.gradient(grad=lambda t, g, offset, dim1, dim2: t.diagonal(g, offset, dim1, dim2))


def unfold_geometry(shape: tuple, strides: tuple, dim: int, size: int, step: int, itemsize: int) -> tuple:
    """Shape and strides of sliding windows."""
    if not shape:
        shape, strides = (1,), (itemsize,)
    dim, size, step = wrap_dim(dim, len(shape)), whole(size), whole(step)
    n = shape[dim]
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    windows = (n - size) // step + 1
    grid = (*shape[:dim], windows, *shape[dim + 1 :], size)
    return grid, (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim])


@view_operator("_unfold", method="unfold", node="UnfoldBackward0")
def unfold(xp, input: Array, dimension, size, step):
    """The windows of `size` elements along `dimension`, one every `step`, as a new last dimension."""
    shape, strides = unfold_geometry(input.shape, input.strides, dimension, size, step, input.itemsize)
    return strided(input, shape if input.ndim else shape[-1:], strides if input.ndim else (input.itemsize,))


unfold.name = "unfold"
unfold.gradient(
    input=lambda t, g, input_shape, dimension, size, step: t._unfold_backward(g, input_shape, dimension, size, step)
)


@operator("_unfold_backward", method=False, node="UnfoldBackwardBackward0")
def unfold_backward(xp, grad: Array, shape, dim, size, step):
    """The windows' gradients added up where they overlap."""
    if not shape:
        return grad.sum(-1).reshape(())
    whole = xp.zeros(shape, grad.dtype)
    dim %= len(shape)
    windows, before = grad.shape[dim], (slice(None),) * dim
    if windows * step < size:
        for i in range(windows):
            target = whole[(*before, slice(i * step, i * step + size))]
            target += xp.moveaxis(grad[(*before, i)], -1, dim)
        return whole
    for i in range(
        (size - 1) // step * step, -1, -step
    ):  # parts of the windows that do not overlap, in the order of the windows
        part, length = whole[(*before, slice(i, None))], min(step, size - i)
        target = strided(part, *unfold_geometry(part.shape, part.strides, dim, length, step, part.itemsize))
        target = target[(*before, slice(windows))]
        if step >= size:  # nothing is added up: a zero keeps its sign
            target[...] = grad
        else:
            target += grad[..., i : i + length]
    return whole


unfold_backward.gradient(grad=lambda t, g, dim, size, step: t._unfold(g, dim, size, step))


@view_operator("_as_strided", method=False, node="AsStridedBackward0")
def as_strided_view(xp, input: Array, region, result):
    return result


as_strided_view.gradient(input=lambda t, g, region: spread(t, g, region))


@composite()
def as_strided(input: Tensor, size, stride, storage_offset=None) -> Tensor:
    """A view of the storage with any sizes and strides that stay inside it."""
    array = input._array
    result = restrided(array, size, stride, storage_offset)
    region = Region(array, result) if input._node is not None else None
    return as_strided_view.function(input, region, result)


def restrided(array: Any, size: Any, stride: Any, storage_offset: int | None) -> Any:
    """An array's storage with other sizes, strides (in elements) and first element."""
    size, stride = ints("as_strided", "size", size), ints("as_strided", "stride", stride, 2)
    offset = start = 0
    if storage_offset is not None:
        offset, start = whole(storage_offset), element_offset(array)
    made = fitting(array, size, stride, offset - start) if offset >= 0 else None
    if made is not None:
        return made
    check_bounds(array, size, stride, element_offset(array) if storage_offset is None else offset)
    itemsize = array.itemsize
    return strided(array, size, tuple([s * itemsize for s in stride]), (offset - start) * itemsize)


@view_operator(outputs=-1)
def unbind(xp, input: Array, dim=0):
    """The slices along `dim`, as a tuple.
    As many views as `dim` is long, each without that dimension. IndexError: no such dimension."""
    dim = own_dim(wrap_dim(dim, input.ndim), input.ndim)
    if dim == 0 and input.ndim > 1:
        return list(input)
    before = (slice(None),) * dim
    return [input[(*before, i, ...)] for i in range(input.shape[dim])]


@unbind.joint_gradient
def unbind_gradient(t, g, needs, input_shape, dim):
    g = g if isinstance(g, list) else [g]
    dim %= len(input_shape)
    return (t.stack(filled(t, g, input_shape[:dim] + input_shape[dim + 1 :]), dim),)


def filled(t: Any, gradients: list, shape: Any) -> list:
    """Gradients with zeros for those that are missing; `shape`: theirs, or a list of them."""
    known = next(g for g in gradients if g is not None)
    array = t.array(known)
    xp, dtype = module_of(array), array.dtype
    shapes = shape if isinstance(shape, list) else [shape] * len(gradients)
    return [t.constant(xp.zeros(s, dtype)) if g is None else g for g, s in zip(gradients, shapes, strict=True)]


def pieces(xp, input: Array, lengths, dim):
    """Parts of an array that lie behind one another along a dimension."""
    before = (slice(None),) * dim
    parts = []
    start = 0
    for n in lengths:
        parts.append(input[(*before, slice(start, start + n))] if dim else input[start : start + n])
        start += n
    return parts


def joined(t, g, needs, input_shape, lengths, dim):
    g = g if isinstance(g, list) else [g]
    dim %= len(input_shape)
    shapes = [(*input_shape[:dim], n, *input_shape[dim + 1 :]) for n in lengths]
    return (t.cat(filled(t, g, shapes), dim),)


def splitting(name: str, node: str, declared: Any = view_operator) -> Any:
    """The function that takes such parts; those that are no views to autograd may be written in place."""
    op = declared(name, method=False, node=node, outputs=-1)(pieces)
    op.joint_gradient(joined)
    return op.function


split_equal = splitting("_split_equal", "SplitBackward0")
sized_parts = splitting("_split_with_sizes", "SplitWithSizesBackward0")
unsafe_equal = splitting("_unsafe_split", "UnsafeSplitBackward0", operator)
unsafe_sizes = splitting("_unsafe_split_with_sizes", "UnsafeSplitWithSizesBackward0", operator)


def is_single(value: Any) -> bool:
    """Whether a value is a tensor of one element, which stands for a number."""
    return isinstance(value, Tensor) and value._array.size == 1


@composite()
def split(tensor: Tensor, split_size_or_sections, dim=0) -> tuple:
    """Parts of so many elements along `dim` (the last may be shorter), or of the given lengths.
    The parts are views. RuntimeError: a negative length, lengths whose sum is not the size."""
    if not isinstance(tensor, Tensor):
        return tensor.split(split_size_or_sections, dim)
    if isinstance(split_size_or_sections, (int, np.integer)) or is_single(split_size_or_sections):
        return split_by(tensor, whole(split_size_or_sections), dim)
    return split_with_sizes(tensor, split_size_or_sections, dim)


def split_method(self: Tensor, split_size, dim=0) -> tuple:
    """Parts of so many elements along `dim` (the last may be shorter), or of the given lengths."""
    return split(self, split_size, dim)


split_method.__name__ = split_method.__qualname__ = "split"
table.METHODS["split"] = Tensor.split = split_method


def split_by(input: Tensor, size: int, dim: int, equal: Any = split_equal) -> tuple:
    shape = input._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = wrap_dim(dim, len(shape))
    n = shape[dim]
    if not size and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    count = max((n + size - 1) // size, 1) if size else 1
    lengths = [size] * (count - 1) + [n - size * (count - 1)]
    return equal(input, lengths, dim)


@composite()
def split_with_sizes(input: Tensor, split_sizes, dim=0) -> tuple:
    """Parts of the given lengths along `dim`."""
    return sized_parts(input, *checked_lengths(input, split_sizes, dim))


@composite("unsafe_split_with_sizes")
def unsafe_split_with_sizes(input: Tensor, split_sizes, dim=0) -> tuple:
    """As `split_with_sizes`; the parts are no views to autograd."""
    return unsafe_sizes(input, *checked_lengths(input, split_sizes, dim))


def checked_lengths(input: Tensor, split_sizes: Any, dim: int) -> tuple[list, int]:
    """Lengths and dimension of a split, or PyTorch's error."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    lengths = list(ints("split_with_sizes", "split_sizes", split_sizes, 2))
    dim = wrap_dim(dim, len(shape))
    if lengths and min(lengths) < 0:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={lengths}"
        )
    if sum(lengths) != shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {shape[dim]} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={lengths}"
        )
    return lengths, dim


@composite()
def chunk(input: Tensor, chunks, dim=0) -> tuple:
    """At most `chunks` parts of equal length along `dim`.
    The parts are views; five elements in four chunks are three parts. RuntimeError: `chunks` below 1."""
    return chunked(input, chunks, dim, split_equal, sized_parts)


def chunked(input: Tensor, chunks: int, dim: int, equal: Any, sizes: Any) -> tuple:
    shape = input._array.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, len(shape))
    size = (shape[dim] + chunks - 1) // chunks
    if not size:
        return sizes(input, [0] * chunks, dim)
    return split_by(input, size, dim, equal)


@composite("unsafe_chunk")
def unsafe_chunk(input: Tensor, chunks, dim=0) -> tuple:
    """As `chunk`; the parts are no views to autograd."""
    return chunked(input, chunks, dim, unsafe_equal, unsafe_sizes)


@composite("unsafe_split")
def unsafe_split(tensor: Tensor, split_size, dim=0) -> tuple:
    """As `split`; the parts are no views to autograd."""
    return split_by(tensor, split_size, dim, unsafe_equal)
