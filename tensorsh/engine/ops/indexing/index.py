"""Choosing elements by numbers and masks: index, take, index_select, masked_*, nonzero, and writing to what is chosen.

``x[...]`` itself is in `brackets.py`. A gradient goes back to where elements came from; an element chosen twice
gets the sum, which `add_at` computes without numpy's slow general loop."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....sandbox.long_calls import HUGE
from ...arrays.backend import fold_at, module_of, move_like
from ...arrays.bounds import check_slices, outside, refuse
from ...arrays.determinism import chance
from ...arrays.device import absent
from ...arrays.dtype import of
from ...arrays.errors import argument_error, wrap_dim
from ...arrays.numbers import converted
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...numerics.adding import add_along, add_at, added_rows
from ...numerics.extremes import extremes
from ...operators.declare import Array, Written, composite, operator
from ...tensors.inplace import mutate, write
from ...tensors.overlap import apart
from ...tensors.subscripts import advanced, elements, rows_at
from ...tensors.tensor import Tensor

put_along: Any = kernel("put_along", unsuited)
put_rows: Any = kernel("put_rows", unsuited)
"""Copies slices to places along a dimension; not true for what PyTorch refuses, and for an index in steps."""
MANY = 1000
"""Fewer elements than this numpy writes in less time than it takes to see that none is in two arrays."""


def plain(indices: list, array: Any) -> Any:
    """Indices of an array as numpy takes them, on the array's device: those of the CPU go with any."""
    arrays = tuple([i._array if isinstance(i, Tensor) else i for i in indices])
    if type(array) is not np.ndarray:
        arrays = tuple([move_like(i, array) if isinstance(i, np.ndarray) else i for i in arrays])
    return arrays[0] if len(arrays) == 1 else arrays


@operator("_index", method=False, node="IndexBackward0")
def index(xp, input: Array, indices):
    """The elements at index tensors and masks."""
    where = plain(indices, input)
    if type(where) is not tuple and where.dtype.kind != "b":
        return rows_at(input, where) if xp is np else input.take(where, 0)
    return elements(xp, input, where)


index.gradient(input=lambda t, g, input_shape, indices: t._index_backward(g, input_shape, indices))


@operator("_index_backward", method=False, node="IndexBackwardBackward0")
def index_backward(xp, grad: Array, shape, indices):
    whole = xp.zeros(shape, grad.dtype)
    add_at(xp, whole, plain(indices, whole), grad)
    return whole


index_backward.gradient(grad=lambda t, g, indices: t._index(g, indices))


def put_kernel(xp: Any, array: Any, where: Any, values: Any, accumulate: bool) -> None:
    """Write to, or add to, the elements at an index."""
    if not accumulate:
        array[where] = values
    elif array.dtype.kind == "b":
        fold_at(xp, "logical_or", array, where, values)
    else:
        add_at(xp, array, where, values)


@operator("_index_put", method=False, node="IndexPutBackward0")
def index_put_op(xp, input: Array, values: Array, indices, accumulate=False):
    whole = input.copy()
    put_kernel(xp, whole, plain(indices, whole), values, accumulate)
    return whole


@operator("_index_erase", method=False, node="IndexPutBackward0")
def index_erase(xp, grad: Array, indices):
    """Zeros where an index points."""
    whole = grad.copy()
    whole[plain(indices, whole)] = 0
    return whole


index_erase.gradient(grad=lambda t, g, indices: t._index_erase(g, indices))
index_put_op.gradient(
    input=lambda t, g, indices, accumulate: g if accumulate else t._index_erase(g, indices),
    values=lambda t, g, values_shape, indices: t.sum_to_size(t._index(g, indices), values_shape),
)
# The indices are tensors: a second walk needs them, so PyTorch frees them with the graph.
for _op in index, index_put_op, index_backward, index_erase:
    _op.keeps = True


def put_check(input: Tensor, values: Any, indices: list) -> None:
    """Raise unless values can be written at an index."""
    if not isinstance(values, Tensor):
        raise argument_error(_IndexPut, 1, values)
    given = values._array.shape
    if given:
        check_shape(given, chosen_shape(input._array, indices))
    if values._array.dtype != input._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{input.dtype.short} for the destination and {values.dtype.short} for the source."
        )


def check_shape(given: tuple, shape: tuple) -> None:
    """Raise unless values of a shape can be written to places of another."""
    if given == shape:
        return
    try:
        fits = np.broadcast_shapes(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape "
            f"{list(shape)}"
        )


def chosen_shape(array: Any, indices: list) -> tuple:
    """The shape of what an index chooses."""
    if len(indices) == 1:
        first = indices[0]._array
        if first.dtype.kind != "b":
            return first.shape + array.shape[1:]
        return (int(np.count_nonzero(first)), *array.shape[first.ndim :])
    where = [i if type(i) is slice else np.broadcast_to(0, i._array.shape) for i in indices]
    extents = [n if type(i) is slice else 1 for i, n in zip(indices, array.shape, strict=False)]
    return np.broadcast_to(False, (*extents, *array.shape[len(extents) :]))[tuple(where)].shape


class _IndexPut:
    name = "index_put_"
    params = ("indices", "values", "accumulate")
    positional = 3


def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write `values` to the elements that a tuple of index tensors chooses; `accumulate`: add them."""
    found = advanced(input._array, list(indices), partial(put_check, input, values))
    return put_at(input, found, values, accumulate)


def put_at(input: Tensor, found: list, values: Tensor, accumulate: bool = False) -> Tensor:
    array = values._array
    xp = module_of(array)
    if accumulate or array.ndim or any([isinstance(i, Tensor) and i._array.dtype.kind != "b" for i in found]):
        apart(input._array, [array, *found])
    return mutate(
        index_put_op,
        [input, values, found, accumulate],
        lambda target: put_kernel(xp, target, plain(found, target), array, accumulate),
    )


@composite(inplace=index_put_)
def index_put(input: Tensor, indices, values, accumulate=False) -> Tensor:
    """A copy of `input` with `values` written to (or added to) the elements at a tuple of index tensors."""
    found = advanced(input._array, list(indices), partial(put_check, input, values))
    return index_put_op.function(input, values, found, accumulate)


# -- take and put


def flat_index(array: Any, index: Any) -> Any:
    """An index of elements in row order, checked."""
    n = array.size
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {of(index).short}")
    if index.size:
        if not n and not absent(index):
            raise IndexError("take(): tried to take from an empty tensor")
        if type(index) is np.ndarray:
            least, most = extremes(index)
            if -n <= least and most < n:
                return index
        wrong = (index < -n) | (index >= n)
        refuse(
            wrong,
            lambda: IndexError(
                f"out of range: tried to access index {index[wrong].reshape(-1)[0].item()} on a tensor of {n} elements."
            ),
        )
    return index


@operator()
def take(xp, input: Array, index: Array):
    """The elements at numbers counted in row order, in the shape of `index`.
    As if `input` were a vector; negative numbers count from the end. IndexError: a number beyond the last element."""
    return xp.take(input.reshape(-1), flat_index(input, index))


take.gradient(input=lambda t, g, input_shape, index: t._take_backward(g, index, input_shape))


@operator("_take_backward", method=False, node="TakeBackwardBackward0")
def take_backward(xp, grad: Array, index: Array, shape):
    whole = xp.zeros(shape, grad.dtype)
    add_along(xp, whole.reshape(-1), 0, index.reshape(-1), grad.reshape(-1))
    return whole


take_backward.gradient(grad=lambda t, g, index: t.take(g, index))


@operator(inplace=True)
def put(xp, input: Written, index: Array, source: Array, accumulate=False):
    """A copy of `input` with `source` written to (or added to) the elements at numbers counted in row order."""
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {of(index).short}")
    if source.dtype != input.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {of(input).short} and "
            f"source.dtype = {of(source).short}"
        )
    flat, where = input.reshape(-1), flat_index(input, index).reshape(-1)
    if accumulate:
        add_along(xp, flat, 0, where, source.reshape(-1))
    else:
        chance("put_")
        alone = (
            where.size > MANY
            and type(flat) is np.ndarray
            and not any(np.may_share_memory(flat, x) for x in (source, where))
        )
        if not (alone and put_along(flat, 0, where, source.reshape(-1))):
            flat[where] = source.reshape(-1)
    return input


put.gradient(
    input=lambda t, g, index, accumulate: g if accumulate else t.put(g, index, t._zeros_of(g, tuple(index.shape))),
    source=lambda t, g, index, source_shape: t.reshape(t.take(g, index), source_shape),
)


# -- index_*: along one dimension


def along(name: str, array: Any, dim: int, index: Any) -> int:
    """Check an index along a dimension; the dimension, counted from the front."""
    dim = wrap_dim(dim, array.ndim)
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    return dim


def within(index: Any, n: int, message: str, error: type = IndexError, least: int = 0) -> None:
    """Raise unless all numbers of an index are below `n`; `message` gets the first that is not."""
    if not index.size or outside(index, least, n):
        return
    if index.size >= HUGE:
        low, high = extremes(index)
        if low >= least and high < n:
            return
    if least == 0 and index.dtype == np.int64 and type(index) is np.ndarray:
        if np.maximum.reduce(index.view(np.uint64), None) < n:
            return
    wrong = (index < least) | (index >= n)
    refuse(wrong, lambda: error(message.format(index=index[wrong].reshape(-1)[0].item())))


def at(dim: int, index: Any) -> tuple:
    return (slice(None),) * dim + (index,)


@operator()
def index_select(xp, input: Array, dim, index: Array):
    """The slices of `input` along `dim` at the numbers of a vector.
    The size along `dim` is that of the vector. IndexError: a number out of bounds or negative, no vector."""
    dim = along("index_select", input, dim, index)
    if index.dtype != np.int64 and index.dtype != np.int32:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input.ndim and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    if input.ndim > 1 and index.size and not input.shape[dim]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    n = input.shape[dim] if input.ndim else 1
    if input.size or input.ndim == 1:
        within(index, n, "index out of range in self")
    else:
        within(index, n, f"INDICES element is out of DATA bounds, id={{index}} axis_dim={n}", RuntimeError)
    if not input.ndim:
        return input.copy()
    index = index.reshape(-1)
    return rows_at(input, index) if xp is np and dim == 0 else input.take(index, dim)


index_select.gradient(input=lambda t, g, input_shape, dim, index: t._index_select_backward(g, dim, index, input_shape))


@operator("_index_select_backward", method=False, node="IndexAddBackward0")
def index_select_backward(xp, grad: Array, dim, index: Array, shape):
    if not shape:
        return xp.zeros(shape, grad.dtype) + grad.sum()
    add_along(xp, whole := xp.zeros(shape, grad.dtype), dim, index.reshape(-1), grad, len(shape) > 1)
    return whole


index_select_backward.gradient(grad=lambda t, g, dim, index: t.index_select(g, dim, index))


@operator(inplace=True)
def index_add(xp, input: Written, dim, index: Array, source: Array, *, alpha=1):
    """A copy of `input` with the slices of `source`, times alpha, added to its slices at `index`.
    IndexError: a number out of bounds; RuntimeError: not a number for each slice of `source`."""
    if xp is np and alpha == 1 and source.ndim and added_rows(input, index, source, dim, source.ndim > 1):
        return input
    dim = wrap_dim(dim, input.ndim)
    check_slices("index_add_", input, dim, index, source)
    n = input.shape[dim] if input.ndim else 1
    if input.ndim > 1:
        within(index, n, f"index {{index}} is out of bounds for dimension {dim} with size {n}", RuntimeError)
    else:
        within(index, n, "index out of range in self")
    if alpha != 1:
        source = source * np.asarray(alpha).astype(source.dtype)[()]
    if not input.ndim:
        input += source.sum(dtype=source.dtype)
        return input
    if input.dtype.kind == "b":
        fold_at(xp, "logical_or", input, at(dim, index.reshape(-1)), source)
    else:
        add_along(xp, input, dim, index.reshape(-1), source, alpha == 1 and input.ndim > 1)
    return input


index_add.gradient(
    input=lambda t, g: g,
    source=lambda t, g, source_shape, dim, index, alpha: t.reshape(
        scaled(t.index_select(g, dim, index), alpha), source_shape
    ),
)


def scaled(g, alpha):
    return g if alpha == 1 else g * alpha


@operator(inplace=True)
def index_copy(xp, input: Written, dim, index: Array, source: Array):
    """A copy of `input` with the slices of `source` in place of its slices at `index`."""
    if xp is np and source.ndim and put_rows(input, index, source, dim):
        return input
    dim = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if not source.ndim and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype != np.int64:
        raise RuntimeError("index_copy_(): Expected a long tensor for index, but got " + of(index).short)
    if input.dtype != source.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{of(input).short} and (source) {of(source).short}"
        )
    slices = [x.shape[:dim] + x.shape[dim + 1 :] for x in (input, source)]
    if slices[0] != slices[1]:
        shown = [" ".join(map(str, each)) for each in slices]
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{shown[0]} at dimension {dim} and source slice shape: {shown[1]} at dimension 0."
        )
    count = source.shape[dim] if source.ndim else 1
    if index.size != count:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({count})"
        )
    n = input.shape[dim] if input.ndim else 1
    within(index, n, "index_copy_(): index {index} is out of bounds for dimension " + f"{dim} with size {n}")
    if not input.ndim:
        input[...] = source.reshape(())
    else:
        input[at(dim, index.reshape(-1))] = source
    return input


index_copy.gradient(
    input=lambda t, g, dim, index: t.index_fill(g, dim, index, 0),
    source=lambda t, g, source_shape, dim, index: t.reshape(t.index_select(g, dim, index), source_shape),
)


@operator("_index_fill", method=False, node="IndexFillBackward0")
def index_fill_number(xp, input: Array, dim, index: Array, value):
    if isinstance(value, complex) and input.dtype.kind != "c":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    return filled_at(input, dim, index, xp.asarray(converted(value, input.dtype), input.dtype))


def filled_at(input: Any, dim: int, index: Any, value: Any) -> Any:
    whole = input.copy("C")
    if put_rows(whole, index, value, dim):
        return whole
    dim = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    n = input.shape[dim] if input.ndim else 1
    within(index, n, f"index {{index}} is out of bounds for dimension {dim} with size {n}", least=-n)
    if index.size:
        whole[at(dim, index.reshape(-1)) if input.ndim else ...] = value
    return whole


index_fill_number.gradient(input=lambda t, g, dim, index: t._index_fill(g, dim, index, 0))


@operator("_index_fill_tensor", method=False, node="IndexFillBackward1")
def index_fill_tensor(xp, input: Array, dim, index: Array, value: Array):
    if value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if type(value) is np.ndarray:
        return index_fill_number.kernel(xp, input, dim, index, value.item())
    return filled_at(input, dim, index, value.astype(input.dtype))


index_fill_tensor.gradient(
    input=lambda t, g, dim, index: t._index_fill(g, dim, index, 0),
    value=lambda t, g, dim, index: t.sum(t.index_select(g, dim, once(index, g.shape, dim))),
)


def once(index: Any, shape: tuple, dim: int) -> Any:
    """The numbers of an index, each once and from the front."""
    n = shape[dim] if len(shape) else 1
    if absent(getattr(index, "_array", index)):
        return index
    return wrap(np.unique(index._array % n)) if isinstance(index, Tensor) else np.unique(index % n)


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Set the slices at `index` to a value, in place."""
    op = index_fill_tensor if isinstance(value, Tensor) else index_fill_number
    return write(op, [input, dim, index, value])


@composite(inplace=index_fill_)
def index_fill(input: Tensor, dim, index, value) -> Tensor:
    """A copy of `input` with the slices at `index`, a vector of integers, set to a value. IndexError: one beyond `dim`."""
    op = index_fill_tensor if isinstance(value, Tensor) else index_fill_number
    return op.function(input, dim, index, value)
