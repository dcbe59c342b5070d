"""``x[...]``: reading and writing by numbers, slices, None, ``...``, masks and index tensors.

As in PyTorch, numbers, slices and None are taken first, one after the other, and give a view; the index tensors are applied
to that view. Each step is a node (Select, Slice, Unsqueeze, then Index). The usual cases (a number, a slice, a tuple of
them, one mask or index tensor) go straight to numpy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....sandbox.long_calls import HUGE, chosen_by
from ...arrays import cupy_module
from ...arrays.device import absent
from ...arrays.errors import check_broadcast
from ...arrays.extents import meets
from ...arrays.numbers import LOOSE, converted
from ...arrays.state import here
from ...arrays.type_names import type_name
from ...arrays.views import expanded
from ...graph.fields import fresh, wrap
from ...kernels import kernel, unsuited
from ...tape.record import view_of
from ...tensors.captured import captured, refuse
from ...tensors.inplace import check, check_history, mutate
from ...tensors.overlap import alone, apart, check_inplace
from ...tensors.sizes import OVERFLOW
from ...tensors.subscripts import (
    FULL,
    INDEX_KINDS,
    advanced,
    as_index,
    check_basic,
    check_slice,
    dimensions,
    elements,
    in_places,
    indices_of,
    only_tensor,
    refused_slice,
    rows_at,
    whole,
)
from ...tensors.tensor import Tensor
from ..creation.copying import assign, copy, fill_
from ..shapes.shape import unsqueeze
from ..shapes.views import alias, select, slice_, unbind
from . import index as ops

ndarray = np.ndarray
masked = kernel("masked", unsuited)
PUT = ("index_put",)
BASIC = frozenset({int, slice})
LONG = np.dtype(np.int64)
NUMBERS = (int, float, complex, np.integer)
ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor "
    "to a number"
)


def getitem(self: Tensor, index: Any) -> Tensor:
    """``self[index]``: a view for numbers and slices, a copy for masks and index tensors."""
    array = self._array
    kind = type(index)
    if kind is int:
        try:
            part = array[index, ...]
        except IndexError:
            raise out_of_bounds(array.shape, index) from None
        except OverflowError:
            raise ValueError(OVERFLOW) from None
        if self._node is not None and here.grad_enabled:
            return view_of(part, self, select.step(self._node, (array.shape, 0, index)))
        return view_of(part, self)
    if kind is slice:
        return sliced(self, index)
    if kind is tuple and len(index) <= array.ndim:
        for i in index:
            if type(i) is not int and (
                type(i) is not slice or i.step is not None and (type(i.step) is not int or i.step < 1)
            ):
                break
        else:
            return basic(self, index)
    if kind is Tensor and array.ndim and type(array) is ndarray:
        where = index._array
        if type(where) is ndarray and where.ndim and ((dtype := where.dtype) is LONG or dtype in INDEX_KINDS):
            try:
                if dtype is LONG or dtype.kind != "b":
                    result = array.take(where, 0) if array.flags.c_contiguous else rows_at(array, where)
                else:
                    result = masked(array, where)
                    if result is None:
                        result = array[where] if where.size < HUGE else chosen_by(array, where)
            except (IndexError, TypeError):
                advanced(array, [index])
                raise
            return selection(self, result, [index])
    elif kind is Tensor and array.ndim and type(array) is cupy_module.array_class:
        result = cupy_module.accelerator().taken(array, index._array, 0)
        if result is not None:
            return selection(self, result, [index])
    elif (
        kind is tuple
        and (at := only_tensor(index)) is not None
        and type(array) is type(index[at]._array) is ndarray
        and at < array.ndim
    ):
        try:
            return selection(self, array.take(index[at]._array, at), [FULL] * at + [index[at]])
        except IndexError:
            pass
    elif kind is tuple and 1 < len(index) <= array.ndim and array.size < HUGE and type(array) is ndarray:
        places = in_places(index)
        if places is not None:
            try:
                return selection(self, elements(np, array, places), list(index))
            except IndexError:
                pass
    view, found = taken(self, index)
    if not found:
        return alias.function(view) if view is self else view
    return ops.index.function(view, advanced(view._array, found))


def out_of_bounds(shape: tuple, index: int) -> IndexError:
    """What is wrong with a number in ``self[index]``."""
    as_index(index)
    if not shape and not index:
        return IndexError(ZERO_DIM)
    return IndexError(f"index {index} is out of bounds for dimension 0 with size {shape[0] if shape else 0}")


def selection(self: Tensor, result: Any, indices: list) -> Tensor:
    """The tensor of what index tensors choose."""
    if self._node is None or not here.grad_enabled:
        return fresh(result)
    return fresh(result, ops.index.step(self._node, (self._array.shape, indices)))


def sliced(self: Tensor, index: slice) -> Tensor:
    """``self[a:b:c]``."""
    array = self._array
    check_slice(index)
    try:
        result = array[index]
    except (TypeError, IndexError):
        raise refused_slice(index) from None
    if self._node is not None and here.grad_enabled:
        node = slice_.step(self._node, (array.shape, 0, index.start, index.stop, index.step))
        return view_of(result, self, node)
    return view_of(result, self)


def basic(self: Tensor, index: tuple) -> Tensor:
    """``self[1, 2:3, :]``: numbers and slices without steps only, in one numpy call."""
    array = self._array
    try:
        part = array[index]
        if type(part) is not ndarray and type(array) is ndarray:  # numpy's scalar
            part = array[(*index, ...)]
    except IndexError:
        for at, (i, n) in enumerate(zip(index, array.shape, strict=False)):
            if type(i) is int and not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for dimension {at} with size {n}") from None
        raise
    if self._node is not None and here.grad_enabled:
        return view_of(part, self, chain(self._node, array.shape, index))
    return view_of(part, self)


def chain(edge: Any, shape: tuple, index: tuple) -> Any:
    """The nodes of numbers and slices taken one after the other; slices that take everything are none."""
    first = edge
    dim = 0
    for i in index:
        n = shape[dim]
        if type(i) is slice:
            if not whole(i, n):
                start, stop, step = i.indices(n)
                edge = slice_.step(edge, (shape, dim, start, stop, step))
                shape = (*shape[:dim], len(range(start, stop, step)), *shape[dim + 1 :])
            dim += 1
        else:
            edge = select.step(edge, (shape, dim, i))
            shape = shape[:dim] + shape[dim + 1 :]
    return alias.step(edge, ()) if edge is first else edge


def taken(self: Tensor, index: Any) -> tuple[Tensor, list]:
    """The view that numbers, slices and None give, and the index tensors left for each of its dimensions (or None)."""
    ndim = self._array.ndim
    if not ndim and type(index) is slice:
        sliced(self, index)
    if not ndim and isinstance(index, (int, np.integer)) and type(index) is not bool:
        raise out_of_bounds((), index)
    items = indices_of(index)
    consumed = sum([dimensions(i) for i in items])
    if consumed > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim = self, 0
    found: list = []
    for at, i in enumerate(items):
        i = as_index(i)
        if type(i) is int:
            n = view._array.shape[dim]
            if not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for dimension {at} with size {n}")
            view = select.function(view, dim, i)
        elif isinstance(i, slice):
            n = view._array.shape[dim]
            check_slice(i)
            try:
                start, stop, step = i.indices(n)
            except TypeError:
                raise refused_slice(i) from None
            if not whole(i, n):
                view = slice_.function(view, dim, start, stop, step)
            dim += 1
        elif i is Ellipsis:
            dim += ndim - consumed
            consumed = ndim
        elif i is None:
            view = unsqueeze.function(view, dim)
            dim += 1
        elif i is True or i is False:
            view = unsqueeze.function(view, dim)
            put(found, dim, wrap(np.zeros(int(i), np.int64)))
            dim += 1
        else:
            put(found, dim, i)
            dim += i._array.ndim if i._array.dtype.kind == "b" else 1
    return view, found


def put(found: list, dim: int, index: Tensor) -> None:
    found.extend([None] * (dim - len(found)))
    found.append(index)
    if index._array.dtype.kind == "b":
        found.extend([...] * (index._array.ndim - 1))


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """``self[index] = value``: broadcast, converted, and recorded when a gradient may flow."""
    array = self._array
    given = value if isinstance(value, Tensor) else None
    if given is None and not isinstance(value, NUMBERS):
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{self.dtype.short}Tensor")
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        raise ValueError(OVERFLOW)
    if given is None:
        value = converted(value, array.dtype, LOOSE)
    tracked = here.grad_enabled and (self._node is not None or (given is not None and given._node is not None))
    kind = type(index)
    simple = kind is int or kind is slice or index is Ellipsis
    if kind is tuple and len(index) <= array.ndim:
        simple = all([type(i) in BASIC for i in index])
    if here.born and captured(self):
        refuse("copy_" if simple or not taken(self, index)[1] else "index_put_")
    if simple:
        if not tracked and array.ndim and 0 not in array.strides:
            if self._inference:
                check(self, False)
            check_basic(array.shape, index)
            write(array, index, value, given)
            self._bump()
            return
        view, _ = taken(self, index)
        return assign_view(self, view, value, given)
    if kind is Tensor and index._array.ndim and given is None and array.ndim and index._array.dtype in INDEX_KINDS:
        if not tracked and type(array) is ndarray:
            check(self, False, PUT)
            if index._array.dtype.kind != "b" and meets(array, index._array):
                apart(array, (index,))
            try:
                array[index._array] = value
            except (IndexError, TypeError):
                advanced(array, [index])
                raise
            fills(array, [index])
            self._bump()
            return
        view, asked = self, [index]
    else:
        view, asked = taken(self, index)
        if not asked:
            return assign_view(self, view, value, given)
    check_history(view, tracked)
    if given is None:
        given = wrap(np.asarray(value, view._array.dtype))
        if type(view._array) is not ndarray:
            given = given.to(view.device)
    while len(shape := given._array.shape) > 1 and shape[0] == 1:
        given = given.squeeze(0)
    found = advanced(view._array, asked, partial(ops.put_check, view, given))
    ops.put_at(view, found, given)
    if given._array.size == 1:
        fills(view._array, asked)


def fills(array: Any, found: list) -> None:
    """Warn of one number written under a mask where several elements lie in one place: PyTorch fills there."""
    if 0 in array.strides and [i._array.dtype.kind for i in found if isinstance(i, Tensor)] == ["b"]:
        alone(array, ("masked_fill",))


def assign_view(self: Tensor, view: Tensor, value: Any, given: Tensor | None) -> None:
    """Copy a value into a view of `self`."""
    target = view._array
    if given is None:
        if target.ndim:
            fill_(view, wrap(np.asarray(value, target.dtype)) if type(target) is ndarray else value)
        else:
            mutate(copy, [view, value, False], lambda array: array.fill(value))
        return
    if not given._array.ndim and target.ndim:
        fill_(view, given)
        return
    source = fitted(given._array, target.shape)
    if source.ndim < given._array.ndim:
        given = given.reshape(source.shape)
    expanded(source, target.shape)
    source = given._array
    mutate(copy, [view, given, False], lambda array: assign(array, source))


def fitted(source: Any, shape: tuple) -> Any:
    """A value without the leading dimensions of size 1 that its target does not have."""
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = source[0, ...]
    return source


def write(array: Any, index: Any, value: Any, given: Tensor | None) -> None:
    """``array[index] = value`` for numbers and slices, nothing recorded."""
    if given is None:
        array[index] = value
        return
    source = given._array
    target = array if index is Ellipsis else array[(*index, ...)] if type(index) is tuple else array[index, ...]
    if source.shape != target.shape and source.shape != ():
        source = fitted(source, target.shape)
        expanded(source, target.shape)
    if (
        source.shape
        and (source is array or source.base is not None or array.base is not None)
        and meets(target, source)
    ):
        check_inplace(copy.names, target, (source,))
    assign(target, source)


def iterate(self: Tensor) -> Any:
    """The slices along the first dimension."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind.function(self, 0))


def contains(self: Tensor, element: Any) -> bool:
    """Whether an element equals a number or tensor."""
    if isinstance(element, Tensor):
        check_broadcast([element, self])
        element = element._array
    elif not isinstance(element, (*NUMBERS, np.number)):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    found = (self._array == element).any()
    return bool(wrap(found) if absent(found) else found)


def delitem(self: Tensor, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


for _name, _function in {
    "getitem": getitem, "setitem": setitem, "iter": iterate, "contains": contains, "delitem": delitem
}.items():  # fmt: skip
    setattr(Tensor, f"__{_name}__", _function)
