"""The line at the bottom: device, default dtype, grad mode, memory of tensors, last duration."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..display.sizes import duration_text, size_text

if TYPE_CHECKING:
    from ..session import Session


class Status:
    """The facts as of the last entry; reading them costs nothing while keys are pressed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.device, self.dtype, self.mode = "cpu", "float32", "grad on"
        self.memory = 0
        self.seconds: float | None = None
        self.given: int | None = None
        """The number under which the last entry's value is kept."""

    def refresh(self, seconds: float | None = None) -> None:
        """Looks again, in the thread that ran the entry."""
        self.seconds = seconds if seconds is not None else self.seconds
        if "tensorsh.engine.arrays.state" in sys.modules:
            self.session._settings.run(self._look)
        self.memory = memory_of(self.session[name] for name in self.session)

    def _look(self) -> None:
        from ..engine.arrays.state import here, state

        self.device = str(here.default_device or "cpu")
        self.dtype = str(state.default_dtype).removeprefix("torch.")
        self.mode = "inference" if here.inference else "grad on" if here.grad_enabled else "grad off"

    def parts(self) -> list[str]:
        found = [self.device, self.dtype, self.mode, f"tensors {size_text(self.memory)}"]
        found += [kind for kind in ("nan", "lint") if self.session.watches(kind)]
        if self.seconds is not None:
            found.append(duration_text(self.seconds))
        if self.given is not None:
            found.append(f"Out[{self.given}]")
        return found

    def text(self, width: int, unicode: bool = True) -> str:
        """As many parts as fit, the first ones first."""
        mark = " · " if unicode else " | "
        text = ""
        for part in self.parts():
            longer = f"{text}{mark}{part}" if text else f" {part}"
            if len(longer) >= width:
                break
            text = longer
        return text if unicode else text.replace("µ", "u")


def memory_of(values: Iterable[Any]) -> int:
    """The bytes that tensors and arrays among some values hold, shared memory counted once."""
    return sum({id(root): root.nbytes for root in _roots(values)}.values())


def _roots(values: Iterable[Any]) -> Iterator[Any]:
    from ..language import peek

    for value in held(values):
        for each in held((value, getattr(value, "_grad", None))):
            array = each if peek.tensor_class(each).__name__ == "ndarray" else each._array  # type: ignore[union-attr]
            while getattr(array, "base", None) is not None and hasattr(array.base, "nbytes"):
                array = array.base
            if hasattr(array, "nbytes"):
                yield array


def held(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors and arrays among values, also those in their containers and modules."""
    from ..language import peek

    pending, seen = list(values), 0
    while pending and seen < 10_000:
        value = pending.pop()
        seen += 1
        if type(value) in (list, tuple, set):
            pending += list(value)[:1000]
        elif type(value) is dict:
            pending += list(value.values())[:1000]
        elif peek.tensor_class(value) is not None:
            yield value
        elif "_parameters" in (own := peek.instance_dict(value)):
            tables = (own.get(table) or {} for table in ("_parameters", "_buffers", "_modules"))
            pending += [each for table in tables for each in table.values()]
