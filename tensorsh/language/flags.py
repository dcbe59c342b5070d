"""Bare flags at run time: `ones(2, 2, requires_grad)` is `requires_grad=True` where the callee has such a keyword."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

# keywords whose default may be None instead of a bool and that are still flags when given bare
FLAGS = frozenset(
    "requires_grad keepdim keepdims retain_graph create_graph inplace unbiased descending largest sorted bias "
    "return_inverse return_counts bidirectional batch_first nesterov amsgrad maximize shuffle drop_last affine "
    "track_running_stats non_blocking copy pin_memory align_corners ceil_mode count_include_pad allow_unused "
    "right stable as_tuple upper transpose onesided normalized training full set_to_none return_indices".split()
)

# unbound, and with an ordinary argument behind them, these are a mistake and not a name that is bound later
UNMISTAKABLE_FLAGS = frozenset("requires_grad keepdim keepdims retain_graph create_graph allow_unused".split())

_EMPTY: Any = object()


def flag(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`function` with the flag set; Python's NameError where it has no such flag."""
    frame = sys._getframe(1)
    for space in (frame.f_globals, frame.f_builtins):
        if name in space:  # bound since the text was compiled: an ordinary argument after all
            value = space[name]
            return lambda *arguments, **keywords: function(*arguments, value, **keywords)
    default = default_of(function, name)
    if default is True or default is False or (default is None and name in FLAGS):
        from functools import partial

        return partial(function, **{name: True})
    raise NameError(f"name '{name}' is not defined", name=name)


def default_of(function: Any, name: str) -> Any:
    """The default of a keyword parameter, without importing inspect where that can be avoided."""
    signature = getattr(function, "__signature__", None)
    if signature is None:
        if isinstance(function, MethodType):
            return default_of(function.__func__, name)
        if isinstance(function, FunctionType):
            default = _function_default(function, name)
            if default is not _EMPTY or not hasattr(function, "__wrapped__"):
                return default
        from ..sandbox.wrapping import signature as signature_of

        try:
            signature = signature_of(function)
        except (TypeError, ValueError):
            return _EMPTY
    parameters = getattr(signature, "parameters", {})
    parameter = parameters.get(name)
    if parameter is None or parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        return _EMPTY
    return parameter.default


def _function_default(function: FunctionType, name: str) -> Any:
    code = function.__code__
    if function.__kwdefaults__ and name in function.__kwdefaults__:
        return function.__kwdefaults__[name]
    defaults = function.__defaults__ or ()
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount]
    if name in names:
        position = names.index(name) + code.co_posonlyargcount - (code.co_argcount - len(defaults))
        if position >= 0:
            return defaults[position]
    return _EMPTY
