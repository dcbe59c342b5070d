"""Views of arrays: the same memory in another shape, in another order of dimensions, with dimensions of one element more.

Each refuses in PyTorch's words what its arguments ask too much of. Cython compiles this file together with `views.pxd`;
without a compiler it runs as it stands."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

from typing import Any

import numpy as np

from .dtype import of
from .errors import tensor_type, wrap_dim
from .extents import LONG, count, strided, viewing_strides

ndarray = np.ndarray
if cython.compiled:
    ready()  # type: ignore[name-defined]  # noqa: F821 - of views.pxd
else:

    def placed(dim: Any, n: int) -> int:
        """A dimension counted from the front where it is a plain integer of one of n dimensions, else -1."""
        return dim % n if type(dim) is int and -n <= dim < n else -1

    def shaped(array: Any, shape: Any) -> Any:
        """An array in row order in a shape of plain integers, one of which may be -1; None for others."""
        if not array.flags.c_contiguous or type(shape) is not tuple:
            return None
        if any([type(n) is not int or n < -1 for n in shape]) or not array.size:
            return None
        try:
            return array.reshape(shape)
        except ValueError:
            return None


def infer_size(shape: tuple, count: int) -> tuple:
    """A shape with its one -1 worked out for so many elements."""
    product = 1
    unknown = None
    for i, n in enumerate(shape):
        if n >= 0:
            product *= n
        elif n != -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
        elif unknown is not None:
            raise RuntimeError("only one dimension can be inferred")
        else:
            unknown = i
    if unknown is None:
        if product == count:
            return shape
    elif product and count % product == 0:
        return (*shape[:unknown], count // product, *shape[unknown + 1 :])
    elif not product and not count:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can be "
            "any value and is ambiguous"
        )
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def viewed(array: Any, shape: tuple, dtype: Any = None) -> Any:
    """An array in row order in another shape; None for what is not for it."""
    return shaped(array, shape) if dtype is None else None


def in_shape(array: Any, shape: tuple) -> Any:
    """An array's memory in another shape, in which one size may be -1; None where that needs a copy."""
    shape = infer_size(shape, array.size)
    if array.flags.c_contiguous:
        return array.reshape(shape)
    strides = viewing_strides(array, shape)
    return None if strides is None else strided(array, shape, strides)


def unsqueezed(array: Any, dim: Any) -> Any:
    """An array with a dimension of one element more."""
    shape, strides = array.shape, array.strides
    n = len(shape)
    at = placed(dim, n + 1)
    if at < 0:
        at = wrap_dim(dim, n + 1)
    step = shape[at] * strides[at] if at < n else array.itemsize
    return strided(array, (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]))


def transposed(array: Any) -> Any:
    """A matrix of numpy with its dimensions exchanged; None for others."""
    return array.T if type(array) is ndarray and array.ndim == 2 else None


def exchanged(array: Any, dim0: Any, dim1: Any) -> Any:
    """An array with two dimensions exchanged."""
    n = array.ndim
    first, second = placed(dim0, n), placed(dim1, n)
    if first < 0 or second < 0:
        first, second = wrap_dim(dim0, n), wrap_dim(dim1, n)
    return array.swapaxes(first, second) if n else array.view()


def expanded(array: Any, size: tuple) -> Any:
    """An array's memory with dimensions of size 1 repeated by stride 0, and new dimensions in front."""
    shape, strides = array.shape, array.strides
    if size == shape:
        return array.view()
    extra = len(size) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({tensor_type(of(array))}{{{list(shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    new_shape = list(size)
    new_strides = [0] * len(size)
    for i in range(len(size) - 1, -1, -1):
        wanted = size[i]
        if type(wanted) is not int or not -LONG <= wanted < LONG:
            return None
        if i >= extra:
            n, step = shape[i - extra], strides[i - extra]
        else:
            n, step = 1, new_shape[i + 1] * new_strides[i + 1] if i + 1 < len(size) else array.itemsize
        if wanted == -1:
            if i < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {i}"
                )
            new_shape[i] = wanted = n
        if n != wanted:
            if n != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size ({n}) at non-singleton "
                    f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
                )
            step = 0
        new_strides[i] = step
    if new_shape and min(new_shape) < 0:
        count(tuple(new_shape))
    return strided(array, tuple(new_shape), tuple(new_strides))


def permuted(array: Any, dims: tuple) -> Any:
    """An array with its dimensions in another order."""
    n = array.ndim
    if n == 2 and dims == (1, 0):  # the only other order of a matrix
        return array.transpose(dims)
    if len(dims) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(dims)}"
        )
    order = []
    for d in dims:
        at = placed(d, n)
        order.append(wrap_dim(d, n) if at < 0 else at)
    if len(set(order)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return array.transpose(order)
