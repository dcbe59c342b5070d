"""A watch that stops at the first operation whose result has a NaN or an infinity that its operands had not.

    with detect_nan():
        loss = model(x).log().sum()
        loss.backward()

In a backward pass it stops at the first node whose gradients have one although the gradient that arrived had none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .operations import Call, Watch
from .tracing import Tracing

if TYPE_CHECKING:
    from ..language.workspace import Workspace

UNSET = ("empty", "resize", "load", "__array__", "tensor", "as_tensor", "from_numpy")
"""Operations whose results are what memory or the program's own numbers happen to hold."""
NAMES = {"nan": "NaN", "inf": "infinity", "-inf": "-infinity"}


class NanWatch(Watch):
    """The context manager that `detect_nan()` gives."""

    def __init__(self, variables: dict[str, Any]) -> None:
        super().__init__(variables)
        self._tracing = Tracing(variables)

    def __enter__(self) -> None:  # type: ignore[override]
        from ..engine.arrays.state import here

        self._before = here.noting, here.flow
        if not here.noting:
            here.noting = self._tracing.place
        here.flow = self.flow
        here.settle()
        super().__enter__()

    def __exit__(self, *exception: object) -> None:
        from ..engine.arrays.state import here

        super().__exit__(*exception)
        here.noting, here.flow = self._before
        here.settle()

    def before(self, call: Call) -> None:
        tensors = call.tensors()
        call.note = (
            not tensors or any(_is_special(value) for value in _numbers(call)) or any(map(_bad, tensors.values()))
        )

    def after(self, call: Call, result: Any) -> None:
        if call.note:
            return
        for number, each in enumerate(result if isinstance(result, tuple | list) else (result,)):
            array = getattr(each, "_array", None)
            if array is None or not _has_special(array):
                continue
            name = call.name
            if not name.startswith(UNSET):
                call.note = True
                raise FloatingPointError(
                    _message(name, number if isinstance(result, tuple | list) else None, array, call)
                )

    def flow(self, node: Any, gradient: Any) -> Callable:
        """A gradient arrives at a node; what is to be given the node's own gradients."""
        outer = self._before[1] and self._before[1](node, gradient)
        clean = not any(map(_bad, gradient if isinstance(gradient, list) else [gradient]))

        def given(gradients: Any) -> None:
            if outer:
                outer(gradients)
            for number, each in enumerate(gradients) if clean else ():
                if each is not None and _bad(each):
                    raise FloatingPointError(_gradient_message(node, number, getattr(each, "_array", each)))

        return given


def _numbers(call: Call) -> list[Any]:
    found = []
    for value in call.operands.values():
        found += [v for v in value if isinstance(v, float)] if type(value) in (list, tuple) else [value]
    return found


def _is_special(value: Any) -> bool:
    return isinstance(value, float) and not np.isfinite(value)


def _bad(value: Any) -> bool:
    array = getattr(value, "_array", value)
    return array is not None and _has_special(array)


def _has_special(array: Any) -> bool:
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    if kind not in "fcV" or not getattr(array, "size", 0):
        return False
    if kind == "V":
        array = array.astype(np.float32)
    return not bool(np.isfinite(array).all())


def _first(array: Any) -> tuple[tuple[int, ...], str, int]:
    """The index of the first NaN or infinity, its name, and how many there are."""
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    bad = ~np.isfinite(array)
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), array.shape))
    value = array[index]
    text = "NaN" if np.isnan(value) else NAMES.get(str(value), str(value))
    return index, text, int(bad.sum())


def _message(name: str, number: int | None, array: Any, call: Call) -> str:
    index, text, count = _first(array)
    which = "" if number is None else f"result {number} of "
    lines = [f"{which}{name} has {text} {_where(index, count, array)}, and its operands had none"]
    for operand, value in call.tensors().items():
        lines.append("  " + _value_at(operand, value._array, index, array.shape))
    return "\n".join(lines)


def _where(index: tuple[int, ...], count: int, array: Any) -> str:
    if not index:
        return "as its value"
    more = f" ({count} of {array.size} elements)" if count > 1 else ""
    return f"at [{', '.join(map(str, index))}]{more}"


def _value_at(name: str, array: Any, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """An operand's value at the place of the result where it takes part elementwise, else its range."""
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    try:
        fits = np.broadcast_shapes(array.shape, shape) == tuple(shape)
    except ValueError:
        fits = False
    if fits:
        own = index[len(index) - array.ndim :] if array.ndim else ()
        own = tuple(0 if size == 1 else i for i, size in zip(own, array.shape, strict=True))
        place = f"[{', '.join(map(str, own))}]" if own else ""
        return f"{name}{place} = {array[own]:.6g}" if array.dtype.kind in "fiu" else f"{name}{place} = {array[own]}"
    if array.size and array.dtype.kind in "fiu":
        return f"{name} lies between {array.min():.6g} and {array.max():.6g}"
    return f"{name} has shape {list(array.shape)}"


def _gradient_message(node: Any, number: int, array: Any) -> str:
    index, text, count = _first(np.asarray(array))
    message = f"the gradient that {node.name()} gives its operand {number} has {text} {_where(index, count, np.asarray(array))}"
    if node._place:
        message += f"; the operation stands at {node._place[0]}:{node._place[1]}"
    return message


def make(session: Workspace) -> dict[str, Any]:
    def detect_nan() -> Any:
        """A context that stops at the first operation whose result has a NaN or infinity that its operands had not."""
        return _Context(session.variables)

    return {"detect_nan": detect_nan}


class _Context:
    """The watch as a script holds it."""

    __slots__ = ("__watch",)
    __module__ = "torch"

    def __init__(self, variables: dict[str, Any]) -> None:
        self.__watch = NanWatch(variables)

    def __enter__(self) -> None:
        self.__watch.__enter__()

    def __exit__(self, *exception: object) -> None:
        self.__watch.__exit__(*exception)
