"""Warnings about what runs and is yet seldom meant: silent broadcasting, optimizer steps without `zero_grad`."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from ..engine.arrays.warning import warn
from .operations import Call, Watch

PAIRS = frozenset("add sub mul div true_divide eq ne lt gt le ge pow maximum minimum mse_loss l1_loss".split())
STEPS = 2
"""From the second step on, gradients must have been cleared in between."""


class LintWatch(Watch):
    """Watches the operations of a session's programs; warnings carry the line of the program."""

    def __init__(self, variables: dict[str, Any]) -> None:
        super().__init__(variables)
        self._steps: dict[int, int] = {}

    def before(self, call: Call) -> None:
        shapes = [tuple(value._array.shape) for value in call.tensors().values()][:2]
        if len(shapes) == 2 and _is_outer(*shapes):
            name = call.name
            if name in PAIRS or name.lstrip("_").rstrip("_") in PAIRS:
                first, second = shapes
                _warn(
                    f"{name} of shapes {list(first)} and {list(second)} gives {_result(first, second)}: every element of one "
                    f"meets every element of the other; if that is not meant, `.squeeze(-1)` or `.view_as(...)` one of them"
                )

    def __enter__(self) -> Watch:
        self._calls = sys.getprofile()
        sys.setprofile(self._event)
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        sys.setprofile(self._calls)

    def _event(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._calls is not None:
            self._calls(frame, event, argument)
        if event == "call" and frame.f_code.co_name in ("step", "zero_grad"):
            owner = frame.f_locals.get("self")
            if hasattr(owner, "param_groups"):
                self._optimizer(frame.f_code.co_name, owner)
            elif frame.f_code.co_name == "zero_grad":
                self._steps.clear()  # a module clears the gradients of its parameters, whatever optimizer has them

    def _optimizer(self, name: str, owner: Any) -> None:
        count = 0 if name == "zero_grad" else self._steps.get(id(owner), 0) + 1
        self._steps[id(owner)] = count
        if count >= STEPS and any(_accumulated(p) for group in owner.param_groups for p in group["params"]):
            _warn(
                "step() without zero_grad() since the last step: the gradients of all backward passes so far are added up; "
                "call `optimizer.zero_grad()` before `backward()`"
            )


def _accumulated(parameter: Any) -> bool:
    gradient = getattr(parameter, "_grad", None)
    return gradient is not None and gradient._cell is not None and gradient._cell.count > 0


def _is_outer(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Shapes (n, 1) and (n,), in either order, with n > 1."""
    long, short = (first, second) if len(first) > len(second) else (second, first)
    return len(long) == 2 and len(short) == 1 and long[1] == 1 and long[0] == short[0] > 1


def _result(first: tuple[int, ...], second: tuple[int, ...]) -> list[int]:
    size = max(max(first), max(second))
    return [size, size]


def _warn(message: str) -> None:
    warn(message, UserWarning)
