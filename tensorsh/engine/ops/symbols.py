"""Python's operators on tensors: ``x + y``, ``2 - x``, ``x += y``, ``~x`` and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constants import NUMBERS
from ..fast_pairs import inplace, reflected, symbol
from ..inplace import write
from ..operator import Operator
from ..table import OPERATORS, find_function
from ..tensor import Tensor, wrap
from . import arithmetic, bitwise, comparison, division, powers, rounding  # noqa: F401 - the operators named below

OPERANDS = (Tensor, *NUMBERS)
UFUNCS: dict[str, tuple[str, Any]] = {
    "add": ("add", np.add), "sub": ("sub", np.subtract), "mul": ("mul", np.multiply),
    "truediv": ("true_divide", np.true_divide), "and": ("bitwise_and", np.bitwise_and), "or": ("bitwise_or", np.bitwise_or),
    "xor": ("bitwise_xor", np.bitwise_xor), "lshift": ("bitwise_left_shift", None), "rshift": ("bitwise_right_shift", None),
}  # fmt: skip
"""Operators of two tensors or a tensor and a number: Python's name, the operator's, the ufunc of its short way."""


def install_pairs() -> None:
    for python, (name, ufunc) in UFUNCS.items():
        op = OPERATORS[name]
        options = {"floats": True} if python == "truediv" else {}
        setattr(Tensor, f"__{python}__", symbol(op, ufunc, **options))
        setattr(Tensor, f"__i{python}__", inplace(op, ufunc, options) if ufunc is not None else written(op))
        setattr(Tensor, f"__r{python}__", reflected(op))
    # A sum or product of a number and a tensor is that of the tensor and the number: the number counts as the second operand.
    for python in ("add", "mul"):
        setattr(Tensor, f"__r{python}__", getattr(Tensor, f"__{python}__"))


def written(op: Operator) -> Any:
    rest = op.defaults[2:]

    def form(input: Tensor, other: Any) -> Any:
        return write(op, [input, other, *rest]) if isinstance(other, OPERANDS) else NotImplemented

    return form


def selected(choose: Any) -> tuple:
    """The forms of an operator that is chosen by the kinds of its operands (``x ** 2``, ``2 ** x``)."""
    direct = getattr(choose, "direct", None)

    def forward(input: Any, other: Any) -> Any:
        if direct is not None and (type(other) is int or type(other) is float):
            return direct(input, (other,))
        if isinstance(other, np.ndarray):
            other = wrap(other)
        if not isinstance(other, OPERANDS):
            return NotImplemented
        op, values = choose(input, other)
        return op.run(values) if op.short is None else op.short(*values)

    def backward(other: Any, input: Any) -> Any:
        if not isinstance(input, OPERANDS):
            return NotImplemented
        op, values = choose(input, other)
        return op.run(values) if op.short is None else op.short(*values)

    def changing(input: Any, other: Any) -> Any:
        if not isinstance(other, OPERANDS):
            return NotImplemented
        op, values = choose(input, other)
        return write(op, values)

    return forward, backward, changing


def install_choices() -> None:
    for python, function in (
        ("pow", powers.pow),
        ("mod", OPERATORS["remainder"].function),
        ("floordiv", division.floor_divide),
    ):
        forward, backward, changing = selected(function._operator.kernel)
        setattr(Tensor, f"__{python}__", forward)
        setattr(Tensor, f"__r{python}__", backward)
        setattr(Tensor, f"__i{python}__", changing)


def rsub(self: Tensor, other: Any) -> Any:
    return arithmetic.rsub(self, other) if isinstance(other, OPERANDS) else NotImplemented


def rtruediv(self: Tensor, other: Any) -> Any:
    """``number / x`` is the number times the reciprocal, as PyTorch computes it."""
    if not isinstance(other, NUMBERS):
        return NotImplemented
    return arithmetic.reciprocal.function(self) * other


def invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise.bitwise_not.function(self)


def part(name: str) -> property:
    """``x.real`` and ``x.imag``: views of the same memory, that can be assigned to."""

    def get(self: Tensor) -> Tensor:
        return find_function(name)(self)

    def put(self: Tensor, value: Any) -> None:
        get(self).copy_(value if isinstance(value, Tensor) else self.new_tensor(value))

    return property(get, put)


install_pairs()
install_choices()
Tensor.__rsub__ = rsub  # type: ignore[attr-defined]
Tensor.__rtruediv__ = rtruediv  # type: ignore[attr-defined]
Tensor.__neg__ = arithmetic.neg.function  # type: ignore[attr-defined]
Tensor.__pos__ = arithmetic.positive  # type: ignore[attr-defined]
Tensor.__abs__ = rounding.abs.function  # type: ignore[attr-defined]
Tensor.__invert__ = invert  # type: ignore[attr-defined]
Tensor.real = part("real")  # type: ignore[attr-defined]
Tensor.imag = part("imag")  # type: ignore[attr-defined]
