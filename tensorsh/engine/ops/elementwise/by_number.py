"""Sums, differences, products and quotients with a number that is no operand of the node.

`x * 2` in a program keeps a place for the 2 in ``next_functions``. Where a function of PyTorch multiplies by a number of its
own it does not, and the node is that of another overload: MulBackward1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...numerics.halves import computed, number
from ...operators.declare import Array, operator
from ...tensors.tensor import Tensor


def by_half(ufunc: Any, a: Any, value: Any, exact: bool) -> Any:
    """A ufunc of a large array of a half type and a number; None for others."""
    if type(a) is not np.ndarray or type(value) is not float and type(value) is not int:
        return None
    given = number(a, value, exact)
    return None if given is None else computed(ufunc, a, given)


def by_number(name: str, ufunc: str, promote: str, slope: Any) -> Any:
    """The function of a tensor and a number that is one of the four operations."""

    def kernel(xp, input: Array, number):
        return getattr(xp, ufunc)(input, number)

    title = {"subtract": "Sub", "multiply": "Mul", "true_divide": "Div"}.get(ufunc, "Add")
    kernel.__doc__ = f"{ufunc} with a number that is no tensor operand."
    op = operator(f"_{name}", method=False, node=title + "Backward1", promote=promote + " input number",
                  scalars="exact" if title in ("Mul", "Div") else True)(kernel)  # fmt: skip
    op.gradient(input=slope)
    call = getattr(np, ufunc)
    op.fast = lambda a, value: call(a, value) if type(value) is float else None
    op.same = lambda a, value: by_half(call, a, value, op.exact_numbers)

    def function(input: Tensor, number: Any) -> Tensor:
        return op.function(input, number.item() if isinstance(number, Tensor) else number)

    return function


plus = by_number("plus_number", "add", "same", lambda t, g: g)
minus = by_number("minus_number", "subtract", "same", lambda t, g: g)
times = by_number("times_number", "multiply", "same", lambda t, g, number: g * number.conjugate())
over = by_number("over_number", "true_divide", "float", lambda t, g, number: g / number.conjugate())
