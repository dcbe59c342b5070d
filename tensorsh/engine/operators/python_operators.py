"""Python's operators on tensors: ``x + y``, ``2 - x``, ``x += y`` and their like, each installed by the family of its operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import NUMBERS
from ..arrays.numbers import check_width
from ..loading.table import OPERATORS
from ..tensors.inplace import write
from ..tensors.tensor import Tensor
from .declare import Operator
from .elementwise import inplace, reflected
from .public_form import Symbol, of_array

OPERANDS = (Tensor, *NUMBERS)
NARROW = 1 << 62


def install(python: str, name: str, ufunc: Any = None, **options: bool) -> None:
    """An operator of two tensors, or a tensor and a number: Python's name, the operator's, the ufunc of its short way and how it is used (`by`)."""
    op = OPERATORS[name]
    setattr(Tensor, f"__{python}__", Symbol(f"Tensor.__{python}__", op, True))
    setattr(Tensor, f"__i{python}__", inplace(op, ufunc, options) if ufunc is not None else written(op))
    setattr(Tensor, f"__r{python}__", reflected(op))


def written(op: Operator) -> Any:
    rest = op.defaults[2:]

    def form(input: Tensor, other: Any) -> Any:
        return write(op, [input, other, *rest]) if isinstance(other, OPERANDS) else NotImplemented

    return form


def selected(choose: Any) -> tuple:
    """The forms of an operator that is chosen by the kinds of its operands (``x ** 2``, ``2 ** x``)."""
    direct = getattr(choose, "direct", None)

    def forward(input: Any, other: Any, modulus: Any = None) -> Any:
        kind = type(other)
        if direct is not None and (kind is float or kind is int and -NARROW < other < NARROW) and modulus is None:
            return direct([input, other])
        if isinstance(other, np.ndarray):
            other = of_array(input, other)
        if modulus is not None or not isinstance(other, OPERANDS):
            return NotImplemented
        if isinstance(other, int):
            check_width(other)
        op, values = choose(input, other)
        return op.run(list(values))

    def backward(other: Any, input: Any) -> Any:
        if not isinstance(input, OPERANDS):
            return NotImplemented
        if isinstance(input, int):
            check_width(input)
        op, values = choose(input, other)
        return op.run(list(values))

    def changing(input: Any, other: Any) -> Any:
        if not isinstance(other, OPERANDS):
            return NotImplemented
        if isinstance(other, int):
            check_width(other)
        op, values = choose(input, other)
        return write(op, values)

    return forward, backward, changing


def install_choice(python: str, function: Any) -> None:
    """An operator chosen by the kinds of its operands."""
    forward, backward, changing = selected(function._operator.kernel)
    setattr(Tensor, f"__{python}__", forward)
    setattr(Tensor, f"__r{python}__", backward)
    setattr(Tensor, f"__i{python}__", changing)
