"""Results written into tensors that a call gave (``out=``), and PyTorch's words where those will not do.

Most functions write into any dtype that can hold the result. What others demand, and under which name they say that such
calls have no gradient, is recorded (`out`, `traced`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.dtype import can_hold, dtype, of
from ..arrays.errors import cpp_name
from ..arrays.extents import strided
from ..arrays.state import here
from ..graph.gradient_nodes import Underivable
from ..graph.nodes import AccumulateGrad
from ..loading.recorded import told
from ..tensors.overlap import check_out
from ..tensors.tensor import Tensor
from .results import store_out

USUAL = "cast RuntimeError: result type {Want} can't be cast to the desired output type {Got}"
EXACT = "same RuntimeError: Expected out tensor to have dtype {want}, but got {got} instead"
LATE = ("RuntimeError: result type", "RuntimeError: Expected out tensor to have dtype", "RuntimeError: Found dtype")
"""What PyTorch says of dtypes only after it has looked whether a gradient is wanted."""
ERRORS: dict[str, type[Exception]] = {
    "RuntimeError": RuntimeError, "TypeError": TypeError, "NotImplementedError": NotImplementedError,
}  # fmt: skip


def known(names: list[str], usual: str) -> str:
    """The first of several names of an operator for which there are rules, or its usual one: `_max_all` and `max` differ."""
    return next((n for n in names if told(n, "out") is not None), usual)


def fits(kind: str, want: dtype, got: dtype) -> bool:
    if kind == "same":
        return want is got
    if kind == "floating":
        return got.is_floating_point
    if kind == "byte":
        return got.name in ("bool", "uint8")
    return kind == "any" or can_hold(want, got)


def refusal(rule: str, want: dtype, got: dtype) -> Exception | None:
    """The error for a result of one dtype and an ``out=`` of another, if they do not go together."""
    kind, _, words = rule.partition(" ")
    if want is got or fits(kind, want, got):
        return None
    error, _, text = words.partition(": ")
    shown = {"Want": want.short, "Got": got.short}
    shown |= {"want": cpp_name(want), "got": cpp_name(got)}
    return ERRORS[error](text.format(**shown))


def complex_given(operands: Any) -> bool:
    """Whether what was read is complex."""
    return any(getattr(getattr(x, "_array", x), "dtype", np.dtype(bool)).kind == "c" for x in operands)


def tracked_error(name: str) -> RuntimeError:
    if here.tangents:
        return NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    return RuntimeError(
        f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad."
    )


def wants_gradient(values: Any) -> bool:
    """Whether a tensor among values, or in lists of them, has a history."""
    return any(
        wants_gradient(x) if isinstance(x, (tuple, list)) else getattr(x, "_node", None) is not None for x in values
    )


def gradient_rule(names: list[str]) -> tuple[str, str]:
    """What an operator does where a gradient is wanted, by the first of its names for which that is recorded, and the name."""
    kind, _, called = next(filter(None, [told(name, "traced") for name in names]), "").partition(" ")
    return kind, called


def recorded(names: list[str], out: Any, operands: Any, write: Callable[[], Any]) -> Any:
    """What `write` gives, which writes results into `out`. A function that is one kernel without derivative to PyTorch
    (`kernel`) takes no leaf there, and leaves a node that says so; some keep the size of what wants a gradient (`sized`)."""
    kind, kernel = gradient_rule(names)
    if out is None or kind not in ("kernel", "sized"):
        return write()
    targets = [x for x in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(x, Tensor)]
    if kind == "sized" and any(t._node is not None for t in targets):
        raise RuntimeError("cannot resize variables that require grad")
    seen = here.grad_enabled and wants_gradient([*targets, *operands])
    if seen and any(type(t._node) is AccumulateGrad for t in targets):
        raise tracked_error("aten::" + kernel)
    result = write()
    for t in targets if seen else ():
        if t._array.dtype.kind in "fcV":
            t._node = Underivable(t, kernel)
    return result


def store_results(
    name: str, found: list, targets: list, tracked: bool, operands: Any = (), exactly: bool = False, title: str = ""
) -> None:
    """Store a function's results. `tracked`: whether an operand wants a gradient; operands: what was read, which must not
    lie where the results go; `exactly`: the dtype was asked for; title: what it calls itself where a gradient is wanted.
    Results are arrays, or tensors whose history is copied where PyTorch does (`copied`)."""
    arrays = [np.asarray(a) if isinstance(a, np.generic) else getattr(a, "_array", a) for a in found]
    late: Exception | None = None
    for place, (target, array) in enumerate(zip(targets, arrays, strict=False)):
        rule = EXACT if exactly else told(f"{name}/{place}" if place else name, "out") or USUAL
        error = refusal(rule, of(array), target.dtype)
        if error is not None and name == "abs" and target.dtype is of(array).to_complex() and complex_given(operands):
            continue  # the absolute value of complex numbers, as complex numbers again
        if error is not None and not rule.partition(" ")[2].startswith(LATE):
            raise error
        late = late or error
    wanted = tracked or any(t._node is not None for t in targets)
    kind, _, called = (told(name, "traced") or "named" if wanted and here.grad_enabled else "tracked").partition(" ")
    if kind == "named":
        raise tracked_error(called or title or name.rpartition(".")[2].lstrip("_"))
    check_out((name,), operands, targets)
    if late is not None:
        raise late
    for target, array, result in zip(targets, arrays, found, strict=False):
        if kind == "copied" and result is not array:
            store_out(target, result, True)
            continue
        fresh = target._array.shape != array.shape
        store_out(target, array, True)
        if fresh and type(array) is np.ndarray and not array.flags.c_contiguous:
            lie_as(target, array)


def lie_as(target: Any, array: np.ndarray) -> None:
    """Let a tensor that was given its size lie in memory as the result would, where that has no gaps: the numbers are at other
    places of the same memory."""
    expected = target._array.itemsize
    if type(target._array) is not np.ndarray or array.itemsize != expected or not array.size:
        return
    for step, n in sorted(zip(array.strides, array.shape, strict=True)):
        if n > 1 and step != expected:
            return
        expected *= n
    target._array = strided(target._array, array.shape, array.strides)
    target._array[...] = array


def left_to_form(names: list[str], function: Callable, out: Any) -> bool:
    """Whether a function of many forms leaves its single ``out=`` to its form: it takes none, or there are rules for it."""
    if out is not None and not isinstance(out, Tensor):
        return False
    if any(told(name + "/1", "out") is not None for name in names):
        return False  # it wants several
    if any(
        told(name, "out") is not None or gradient_rule([name])[0] in ("tracked", "copied", "named") for name in names
    ):
        return True
    code = getattr(function, "__code__", None)
    taken = code is not None and ("out" in code.co_varnames or "__wrapped__" in function.__dict__)
    return not taken and any(" out=" in (told(name, "takes") or "") for name in names)


def delivered(names: list[str], function: Callable, args: tuple, kwargs: dict) -> Tensor:
    """The result of a function in the tensor ``out``."""
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    result = function(*args, **rest)
    if kwargs["out"] is None:
        return result
    if not isinstance(result, Tensor):
        raise RuntimeError(f"{names[0]} does not support the out kwarg when as_tuple is True")
    store_results(names[0], [result], [kwargs["out"]], result._node is not None)
    return kwargs["out"]
