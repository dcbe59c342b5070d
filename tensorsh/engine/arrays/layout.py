"""Memory formats and layouts, and the images whose channels come last in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...sandbox.sealed import Given, given
from .backend import device_of
from .cupy_module import device_count
from .dtype import BY_NAME, COMPLEX_HALF, dtype, of
from .parallel import copied


class Named(Given):
    """A value of torch's that is nothing but its name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return "torch." + self.name

    def __reduce__(self) -> str:
        return self.name


class memory_format(Named):
    """An order of dimensions in memory."""

    __module__ = "torch"
    __slots__ = ()


class layout(memory_format):
    """How a tensor's elements are stored."""

    __module__ = "torch"
    __slots__ = ()


contiguous_format = given(memory_format, "contiguous_format")
preserve_format = given(memory_format, "preserve_format")
channels_last = given(memory_format, "channels_last")
channels_last_3d = given(memory_format, "channels_last_3d")
strided = given(layout, "strided")
sparse_coo = given(layout, "sparse_coo")
sparse_csr = given(layout, "sparse_csr")
sparse_csc = given(layout, "sparse_csc")
sparse_bsr = given(layout, "sparse_bsr")
sparse_bsc = given(layout, "sparse_bsc")
jagged = given(layout, "jagged")
_mkldnn = given(layout, "_mkldnn")

ROWS = {sparse_csr, sparse_bsr}
BLOCKS = {sparse_bsr, sparse_bsc}
COMPRESSED = {sparse_csr, sparse_csc, *BLOCKS}
TITLES = {
    strided: "Strided", sparse_coo: "Sparse", sparse_csr: "SparseCsr", sparse_csc: "SparseCsc",
    sparse_bsr: "SparseBsr", sparse_bsc: "SparseBsc",
}  # fmt: skip
"""What error texts call a layout."""

PINNED = "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system."


def type_of(array: Any) -> str:
    """The name of the type of a tensor on an array, ``torch.FloatTensor``."""
    layout = getattr(array, "layout", strided)
    kind = "" if layout is strided else "sparse." if layout is sparse_coo else "sparse_csr."
    device = device_of(array).type
    return f"torch.{'' if device == 'cpu' else device + '.'}{kind}{of(array).short}Tensor"


def type_named(name: str) -> tuple[dtype, str] | None:
    """The dtype and the kind of device of a tensor type's name, ``torch.FloatTensor`` or ``torch.cuda.FloatTensor``."""
    owner, _, title = name.rpartition(".")
    device = {"torch": "cpu", "torch.sparse": "cpu", "torch.cuda": "cuda"}.get(owner)
    found = next((d for d in BY_NAME.values() if d.short + "Tensor" == title), None)
    return None if found is None or device is None else (found, device)


def channels_are_last(array: Any) -> bool:
    """Whether images [N, C, *S] lie in memory with the channels innermost, told by the strides as PyTorch tells it."""
    if array.ndim not in (4, 5):
        return False
    shape, strides = array.shape, array.strides
    if strides[-1] < strides[1] * shape[1]:  # the usual case
        return False
    least = 0
    for axis in (1, *range(array.ndim - 1, 1, -1), 0):
        if not shape[axis] or strides[axis] < least or not axis and least == strides[1]:
            return False
        least = strides[axis] * shape[axis]
    return strides[1] != 0


def lies_as(array: Any, memory_format: Any) -> bool:
    """Whether an array lies in a memory format as PyTorch tells it from the strides: row order is whatever has no channels last."""
    if memory_format is preserve_format:
        return True
    if channels_are_last(array):
        return memory_format is (channels_last if array.ndim == 4 else channels_last_3d)
    return memory_format is contiguous_format


def is_expanded(array: Any) -> bool:
    """Whether an array of numpy's lays several elements in one place; where they lie in a copy numpy and PyTorch do not agree."""
    return array.__class__ is np.ndarray and 0 in array.strides


def dense_as(array: np.ndarray, make: Callable, dtype: Any = None) -> np.ndarray:
    """What `make` makes of a shape and a dtype, its dimensions in memory in the array's order."""
    order = iterated(array.shape, array.strides)
    made = make([array.shape[d] for d in order], array.dtype if dtype is None else dtype)
    return made.transpose([order.index(d) for d in range(array.ndim)])


@lru_cache(1000)
def iterated(shape: tuple, *strides: tuple) -> tuple[int, ...]:
    """The dimensions of a shape as they lie in a result of operands of such strides, the outermost first, by PyTorch's
    `TensorIterator`: of two dimensions the first operand tells that repeats its elements in neither."""
    inner = list(range(len(shape)))[::-1]

    def crossed(one: int, other: int) -> bool | None:
        for each in strides:
            a, b = each[one], each[other]
            if a and b and (a != b or shape[one] > shape[other]):
                return a >= b
        return None

    for i in range(1, len(shape)):
        at = i
        for before in range(i - 1, -1, -1):
            told = crossed(inner[before], inner[at])
            if told:
                inner[before], inner[at], at = inner[at], inner[before], before
            elif told is False:
                break
    return tuple(inner[::-1])


def faced(arrays: list) -> tuple | None:
    """Let the operands of an elementwise operator lie so that row order is the order of memory that PyTorch chooses for the result,
    and how the result's dimensions are brought back; None where numpy, which prefers row order where its operands differ, chooses it."""
    arrays[:] = [inner if type(inner := getattr(x, "_array", x)) is np.ndarray else x for x in arrays]  # a condition
    given = [x for x in arrays if type(x) is np.ndarray]
    shape = given[0].shape
    if any([x.shape != shape for x in given]):
        try:
            shape = np.broadcast_shapes(*[x.shape for x in given])
        except ValueError:
            return None
    n = len(shape)
    order, back, by_rows = arranged(shape, *[x.strides if x.shape == shape else (x.shape, x.strides) for x in given])
    if by_rows:
        return None
    for i, x in enumerate(arrays):
        if type(x) is np.ndarray and x.ndim:
            arrays[i] = x.reshape((1,) * (n - x.ndim) + x.shape).transpose(order)
    return back


@lru_cache(1000)
def arranged(shape: tuple, *operands: tuple) -> tuple:
    """As `iterated`, of operands that may be broadcast, and its inverse; whether that is the order of rows."""
    n, strides = len(shape), []
    for each in operands:
        if each and type(each[0]) is tuple or len(each) != n:
            steps = [0 if m == 1 != k else s for m, s, k in zip(*each, shape[n - len(each[0]) :], strict=True)]
            strides.append((*(0,) * (n - len(steps)), *steps))
        else:
            strides.append(each)
    order = iterated(shape, *strides)
    return order, tuple([order.index(d) for d in range(n)]), order == tuple(range(n))


def copied_as(array: Any) -> Any:
    """A copy whose dimensions lie in memory as the array's do."""
    if not is_expanded(array):
        return array.copy("K")
    made = dense_as(array, np.empty)
    made[...] = array
    return made


def row_order(array: Any) -> Any:
    """The array itself when its elements lie in row order, else a copy that does."""
    return array if array.flags.c_contiguous else copied(array)


def laid_in_rows(array: Any) -> tuple[Any, tuple] | None:
    """An array without gaps with its dimensions in the order in which they lie in memory, and the way back; None for others."""
    order, back, _ = arranged(array.shape, array.strides)
    laid = array.transpose(order)
    return (laid, back) if laid.flags.c_contiguous else None


def along_in_memory(kernel: Callable, array: Any, axis: int, *rest: Any) -> Any:
    """What a kernel reduces an array to along an axis, counted from the front, its dimensions taken in the order in which they lie in
    memory; one array, several, or None."""
    if array.flags.c_contiguous:
        return kernel(array, axis, *rest)
    order = arranged(array.shape, array.strides)[0]
    laid, at = array.transpose(order), order.index(axis)
    found = kernel(laid, at, *rest)
    if found is None and at < array.ndim - 2:  # only the last dimension lies side by side
        found = kernel(np.moveaxis(laid, at, -2), array.ndim - 2, *rest)
    if found is None:
        found = kernel(laid.copy("C"), at, *rest)
    left = [d for d in order if d != axis]
    back = sorted(range(len(left)), key=left.__getitem__)
    if type(found) is tuple:
        return tuple([each.transpose(back) for each in found])
    return None if found is None else found.transpose(back)


def channels_behind(array: Any) -> Any:
    """Images [N, C, *S] as [N, *S, C]."""
    return array.transpose(0, *range(2, array.ndim), 1)


def channels_before(array: Any) -> Any:
    """Images [N, *S, C] as [N, C, *S]."""
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


def with_channels_last(array: Any) -> Any:
    """A copy of images [N, C, *S] with the channels innermost."""
    return channels_before(copied(channels_behind(array)))


def empty_as(array: Any, shape: tuple, dtype: Any = None) -> Any:
    """Memory for what is made of an array, with the channels last where the array has them so."""
    dtype = array.dtype if dtype is None else dtype
    if not channels_are_last(array):
        return np.empty(shape, dtype)
    return channels_before(np.empty((shape[0], *shape[2:], shape[1]), dtype))


def laid_out(array: Any, memory_format: Any = None) -> Any:
    """A copy of an array in a memory format; without one the order of its dimensions in memory is kept."""
    name = "torch.preserve_format" if memory_format is None else str(memory_format)
    if name == "torch.preserve_format":
        return copied_as(array)
    if hasattr(array, "layout"):
        return array.laid_out(name)
    if name == "torch.contiguous_format":
        return copied(array)
    dims = 4 if name == "torch.channels_last" else 5
    if array.ndim != dims:
        raise RuntimeError(f"required rank {dims} tensor to use {name[6:]} format")
    return with_channels_last(array)


def by_columns(kernel: Callable, which: frozenset[int]) -> Callable:
    """A kernel whose results of the given numbers lie in memory column by column, as LAPACK leaves them."""

    def laid(x: Any) -> Any:
        if type(x) is not np.ndarray or x.ndim < 2 or not x.size:
            return x
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)

    def run(*args: Any, **kwargs: Any) -> Any:
        found = kernel(*args, **kwargs)
        if type(found) is tuple:
            return tuple([laid(x) if i in which else x for i, x in enumerate(found)])
        return laid(found)

    run.__doc__ = kernel.__doc__
    return run


def joined(result: Any, arrays: list) -> Any:
    """Joined arrays in row order, or with the channels last where all of them have."""
    if arrays[0].dtype is COMPLEX_HALF:  # which numpy joins to complex64
        result = result.view(COMPLEX_HALF)
    return result if all(map(channels_are_last, arrays)) else row_order(result)


def copying(kernel: Callable) -> Callable:
    """A kernel that overwrites its first array, given a copy of it."""

    def on_copy(xp: Any, input: Any, *rest: Any, **options: Any) -> Any:
        return kernel(xp, input.copy("C"), *rest, **options)

    on_copy.__doc__ = kernel.__doc__
    return on_copy


seen = [False]
"""Whether there may be sparse tensors, or gradients."""
SPARSE = frozenset("to_sparse zeros empty spdiags zeros_like empty_like".split())
"""Functions that take sparse layouts."""


def check_options(function: str, wanted: Any, pinned: Any) -> None:
    """Refuse what a function cannot make: sparse tensors, but for some; such as are pinned in memory where there is no device to
    copy to."""
    last = function.rpartition(".")[2]
    if wanted is not None and wanted is not strided and last not in SPARSE and not last.startswith("sparse_"):
        if last in ("full", "ones") and wanted is sparse_coo:
            raise RuntimeError("full(...) is not implemented for sparse layout")
        raise NotImplementedError(f"{last}(): tensorsh has no {wanted} tensors, only torch.strided ones")
    if pinned:
        if not device_count():
            raise RuntimeError(PINNED)
