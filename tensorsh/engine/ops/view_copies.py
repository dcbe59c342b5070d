"""``expand_copy`` and its like: what a view operator gives, as memory of its own.

Each has the view's formulas and its node's name with ``_copy`` behind it.
"""

from __future__ import annotations

import copy
from typing import Any

from .. import table
from ..operator import composite, dress
from ..tensor import Tensor
from . import shape, views
from .copying import clone
from .diagonals import diagonal_copy


def copying(op: Any, name: str) -> None:
    """The copying form of a view operator, under `name`."""
    made = copy.copy(op)
    kernel = op.kernel

    def fresh(xp: Any, *args: Any, **kwargs: Any) -> Any:
        result = kernel(xp, *args, **kwargs)
        return [r.copy() for r in result] if isinstance(result, list) else result.copy()

    made.kernel, made.name, made.names, made.view = fresh, name, [name], False
    made.classes, made.plans = {}, {}
    title = op.node
    made._node = title + "_copy" if isinstance(title, str) else lambda *args: title(*args) + "_copy"

    def function(*args: Any, **kwargs: Any) -> Any:
        return made.call(*args, **kwargs)

    dress(function, made, kernel)
    made.function = function
    function.__doc__ = f"As `{name[:-5]}`, copied."
    table.add(made, [name], function, False, False)


for _name, _op in {
    "expand_copy": shape.expand, "permute_copy": shape.permute, "transpose_copy": shape.transpose, "t_copy": shape.t,
    "squeeze_copy": shape.squeeze, "unsqueeze_copy": shape.unsqueeze, "select_copy": views.select,
    "slice_copy": views.slice_, "alias_copy": views.alias, "unfold_copy": views.unfold, "unbind_copy": views.unbind,
}.items():  # fmt: skip
    copying(_op, _name)
table.FUNCTIONS["diagonal_copy"] = diagonal_copy.function
table.OPERATORS["diagonal_copy"] = diagonal_copy


def composed(name: str, view: Any) -> None:
    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        result = view(input, *args, **kwargs)
        if isinstance(result, tuple):
            return tuple([clone.function(r) for r in result])
        return clone.function(result)

    function.__name__ = name
    function.__doc__ = f"As `{name[:-5]}`, copied."
    composite(name, method=name == "narrow_copy")(function)


for _name, _view in {
    "view_copy": lambda input, *size, **options: input.view(*size, **options),
    "as_strided_copy": views.as_strided,
    "narrow_copy": views.narrow,
    "split_copy": views.split,
    "split_with_sizes_copy": views.split_with_sizes,
}.items():
    composed(_name, _view)
