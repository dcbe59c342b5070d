"""The short way of operators on two tensors of one dtype, or a tensor and a number; see fast.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .autograd import Version, Wrapped
from .constants import (
    ABSENT,
    FLOAT32,
    FLOAT64,
    FLOATS32,
    FLOATS64,
    INT64,
    INTEGERS,
    NUMBERS,
    UNUSUAL,
    WHOLE32,
    WHOLE64,
    ndarray,
    settled,
)
from .fields import link
from .halves import computed, number
from .inplace import bound, derive, write
from .kernels import kernel
from .state import state
from .tensor import Tensor, fresh, wrap

SAVERS: dict[str, Callable] = {
    "i": lambda input, other: (input,),
    "o": lambda input, other: (other,),
    "io": lambda input, other: (input, other),
    "oi": lambda input, other: (other, input),
    "o-": lambda input, other: (other, None),
    "-i": lambda input, other: (None, input),
    "i-": lambda input, other: (input, None),
    "-o": lambda input, other: (None, other),
}
"""What a node of two operands saves, by its plan: input, other or nothing."""


def saver(op: Any, pattern: tuple[bool, bool]) -> tuple:
    """How `saved` is filled where these operands want gradients: a constant and None, or the plan that SAVERS knows."""
    active = {s for on, (f, slots) in zip(pattern, op.formulas, strict=True) if on and f for s in slots}
    plan, values = "", []
    for at, (kind, i) in enumerate(op.sources):
        kept = at in active or kind == "argument" and i not in op.tensors
        values.append(op.defaults[i] if kept and kind == "argument" else None)
        if not kept:
            plan += "-"
        elif kind == "argument":
            plan += "io"[i] if i in op.tensors else "d"
        else:
            plan += "r"
    if set(plan) <= {"-", "d"}:
        return tuple(values), None
    return (), plan


def shortest(inputs: int, single: Any, double: Any, integer: Any, numbers: bool = False) -> Any:
    """The kernel that goes the usual way of small tensors by itself, given ufuncs for three dtypes; None without kernels.

    It answers None to whatever is not usual. `record` says what its nodes are and keep, once that is known.
    """
    made = kernel("Quick")
    if made is None or type(single) is not np.ufunc:
        return None
    return made(inputs, single, double, integer, numbers)


def binary(op: Any, ufunc: Any, options: dict, general: Callable | None = None) -> Callable:
    """``f(x, y)`` for tensors of one dtype, or a tensor and a number.

    `floats`: the short way is right for float tensors only; `real`: not for complex ones. `general` answers for what is
    unusual.
    """
    floats = options.get("floats", False)
    limited = floats or options.get("real", False)
    record = op.record
    rest = op.defaults[2:]
    numbers = op.scalars
    integers = not floats
    if general is None:
        run = op.run

        def general(input: Any, other: Any) -> Any:
            if not isinstance(input, Tensor):
                from .overloads import refuse

                refuse(op.names[0], (input, other), {})
            return run([input, other, *rest])

    node_class: Any = None
    both: Any = None
    first_only: Any = None
    other_only: Any = None
    quick = shortest(2, ufunc, ufunc, ufunc if integers else None, numbers)

    def prepare() -> Any:
        nonlocal node_class, both, first_only, other_only
        node_class = op.node_class(op.node) if type(op.node) is str and op.joint is None else False
        if node_class:
            plans = [saver(op, p) for p in ((True, True), (True, False), (False, True))]
            both, first_only, other_only = [(saved, save and SAVERS.get(save, False)) for saved, save in plans]
            if quick is not None and False not in (both[1], first_only[1], other_only[1]):
                quick.record = node_class, *plans
        return node_class

    def pair(input: Any, other: Any) -> Any:
        if quick is not None:
            t = quick(input, other)
            if t is not None:
                return t
        if type(input) is not Tensor and not isinstance(input, Tensor):
            return general(input, other)
        a = input._array
        dt = a.dtype
        kind = type(other)
        if kind is Tensor:
            b = other._array
            if dt is not b.dtype or (
                dt is not FLOAT32 and dt is not FLOAT64 and (limited and (floats or dt.kind == "c") or dt in UNUSUAL)
            ):
                return general(input, other)
            edge = other._node
        elif numbers and (kind is float or kind is int):
            if dt is FLOAT32:
                b = FLOATS32[other] if kind is float else WHOLE32[other]
            elif dt is FLOAT64:
                b = FLOATS64[other] if kind is float else WHOLE64[other]
            elif integers and dt is INT64 and kind is int and -0x80000000 <= other <= 0x7FFFFFFF:
                b = INTEGERS[other]
            elif (b := number(a, other, op.exact_numbers) if op.wide else None) is None:
                return general(input, other)
            edge = None
        elif isinstance(other, Tensor):
            b = other._array
            if dt is not b.dtype or (
                dt is not FLOAT32 and dt is not FLOAT64 and (limited and (floats or dt.kind == "c") or dt in UNUSUAL)
            ):
                return general(input, other)
            edge = other._node
        else:
            return general(input, other)
        try:
            if dt.itemsize == 2 and (r := computed(ufunc, a, b)) is not None:
                pass
            elif b.dtype is not dt and dt.itemsize == 2:
                return general(input, other)
            else:
                r = ufunc(a, b)
        except (TypeError, ValueError):
            return general(input, other)
        if type(r) is not ndarray:
            r = settled(r)
        first = input._node
        if (first is not None or edge is not None) and state.grad_enabled and op.differentiable:
            if not node_class and not prepare():
                return record([input, other, *rest], r)
            metas = None
            if edge is not None or kind is not float and kind is not int:
                shape = a.shape
                if shape != b.shape:
                    if r.dtype is not dt:
                        return record([input, other, *rest], r)
                    whole = r.shape
                    metas = (
                        (shape, dt) if first is not None and shape != whole else None,
                        (b.shape, dt) if edge is not None and b.shape != whole else None,
                    )
            saved, save = first_only if edge is None else other_only if first is None else both
            if save is not None and (save is False or input._inference or (kind is Tensor and other._inference)):
                return record([input, other, *rest], r)
            if save is not None:
                kept = other
                if kind is float or kind is int:
                    kept = Wrapped()
                    kept.value = other
                saved = save(input, kept)
            return fresh(r, link(node_class, (first, edge), saved, metas))
        if quick is not None and not op.differentiable:
            quick.record = False
        return fresh(r)

    return pair


def function_of(op: Any, pair: Callable) -> Callable:
    """The public function over a `pair`."""
    call = op.call

    def function(input: Any = ABSENT, other: Any = ABSENT, *rest: Any, **keywords: Any) -> Any:
        if rest or keywords or other is ABSENT:
            return call(*[x for x in (input, other, *rest) if x is not ABSENT], **keywords)
        try:
            return pair(input, other)
        except Exception as error:
            from .overloads import worded

            told = worded(op.names, (input, other), {}, error, sys._getframe(), op.params)
            if told is error:
                raise
            raise told from None

    return function


def inplace(op: Any, ufunc: Any, options: dict) -> Callable:
    """``x op= y`` where no gradient is wanted: the ufunc writes into x's own memory."""
    floats = options.get("floats", False)
    rest = op.defaults[2:]

    def pair(input: Any, other: Any) -> Any:
        if not isinstance(input, Tensor):
            return NotImplemented
        a = input._array
        dt = a.dtype
        kind = type(other)
        if kind is float or kind is int:
            if dt is FLOAT32:
                b = FLOATS32[other] if kind is float else WHOLE32[other]
            elif dt is FLOAT64:
                b = FLOATS64[other] if kind is float else WHOLE64[other]
            else:
                return write(op, [input, other, *rest])
            free = input._node is None
        elif isinstance(other, Tensor):
            b = other._array
            if dt is not b.dtype or (floats and dt is not FLOAT32 and dt is not FLOAT64):
                return write(op, [input, other, *rest])
            free = input._node is None and other._node is None
        elif isinstance(other, NUMBERS):
            return write(op, [input, other, *rest])
        else:
            return NotImplemented
        if (not free and state.grad_enabled) or input._inference or (input._root is not None and 0 in a.strides):
            return write(op, [input, other, *rest])
        try:
            ufunc(a, b, a)
        except (TypeError, ValueError):
            return write(op, [input, other, *rest])
        cell = input._cell
        if cell is None:
            input._cell = cell = Version()
        cell.bump()
        return input

    return pair


def make_inplace(op: Any, ufunc: Callable, options: dict) -> Any:
    """The public in-place method of an operator that has a short way."""
    if len(op.tensors) == 1:
        return derive(op)
    op.inplace_pair = pair = inplace(op, ufunc, options)
    kinds = (Tensor, *NUMBERS) if op.scalars else Tensor

    def function(input: Any = ABSENT, other: Any = ABSENT, *rest: Any, **keywords: Any) -> Any:
        if not rest and not keywords and (type(other) is Tensor or isinstance(other, kinds)):
            return pair(input, other)
        return bound(op, tuple(x for x in (input, other, *rest) if x is not ABSENT), keywords)

    function._operator = op  # type: ignore[attr-defined]
    function.__doc__ = f"In-place form of :func:`{op.name}`."
    return function


def of_array(input: Tensor, other: Any) -> Tensor:
    """numpy's array as the second operand of a tensor, which PyTorch leaves to numpy: it must want no gradient."""
    if input._node is not None:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return wrap(other)


def symbol(op: Any, ufunc: Any = None, arrays: bool = True, **options: Any) -> Callable:
    """The Python operator ``x + y``: it answers NotImplemented to what is neither tensor, number nor (`arrays`) array."""
    run = op.run
    rest = op.defaults[2:]

    def general(input: Any, other: Any) -> Any:
        if isinstance(other, (Tensor, *NUMBERS)):
            return run([input, other, *rest])
        if arrays and isinstance(other, ndarray):
            return run([input, of_array(input, other) if op.differentiable else wrap(other), *rest])
        return NotImplemented

    return general if ufunc is None else binary(op, ufunc, options, general)


def reflected(op: Any) -> Callable:
    """The Python operator ``number + x``, for an operator that takes numbers first."""
    run = op.run
    rest = op.defaults[2:]

    def general(other: Any, input: Any) -> Any:
        return run([input, other, *rest]) if isinstance(input, (Tensor, *NUMBERS)) else NotImplemented

    return general
