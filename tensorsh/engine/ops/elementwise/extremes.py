"""Larger and smaller of two, clamping, choosing by a mask."""

from __future__ import annotations

from types import NoneType
from typing import Any

import numpy as np
from numpy._core.umath import clip  # np.clip is a Python function around this ufunc, three times as slow

from ...arrays.constants import constant
from ...arrays.errors import check_broadcast, combination_error, not_implemented
from ...arrays.numbers import LOOSE, converted
from ...arrays.promotion import result_type
from ...arrays.warning import warn_once
from ...graph.fields import wrap
from ...kernels import through
from ...loading import table
from ...numerics import choices
from ...numerics.halves import both_halves, by_kernel, in_rows
from ...operators.declare import Array, by, composite
from ...operators.pointwise import (
    chosen,
    hidden,
    is_number,
    no_derivative,
    of_numpy,
    refuse,
    takes_floats,
    tensors_only,
)
from ...tensors.tensor import Tensor


def refuse_complex(name: str) -> Any:
    def check(*operands: Any) -> None:
        if any(x.dtype.kind == "c" for x in operands):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return takes_floats(check)


def extreme_of_two(ufunc: Any, doc: str) -> Any:
    name = ufunc.__name__
    options = {"ufunc": by(ufunc, real=True), "check": refuse_complex(name), "inplace": False}
    return of_numpy(name, ufunc, f"The elementwise {name}{doc}", **options)


def tied(ufunc: Any, before: Any) -> None:
    """The larger or smaller of two elements; a tie shares the gradient."""

    def share(t: Any, g: Any, own: Any, other: Any) -> Any:
        return t.where(own == other, g / 2, t.where(before(other, own), t.zeros_like(g), g))

    extreme_of_two(ufunc, "; NaN where either is NaN.").gradient(
        input=lambda t, g, input, other: share(t, g, input, other),
        other=lambda t, g, input, other: share(t, g, other, input),
    )


tied(np.maximum, lambda x, y: x > y)
tied(np.minimum, lambda x, y: x < y)


def without_nan(ufunc: Any, ahead: Any) -> None:
    """The larger or smaller of two elements, the other where one is NaN; a tie goes to the first."""

    def first(t: Any, input: Any, other: Any) -> Any:
        return t.logical_or(ahead(input, other), t.isnan(other))

    extreme_of_two(ufunc, ": the number where one of the two is NaN.").gradient(
        input=lambda t, g, input, other: t.where(first(t, input, other), g, t.zeros_like(g)),
        other=lambda t, g, input, other: t.where(first(t, input, other), t.zeros_like(g), g),
    )


without_nan(np.fmax, lambda x, y: x >= y)
without_nan(np.fmin, lambda x, y: x <= y)

# -- clamp


def clamped(xp: Any, input: Any, low: Any, high: Any) -> Any:
    """The kernel of every clamp: NaN stays, and where low > high the result is high; of equal zeros it is the second, `input`,
    that a ufunc gives."""
    if xp is np and isinstance(low, (np.integer, NoneType)) and isinstance(high, (np.integer, NoneType)):
        if (found := choices.limited(input, low, high)) is not None:
            return found
        if low is not None and high is not None:
            return clip(input, low, high)
    alike = xp is np and type(low) is type(high) is input.dtype.type and input.dtype.kind == "f"
    if alike and low == low and high == high:
        if (found := through("hardtanh", input, low, high)) is not None:
            return found
    if low is not None:
        input = xp.maximum(low, input)
    return input if high is None else xp.minimum(high, input)


LEAST_RANGE = 65504.0
"""The largest float16: smaller numbers are in the range of all of numpy's floats."""


def check_clamp(*values: Any) -> None:
    if values[0].dtype.kind == "f":  # usual bounds are in the range of all floats
        for x in values[1:]:
            if x is not None and (
                (type(x) is not float and type(x) is not int) or not -LEAST_RANGE <= x <= LEAST_RANGE
            ):
                break
        else:
            return
    for x in values:
        if (getattr(x, "dtype", None) is not None and x.dtype.kind == "c") or isinstance(x, complex):
            raise NotImplementedError("clamp is not supported for complex types")
    numbers = [x for x in values if x is not None and not hasattr(x, "dtype")]
    if numbers and values[0].dtype.kind == "f":
        numbers = [
            x for x in numbers if not (type(x) is float or type(x) is int) or not -LEAST_RANGE <= x <= LEAST_RANGE
        ]
    if numbers:
        common = result_type([x for x in values if x is not None]).numpy
        for x in numbers:
            converted(x, common)


def inside(t: Any, x: Any, low: Any, high: Any) -> Any:
    """Where a clamp passes its gradient on: between the bounds, both included."""
    if low is None:
        return x <= high
    if high is None:
        return x >= low
    return t.logical_and(x >= low, x <= high)


def short_clamp(x: Any, low: Any, high: Any) -> Any:
    dtype = x.dtype
    if high is None:
        if x.size < SEVERAL:
            return np.maximum(constant(low, dtype), x)
        high = INFINITY
    elif low is None:
        if x.size < SEVERAL:
            return np.minimum(constant(high, dtype), x)
        low = -INFINITY
    return clip(x, constant(low, dtype), constant(high, dtype))


SEVERAL, INFINITY = 256, float("inf")
"""Of so many elements two bounds are three times as fast as one: numpy takes an array and a number one by one where it compares them."""


@hidden(
    "_clamp_numbers",
    node="ClampBackward1",
    promote="same input min max",
    check=check_clamp,
    ufunc=short_clamp,
    domain="",
)
def clamp_numbers(xp, input: Array, min=None, max=None):
    """Elements limited to numbers."""
    return clamped(xp, input, min, max)


def numbers_between(x: Any, low: Any, high: Any) -> Any:
    """The bounds of a half type, where none is NaN."""
    low, high = -INFINITY if low is None else low, INFINITY if high is None else high
    return (x, low, high) if low == low and high == high else None


clamp_numbers.same = by_kernel("hardtanh", numbers_between)


@clamp_numbers.gradient_of("input")
def clamp_gradient(t: Any, g: Any, input: Any, min: Any, max: Any) -> Any:
    if min is not None and max is not None and min != min:
        return t.zeros_like(g)
    return t.where(inside(t, input, min, max), g, t.zeros_like(g))


@hidden("_clamp_tensors", node="ClampBackward0", scalars=False, check=check_clamp)
def clamp_tensors(xp, input: Array, min: Array = None, max: Array = None):
    """Elements limited to the elements of tensors."""
    if input.dtype.kind == "b" and min is not None and max is not None:
        raise not_implemented("clamp_cpu", input)
    return clamped(xp, input, min, max)


def below(t: Any, g: Any, input: Any, min: Any, max: Any) -> Any:
    """The gradient of the lower bound."""
    where = input < min if max is None else t.logical_and(input < min, min < max)
    return t.where(where, g, t.zeros_like(g))


def above(t: Any, g: Any, input: Any, min: Any, max: Any) -> Any:
    """The gradient of the upper bound."""
    where = input > max if min is None else t.logical_or(input > max, max < min)
    return t.where(where, g, t.zeros_like(g))


clamp_tensors.gradient(
    input=lambda t, g, input, min, max: t.where(inside(t, input, min, max), g, t.zeros_like(g)), min=below, max=above
)


def one_bound(name: str, bound: str, node: str) -> tuple:
    """`clamp_min` or `clamp_max`: by a number, by a tensor."""
    low = bound == "min"
    both = (lambda b: (b, None)) if low else (lambda b: (None, b))

    @hidden(f"_{name}_number", node=node + "0", promote="same input bound", check=check_clamp,
            ufunc=lambda x, b: short_clamp(x, *both(b)))  # fmt: skip
    def by_number(xp, input: Array, bound):
        return clamped(xp, input, *both(bound))

    by_number.same = by_kernel("hardtanh", lambda x, b: numbers_between(x, *both(b)))
    check = refuse("maximum_cpu" if low else "minimum_cpu", "c")

    @hidden(f"_{name}_tensor", node=node + "1", scalars=False, check=check)
    def by_tensor(xp, input: Array, bound: Array):
        return clamped(xp, input, *both(bound))

    by_tensor.same = lambda x, b: both_halves(np.maximum if low else np.minimum, b, x)
    passes = (lambda x, b: x >= b) if low else (lambda x, b: x <= b)
    stops = (lambda x, b: x < b) if low else (lambda x, b: x > b)
    by_number.gradient(input=lambda t, g, input, bound: t.where(passes(input, bound), g, t.zeros_like(g)))
    by_tensor.gradient(
        input=lambda t, g, input, bound: t.where(passes(input, bound), g, t.zeros_like(g)),
        bound=lambda t, g, input, bound: t.where(stops(input, bound), g, t.zeros_like(g)),
    )
    return by_number, by_tensor


CLAMP_MIN = one_bound("clamp_min", "min", "ClampMinBackward")
CLAMP_MAX = one_bound("clamp_max", "max", "ClampMaxBackward")


@chosen("clamp_min", usual=CLAMP_MIN[0], choices={(Tensor, Tensor): CLAMP_MIN[1]})
def clamp_min(input, min):
    """Elements not below `min`, a number or a tensor."""
    return CLAMP_MIN[isinstance(min, Tensor)], [input, min]


@chosen("clamp_max", usual=CLAMP_MAX[0], choices={(Tensor, Tensor): CLAMP_MAX[1]})
def clamp_max(input, max):
    """Elements not above `max`, a number or a tensor."""
    return CLAMP_MAX[isinstance(max, Tensor)], [input, max]


PLAIN = frozenset((int, float, type(None)))


@chosen("clamp clip", usual=clamp_numbers)
def clamp(input, min=None, max=None):
    """Elements limited to [min, max], numbers or tensors; one of the bounds may be absent.
    Where min is above max, all are max. RuntimeError: no bound at all; NotImplementedError: complex numbers."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if type(min) in PLAIN and type(max) in PLAIN:
        return clamp_numbers, (input, min, max)
    kinds = [isinstance(b, Tensor) for b in (min, max) if b is not None]
    if all(kinds):
        return clamp_tensors, [input, min, max]
    if any(kinds) or not all(is_number(b) for b in (min, max) if b is not None):
        raise combination_error("clamp", input, min, max)
    return clamp_numbers, [input, min, max]


# -- choice


def check_condition(condition: Any, *operands: Any) -> None:
    """Only what is true or false chooses."""
    if getattr(condition, "_array", condition).dtype.kind != "b":
        raise TypeError("a condition that is not bool")


@hidden("_where", node="WhereBackward0", promote="same input other", wide=False, check=check_condition)
def where_tensors(xp, condition, input: Array, other: Array):
    """`input` where the condition holds, `other` elsewhere."""
    condition = condition._array if isinstance(condition, Tensor) else condition
    if xp is np and type(condition) is np.ndarray:
        if (found := choices.choose(condition, np.asarray(input), np.asarray(other))) is not None:
            return found
    try:
        return xp.where(condition, input, other)
    except ValueError:
        check_broadcast([condition, input, other])
        raise


def chosen_elements(condition, x, y):
    """As `where`, of numpy's arrays of one dtype; None for others."""
    mask = condition._array
    if type(mask) is not np.ndarray or mask.dtype is not BOOL:
        return None
    return choices.where(mask, x, y)


BOOL = np.dtype(bool)
where_tensors.fast = chosen_elements
where_tensors.gradient(
    input=lambda t, g, condition: t.where(condition, g, t.zeros_like(g)),
    other=lambda t, g, condition: t.where(condition, t.zeros_like(g), g),
)


def check_choice(*choices: Any) -> None:
    """Numbers to choose must fit the common dtype."""
    common = result_type([getattr(x, "_array", x) for x in choices]).numpy
    for x in choices:
        if not isinstance(x, Tensor):
            converted(x, common, LOOSE)


def any_where(condition, input=None, other=None, *, out=None):
    """`input` where the condition holds, `other` elsewhere; the indices of what is true when only a condition is given.
    All three broadcast to a common shape, numbers among them; the dtypes of `input` and `other` are promoted. Gradients go to
    the side that was taken. RuntimeError: a condition that is not bool, shapes that do not broadcast."""
    if input is None and other is None:
        return table.find_function("nonzero")(condition, as_tuple=True)
    if not isinstance(condition, Tensor):
        if not isinstance(condition, np.ndarray):
            raise combination_error("where", condition, input, other)
        condition = wrap(condition)
    for x in (input, other):
        if not isinstance(x, Tensor) and not is_number(x):
            raise combination_error("where", condition, input, other)
    if condition._array.dtype.kind != "b":
        if condition._array.dtype != np.uint8:
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.short}"
            )
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
            "PyTorch. Use a boolean condition instead."
        )
        condition = wrap(condition._array.astype(bool))
    values = [condition, input, other]
    if is_number(input) or is_number(other):
        check_choice(input, other)
    return where_tensors.run(values) if out is None else where_tensors.into(values, out)


any_where.__name__ = any_where.__qualname__ = "where"
composite("where", method=False, kernel=any_where, choices={(Tensor, Tensor, Tensor): where_tensors})(any_where)
where = table.FUNCTIONS["where"]


def where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """``torch.where(condition, self, other)``."""
    return where(condition, self, other)


table.METHODS["where"] = where_method
Tensor.where = where_method  # type: ignore[attr-defined]


@tensors_only(domain="")
def heaviside(xp, input: Array, values: Array):
    """0 below zero, 1 above, `values` at zero."""
    if xp is np and input.shape == values.shape and (found := through("heaviside", input, values)) is not None:
        return found
    input = in_rows(input)  # which numpy compares several times as fast
    if xp is np and (found := choices.choose(input == 0, in_rows(values), (input > 0).astype(input.dtype))) is not None:
        return found
    return xp.where(input == 0, values, (input > 0).astype(input.dtype))


def check_heaviside(input: Any, values: Any) -> None:
    if input.dtype.kind == "c" or values.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


heaviside.check = check_heaviside
heaviside.node = "NotImplemented"
heaviside.gradient(input=no_derivative("heaviside"), values=no_derivative("heaviside"))
