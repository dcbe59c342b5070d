"""Arrays without elements: a shape, a dtype, strides, and a place in memory that is not there.

`MetaArray` has the interface of numpy's arrays that operators use. Views are worked out by strides alone; whatever makes new
elements asks `calls.call` for the shape and the dtype of the result, and allocates nothing. A value is never there:
what needs one raises an error."""

from __future__ import annotations

from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..arrays.device import Nowhere
from ..arrays.extents import contiguous_strides, strided, viewing_strides

PAGE = 64
FEW = 1 << 16
"""Up to so many elements numbers are made up, where nothing else tells a shape."""
_places = [PAGE]
"""Where in a memory that does not exist the next array comes to lie: no two of them overlap."""


def no_data() -> RuntimeError:
    """What a program that asks for a value is told."""
    return RuntimeError("Tensor.item() cannot be called on meta tensors")


class Memory:
    """The memory of an array that owns some: an address of its own, and a size."""

    __slots__ = ("ptr", "size")

    def __init__(self, size: int) -> None:
        self.ptr, self.size = _places[0], size
        _places[0] += (size // PAGE + 1) * PAGE


class Pointer:
    """A place in the memory of an array."""

    __slots__ = ("root", "ptr", "bits")

    def __init__(self, root: MetaArray, ptr: int, bits: tuple[bool, bool]) -> None:
        self.root, self.ptr, self.bits = root, ptr, bits

    @property
    def mem(self) -> Memory:
        return self.root._memory

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.root, self.ptr + offset, self.bits)


class Flags(SimpleNamespace):
    """What numpy tells of an array's memory."""


class MetaArray:
    """An array without elements."""

    __slots__ = ("_shape", "dtype", "strides", "base", "sure", "bits", "_memory", "_ptr", "__weakref__")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]
    device = Nowhere()

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"
    ) -> None:
        self.sure = False
        self.bits: tuple[bool, bool] = (False, False) if memptr is None else memptr.bits
        """Whether it is read as the conjugate, and as the negative, of its memory."""
        self._shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
        self.dtype = dtype if isinstance(dtype, np.dtype) else np.dtype(dtype)
        if strides is None:
            strides = contiguous_strides(self._shape, self.dtype.itemsize)
            if order == "F":
                strides = contiguous_strides(self._shape[::-1], self.dtype.itemsize)[::-1]
        self.strides = tuple(strides)
        if memptr is None:
            self._memory = Memory(prod(self._shape) * self.dtype.itemsize)
            self.base, self._ptr = None, self._memory.ptr
        else:
            self.base, self._memory, self._ptr = memptr.root, memptr.mem, memptr.ptr

    # What can be known.
    ndim = property(lambda self: len(self._shape))
    size = property(lambda self: prod(self._shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: prod(self._shape) * self.dtype.itemsize)
    data = property(lambda self: Pointer(self if self.base is None else self.base, self._ptr, self.bits))
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))

    @property
    def shape(self) -> tuple:
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        found = self.reshape(shape)
        self._shape, self.strides = found._shape, found.strides

    @property
    def flags(self) -> Flags:
        size = self.dtype.itemsize
        c = in_order(self._shape, self.strides, size)
        f = in_order(self._shape[::-1], self.strides[::-1], size)
        return Flags(
            c_contiguous=c, f_contiguous=f, contiguous=c, forc=c or f, fnc=f and not c, writeable=True, aligned=True,
            owndata=self.base is None,
        )  # fmt: skip

    @property
    def real(self) -> MetaArray:
        if self.dtype.kind != "c":
            return self
        return self._shown(self._shape, self.strides, 0, real_of(self.dtype))

    @real.setter
    def real(self, value: Any) -> None:
        pass

    @property
    def imag(self) -> MetaArray:
        if self.dtype.kind != "c":
            return MetaArray(self._shape, self.dtype)
        kind = real_of(self.dtype)
        return self._shown(self._shape, self.strides, kind.itemsize, kind)

    @imag.setter
    def imag(self, value: Any) -> None:
        pass

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return int(self._shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    # Views.
    def _shown(self, shape: tuple, strides: tuple, offset: int = 0, dtype: Any = None) -> MetaArray:
        return MetaArray(shape, self.dtype if dtype is None else dtype, self.data + offset, strides)

    def view(self, dtype: Any = None, type: Any = None) -> MetaArray:
        if dtype is None or dtype is MetaArray:
            return self._shown(self._shape, self.strides)
        kind = np.dtype(dtype) if not isinstance(dtype, np.dtype) else dtype
        old, new = self.dtype.itemsize, kind.itemsize
        if old == new:
            return self._shown(self._shape, self.strides, 0, kind)
        if not self._shape:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        count = self._shape[-1] * old
        if count % new or self.strides[-1] != old and self._shape[-1] != 1:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        return self._shown((*self._shape[:-1], count // new), (*self.strides[:-1], new), 0, kind)

    def reshape(self, *shape: Any, order: str = "C", copy: Any = None) -> MetaArray:
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        sizes = settled(self._shape, tuple(map(int, sizes)))
        if order == "F":
            return self.transpose().reshape(sizes[::-1]).transpose()
        strides = viewing_strides(self, sizes)
        if strides is None:
            return MetaArray(sizes, self.dtype)
        return self._shown(sizes, strides)

    def ravel(self, order: str = "C") -> MetaArray:
        return self.reshape(-1)

    def flatten(self, order: str = "C") -> MetaArray:
        return MetaArray((self.size,), self.dtype)

    def transpose(self, *axes: Any) -> MetaArray:
        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], (int, np.integer))):
            axes = () if axes[0] is None else tuple(axes[0])
        order = [axis_of(a, self.ndim) for a in axes] if axes or not self.ndim else range(self.ndim)[::-1]
        if len(set(order)) != self.ndim:
            raise ValueError("axes don't match array")
        return self._shown(tuple([self._shape[a] for a in order]), tuple([self.strides[a] for a in order]))

    def swapaxes(self, axis1: int, axis2: int) -> MetaArray:
        order = list(range(self.ndim))
        a, b = axis_of(axis1, self.ndim), axis_of(axis2, self.ndim)
        order[a], order[b] = b, a
        return self.transpose(order)

    def squeeze(self, axis: Any = None) -> MetaArray:
        gone = axes_of(axis, self.ndim) if axis is not None else [i for i, n in enumerate(self._shape) if n == 1]
        if any(self._shape[a] != 1 for a in gone):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        kept = [i for i in range(self.ndim) if i not in gone]
        return self._shown(tuple([self._shape[i] for i in kept]), tuple([self.strides[i] for i in kept]))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> MetaArray:
        a, b = axis_of(axis1, self.ndim), axis_of(axis2, self.ndim)
        rows, columns = self._shape[a], self._shape[b]
        length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
        start = (offset * self.strides[b] if offset >= 0 else -offset * self.strides[a]) if length else 0
        kept = [i for i in range(self.ndim) if i not in (a, b)]
        shape, steps = [self._shape[i] for i in kept], [self.strides[i] for i in kept]
        return self._shown((*shape, length), (*steps, self.strides[a] + self.strides[b]), start)

    def __getitem__(self, key: Any) -> MetaArray:
        from .indexing import subscripted

        return subscripted(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import subscripted

        parts = key if isinstance(key, tuple) else (key,)
        if any(getattr(k, "dtype", None) == np.bool_ for k in parts):
            return  # how many elements a mask names is not known
        found = self if key is Ellipsis else subscripted(self, key)
        check_fits(np.shape(value) if not hasattr(value, "shape") else value.shape, found._shape)

    # New arrays.
    def copy(self, order: str = "C") -> MetaArray:
        if order == "K":
            return MetaArray(self._shape, self.dtype, None, kept_strides(self))
        return MetaArray(self._shape, self.dtype, None, None, "F" if order == "F" else "C")

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> MetaArray:
        return self.copy("K")

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        kind = dtype if isinstance(dtype, np.dtype) else np.dtype(dtype)
        if not copy and kind == self.dtype:
            return self
        made = self.copy(order)
        return made if kind is self.dtype else like(made, kind)

    def fill(self, value: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        method = None if name.startswith("_") else getattr(np.ndarray, name, None)
        if method is None:
            raise AttributeError(f"an array without elements has no attribute {name!r}")
        from .calls import method_of

        return method_of(name, self)

    # What numpy's functions do with such an array.
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        from .calls import ufunc_call

        if out is not None:
            options["out"] = out[0] if len(out) == 1 else out
        return ufunc_call(ufunc, method, *inputs, **options)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        from .calls import call

        return call(function, *args, **kwargs)

    # Values, which are not there. A formula that asks for one is told 0, so that checks of values pass; programs, who ask
    # tensors, are refused.
    def __bool__(self) -> bool:
        return self.sure

    def __int__(self) -> int:
        return int(self.sure)

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.sure)

    def __complex__(self) -> complex:
        return complex(self.sure)

    def item(self, *at: int) -> Any:
        return np.full((), self.sure, self.dtype).item()

    def tolist(self) -> Any:
        if self.size > FEW:
            raise no_data()
        return np.full(self._shape, self.sure, self.dtype).tolist()

    def _absent(self, *_: Any, **__: Any) -> Any:
        raise no_data()

    __contains__ = get = tobytes = _absent

    def __dlpack__(self, **_: Any) -> Any:
        raise ValueError("Unknown device type meta for Dlpack")

    __dlpack_device__ = __dlpack__

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("An array of the meta device has no elements for numpy.")


def real_of(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"f{dtype.itemsize // 2}")


def in_order(shape: tuple, strides: tuple, size: int) -> bool:
    """Whether elements of such strides lie one behind the other."""
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n == 0:
            return True
        if n != 1 and s != size:
            return not prod(shape)
        size *= n
    return True


def like(array: MetaArray, dtype: np.dtype) -> MetaArray:
    """A new array that lies as a dense one does, in another dtype."""
    old = array.dtype.itemsize
    return MetaArray(array._shape, dtype, None, [s // old * dtype.itemsize for s in array.strides])


def kept_strides(array: Any) -> tuple:
    """The strides of a dense copy whose dimensions have the order in memory that they have."""
    order = sorted(range(array.ndim), key=lambda i: -abs(array.strides[i]))
    return ordered_strides(array.shape, order, array.dtype.itemsize)


def ordered_strides(shape: tuple, order: Any, itemsize: int) -> tuple:
    """Strides of a dense array whose dimensions lie in an order, the outermost first."""
    strides = [0] * len(shape)
    for i in reversed(list(order)):
        strides[i] = itemsize
        itemsize *= shape[i] or 1
    return tuple(strides)


def axis_of(axis: Any, ndim: int) -> int:
    axis = int(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def axes_of(axis: Any, ndim: int) -> list[int]:
    """Axes from the first on; all for None."""
    if axis is None:
        return list(range(ndim))
    return [axis_of(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def settled(old: tuple, new: tuple) -> tuple:
    """A new shape with its -1 found; ValueError where it does not hold as many elements."""
    count = prod(old)
    if -1 in new:
        rest = prod([n for n in new if n != -1])
        if rest == 0 or count % rest:
            raise ValueError(f"cannot reshape array of size {count} into shape {new}")
        return tuple([count // rest if n == -1 else n for n in new])
    if prod(new) != count:
        raise ValueError(f"cannot reshape array of size {count} into shape {new}")
    return new


def check_fits(given: tuple, wanted: tuple) -> None:
    """ValueError unless a shape broadcasts to another."""
    while len(given) > len(wanted) and given[0] == 1:
        given = given[1:]
    if len(given) > len(wanted) or any(
        n not in (1, m) for n, m in zip(reversed(given), reversed(wanted), strict=False)
    ):
        raise ValueError(f"could not broadcast input array from shape {given} into shape {wanted}")


def common(*shapes: tuple) -> tuple:
    """The shape that shapes broadcast to; ValueError where they do not. numpy's own function is for 32 dimensions."""
    longest = max(map(len, shapes), default=0)
    found = [1] * longest
    for shape in shapes:
        for i, n in enumerate(shape, longest - len(shape)):
            if n != 1 and found[i] not in (1, n):
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
            found[i] = n if n != 1 else found[i]
    return tuple(found)


def expanded(array: Any, shape: tuple) -> Any:
    """A view broadcast to a shape."""
    check_fits(array.shape, shape)
    extra = len(shape) - array.ndim
    steps = [
        0 if n == 1 and shape[extra + i] != 1 else s
        for i, (n, s) in enumerate(zip(array.shape, array.strides, strict=True))
    ]
    return strided(array, tuple(shape), (*[0] * extra, *steps))


BINARY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "mod": np.remainder,
    "floordiv": np.floor_divide, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift, "divmod": np.divmod,
}  # fmt: skip
"""Python's operators that have a reflected and an in-place form."""
OTHERS: dict[str, Any] = {
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert, "eq": np.equal, "ne": np.not_equal,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def _symbol(name: str, ufunc: Any, inplace: bool = False, reflected: bool = False) -> None:
    def method(self: MetaArray, *others: Any) -> Any:
        from .calls import ufunc_call

        given = (*others, self) if reflected else (self, *others)
        if inplace:
            return ufunc_call(ufunc, "__call__", *given, out=self, casting="unsafe")
        return ufunc_call(ufunc, "__call__", *given)

    method.__name__ = name
    setattr(MetaArray, name, method)


for _name, _ufunc in BINARY.items():
    _symbol(f"__{_name}__", _ufunc)
    _symbol(f"__r{_name}__", _ufunc, reflected=True)
    _symbol(f"__i{_name}__", _ufunc, inplace=True)
for _name, _ufunc in OTHERS.items():
    _symbol(f"__{_name}__", _ufunc)
