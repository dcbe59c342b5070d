"""Python data to arrays: what ``torch.tensor`` and its like accept, and the dtype they infer."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ..arrays.backend import shared
from ..arrays.dtype import BOOL, COMPLEX, FLOAT, INTEGER, bool_, dtype, given_dtype, int64, of
from ..arrays.numbers import converted, overflow
from ..arrays.promotion import promote_types
from ..arrays.state import state
from ..arrays.type_names import type_name
from ..arrays.warning import warn
from .lots import readers
from .tensor import Tensor

_BOOL, _INT64 = np.dtype(np.bool_), np.dtype(np.int64)
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
MOST_DIMENSIONS = 128
DEEP = 8
"""At this depth the rest is measured before it is spread out: a list that contains itself twice doubles with each level."""
_CATEGORY = {bool: BOOL, int: INTEGER, float: FLOAT, complex: COMPLEX}


def to_array(data: Any, d: dtype | None = None) -> np.ndarray:
    """A new array holding `data`, of the given or the inferred dtype."""
    if d is not None:
        d = given_dtype(d, "tensor")
    kind = type(data)
    if kind is list or kind is tuple:
        return _sequence(data, d)
    if isinstance(data, Tensor):
        return _copied(data._array, d)
    if isinstance(data, np.ndarray):
        of(data)
        check_layout(data)
        return _copied(data, d)
    if isinstance(data, np.generic):
        return np.array(data, data.dtype if d is None else d.numpy)
    if isinstance(data, (bool, int, float, complex)):
        return _number(data, d)
    if hasattr(data, "__array__") and not isinstance(data, type):
        return _copied(np.asarray(data), d)
    if hasattr(data, "__dlpack__") and hasattr(data, "__dlpack_device__") and not isinstance(data, type):
        return _copied(shared(data), d)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{kind.__name__}'")
    for storage, read in readers.items():
        if isinstance(data, storage) and (d is not None or storage.__name__[0] == "T"):
            return read(data, state.default_dtype if d is None else d)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (dict, type)):
        try:
            elements = [data[i] for i in range(len(data))]
        except TypeError:
            raise ValueError(f"could not determine the shape of object type '{type_name(data)}'") from None
        return _sequence(elements, d)
    refuse(data, d)
    raise RuntimeError(f"Could not infer dtype of {type_name(data)}")


def check_layout(array: np.ndarray) -> None:
    """Refuse an array of numpy that lies in memory as no tensor does."""
    size = array.itemsize
    for s in array.strides:
        if s < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
                "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
            )
    for s in array.strides:
        if s % size:
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
            )
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )


def _copied(array: np.ndarray, d: dtype | None) -> np.ndarray:
    if d is None:
        return np.array(array, array.dtype.newbyteorder("=")) if isinstance(array, np.ndarray) else array.copy()
    if array.dtype.kind == "c" and d.category != COMPLEX:
        array = array.real
    return array.astype(d.numpy)


def _number(value: Any, d: dtype | None) -> np.ndarray:
    if d is None:
        if isinstance(value, bool):
            return np.array(value, _BOOL)
        if isinstance(value, int):
            return _integers(value, int64)
        d = state.default_dtype if isinstance(value, float) else state.default_dtype.to_complex()
    if d.category == INTEGER:
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        return np.array(converted(value, d.numpy, {}), d.numpy) if type(value) is float else _integers(int(value), d)
    if isinstance(value, complex) and d.category == FLOAT:
        raise TypeError("must be real number, not complex")
    return np.asarray(value).astype(d.numpy)


def _integers(values: Any, d: dtype) -> np.ndarray:
    """Integers of a dtype; those that it cannot hold are refused, but negative ones wrap in unsigned dtypes."""
    try:
        wide = np.array(values, _INT64)
    except OverflowError:
        if d.name == "uint64":
            return np.array(values, d.numpy)
        raise ValueError("Overflow when unpacking long long") from None
    except (TypeError, ValueError):
        return np.array(values).astype(np.float64).astype(_INT64).astype(d.numpy)
    if d is not int64 and d.itemsize < 8 and wide.size:
        fit(wide, d)
    return wide if d is int64 else wide.astype(d.numpy)


def fit(wide: np.ndarray, d: dtype) -> None:
    """Raise unless numbers can be elements of an integer dtype."""
    if np.isnan(wide).any() if wide.dtype.kind == "f" else False:
        raise overflow(d.name)
    for x in (wide.min(), wide.max()):
        converted(x, d.numpy, {})


def _warn_of_arrays() -> None:
    """Say once that lists of arrays are slow."""
    if "arrays" in state.warned and not state.__dict__.get("warn_always"):
        return
    state.warned.add("arrays")
    warn(
        "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single "
        "numpy.ndarray with numpy.array() before converting to a tensor."
    )


def _sequence(data: Any, d: dtype | None) -> np.ndarray:
    kinds_found = set(map(type, data))
    if np.ndarray in kinds_found:
        _warn_of_arrays()
    if len(kinds_found) == 1:
        # A flat list of numbers of one type, the most common case.
        kind = kinds_found.pop()
        if kind is float:
            target = (state.default_dtype if d is None else d).numpy
            if target is _FLOAT32 or target is _FLOAT64:
                return np.array(data, target)
        elif kind is int and d is None:
            return _integers(data, int64)
    try:
        shape, kinds, plain = _survey(data)
    except (TypeError, ValueError, RuntimeError):
        try:
            refuse(data, d)
        except RecursionError:
            raise TypeError("new(): self-referential lists are incompatible") from None
        raise
    if not plain:
        data = _plain(data, len(shape))
    if d is None:
        if not kinds:
            d = state.default_dtype
        else:
            top = max(kinds.values(), default=BOOL)
            if any(isinstance(k, dtype) for k in kinds):
                d = bool_
                for kind, category in kinds.items():
                    d = promote_types(d, kind if isinstance(kind, dtype) else _usual(category))
            elif top == FLOAT:
                d = state.default_dtype
            elif top == COMPLEX:
                d = state.default_dtype.to_complex()
            else:
                d = int64 if top == INTEGER else None
    if d is None:
        return np.array(data, _BOOL).reshape(shape)
    if d.category == INTEGER and max(kinds.values(), default=BOOL) <= INTEGER:
        return _integers(data, d).reshape(shape)
    if not kinds:
        return np.empty(shape, d.numpy)
    if d.category not in (COMPLEX, BOOL) and max(kinds.values()) == COMPLEX:
        refuse(data, d)
    wide = np.array(data, np.complex128 if COMPLEX in (d.category, max(kinds.values())) else np.float64)
    if d.category == INTEGER:
        fit(wide, d)
    return wide.astype(d.numpy).reshape(shape)


def _usual(category: int) -> dtype:
    """The dtype of Python's numbers of a category."""
    if category == COMPLEX:
        return state.default_dtype.to_complex()
    return state.default_dtype if category == FLOAT else int64 if category == INTEGER else bool_


def _survey(data: Any) -> tuple[tuple, dict, bool]:
    """The shape of nested sequences, the kinds of their elements with their categories, and whether all are plain Python."""
    shape: list[int] = []
    level = [data]
    plain = True
    while True:
        first = level[0]
        if isinstance(first, (list, tuple)) or (_sized(first)):
            n = len(first)
            inner: list = []
            for at, each in enumerate(level):
                if not (
                    isinstance(each, (list, tuple)) or _sized(each) or isinstance(each, Tensor) and each._array.ndim
                ):
                    if isinstance(each, (int, float, complex, np.generic)) or isinstance(each, Tensor):
                        raise TypeError(f"expected sequence of length {n} at dim {len(shape)} (got {each})")
                    raise TypeError(f"not a sequence: {type(each).__name__}")
                if len(each) != n:
                    raise ValueError(f"expected sequence of length {n} at dim {len(shape)} (got {len(each)})")
                if not isinstance(each, (list, tuple)):
                    plain = False
                inner.extend(islice(each, n))
                del at
            if len(inner) != n * len(level):  # a sequence has shrunk meanwhile
                raise ValueError(
                    f"expected sequence of length {n} at dim {len(shape)} (got {len(inner) // len(level)})"
                )
            shape.append(n)
            if len(shape) == DEEP:
                _bounded(first, len(shape))
            if n == 0:
                return tuple(shape), {}, plain
            level = inner
            continue
        kinds: dict = {}
        for kind in set(map(type, level)):
            category = _CATEGORY.get(kind)
            if category is not None:
                kinds[kind] = category
        if len(kinds) < len(set(map(type, level))):
            for each in level:
                if type(each) not in _CATEGORY:
                    plain = False
                    kind, category = _kind_of(each, bool(shape))
                    kinds[kind] = category
        return tuple(shape), kinds, plain


def _kind_of(element: Any, within: bool) -> tuple[Any, int]:
    """What stands for the dtype of an element that is no plain number, and its category; `within`: of a sequence."""
    if isinstance(element, Tensor):
        if element._array.ndim and element._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return element.dtype, element.dtype.category
    if isinstance(element, (np.generic, np.ndarray)):
        kind = of(np.asarray(element))
        return kind, kind.category
    if isinstance(element, (list, tuple)):
        raise TypeError(f"must be real number, not {type(element).__name__}" if within else "not a sequence")
    if isinstance(element, (bool, int, float, complex)):
        return type(element), max(_CATEGORY[k] for k in type(element).__mro__ if k in _CATEGORY)
    if isinstance(element, (str, bytes)):
        raise ValueError("too many dimensions 'str'")
    raise RuntimeError(f"Could not infer dtype of {type_name(element)}")


def _bounded(first: Any, depth: int) -> None:
    """Refuses what is nested too deep along its first elements, also a list that contains itself."""
    while isinstance(first, (list, tuple)) or _sized(first):
        if depth > MOST_DIMENSIONS:
            raise ValueError(f"too many dimensions '{type(first).__name__}'")
        if not len(first):
            return
        first, depth = first[0], depth + 1


def refuse(data: Any, d: dtype | None) -> None:
    """Raise PyTorch's error for data that is none: sizes are read along the first elements, then types, then values."""
    sizes: list[int] = []
    first = data
    while _indexed(first) and not isinstance(first, Tensor):
        sizes.append(len(first))
        if len(sizes) > 128:
            raise ValueError(f"too many dimensions '{type_name(first)}'")
        if not sizes[-1]:
            break
        first = first[0]
    category = _inferred(data) if d is None else d.category
    _stored(data, sizes, 0, category)


def _indexed(value: Any) -> bool:
    if isinstance(value, (Tensor, np.ndarray)):
        return bool(len(value.shape))
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (dict, type))


def _inferred(value: Any) -> Any:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(value)}'")
    if isinstance(value, (bool, int, float, complex)):
        return max(_CATEGORY[k] for k in type(value).__mro__ if k in _CATEGORY)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return of(value if isinstance(value, np.ndarray) else np.asarray(value)).category
    if not _indexed(value):
        raise RuntimeError(f"Could not infer dtype of {type_name(value)}")
    return max((_inferred(each) for each in value), default=FLOAT)


def _stored(value: Any, sizes: list[int], dim: int, category: Any) -> None:
    if dim < len(sizes):
        if not _indexed(value):
            raise TypeError("not a sequence")
        if len(value) != sizes[dim]:
            raise ValueError(f"expected sequence of length {sizes[dim]} at dim {dim} (got {len(value)})")
        for each in value:
            _stored(each, sizes, dim + 1, category)
    elif isinstance(value, (Tensor, np.ndarray)):
        if value.shape and sum(value.shape) != len(value.shape):
            raise ValueError("only one element tensors can be converted to Python scalars")
    elif isinstance(value, complex):
        if category == INTEGER:
            raise TypeError("'complex' object cannot be interpreted as an integer")
        if category == FLOAT:
            raise TypeError("must be real number, not complex")
    elif category in (FLOAT, COMPLEX, INTEGER) and not isinstance(value, (bool, int, float, np.generic)):
        name = type_name(value)
        raise TypeError(
            f"'{name}' object cannot be interpreted as an integer"
            if category == INTEGER
            else f"must be real number, not {name}"
        )


def _sized(value: Any) -> bool:
    if isinstance(value, Tensor):
        return False  # a number to PyTorch, whatever its dimensions
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes, dict))


def _plain(data: Any, depth: int) -> Any:
    """Numbers in lists, `depth` deep; what has one element is a number there."""
    if isinstance(data, Tensor):
        data = data._array
    if isinstance(data, (np.ndarray, np.generic)):
        return data.reshape(data.shape[:depth]).tolist()
    if depth:
        return [_plain(each, depth - 1) for each in data]
    return data
