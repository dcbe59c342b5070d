"""Tensors put together and repeated: cat and stack with their relatives, repeat, tile, meshgrid, broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of, move, move_like
from ...arrays.device import CPU, absent
from ...arrays.dtype import COMPLEX_HALF
from ...arrays.errors import common_shape, wrap_dim
from ...arrays.extents import count, repeated, sized
from ...arrays.layout import contiguous_format, joined, row_order
from ...arrays.promotion import result_type
from ...arrays.state import here, state
from ...arrays.type_names import type_name
from ...arrays.views import expanded
from ...arrays.warning import warn_once
from ...graph.fields import wrap
from ...loading import table
from ...numerics.joining import join, together
from ...operators.declare import Array, Arrays, Ints, composite, operator
from ...operators.results import writes_out
from ...tensors.sizes import check_counts, check_repeats, ints
from ...tensors.tensor import Size, Tensor
from ...wording.cpp_text import in_cpp


def common(arrays: list) -> list:
    """Arrays brought to their common dtype."""
    first = arrays[0].dtype
    half = first is COMPLEX_HALF
    if all([a.dtype is first or a.dtype == first and (a.dtype is COMPLEX_HALF) is half for a in arrays]):
        return arrays
    target = result_type(arrays).numpy
    return [
        a.astype(target, copy=False).view(target) if target.kind == "c" else a.astype(target, copy=False)
        for a in arrays
    ]


def stacked(arrays: list, dim: Any) -> Any:
    """Arrays of one shape along a new dimension; None for others."""
    shape = arrays[0].shape
    if type(dim) is not int or not all([a.shape == shape for a in arrays]):
        return None
    if dim == 0 and shape:
        found = join(arrays, 0)
        if found is None:
            found = joined(np.concatenate(arrays), arrays)
        return found.reshape((len(arrays), *shape))
    n = len(shape)
    if not -n - 1 <= dim <= n:
        return None
    dim %= n + 1
    wide = (*shape[:dim], 1, *shape[dim:])
    return row_order(np.concatenate([a.reshape(wide) for a in arrays], dim))


@operator("cat concat concatenate", method=False)
def cat(xp, tensors: Arrays, dim=0):
    """The tensors one behind another along `dim`; their dtypes are promoted."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    arrays = common(tensors)
    try:
        return together(xp, arrays, dim)
    except (ValueError, TypeError):
        pass
    for i, a in enumerate(arrays):
        if not a.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    # An empty vector goes with anything, as it did in PyTorch's first years.
    kept = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    model = kept[0].shape
    if model == (0,):  # there are no others
        return kept[0].copy()
    dim = wrap_dim(dim, len(model))
    for a in kept:
        if a.ndim != len(model):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(model)} and {a.ndim}")
    for i, a in enumerate(arrays):
        if a.shape == model or a.shape == (0,):
            continue
        for d, (m, n) in enumerate(zip(model, a.shape, strict=True)):
            if m != n and d != dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size {n} for tensor "
                    f"number {i} in the list."
                )
    return together(xp, kept, dim)


@cat.gradient_of("tensors")
def cat_gradient(t, g, tensors_shape, dim):
    start = 0
    found = []
    ndim = g.ndim
    for shape in tensors_shape:
        if shape == (0,):
            found.append(t.constant(np.zeros(0, t.array(g).dtype)))
            continue
        n = shape[dim]
        index = (slice(None),) * (dim % ndim) + (slice(start, start + n),)
        found.append(t.part(g, index))
        start += n
    return found


cat.fast = join


@operator(method=False)
def stack(xp, tensors: Arrays, dim=0):
    """The tensors, all of one shape, along a new dimension.
    Three of (2, 4) give (3, 2, 4), with ``dim=1`` (2, 3, 4). RuntimeError: shapes that differ, no tensors."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = tensors[0].shape
    dim = wrap_dim(dim, len(shape) + 1)
    for i, a in enumerate(tensors):
        if a.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and {list(a.shape)} at entry {i}"
            )
    return stacked(common(tensors), dim)


@stack.gradient_of("tensors")
def stack_gradient(t, g, tensors_shape, dim):
    return list(t.unbind(g, dim))


stack.fast = stacked


def listed(tensors: Any, name: str) -> list:
    if isinstance(tensors, Tensor) or not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(tensors)}")
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return list(tensors)


def at_least(single: Any) -> Any:
    """atleast_1d and its like: for one tensor, several, or a sequence of them."""

    def function(*tensors: Any) -> Any:
        if len(tensors) == 1:
            if isinstance(tensors[0], Tensor):
                return single(tensors[0])
            tensors = tuple(tensors[0])
        return tuple([single(t) for t in tensors])

    function.__name__, function.__doc__ = single.__name__, single.__doc__
    composite(single.__name__, method=False)(function)
    return single


@at_least
def atleast_1d(t: Tensor) -> Tensor:
    """Tensors with at least one dimension."""
    return t if t._array.ndim else t.reshape(1)


@at_least
def atleast_2d(t: Tensor) -> Tensor:
    """Tensors with at least two dimensions, the new ones in front."""
    n = t._array.ndim
    return t if n >= 2 else t.unsqueeze(0) if n else t.reshape(1, 1)


@at_least
def atleast_3d(t: Tensor) -> Tensor:
    """Tensors with at least three dimensions: a vector becomes (1, n, 1), a matrix (n, m, 1)."""
    n = t._array.ndim
    if n >= 3:
        return t
    return t.unsqueeze(-1) if n == 2 else t.unsqueeze(0).unsqueeze(-1) if n else t.reshape(1, 1, 1)


@composite(method=False)
@writes_out
def hstack(tensors) -> Tensor:
    """Vectors one behind another, others along dimension 1."""
    many = [atleast_1d(t) for t in listed(tensors, "hstack")]
    return cat.function(many, 0 if many[0]._array.ndim == 1 else 1)


@composite("vstack row_stack", method=False)
@writes_out
def vstack(tensors) -> Tensor:
    """Tensors of at least two dimensions along dimension 0."""
    return cat.function([atleast_2d(t) for t in listed(tensors, "vstack")], 0)


@composite(method=False)
@writes_out
def dstack(tensors) -> Tensor:
    """Tensors of at least three dimensions along dimension 2."""
    return cat.function([atleast_3d(t) for t in listed(tensors, "dstack")], 2)


@composite(method=False)
@writes_out
def column_stack(tensors) -> Tensor:
    """Vectors as columns, matrices side by side."""
    many = listed(tensors, "column_stack")
    return hstack([t if t._array.ndim > 1 else t.reshape(t._array.size, 1) for t in many])


@operator("_block_diag", method=False, node="BlockDiagBackward0")
def block_diagonal(xp, tensors: Arrays):
    arrays = common(tensors)
    shapes = [matrix_shape(a.shape, i) for i, a in enumerate(arrays)]
    whole = xp.zeros((sum(s[0] for s in shapes), sum(s[1] for s in shapes)), arrays[0].dtype)
    for a, where in zip(arrays, blocks(shapes), strict=True):
        whole[where] = a
    return whole


def matrix_shape(shape: tuple, number: int = 0) -> tuple[int, int]:
    if len(shape) > 2:
        raise RuntimeError(
            f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {number} has {len(shape)} dimensions"
        )
    return (1,) * (2 - len(shape)) + tuple(shape)


def blocks(shapes: list) -> list:
    """Where the blocks lie."""
    row = column = 0
    found = []
    for h, w in shapes:
        found.append((slice(row, row + h), slice(column, column + w)))
        row, column = row + h, column + w
    return found


@block_diagonal.gradient_of("tensors")
def block_gradient(t, g, tensors_shape):
    where = blocks([matrix_shape(s) for s in tensors_shape])
    parts = [t.reshape(t.part(g, w), s) for w, s in zip(where, tensors_shape, strict=True)]
    return [
        x + 0 if len(s) == 1 < s[0] else x for x, s in zip(parts, tensors_shape, strict=True)
    ]  # of these it sums rows


@composite(method=False)
def block_diag(*tensors) -> Tensor:
    """A matrix with the given matrices along its diagonal."""
    tensors = several(tensors)
    empty = np.empty((1, 0), state.default_dtype.numpy)
    return block_diagonal.function(list(tensors)) if tensors else wrap(empty)


def several(tensors: tuple) -> tuple:
    """Tensors that are given one by one, or in one list."""
    return tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


def broadcast_shape(shapes: list) -> tuple:
    """The shape that shapes are broadcast to."""
    found: tuple = ()
    for shape in shapes:
        found = common_shape(found, shape)
    return found


@composite(method=False)
def broadcast_tensors(*tensors) -> tuple:
    """The tensors expanded to their common shape, as a tuple of views. RuntimeError: sizes that differ, none being 1."""
    tensors = several(tensors)
    shape = broadcast_shape([t._array.shape for t in tensors])
    return tuple([t if t._array.shape == shape else t.expand(shape) for t in tensors])


@composite()
def broadcast_to(input: Tensor, *sizes, size=None) -> Tensor:
    """`input` expanded to a shape: a view whose dimensions of size 1 repeat with stride 0. RuntimeError: another size."""
    return input.expand(*sizes) if size is None else input.expand(size)


def broadcast_shapes(*shapes) -> Size:
    """The shape that tensors of these shapes are broadcast to."""
    shapes = tuple(s for s in shapes if s is not None)
    for s in shapes:
        if not isinstance(s, (int, list, tuple, str)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {s}")
    tuples = [(s,) if isinstance(s, int) else s if isinstance(s, tuple) else tuple(s) for s in shapes]
    result: list = [1] * max((len(s) for s in tuples), default=0)
    for at, shape in enumerate(tuples):
        for i in range(-1, -1 - len(shape), -1):
            n = shape[i]
            if n == 1 or n == result[i]:
                continue
            if result[i] != 1:
                given = f"({shape[0]},)" if len(shape) == 1 else str(shape)
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {i}! Mismatching argument at index {at} had {given if type(shape) is tuple else shape}; "
                    f"but expected shape should be broadcastable to {result}"
                )
            if n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            result[i] = n
    return Size(result)


table.FUNCTIONS["broadcast_shapes"] = broadcast_shapes


@composite(method=False)
def meshgrid(*tensors, indexing=None) -> tuple:
    """Grids of coordinates: result i is vector i along dimension i, expanded ("xy": the first two exchanged)."""
    tensors = several(tensors)
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for at, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type_name(each)}")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    if any(t._array.dtype != tensors[0]._array.dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if any(t.device != tensors[0].device for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same device")
    for t in tensors:
        if t._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {in_cpp(t)}")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    n = len(tensors)
    shape = tuple(t._array.size for t in tensors)
    grids = [t.view((1,) * i + (-1,) + (1,) * (n - 1 - i)).expand(shape) for i, t in enumerate(tensors)]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@composite(method=False)
def cartesian_prod(*tensors) -> Tensor:
    """All combinations of one element of each vector, as rows."""
    tensors = several(tensors)
    for t in tensors:
        if t._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack.function([g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")], 1)


MOST_DIMENSIONS = 64
"""As many as an array of numpy has; two or more elements have 2**63 choices of so many or more."""


@composite(method=False)
def combinations(input: Tensor, r=2, with_replacement=False) -> Tensor:
    """All combinations of `r` elements of a vector, as rows."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(module_of(input._array).empty(0, input._array.dtype))
    n = input._array.size
    if r > MOST_DIMENSIONS:
        if n > 1:
            raise RuntimeError("numel: integer multiplication overflow")
        return input[: n if with_replacement else 0].unsqueeze(1).repeat(1, r)
    places = np.ogrid[(slice(n),) * r]
    mask = np.ones((n,) * r, np.bool_)
    for a, b in zip(places, places[1:], strict=False):
        mask &= a <= b if with_replacement else a < b
    chosen = wrap(move_like(mask, input._array))
    grids = meshgrid(*[input] * r, indexing="ij")
    return stack.function([g.masked_select(chosen) for g in grids], 1)


@operator()
def repeat(xp, input: Array, repeats: Ints):
    """The tensor repeated so many times along each dimension (more counts than dimensions: new ones in front).
    (2, 3) with ``repeat(4, 1, 2)`` gives (4, 2, 6), a copy; `expand` makes none. RuntimeError: fewer counts than dimensions."""
    repeats = ints("repeat", "repeats", repeats)
    extra = len(repeats) - input.ndim
    if extra < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * extra + input.shape
    size = sized([n * r for n, r in zip(shape, repeats, strict=True)], input.itemsize)
    for dim, (n, whole, r) in enumerate(zip(shape, size, repeats, strict=True)):
        if whole != n * r:
            raise RuntimeError(f"maximum size for tensor at dimension {dim} is {whole} but size is {n}")
    times = [r for r in repeats if r != 1]
    if len(times) + len(shape) > MOST_DIMENSIONS:
        return xp.tile(input, repeats).reshape(size)
    # A dimension in front of each that is repeated, of which there is but one in memory until it is copied.
    once, often = [], []
    for n, r in zip(shape, repeats, strict=True):
        if r != 1:
            once.append(1)
            often.append(r)
        once.append(n)
        often.append(n)
    return expanded(input.reshape(once), tuple(often)).copy().reshape(size)


@repeat.gradient_of("input")
def repeat_gradient(t, g, input_shape, repeats):
    repeats = ints("repeat", "repeats", repeats)
    extra = len(repeats) - len(input_shape)
    if 0 in repeats:
        return t.expand(t.sum(g), tuple(input_shape)) * 1
    shape = (1,) * extra + tuple(input_shape)
    split = [n for pair in zip(repeats, shape, strict=True) for n in pair]
    dims = [i for i in range(0, len(split), 2) if split[i] != 1]
    g = t.reshape(g, tuple(split))
    return t.reshape(t.sum(g, tuple(dims)) if dims else g, input_shape)


del table.FUNCTIONS["repeat"]


@composite()
def tile(input: Tensor, *counts, dims=None) -> Tensor:
    """`repeat`, with ones put in front of `dims` when there are fewer of them than dimensions."""
    given = counts if dims is None else (dims,)
    sizes = ints("tile", "dims", given[0] if len(given) == 1 else given)
    return input.repeat((1,) * (input._array.ndim - len(sizes)) + sizes)


@composite()
def repeat_interleave(input: Tensor, repeats=None, dim=None, *, output_size=None) -> Tensor:
    """Each element repeated (a number, or a count for each), along `dim` or of all elements in a row."""
    if repeats is None:
        check_counts(input._array, False)
        counts = move(input._array, CPU)
        if counts.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        check_counts(counts)
        return wrap(move_like(repeated(np.arange(counts.size), counts).astype(counts.dtype), input._array))
    if dim is None:
        input, dim = input.flatten(), 0
    n = input._array.ndim
    dim = wrap_dim(dim, n)
    if isinstance(repeats, Tensor):
        along = input._array.shape[dim] if n else 1
        if repeats._array.ndim == 1 and repeats._array.size not in (1, along):
            check_repeats(repeats._array, along, dim, output_size)
        check_counts(repeats._array, False, output_size)
        if absent(repeats._array):
            return input.index_select(dim, wrap(repeats._array[:1].repeat(output_size)))
        if repeats._array.size == 1 and repeats._array.ndim < 2:
            repeats = int(repeats._array.item())
    if isinstance(repeats, (int, np.integer)):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        input = input if n else input.flatten()
        shape = input._array.shape
        size = (*shape[: dim + 1], int(repeats), *shape[dim + 1 :])
        count(size)
        if type(input._array) is np.ndarray and (input._node is None or not here.grad_enabled):
            return wrap(input._array.repeat(int(repeats), dim))
        return input.unsqueeze(dim + 1).expand(size).clone(memory_format=contiguous_format).flatten(dim, dim + 1)
    counts = move(repeats._array, CPU) if isinstance(repeats, Tensor) else np.asarray(repeats)
    along = input._array.shape[dim] if n else 1
    check_repeats(counts, along, dim, output_size)
    return input.index_select(dim, wrap(move_like(repeated(np.arange(along), counts), input._array)))
