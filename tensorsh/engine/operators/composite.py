"""Functions of tensors made of operators: the same forms are derived from them as from operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.type_names import type_name
from ..loading.table import FUNCTIONS
from ..tensors.tensor import Tensor
from . import forms, placement
from .executor import REQUIRED
from .registration import add
from .signature import Form


class Composite:
    """An operator written with other operators: it has no node of its own."""

    shorten_inplace = None

    def __init__(self, function: Callable, names: list[str], kernel: Any = None, domain: str = "") -> None:
        self.function, self.kernel, self.names = function, kernel or function, names
        self.name = names[0].rpartition(".")[2]
        self.differentiable = None
        self.domain = domain


def composite(
    names: str = "", /, *, method: bool | str = True, inplace: Any = False, kernel: Any = None, choices: dict | None = None,
    executor: Any = None, dtypes: bool = True, out: bool = True, hosted: bool = False, domain: str = "",
) -> Callable:  # fmt: skip
    """Declare a function of tensors made of other operators.

    `method` and `domain` as for `operator`; `inplace`: the in-place function, if there is one.  kernel: the function whose
    parameters count, with ``out``, where another one wraps it.  choices: the operators that answer where the first operand is of
    floats, by the types of the arguments.  executor: an operator whose loop answers for the tensors that it is for.  dtypes,
    out: whether the recorded rules for dtypes, and for ``out=``, are those of this function, and not of the operators that it
    calls.  hosted: as for `operator`; the copies are recorded, so gradients flow through them."""

    def declare(function: Callable) -> Callable:
        public = names.split() or [function.__name__]
        written = kernel or function
        if hosted:
            function = placement.hosted(function)
        op = Composite(function, public, written, domain)
        function.__module__ = "torch"
        function._operator = op  # type: ignore[attr-defined]
        form = Form(public[0], function, op, kernel is not None)
        function.__wrapped__ = form  # type: ignore[attr-defined]

        def make(title: str) -> Callable:
            return forms.dressed(forms.form(title, function, public, dtypes, out, choices, executor), function)

        add(op, public, make, method, inplace)
        form.owner = FUNCTIONS[public[0]]
        return function

    return declare


def not_tensor(function: str, **arguments: Any) -> TypeError:
    """The error for the first of a composite's arguments that is no tensor."""
    missing = [f'"{name}"' for name, x in arguments.items() if x is REQUIRED]
    if missing:
        return TypeError(f"{function}() missing {len(missing)} required positional arguments: {', '.join(missing)}")
    name, x = next((name, x) for name, x in arguments.items() if not isinstance(x, Tensor))
    place = [*arguments].index(name) + 1
    return TypeError(f"{function}(): argument '{name}' (position {place}) must be Tensor, not {type_name(x)}")
