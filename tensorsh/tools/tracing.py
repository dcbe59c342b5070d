"""Traces of operations: where in a program each was recorded, and how large the gradients were that flowed back through it.

The engine calls `here.places()` when it records a node and `here.flow(node, gradient)` in a backward pass, if they are
there. The shell puts them there; a script that runs without them pays nothing.
"""

from __future__ import annotations

import sys
from typing import Any

from ..sandbox.sealed import Sealed

LARGEST = 5_000_000
"""Of a gradient with more elements than this no norm is taken."""


class Tracing(metaclass=Sealed):
    """The two functions, for the programs of one session: whose frames are those with its variables."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables

    def place(self) -> tuple[str, int] | None:
        """File name and line of the innermost frame of the session's programs."""
        frame = sys._getframe(1)
        variables = self.variables
        while frame is not None:
            if frame.f_globals is variables:
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def flow(self, node: Any, gradient: Any) -> None:
        """Notes norm, shape and dtype of a gradient on the node it arrived at: they are those of the node's result."""
        import numpy as np

        gradient = gradient[0] if type(gradient) is list else gradient
        array = getattr(gradient, "_array", gradient)
        if array is None:
            return
        node.shape, node.dtype = array.shape, type_name(array)
        if array.size <= LARGEST and array.dtype.kind in "fc" and isinstance(array, np.ndarray | np.generic):
            flat = array.reshape(-1)
            node._norm = float(np.sqrt(np.vdot(flat, flat).real))

    def switch(self, on: bool) -> None:
        """Turns it on or off in the engine's settings that are in place."""
        from ..engine.arrays.state import here

        here.noting = self.place if on else False
        here.settle()
        here.flow = self.flow if on else None


def type_name(array: Any) -> str:
    """The name that torch has for an array's dtype, without prefix."""
    from ..engine.arrays.dtype import of

    return str(of(array)).removeprefix("torch.")
