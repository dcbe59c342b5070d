"""``torch.autograd.grad`` and ``backward``, which classes and modes may override as they may a function of tensors."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ...engine.arrays import door
from ...engine.arrays.state import here
from ...engine.operators.torch_function import override
from ...engine.tape import backward as walks
from ...sandbox.wrapping import wraps

__all__ = ["backward", "grad"]


def answered(function: Any, walk: Any, tuples: int, args: tuple, kwargs: dict) -> Any:
    """The answer of those who override, told the first arguments as tuples and all others by name."""
    try:
        given = signature(walk).bind(*args, **kwargs)
    except TypeError:  # which the call itself tells
        return NotImplemented
    given.apply_defaults()
    values = {name: value for name, value in given.arguments.items() if name != "grad_variables"}
    if values.get("allow_unused", False) is None:
        values["allow_unused"] = values["materialize_grads"]
    first = [values.pop(name) for name in list(values)[:tuples]]
    told = tuple(tuple(v) if type(v) in (tuple, list) else (v,) for v in first)
    return override(function, told, values, [each for some in told for each in some])


def walked(function: Any, walk: Any, tuples: int, args: tuple, kwargs: dict) -> Any:
    """A walk, unless somebody overrides it: an object that is no tensor is asked where the walk does not know it."""
    asked = here.door >= door.ASKED
    answer = answered(function, walk, tuples, args, kwargs) if asked else NotImplemented
    if answer is not NotImplemented:
        return answer
    try:
        return walk(*args, **kwargs)
    except (TypeError, RuntimeError, AssertionError):
        answer = NotImplemented if asked else answered(function, walk, tuples, args, kwargs)
        if answer is NotImplemented:
            raise
        return answer


@wraps(walks.grad)
def grad(*args: Any, **kwargs: Any) -> Any:
    return walked(grad, walks.grad, 2, args, kwargs)


@wraps(walks.backward)
def backward(*args: Any, **kwargs: Any) -> None:
    return walked(backward, walks.backward, 1, args, kwargs)
