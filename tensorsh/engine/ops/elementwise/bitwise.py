"""Bits of integers, and logic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtype import FLOAT, is_half
from ...arrays.errors import not_implemented
from ...arrays.promotion import result_type
from ...kernels import kernel, unsuited
from ...operators.declare import Array, operator
from ...operators.pointwise import of_numpy
from ...operators.python_operators import install
from ...tensors.tensor import Tensor


def refuse(kernel: str) -> Any:
    """A check that refuses floats and complex numbers, also Python's."""

    def check(*operands: Any) -> None:
        common = result_type(operands)
        if common.category >= FLOAT:
            raise not_implemented(kernel, common)

    return check


for _name, _doc in (
    ("bitwise_and", "The bits set in both; of bools, logical and."),
    ("bitwise_or", "The bits set in one or both; of bools, logical or."),
    ("bitwise_xor", "The bits set in one only; of bools, inequality."),
):
    _ufunc = getattr(np, _name)
    of_numpy(_name, _ufunc, _doc, ufunc=_ufunc, check=refuse(_name + "_cpu"), scalars=None, domain="")


@operator(promote="same", inplace=True, scalars=False, check=refuse("bitwise_not_cpu"))
def bitwise_not(xp, input: Array):
    """The bits reversed; of bools, logical not."""
    return xp.invert(input)


def shifted(xp: Any, shift: Any, input: Any, other: Any, beyond: Any) -> Any:
    """A shift; by more bits than there are, or by a negative number, it gives `beyond`, as numpy's do by themselves."""
    if xp is np:
        return shift(input, other)
    bits = 8 * input.dtype.itemsize
    valid = (other >= 0) & (other < bits)
    return xp.where(valid, shift(input, xp.where(valid, other, other.dtype.type(0))), beyond)


@operator(promote="same", inplace=True, ufunc=np.left_shift, check=refuse("lshift_cpu"))
def bitwise_left_shift(xp, input: Array, other: Array):
    """Bits moved up: ``input * 2**other``."""
    if input.dtype.kind == "b":
        raise not_implemented("lshift_cpu", input)
    return shifted(xp, xp.left_shift, input, other, input.dtype.type(0))


@operator(promote="same", inplace=True, ufunc=np.right_shift, check=refuse("rshift_cpu"))
def bitwise_right_shift(xp, input: Array, other: Array):
    """Bits moved down, the sign kept."""
    if input.dtype.kind == "b":
        raise not_implemented("rshift_cpu", input)
    kind = input.dtype.type
    signed = xp is not np and input.dtype.kind == "i"
    return shifted(xp, xp.right_shift, input, other, xp.where(input < 0, kind(-1), kind(0)) if signed else kind(0))


def truth(xp: Any, x: Any) -> Any:
    if is_half(x.dtype) and type(x) is np.ndarray:
        return (x.view(np.uint16) & 0x7FFF) != 0  # numpy widens halves, one by one
    if x.dtype.kind == "b":
        return x
    found = not_zero(x, 0)
    return x != 0 if found is None else found


not_zero = kernel("Loop", lambda *_: unsuited)(2, np.not_equal, np.not_equal, np.not_equal, True)


def logical(name: str, doc: str) -> None:
    def kernel(xp, input: Array, other: Array):
        return getattr(xp, name)(truth(xp, input), truth(xp, other))

    kernel.__doc__ = doc
    operator(name, inplace=True, broadcast=True, wide=False, promote="same", scalars=False)(kernel)


logical("logical_and", "Whether both elements are nonzero.")
logical("logical_or", "Whether one of the elements is nonzero.")
logical("logical_xor", "Whether exactly one of the elements is nonzero.")


@operator(inplace=True)
def logical_not(xp, input: Array):
    """Whether an element is zero.
    bool, of the same shape; on booleans it is `not`."""
    return ~truth(xp, input)


def inverted(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not.function(self)


install("and", "bitwise_and", np.bitwise_and)
install("or", "bitwise_or", np.bitwise_or)
install("xor", "bitwise_xor", np.bitwise_xor)
install("lshift", "bitwise_left_shift")
install("rshift", "bitwise_right_shift")
Tensor.__invert__ = inverted  # type: ignore[attr-defined]
