"""Comparisons of tensors and numbers, tests for special values, closeness and equality."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of, same_device
from ...arrays.cupy_module import nowhere
from ...arrays.device import absent
from ...arrays.errors import check_broadcast
from ...arrays.promotion import result_type
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...numerics.complex import modulus
from ...operators.composite import not_tensor
from ...operators.declare import Array, by, composite, operator
from ...operators.pointwise import refuse
from ...operators.public_form import Symbol
from ...tensors.inplace import write
from ...tensors.tensor import Tensor
from ...wording.overloads import refuse as refuse_arguments


def comparison(names: str, ufunc: Any, doc: str) -> None:
    def kernel(xp, input: Array, other: Array):
        return getattr(xp, ufunc.__name__)(input, other)

    def with_number(xp, input: Array, other):
        return kernel(xp, input, other)

    def form(*args: Any, **kwargs: Any) -> Tensor:
        values = op.bind(args, kwargs)
        if check is not None:
            check(*[getattr(x, "_array", x) for x in values])
        return write(tensors if isinstance(values[1], Tensor) else number, values)

    name = names.split()[0]
    kernel.__doc__ = doc
    real = name not in ("eq", "ne")
    check = refuse(f"{name}_cpu", "c") if real else None
    op = operator(names, promote="same", inplace=form, ufunc=by(ufunc, real=real), wide=False, check=check)(kernel)
    # Only the in-place forms have a history: its gradient is 0.
    tensors = operator(f"_{name}_tensor", promote="same", method=False, node=f"{name.title()}Backward1")(kernel)
    nothing = lambda t, g: t.zeros_like(g)
    tensors.gradient(input=nothing, other=nothing)
    node = f"{name.title()}Backward0"
    number = operator(f"_{name}_number", promote="same input other", method=False, node=node)(with_number)
    number.gradient(input=nothing)
    # A comparison's answer to Python is its operator's; what cannot be compared is left to Python.
    setattr(Tensor, f"__{name}__", Symbol(f"Tensor.__{name}__", op, True))


comparison("eq", np.equal, "Whether elements are equal.")
comparison("ne not_equal", np.not_equal, "Whether elements differ.")
comparison("lt less", np.less, "Whether elements of the first are smaller.")
comparison("le less_equal", np.less_equal, "Whether elements of the first are smaller or equal.")
comparison("gt greater", np.greater, "Whether elements of the first are larger.")
comparison("ge greater_equal", np.greater_equal, "Whether elements of the first are larger or equal.")


def kind_of(x: Any) -> str:
    """numpy's letter of a dtype's kind, "f" for the float types numpy does not know."""
    return "f" if x.dtype.kind == "V" else x.dtype.kind


def special_value(name: str, doc: str, whole: bool = False) -> None:
    """A test of numbers by a function of numpy's; the answer for integers is `whole`."""

    def kernel(xp, input: Array):
        if kind_of(input) in "biu":
            return xp.full(input.shape, whole)
        return getattr(xp, name)(input)

    kernel.__doc__ = doc
    operator(name, wide=True, out=False)(kernel)


special_value("isnan", "Whether an element is NaN.")
special_value("isinf", "Whether an element is infinite.")
special_value("isfinite", "Whether an element is neither infinite nor NaN.", whole=True)


def infinite(name: str, number: float) -> None:
    def kernel(xp, input: Array):
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name} does not support complex inputs.")
        return xp.full(input.shape, False) if kind_of(input) in "biu" else input == number

    kernel.__doc__ = f"Whether an element is {number}."
    operator(name, wide=True)(kernel)


infinite("isposinf", np.inf)
infinite("isneginf", -np.inf)


@operator()
def isreal(xp, input: Array):
    """Whether an element has no imaginary part."""
    return input.imag == 0 if input.dtype.kind == "c" else xp.full(input.shape, True)


def check_close(input: Tensor, other: Any, rtol: float, atol: float, name: str) -> None:
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        raise not_tensor(name, input=input, other=other)
    if input._array.dtype != other._array.dtype:
        raise RuntimeError(f"{input.dtype.short} did not match {other.dtype.short}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")


def close(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Elementwise ``|x - y| <= atol + rtol * |y|``, or equal."""
    same = x == y
    kind = kind_of(x)
    if equal_nan and kind in "fc":
        same = same | (np.isnan(x) & np.isnan(y))
    if kind in "biu":
        if rtol == 0 and atol == 0:
            return same
        x, y = x.astype(np.float64), y.astype(np.float64)
    elif x.dtype.itemsize <= 2:
        x, y = x.astype(np.float32), y.astype(np.float32)
    difference, scale = x - y, rtol * y
    if kind == "c":
        xp = module_of(x)
        difference, scale = (modulus(xp, xp.asarray(each)) for each in (difference, scale))
    difference = np.abs(difference)
    allowed = atol + np.abs(scale)
    return same | (np.isfinite(difference) & (difference <= allowed))


@composite()
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements differ by no more than ``atol + rtol * |other|``.
    bool, of the common shape; `rtol` is 1e-5, `atol` 1e-8. NaN is close to nothing, to NaN with `equal_nan`;
    infinities to themselves. RuntimeError: dtypes that differ."""
    check_close(input, other, rtol, atol, "isclose")
    check_broadcast([input._array, other._array])
    return wrap(close(input._array, other._array, rtol, atol, equal_nan))


@composite()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close (see :func:`isclose`).
    A Python bool: each |input - other| is at most ``atol + rtol * |other|`` (1e-8 and 1e-5). NaN is close to nothing,
    to NaN with `equal_nan`. RuntimeError: dtypes that differ, shapes that do not broadcast."""
    check_close(input, other, rtol, atol, "allclose")
    return isclose(input, other, rtol, atol, equal_nan).all().item()


@composite()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.
    A Python bool. NaN equals nothing; sizes that differ give False. `eq` compares element by element, `allclose` with
    tolerance. RuntimeError: tensors on several devices."""
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        raise not_tensor("equal", input=input, other=other)
    x, y = input._array, other._array
    if type(x) is not np.ndarray or type(y) is not np.ndarray:
        if absent(x) or absent(y):
            raise nowhere().refusal("equal")
        same_device("equal", input=x, other=y)
    if x.shape != y.shape:
        return False
    if type(x) is type(y) is np.ndarray and x.dtype is y.dtype and x.dtype.kind in "biufc":
        if x.size > FEW and x.item(0) != y.item(0):
            return False
        if x.size <= SOME:
            found = quick_equal(x, y)
            return b"\0" not in (x == y if found is None else found).tobytes()  # truth values are bytes
    common = result_type([x, y]).numpy
    if type(x) is np.ndarray and x.ndim and len(x) > 1 and x.size > SOME and not same(x[:1], y[:1], common):
        return False
    return same(x, y, common)


quick_equal = kernel("Loop", lambda *_: unsuited)(2, np.equal, np.equal, np.equal, False)
FEW, SOME = 64, 1 << 14
"""Of larger tensors the first element, and the first rows, are compared first: those that differ mostly do so there."""


def same(x: Any, y: Any, common: Any) -> bool:
    return (x.astype(common, copy=False) == y.astype(common, copy=False)).all().item()


@composite("is_nonzero")
def is_nonzero(input: Tensor) -> bool:
    """The truth of a tensor with one element."""
    if not isinstance(input, Tensor):
        refuse_arguments("is_nonzero", (input,), {})
    return bool(input)
