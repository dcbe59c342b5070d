"""`functools.wraps` for functions that a program hands in.

Python's own copies all that is in the `__dict__` of what it is given, also of a class: a wrapper would have numpy's methods
that write files, or what a library's function keeps for the library.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from . import integers, process
from .sealed import MARK, acts_for_program, unguarded


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name and the docstring of another, and the attributes that a program set."""

    def dress(wrapper: Any) -> Any:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        if type(wrapped) is FunctionType:
            wrapper.__annotations__ = dict(wrapped.__annotations__)
            if process.plain or MARK in wrapped.__builtins__:  # type: ignore[attr-defined]
                wrapper.__dict__.update(wrapped.__dict__)
        wrapper.__wrapped__ = wrapped
        return wrapper

    return dress


_real_update = functools.update_wrapper


@functools.wraps(_real_update)
def _update(
    wrapper: Any, wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = ("__dict__",)
) -> Any:
    """Python's own functions that wrap (`contextmanager`) copy the variables of functions alone for programs."""
    if type(wrapped) is not FunctionType and acts_for_program(sys._getframe(1)):
        updated = ()
    return _real_update(wrapper, wrapped, assigned, updated)


functools.update_wrapper = _update  # type: ignore[assignment]


def annotations_of(cls: type) -> dict[str, Any]:
    """The annotations of a class itself. Python 3.14 works them out when somebody asks for them."""
    found = cls.__dict__.get("__annotations__")
    if found is None and sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        found = get_annotations(cls, format=Format.FORWARDREF)
    return found or {}


def builtin(owner: str, count: int = 0) -> Callable[[Any], Any]:
    """A decorator for methods of no argument, or of one, and functions of a module in lower case: called otherwise they say
    what those of a builtin class or module say."""
    own = 0 if owner.islower() else 1

    def dress(method: Any) -> Any:
        title = f"{owner}.{method.__name__}()"

        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs or len(args) != own + count:
                raise misfit(title, args[own:], kwargs, count)
            return method(*args)

        return wraps(method)(call)

    return dress


def misfit(title: str, args: tuple, kwargs: dict, count: int = 0) -> TypeError:
    """The error of a builtin method of no argument, or of one, that is called otherwise."""
    if kwargs:
        return TypeError(f"{title} takes no keyword arguments")
    return TypeError(f"{title} takes {'exactly one argument' if count else 'no arguments'} ({len(args)} given)")


def renamed(function: Any, qualified: str) -> Any:
    """A method under the name of the class that inherits it, which is what Python's messages say."""
    function = unguarded(function)
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, function.__annotations__
    made.__qualname__, made.__module__, made.__doc__ = qualified, function.__module__, function.__doc__
    return made


def signature(function: Any) -> Any:
    """What `inspect.signature` answers. That compares what it finds behind a callable with Python's own `type`: an object of the
    program's there would be given it.

    ValueError: Such an object is there. TypeError: what cannot be called.
    """
    from inspect import signature as real

    if integers.of_program(type(function)):
        function = MethodType(_in_class(type(function), "__call__"), function)
    check_functions(function)
    return real(function)


MOST_WRAPPED = 100


def check_functions(found: Any) -> None:
    """Refuses a callable behind which is more than functions and classes."""
    for _ in range(MOST_WRAPPED):
        if isinstance(found, (MethodType, staticmethod, classmethod)):
            found = found.__func__
        elif isinstance(found, partial):
            found = found.func
        elif not integers.of_program(type(found)) and "__wrapped__" in getattr(found, "__dict__", ()):
            found = found.__dict__["__wrapped__"]
        else:
            break
    else:
        raise ValueError("functions are wrapped too deep")
    if isinstance(found, type):
        for name in ("__new__", "__init__"):
            check_functions(_in_class(found, name))
    elif integers.of_program(type(found)):
        raise ValueError(f"no signature found for {type(found).__name__!r} object")


def _in_class(kind: type, name: str) -> Any:
    """An attribute of a class as it stands there."""
    return next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
