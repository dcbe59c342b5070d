"""Elements in another arrangement, copied: flips, rolls, turns, triangles, and where triangles lie."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import int64
from ...arrays.errors import not_implemented, own_dim, wrap_dim, wrap_dims
from ...arrays.extents import contiguous_strides, repeated, sized
from ...arrays.layout import row_order
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading import table
from ...operators.declare import Array, Ints, composite, operator
from ...tensors.sizes import ints
from ...tensors.tensor import Tensor
from ..creation.factories import made


@operator(out=False)
def flip(xp, input: Array, dims: Ints):
    """With the order along `dims` reversed.
    A copy of the same shape and dtype; `dims` is a number or several. IndexError: no such dimension. RuntimeError:
    one named twice."""
    dims = ints("flip", "dims", dims)
    if not dims:
        return input.copy()
    wrapped = wrap_dims(dims, input.ndim)
    return reversed_along(input, wrapped)


def reversed_along(input: Any, dims: Any) -> Any:
    """A copy with the order along dimensions reversed."""
    found = turned(input, sum(1 << d for d in dims)) if input.size > MANY else None
    if found is not None:
        return found
    return input[tuple([slice(None, None, -1) if i in dims else slice(None) for i in range(input.ndim)])].copy("K")


turned = kernel("flipped", unsuited)
MANY = 1 << 10
"""Up to this many elements numpy takes no longer."""


flip.gradient(input=lambda t, g, dims: t.flip(g, dims))


@composite()
def fliplr(input: Tensor) -> Tensor:
    """With the columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip.function(input, (1,))


@composite()
def flipud(input: Tensor) -> Tensor:
    """With the rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip.function(input, (0,))


roll_along, cut = kernel("rolled", unsuited), kernel("triangle", unsuited)
ONE_PIECE = 1 << 16
"""Of so many elements a dimension after another is rolled; larger arrays do not stay in a cache meanwhile."""


def rolled(xp: Any, a: Any, shifts: dict[int, int]) -> Any:
    """An array with its elements moved along dimensions, in row order: each of its blocks is copied once to where it goes."""
    moving = [(dim, shift % a.shape[dim]) for dim, shift in shifts.items() if shift % a.shape[dim]]
    if type(a) is np.ndarray and a.size < ONE_PIECE and 0 < len(moving) < 3:
        made = a
        for dim, shift in moving:
            made = None if made is None else roll_along(made, dim, shift)
        if made is not None:
            return made
    blocks: list[tuple[tuple, tuple]] = [((), ())]
    for dim, n in enumerate(a.shape):
        if shift := shifts.get(dim, 0) % n:
            moves = (slice(shift, None), slice(None, n - shift)), (slice(None, shift), slice(n - shift, None))
        else:
            moves = ((slice(None), slice(None)),)
        blocks = [((*to, new), (*at, old)) for to, at in blocks for new, old in moves]
    made = xp.empty(a.shape, a.dtype)
    for to, at in blocks:
        made[to] = a[at]
    return made


@operator(out=False, laid="images 1")
def roll(xp, input: Array, shifts, dims=None):
    """With the elements moved along `dims` by `shifts` places, those pushed out coming in again.
    The shape stays. RuntimeError: not a shift for each of `dims`."""
    shifts = ints("roll", "shifts", shifts)
    dims = () if dims is None else ints("roll", "dims", dims, 2)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims:
        if len(shifts) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:0")
        return xp.roll(input.reshape(-1), shifts[0]).reshape(input.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input.size:
        return input.copy()
    input = row_order(input)
    moved: dict[int, int] = {}
    for shift, d in zip(shifts, dims, strict=True):
        dim = own_dim(d, input.ndim)
        moved[dim] = moved.get(dim, 0) + shift
    return rolled(xp, input, moved)


roll.gradient(input=lambda t, g, shifts, dims: t.roll(g, tuple([-s for s in ints("roll", "shifts", shifts)]), dims))


@operator(out=False)
def rot90(xp, input: Array, k=1, dims=(0, 1)):
    """Turned by 90 degrees `k` times, from the first of `dims` towards the second."""
    dims = ints("rot90", "dims", dims, 3)
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = (wrap_dim(d, input.ndim) for d in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 0:
        return input.copy("C")
    flipped = reversed_along(input, (first, second) if k == 2 else (second,) if k == 1 else (first,))
    return flipped if k == 2 else flipped.swapaxes(*dims)


rot90.gradient(input=lambda t, g, k, dims: t.rot90(g, -k, dims))


@lru_cache(32)
def triangle_mask(xp: Any, place: int, name: str, rows: int, columns: int, diagonal: int) -> Any:
    """Which elements of a matrix a triangle has, on a device of `xp`'s; only read."""
    lower = xp.arange(rows)[:, None] + diagonal
    return lower >= xp.arange(columns) if name == "tril" else lower <= xp.arange(columns)


def triangle(name: str) -> Any:
    """tril or triu, an operator."""

    def kernel(xp, input: Array, diagonal=0):
        if input.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        if xp is np and type(diagonal) is int and input.dtype.kind != "O":
            if (found := cut(row_order(input), diagonal, name == "triu")) is not None:
                return found
        mask = triangle_mask(xp, 0 if xp is np else input.device.id, name, *input.shape[-2:], diagonal)
        return xp.where(mask, row_order(input), input.dtype.type(0))

    op = operator(name, inplace=True)(kernel)
    op.gradient(input=lambda t, g, diagonal: getattr(t, name)(g, diagonal))
    op.function.__doc__ = f"""The matrix (or matrices) with zeros {"above" if name == "tril" else "below"} a diagonal.

The last two dimensions are the matrix, `diagonal` counts from the main one to the right; the shape and the dtype stay."""
    return op


tril = triangle("tril")
triu = triangle("triu")


def triangle_size(row: int, col: int, offset: int) -> int:
    """How many elements `tril` keeps of a matrix."""
    if not row or not col:
        return 0
    first = min(col, 1 + offset) if offset > 0 else int(row + offset > 0)
    last, rows = max(0, min(col, row + offset)), max(0, min(row, row + offset))
    steps = last - first + 1
    return (first + last) * steps // 2 + max(rows - steps, 0) * col


FEW = 4096
"""The triangles of matrices of so many elements at most are remembered."""


triangle_places = kernel("triangle_places", unsuited)


def triangle_indices(name: str) -> Any:
    def places(row: int, col: int, offset: int, count: int) -> Any:
        if (found := triangle_places(row, col, offset, name == "triu", count)) is not None:
            return found
        edge = np.arange(offset, row + offset)
        first, last = (0, (edge + 1).clip(0, col)) if name == "tril" else (edge.clip(0, col), col)
        counts = last - first
        rows = repeated(np.arange(row), counts)
        columns = np.arange(rows.size) - repeated(counts.cumsum() - counts - first, counts)
        return np.stack((rows, columns))

    places_of_few = lru_cache(64)(places)

    def indices(
        row: int, col: int, offset: int = 0, *, dtype=int64, device=None, layout=None, pin_memory=False
    ) -> Tensor:
        dtype = int64 if dtype is None else dtype
        if dtype.name not in ("int64", "int32"):
            raise not_implemented(name + "_indices", dtype)
        for title, n in ("row", row), ("col", col):
            if n < 0:
                raise RuntimeError(f"{title} must be non-negative, got{n}")
        below = triangle_size(row, col, offset if name == "tril" else offset - 1)
        count = below if name == "tril" else row * col - below
        sized((2, count), dtype.itemsize)
        few = row * col <= FEW
        found = (places_of_few if few else places)(row, col, offset, count)
        return made(found.astype(dtype.numpy, copy=few), device)

    indices.__doc__ = f"The rows and columns of what `{name}` keeps of a matrix, as a tensor of two rows."
    return indices


for _name in "tril", "triu":
    table.FUNCTIONS[_name + "_indices"] = triangle_indices(_name)


@composite(method=False)
def unravel_index(indices: Tensor, shape) -> tuple:
    """Numbers of elements in row order as one index tensor for each dimension."""
    if not isinstance(indices, Tensor):
        _ = indices.is_complex
        raise TypeError(f"unravel_index(): argument 'indices' must be Tensor, not {type(indices).__name__}")
    if indices._array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for each in (shape,) if isinstance(shape, int) else shape:
        if not isinstance(each, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(each)}")
    sizes = ints("unravel_index", "shape", shape, 2)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    xp = module_of(indices._array)
    if xp is np and 0 not in sizes and indices._array.dtype.kind == "i":
        given = indices._array.astype(np.int64)
        parts = np.empty((*given.shape, len(sizes)), np.int64)
        for i, (step, n) in enumerate(
            zip(contiguous_strides(sizes), sizes, strict=True)
        ):  # numpy divides fast by one number
            at = given // step if step > 1 else given
            parts[..., i] = at - at // n * n
    else:
        steps = xp.asarray(contiguous_strides(sizes), np.int64)
        parts = indices._array[..., None] // steps % xp.asarray(sizes, np.int64)
    return tuple([wrap(parts[..., i]) for i in range(len(sizes))])
