"""Arrays of which only some elements are kept: they stand in a tensor's place for its array.

A `Coo` keeps the coordinates of its elements, a `Compressed` (CSR, CSC, and the two of blocks) one of both coordinates and
how many elements each row or column has. They answer to the few attributes that operators ask of every array; whatever else
is asked of them is refused, and the function that was called words the refusal (`missing.py`). What an operator computes
on them stands in `rules.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ...sandbox.long_calls import endable
from ..arrays import layout as layouts
from ..arrays.backend import fold_at, module_of, move
from ..arrays.device import absent
from ..arrays.extents import count
from ..arrays.warning import first, warn
from .folding import grouped, line_of, places
from .missing import Missing, MissingAttribute, MissingOperand
from .resizing import check_resize

ndarray = np.ndarray
layouts.seen[0] = True
int64 = np.dtype(np.int64)


def with_elements(array: Any) -> None:
    """Refuse arrays of the meta device, which have no elements to be kept or not."""
    if absent(array):
        raise NotImplementedError("tensorsh has sparse tensors on the CPU and on CUDA devices, none on the meta device")


def tell_of(layout: Any) -> None:
    """Say of the first compressed array what PyTorch says, in the name of its layout."""
    if first("compressed"):
        warn(
            f"Sparse {str(layout)[len('torch.sparse_') :].upper()} tensor support is in beta state. If you miss a functionality in the "
            "sparse tensor support, please submit a feature request to https://github.com/pytorch/pytorch/issues."
        )


def prod(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= int(n)
    return total


def refused(name: str) -> Any:
    """What stands for an operation of Python's that sparse arrays lack."""

    def refuse(self: Any, other: Any) -> Any:
        raise Missing(self, name)

    return refuse


class Sparse:
    """What arrays of all sparse layouts have in common."""

    __slots__ = ("values", "shape", "__weakref__")

    values: Any
    shape: tuple
    layout: Any
    PARTS: tuple[str, ...] = ()
    """What it keeps beside the values."""
    base = None
    dtype = property(lambda self: self.values.dtype)
    xp = property(lambda self: np if type(self.values) is ndarray else module_of(self.values))
    """The module of the arrays of its parts."""
    device = property(lambda self: self.values.device)
    """Where its parts lie, as their arrays say it."""
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))

    @property
    def flags(self) -> Any:
        """As of an array that lies in no order."""
        if type(self) is Compressed:
            raise Missing(self, "is_contiguous").worded([])
        return FLAGS

    strides = property(lambda self: (1,) * len(self.shape))
    """No zeros, which would say that elements share their memory."""
    itemsize = property(lambda self: self.values.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """What the parts take in memory together."""
        return self.values.nbytes + sum(getattr(self, part).nbytes for part in self.PARTS)

    @property
    def tensor_nbytes(self) -> int:
        """What a program is told of a tensor."""
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the "
            "indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingAttribute(self, name)

    def with_values(self, values: Any) -> Any:
        """The same elements with other values."""
        raise NotImplementedError

    def kernel_of(self, op: Any, given: list) -> Any:
        """What computes an operator's results where this is among its operands."""
        from .rules import kernel_of

        return kernel_of(op, given)

    def check_written(self, names: Any) -> None:
        """RuntimeError: a function that may not write into this."""

    def moved(self, target: Any) -> Any:
        """Its parts on a device."""
        made = self.with_values(move(self.values, target))
        for name in self.PARTS:
            setattr(made, name, move(getattr(self, name), target))
        return made

    def laid_out(self, memory_format: str) -> Any:
        """A copy in a memory format, of which sparse tensors have none."""
        raise RuntimeError("memory format option is only supported by strided tensors")

    def filled(self, array: Any) -> None:
        """Become what a function made, of its size. RuntimeError: it has elements that are not zero."""
        if array.any():
            raise RuntimeError("full(...) is not implemented for sparse layout")
        from .conversion import converted

        self.values = self.values[:0]
        self[...] = converted(array, self.layout)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        return self.with_values(self.values.astype(dtype, copy=copy))

    def conj(self) -> Any:
        return self.with_values(self.values.conj())

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, out: Any = None, **options: Any) -> Any:
        if ufunc is np.matmul and not options and out is None:
            return multiplied(*given)
        name = UFUNCS.get(ufunc)
        if name is None or method != "__call__" or options:
            raise MissingOperand(self, ufunc.__name__)
        found = ruled(name, *given)
        if out is None:
            return found
        out[0][...] = found.dense() if isinstance(out[0], ndarray) and isinstance(found, Sparse) else found
        return out[0]

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(NO_NUMPY.format(self.title))

    title = property(lambda self: layouts.TITLES[self.layout])
    """What error texts call the layout."""

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        name = FUNCTIONS.get(function)
        if name is None:
            raise Missing(self, function.__name__)
        return ruled(name, *args, **kwargs)

    def __add__(self, other: Any) -> Any:
        return ruled("add", other, self) if is_dense(other) else ruled("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return ruled("add", other, self)

    __iadd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return ruled("sub", self, other)

    def __mul__(self, other: Any) -> Any:
        return ruled("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return ruled("div", self, other)

    def __neg__(self) -> Any:
        return self.with_values(-self.values)

    def __matmul__(self, other: Any) -> Any:
        return multiplied(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return multiplied(other, self)

    dot = __matmul__

    def fill(self, value: Any) -> None:
        if value != 0 and type(self) is Compressed:
            return self.values.fill(value)
        if value != 0:
            raise Missing(self, "fill_").worded([])
        self[...] = ruled("zeros_like", self)

    __eq__ = refused("eq")
    __hash__ = object.__hash__
    __rsub__ = refused("rsub")
    __gt__ = refused("gt")
    __lt__ = refused("lt")

    def __le__(self, other: Any) -> Any:
        if isinstance(other, (int, float)) and other <= 0:
            return self.with_values(self.values <= other)
        raise Missing(self, "le")

    def tolist(self) -> Any:
        raise Missing(self, "tolist").worded([])

    get = tolist

    def item(self) -> Any:
        return self.dense().item()

    def ravel(self) -> Any:
        if self.size != 1:
            raise Missing(self, "ravel").worded([])
        return self.dense().ravel()

    def dense(self) -> Any:
        """As an array of all elements."""
        raise NotImplementedError

    def reshape(self, *_: Any) -> Any:
        raise Missing(self, "reshape").worded([])

    def __getitem__(self, at: Any) -> Any:
        return ruled("_part", self, at)

    def __setitem__(self, at: Any, other: Any) -> None:
        if at is not ...:
            raise TypeError("Cannot assign to a sparse tensor")
        if type(other) is not type(self):
            raise Missing(self, "copy_")
        if type(other) is Coo:
            self.shape = other.shape
        for name in type(self).__slots__:
            setattr(self, name, getattr(other, name))
        self.values = other.values.astype(self.values.dtype)

    def transpose(self, *axes: Any) -> Any:
        return ruled("_permuted", self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes)

    def swapaxes(self, a: int, b: int) -> Any:
        axes = list(range(len(self.shape)))
        axes[a], axes[b] = axes[b], axes[a]
        return ruled("_permuted", self, tuple(axes), True)

    @property
    def T(self) -> Any:
        if type(self) is Compressed:
            return self.swapaxes(0, 1)
        if self.dense_dim or self.sparse_dim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim} sparse and "
                f"{self.dense_dim} dense dimensions"
            )
        return ruled("_permuted", self, tuple(reversed(range(len(self.shape)))), True)


def is_dense(x: Any) -> bool:
    """Whether it is an array of all its elements."""
    return hasattr(x, "ndim") and not isinstance(x, (Sparse, np.generic))


def multiplied(x: Any, y: Any) -> Any:
    """The product of matrices of which one is sparse."""
    name = PRODUCTS.get((x.ndim, y.ndim))
    if name is None:
        raise MissingOperand(x if isinstance(x, Sparse) else y, "matmul")
    return ruled(name, x, y)


def ruled(name: str, *given: Any) -> Any:
    """An operator's result by its sparse rule."""
    from . import arrangement, products, rules  # noqa: F401 (the first two for their rules)

    return rules.RULES[name](next(x.xp for x in given if isinstance(x, Sparse)), *given)


UFUNCS = {np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "div"}
FLAGS = SimpleNamespace(c_contiguous=False, writeable=True)
FUNCTIONS = {np.zeros_like: "zeros_like", np.where: "where"}
"""What numpy's functions are as operators."""
PRODUCTS = {(2, 2): "mm", (2, 1): "mv", (3, 3): "bmm"}
"""The products by the numbers of dimensions of their factors."""
NO_NUMPY = "can't convert {} layout tensor to numpy. Use Tensor.to_dense() first."


class Coo(Sparse):
    """Elements by their coordinates: `indices` (one row for each sparse dimension, one column for each element) and `values`,
    whose further dimensions are dense. Elements that come twice are summed; `coalesced`: none does, and they are in order."""

    __slots__ = ("indices", "coalesced")

    PARTS = ("indices",)
    layout = layouts.sparse_coo

    def __init__(self, indices: Any, values: Any, shape: Any, coalesced: bool = False) -> None:
        with_elements(values)
        self.indices, self.values, self.shape, self.coalesced = indices, values, tuple(shape), coalesced

    nnz = property(lambda self: self.values.shape[0])
    sparse_dim = property(lambda self: self.indices.shape[0])
    dense_dim = property(lambda self: self.values.ndim - 1)

    def with_values(self, values: Any) -> Coo:
        return Coo(self.indices, values, self.shape, self.coalesced)

    def copy(self, *_: Any) -> Coo:
        return Coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)

    def __setitem__(self, at: Any, other: Any) -> None:
        if type(other) is Coo and other.shape != self.shape:
            check_resize(self, other.shape, other.sparse_dim)
        super().__setitem__(at, other)
        self.indices, self.coalesced = other.indices, other.coalesced

    def check_written(self, names: Any) -> None:
        """RuntimeError: a function of one element, in place, where an element comes twice."""
        from .rules import ALONE

        if names[0] in ALONE and not self.coalesced:
            raise RuntimeError(f"{names[0]}_ requires coalesced input")

    def places(self) -> Any:
        """One number for each element, by which they are in order."""
        return places(self.indices, self.shape[: self.indices.shape[0]])

    def coalesce(self) -> Coo:
        """Each element once, in order; what came several times is added up in the order in which it was."""
        if self.coalesced:
            return self
        count(self.shape)
        xp, values, at = self.xp, self.values, self.places()
        if at.size < 2:
            return Coo(self.indices.copy(), values.copy(), self.shape, True)
        order = endable(xp.argsort)(at, kind="stable")
        at = at[order]
        first = xp.ones(at.size, bool)
        xp.not_equal(at[1:], at[:-1], out=first[1:])
        values = values[order]
        if not first.all().item():
            if xp is np:
                summed = values[first]
                later = ~first
                np.add.at(summed, (np.cumsum(first) - 1)[later], values[later])
                values = summed
            else:
                where = xp.cumsum(first) - 1
                values = grouped(values, where, int(where[-1].item()) + 1, True)
        return Coo(self.indices[:, order[first]], values, self.shape, True)

    def dense(self) -> Any:
        count(self.shape)
        xp = self.xp
        made = xp.zeros(self.shape, self.values.dtype)
        if not self.indices.shape[0]:
            for each in self.values:
                made += each
        elif self.coalesced:
            made[tuple(self.indices)] = self.values
        elif xp is np:
            np.add.at(made, tuple(self.indices), self.values)
        else:
            return self.coalesce().dense()
        return made


def lines(x: Coo, dims: Any) -> Any:
    """The coordinates of an array's elements along some dimensions."""
    return x.xp.stack([x.indices[d] for d in dims]) if len(dims) else x.indices[:0]


class Compressed(Sparse):
    """Elements, or blocks of them, sorted by rows (or columns): `starts` has where each row begins, `others` the columns."""

    __slots__ = ("layout", "starts", "others")

    PARTS = ("starts", "others")

    def __init__(self, layout: Any, starts: Any, others: Any, values: Any, shape: Any) -> None:
        with_elements(values)
        tell_of(layout)
        self.layout, self.starts, self.others, self.values = layout, starts, others, values
        self.shape = tuple(shape)

    nnz = property(lambda self: self.others.shape[-1])
    batch = property(lambda self: self.others.ndim - 1)
    """How many dimensions of batches stand before the rows and columns."""
    blocked = property(lambda self: self.layout in (layouts.sparse_bsr, layouts.sparse_bsc))
    by_rows = property(lambda self: self.layout in (layouts.sparse_csr, layouts.sparse_bsr))

    @property
    def block(self) -> tuple:
        at = self.batch + 1
        return self.values.shape[at : at + 2] if self.blocked else (1, 1)

    sparse_dim = 2
    dense_dim = property(lambda self: len(self.shape) - self.batch - 2)

    def with_values(self, values: Any) -> Compressed:
        return Compressed(self.layout, self.starts, self.others, values, self.shape)

    def copy(self, *_: Any) -> Compressed:
        return Compressed(self.layout, self.starts.copy(), self.others.copy(), self.values.copy(), self.shape)

    def __setitem__(self, at: Any, other: Any) -> None:
        super().__setitem__(at, other)
        self.starts, self.others = other.starts, other.others

    def swapaxes(self, a: int, b: int) -> Any:
        from .conversion import turned

        return turned(self, a % self.ndim, b % self.ndim)

    def rows(self) -> Any:
        """For each element (of each batch) the row, or column, that it is sorted by."""
        starts = self.starts.reshape(-1, self.starts.shape[-1])
        found = [line_of(each, self.nnz) for each in starts]
        made = self.xp.stack(found) if found else self.others
        return made.reshape(self.others.shape).astype(self.others.dtype)

    def coordinates(self) -> tuple:
        """Rows and columns of the elements, or of the blocks, in that order."""
        return (self.rows(), self.others) if self.by_rows else (self.others, self.rows())

    def dense(self) -> Any:
        xp = self.xp
        made = xp.zeros(self.shape, self.values.dtype)
        batch = self.batch
        height, width = self.block
        n, m = self.shape[batch : batch + 2]
        rest = self.shape[batch + 2 :]
        many = prod(self.shape[:batch])
        rows, columns = (x.reshape(many, self.nnz) for x in self.coordinates())
        values = self.values.reshape(many, self.nnz, height, width, *rest)
        if xp is not np and not self.blocked:  # by one number for each element
            at = (xp.arange(many)[:, None] * (n * m) + rows.astype(int64) * m + columns).reshape(many * self.nnz)
            flat = values.reshape(many * self.nnz, *rest)
            fold_at(xp, "add", made.reshape(many * n * m, *rest), at, flat)
            return made
        grid = made.reshape(many, n // height, height, m // width, width, *rest).swapaxes(2, 3)
        for b in range(grid.shape[0]):
            fold_at(xp, "add", grid[b], (rows[b], columns[b]), values[b])
        return made
