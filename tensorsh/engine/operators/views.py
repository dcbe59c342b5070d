"""The short way of view operators: a new array on the same memory, a node that remembers shapes and numbers only.

A view operator is declared as any other, with ``short=viewing``. Its kernel gives the array, `viewed` makes the tensor:
history, the version cell it shares with its source, its place among the views of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.constants import ABSENT
from ..arrays.door import PROCEED, ask, asked
from ..arrays.errors import argument_error
from ..arrays.state import state
from ..graph.fields import link, new
from ..graph.nodes import Slot
from ..tape.record import attach
from ..tensors.tensor import Tensor
from .placement import module_and_kernel

ndarray = np.ndarray


def elsewhere(op: Any, array: Any, *settings: Any) -> Any:
    """What an operator gives of an array that is not numpy's."""
    xp, kernel = module_and_kernel(op, [array, *settings])
    return kernel(xp, array, *settings)


def viewing(op: Any, form: Callable) -> Callable:
    """The short way of a view operator with one tensor argument, its first; `form` answers for what fails."""
    return viewing_alone(op, form) if len(op.params) == 1 else viewing_set(op, form)


def viewing_set(op: Any, form: Callable) -> Callable:
    """As `viewing`, for an operator with settings."""
    kernel, bind = op.kernel, op.bind
    count, required, packed = len(op.params), op.required, op.packed
    defaults = tuple(op.defaults)

    def function(*args: Any, **kwargs: Any) -> Any:
        if asked and (answer := ask(function, args, kwargs)) is not PROCEED:
            return answer
        n = len(args)
        values: Sequence
        try:
            if kwargs or n < required:
                values = bind(args, kwargs)
            elif packed >= 0:
                # Integers one by one, or all in one sequence.
                values = args if n == 2 and isinstance(args[1], (tuple, list)) else (args[0], args[1:])
            elif n == count:
                values = args
            elif n < count:
                values = args + defaults[n:]
            else:
                values = bind(args, kwargs)
            x = values[0]
            if not isinstance(x, Tensor):
                raise argument_error(op, 0, x)
            array = x._array
            result = kernel(np, array, *values[1:]) if type(array) is ndarray else elsewhere(op, array, *values[1:])
        except Exception:
            failed = True
        else:
            failed = False
        if failed:
            return form(*args, **kwargs)
        if type(result) is list:
            return viewed_many(op, values, result)
        t = new(Tensor)
        t._array = result
        t._node = view_node(op, values) if x._node is not None and state.grad_enabled else None
        attach(t, x)
        return t

    return function


def viewing_alone(op: Any, form: Callable) -> Callable:
    """As `viewing`, for an operator without settings."""
    kernel, bind = op.kernel, op.bind

    def function(x: Any = ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        given = () if x is ABSENT else (x, *rest)
        if asked and (answer := ask(function, given, kwargs)) is not PROCEED:
            return answer
        try:
            if kwargs or rest or x is ABSENT:
                (x,) = bind(given, kwargs)
            if type(x) is not Tensor and not isinstance(x, Tensor):
                raise argument_error(op, 0, x)
            array = x._array
            result = kernel(np, array) if type(array) is ndarray else elsewhere(op, array)
        except Exception:
            failed = True
        else:
            failed = False
        if failed:
            return form(*given, **kwargs)
        if type(result) is list:
            return viewed_many(op, (x,), result)
        t = new(Tensor)
        t._array = result
        t._node = view_node(op, (x,)) if x._node is not None and state.grad_enabled else None
        attach(t, x)
        return t

    return function


def viewed(op: Any, values: Sequence, array: Any) -> Tensor:
    """The tensor of a view's array."""
    x = values[0]
    t = new(Tensor)
    t._array = array
    t._node = view_node(op, values) if x._node is not None and state.grad_enabled and op.node is not None else None
    attach(t, x)
    return t


def viewed_many(op: Any, values: Sequence, arrays: list) -> tuple:
    """The tensors of an operator that gives several views at once, which forbids to write into them."""
    x = values[0]
    tensors = []
    node = None
    if x._node is not None and state.grad_enabled:
        node = view_node(op, values)
        node._outputs = len(arrays)
    for i, array in enumerate(arrays):
        t = new(Tensor)
        t._array = array
        if node is not None:
            t._node = Slot(node, i) if len(arrays) > 1 else node
        attach(t, x, "multiple")
        tensors.append(t)
    return tuple(tensors)


def view_node(op: Any, values: Sequence) -> Any:
    """The node of a view: its formulas name shapes and numbers, never tensors."""
    x = values[0]
    title = op.node
    made = op.node_class(title if type(title) is str else title(*values))
    saved = tuple([x._array.shape if kind == "shape" else values[i] for kind, i in op.sources])
    return link(made, (x._node,), saved)


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
