"""Functions that data pipes are given: whether they can be pickled, and how many arguments they take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ....engine.arrays.warning import warn
from ....sandbox.wrapping import signature

__all__ = ["validate_input_col"]


def validate_input_col(fn: Callable, input_col: Any) -> None:
    """ValueError where a function takes another number of arguments. fn: the function. input_col: a column or several."""
    try:
        given = signature(fn).parameters
    except ValueError:
        return
    count = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    kinds = inspect.Parameter
    places = [p for p in given.values() if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    named = [p for p in given.values() if p.kind is kinds.KEYWORD_ONLY and p.default is p.empty]
    any_number = any(p.kind is kinds.VAR_POSITIONAL for p in given.values())
    bare = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(bare, "__name__", repr(bare))
    if named:
        raise ValueError(
            f"The function {name} takes {len(named)} non-default keyword-only parameters, which is not allowed."
        )
    if len(given) < count and not any_number:
        raise ValueError(f"The function {name} takes {len(given)} parameters, but {count} are required.")
    too_many = any(p.default is p.empty for p in places[count:])
    if too_many or len(places) < count <= len(given) and not any_number:
        raise ValueError(f"The function {name} takes {len(places)} positional parameters, but {count} are required.")


def _check_unpickable_fn(fn: Any) -> None:
    """Warns of a function that cannot be pickled."""
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    fn = fn.func if isinstance(fn, functools.partial) else fn
    code = getattr(fn, "__code__", None)
    local = code.co_flags & inspect.CO_NESTED if code is not None else "<locals>" in type(fn).__qualname__
    if local:
        warn(
            "Local function is not supported by pickle, please use regular python function or functools.partial instead."
        )
    elif getattr(fn, "__name__", "") == "<lambda>":
        warn(
            "Lambda function is not supported by pickle, please use regular python function or functools.partial instead."
        )
