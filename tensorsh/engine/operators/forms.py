"""Public forms of functions: one closure for each name, which knows its title (``torch.add``, ``Tensor.add_``) and words its errors.

A form takes arguments as the program gives them. It is the only place that catches what a call raises; what stands below
raises plainly. A short way in front of a form leaves to it whatever is unusual, or fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays.door import PROCEED, ask
from ..arrays.state import here
from ..arrays.switches import ever
from .casts import door_of
from .public_form import form_of
from .signature import Form
from .titles import Function


def public(title: str, answer: Callable, names: Sequence[str] = (), executor: Any = None) -> Callable:
    """The form of a title. ``answer(args, kwargs)`` answers any arguments; names: under one of which there may be a function
    for sparse tensors without a rule; executor: an operator whose loop answers for the tensors that it is for."""
    return form_of(title, answer, names, None, executor)


def form(
    title: str, run: Callable, names: list[str] | None = None, dtypes: bool = True, out: bool = True,
    choices: dict | None = None, executor: Any = None,
) -> Callable:  # fmt: skip
    """The form of a function in Python: arguments that fit none of PyTorch's overloads are refused before it is called.
    names: all that it goes by, under one of which rules for `dtypes` and `out` are recorded. choices: the operators that
    answer for float tensors, by the types of the arguments; executor: as for `public`."""
    names = names or [title.partition(".")[2]]
    return form_of(title, None, names, Function(title, run, names, dtypes, out), executor, choices)


def heard(title: str, function: Callable) -> Callable:
    """The form of a function that words its errors itself: a property's, a Python method's."""
    door = door_of(title)

    def call(*args: Any, **kwargs: Any) -> Any:
        if ever and here.door >= door and (given := ask(call, args, kwargs)) is not PROCEED:
            return given
        return function(*args, **kwargs)

    call._title = title  # type: ignore[attr-defined]
    dressed(call, function).__dict__.setdefault("__wrapped__", Form(title.rpartition(".")[2], function))
    return call


def asks(function: Any, owner: str) -> bool:
    """Whether a function is a form of the namespace ``torch``, or ``Tensor``."""
    return getattr(function, "_title", "").partition(".")[0] == owner


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
