"""Functions of tensors made of operators: the same forms are derived from them as from operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import table
from .signature import Form


class Composite:
    """An operator written with other operators: it has no node of its own."""

    def __init__(self, function: Callable, names: list[str], kernel: Any = None) -> None:
        self.function, self.kernel, self.names = function, kernel or function, names
        self.name = names[0].rpartition(".")[2]
        self.differentiable = None


def composite(
    names: str = "",
    /,
    *,
    method: bool | str = True,
    inplace: Any = False,
    kernel: Any = None,
    guard: bool = True,
    hosted: bool = False,
) -> Callable:
    """Declare a function of tensors made of other operators.

    `method` and `inplace` as for `operator`; `inplace` may also be the in-place function itself.  kernel: the function
    whose parameters count, with ``out``, where another one wraps it.  guard: wrong calls are explained as PyTorch does,
    at the price of one more call.  hosted: as for `operator`; the copies are recorded, so gradients flow through them.
    """

    def declare(function: Callable) -> Callable:
        public = names.split() or [function.__name__]
        written = kernel or function
        if hosted:
            from . import backend

            function = backend.hosted(function)
        op = Composite(function, public, written)
        function.__module__ = "torch"
        function._operator = op  # type: ignore[attr-defined]
        form = Form(public[0], function, op, kernel is not None)
        function.__wrapped__ = form  # type: ignore[attr-defined]
        shown = function
        if guard:
            form.owner = shown = table.shielded(function, public)
        table.add(op, public, shown, method, inplace)
        return function

    return declare
