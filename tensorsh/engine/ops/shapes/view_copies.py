"""``expand_copy`` and its like: what a view operator gives, as memory of its own.

Each runs the view and copies its result, which keeps the view's node under the node's name with ``_copy`` behind it."""

from __future__ import annotations

from typing import Any

from ...arrays.errors import wrap_dim
from ...arrays.parallel import copied
from ...arrays.state import here
from ...graph.fields import wrap
from ...graph.nodes import Slot
from ...operators.declare import composite
from ...operators.results import store_out
from ...tensors.tensor import Tensor
from . import shape, views

OUT_TITLES = {"unbind_copy": "unbind_copy_int_out", "split_copy": "split_copy_Tensor_out()"}
"""What forms with several results call themselves where ``out=`` has another number of tensors."""


def copying(name: str, view: Any, title: str | None = None, method: bool = False) -> Any:
    """Declare the copying form of a function that gives a view, under `name`."""

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        result = view(input, *args, **kwargs)
        several = type(result) is tuple
        if not several and result._node is None and out is None:
            return wrap(copied(result._array))
        parts = result if several else (result,)
        node = parts[0]._node if parts and here.grad_enabled else None
        copies = [wrap(copied(part._array)) for part in parts]
        if node is not None:
            node = node._parent if type(node) is Slot else node
            node.__class__ = node._operator.node_class(title or node._title + "_copy")
            for made, part in zip(copies, parts, strict=True):
                made._node = part._node
        if out is not None:
            if several and len(out) != len(copies):
                said = OUT_TITLES.get(name, name + "_out")
                raise RuntimeError(f"{said} expected an out= argument of size {len(copies)}, got size {len(out)}")
            for target, made in zip(out if several else (out,), copies, strict=True):
                store_out(target, made._array)
            return out
        return tuple(copies) if several else copies[0]

    function.__doc__ = f"As `{name[:-5]}`, copied."
    return composite(name, method=method, kernel=view)(function)


def narrowing(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """As `narrow`; of a sparse tensor, which has no such view, its elements there."""
    if hasattr(input._array, "layout"):
        from ...sparse.forms import narrow_copy

        return narrow_copy(input, dim, start, length)
    return views.narrow(input, dim, start, length)


def selection(input: Tensor, dim: int, index: int) -> Tensor:
    """As `select`; of a compressed matrix also a row or column that is no view."""
    array = input._array
    if hasattr(array, "layout"):
        from ...sparse.arrangement import line_copy

        at, n = wrap_dim(dim, array.ndim), array.shape[dim]
        batch = getattr(array, "batch", array.ndim)
        if batch <= at < batch + 2:
            if not -n <= index < n:
                size = list(array.shape)
                raise IndexError(
                    f"select_copy(): index {index} out of range for tensor of size {size} at dimension {at}"
                )
            return line_copy.function(input, at, index % n)
    return views.select.function(input, dim, index)


for _op in (shape.expand, shape.permute, shape.transpose, shape.t, shape.squeeze, shape.unsqueeze, views.slice_, views.alias, views.unfold, views.unbind):  # fmt: skip
    copying(_op.name.strip("_") + "_copy", _op.function)
for _function in views.split, views.split_with_sizes, views.as_strided:
    copying(_function.__name__ + "_copy", _function)
copying("select_copy", selection)
copying("narrow_copy", narrowing, "NarrowCopyBackward0", method=True)
copying("view_copy", shape.view.function)
diagonal_copy = copying("diagonal_copy", views.diagonal.function)
