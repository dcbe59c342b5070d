"""Public forms of functions: one closure for each name, which knows its title (``torch.add``, ``Tensor.add_``) and words its errors.

A form takes arguments as the program gives them. It is the only place that catches what a call raises; what stands below
raises plainly. A short way in front of a form leaves to it whatever is unusual, or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays.door import PROCEED, ask
from ..wording.arguments import checked, takes_lists, types_of
from ..wording.dtype_refusals import refuse
from .casts import door_of
from .public_form import form_of
from .signature import Form
from .titles import Choice


def public(title: str, answer: Callable, names: Sequence[str] = (), executor: Any = None) -> Callable:
    """The form of a title. ``answer(args, kwargs)`` answers any arguments; names: under one of which there may be a function
    for sparse tensors without a rule; executor: an operator whose loop answers for the tensors that it is for."""
    return form_of(title, answer, names, None, executor)


def form(
    title: str, run: Callable, names: list[str] | None = None, dtypes: bool = True, out: bool = True,
    choices: dict | None = None, executor: Any = None,
) -> Callable:  # fmt: skip
    """The form of a function in Python: arguments that fit none of PyTorch's overloads are refused before it is called.
    names: all that it goes by, under one of which rules for `dtypes` and `out` are recorded. choices: as for `Choice`; executor: as for `public`."""
    known: set[tuple] = set()
    names = names or [title.partition(".")[2]]
    limited: Any = dtypes
    lists: bool | None = None  # whether what is in a list counts, once that was asked

    def answer(args: tuple, kwargs: dict) -> Any:
        nonlocal limited, lists
        types = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else (*map(type, args),)
        if lists is not False and (tuple in types or list in types):
            if lists is None:
                lists = takes_lists(title)
            if lists:
                types = types_of(args, kwargs)
        if types not in known:
            args, kwargs = checked(title, known, types, args, kwargs)
        if out and "out" in kwargs:
            from . import out_rules

            out_rules.check_out(names, args, kwargs["out"])
            if out_rules.left_to_form(names, run, kwargs["out"]):
                return out_rules.delivered(names, run, args, kwargs)
        result = run(*args, **kwargs)
        array = getattr(args[0], "_array", None) if limited and args else None
        if array is not None and array.dtype.kind in "biuc" and kwargs.get("dtype") is None:
            limited = refuse(limited, names, array, args, result)
        return result

    return public(title, Choice(choices, answer).answer if choices else answer, names, executor)


def heard(title: str, function: Callable) -> Callable:
    """The form of a function that words its errors itself: a property's, a Python method's."""
    door = door_of(title)

    def call(*args: Any, **kwargs: Any) -> Any:
        if door and (given := ask(call, args, kwargs)) is not PROCEED:
            return given
        return function(*args, **kwargs)

    call._title = title  # type: ignore[attr-defined]
    dressed(call, function).__dict__.setdefault("__wrapped__", Form(title.rpartition(".")[2], function))
    return call


def asks(function: Any, owner: str) -> bool:
    """Whether a function is a form of the namespace ``torch``, or ``Tensor``."""
    return getattr(function, "_title", "").partition(".")[0] == owner


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def in_one_tuple(function: Callable, form: Callable, place: int) -> Callable:
    """The function of a method that takes separate integers (``x.permute(1, 0)``): it takes them in one tuple only."""

    def call(*args: Any, **kwargs: Any) -> Any:
        separate = len(args) > place and (len(args) > place + 1 or isinstance(args[place], int))
        return (form if separate else function)(*args, **kwargs)

    call._title = form._title  # type: ignore[attr-defined]
    return call


def dressed(form: Callable, function: Callable) -> Callable:
    """A form with the names, the docstring and the record of what it calls."""
    if form is not function:
        form.__dict__.update({**function.__dict__, **form.__dict__})
        for each in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
            setattr(form, each, getattr(function, each))
    return form
