"""numpy's arrays and numbers in checkpoints, in numpy's own form.

Only arrays of numbers, truth values and text are written and read: an array of objects could name anything.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ..sandbox.numpy_views import has_characters
from .makers import Maker, UnpicklingError
from .pickled import Call, Global

NUMBERS = "?biufc"
PLAIN = NUMBERS + "SU"
NAME = re.compile(r"b1|[iufc](1|2|4|8|16)|[SU]\d{1,9}")
MOST_EMPTY = 1 << 16
"""So many texts of no characters in one array."""
MODULES = ("numpy._core.multiarray", "numpy.core.multiarray")


def written(value: Any) -> Call:
    """How an array, or a number of numpy, is written."""
    kind = value.dtype
    if kind.kind not in PLAIN:
        raise TypeError(f"torch.save writes arrays of numbers, not of {kind}")
    order = "|" if kind.itemsize == 1 or kind.kind == "S" else "<"
    width, align = (kind.itemsize, 4 if kind.kind == "U" else 1) if kind.kind in "SU" else (-1, -1)
    form = Call(Global("numpy", "dtype"), kind.newbyteorder("<").str[1:], False, True)
    form.state = (3, order, None, None, None, width, align, 0)
    little = np.asarray(value).astype(kind.newbyteorder("<"), copy=False)
    if not isinstance(value, np.ndarray):
        return Call(Global(MODULES[0], "scalar"), form, little.tobytes())
    made = Call(Global(MODULES[0], "_reconstruct"), Global("numpy", "ndarray"), (0,), b"b")
    made.state = (1, value.shape, form, False, little.tobytes())
    return made


ARRAY = Maker(None)
"""What a file calls numpy's class of arrays, which lays objects over any memory: no program gets it."""


class Arrays:
    """What a file that holds arrays names, for one reading."""

    def __init__(self) -> None:
        self.empty: list = []
        """Arrays that were made and not yet filled."""
        self.names: dict[tuple[str, str], Any] = {("numpy", "ndarray"): ARRAY, ("numpy", "dtype"): self.form}
        for module in MODULES:
            self.names |= {(module, "_reconstruct"): self.reconstruct, (module, "scalar"): self.scalar}
        for module in ("numpy._core.numeric", "numpy.core.numeric"):
            self.names[module, "_frombuffer"] = self.whole

    def form(self, name: Any, *rest: Any) -> np.dtype:
        name = name.decode("latin1") if type(name) is bytes else name
        if type(name) is not str or not NAME.fullmatch(name):
            raise UnpicklingError("damaged file: an array of unknown form")
        return np.dtype("<" + name)

    def reconstruct(self, kind: Any, *rest: Any) -> np.ndarray:
        if kind is not ARRAY:
            raise UnpicklingError("damaged file: an array of unknown form")
        self.empty.append(np.empty(0, np.int8))
        return self.empty[-1]

    def whole(self, data: Any, kind: Any, shape: Any, order: Any = "C") -> np.ndarray:
        """An array of protocol 5."""
        made = self.reconstruct(ARRAY)
        self.fill(made, (1, shape, kind, order == "F", bytes(data) if type(data) is bytearray else data))
        return made

    def scalar(self, kind: Any, data: Any) -> Any:
        if not isinstance(kind, np.dtype) or type(data) is not bytes or len(data) != kind.itemsize:
            raise UnpicklingError("damaged file: a number of unknown form")
        found = np.frombuffer(data, kind) if kind.itemsize else np.zeros(1, kind)
        check_text(found)
        return found[0]

    def fill(self, target: Any, state: Any) -> bool:
        """Give an array its memory; whether the target is one."""
        if isinstance(target, np.dtype):
            if type(state) is not tuple or len(state) < 2 or state[1] not in ("<", "|", "=", b"<", b"|", b"="):
                raise UnpicklingError("damaged file: an array in another byte order")
            return True
        waiting = [at for at, each in enumerate(self.empty) if each is target]
        if not waiting:
            return False
        if type(state) is not tuple or len(state) != 5:
            raise UnpicklingError("damaged file: an array of unknown form")
        shape, kind, columns, data = state[1:]
        data = data.encode("latin1") if type(data) is str else data  # by Python 2, read as text
        sizes = type(shape) is tuple and all(type(n) is int and n >= 0 for n in shape)
        if not sizes or not isinstance(kind, np.dtype) or type(data) is not bytes:
            raise UnpicklingError("damaged file: an array of unknown form")
        if not kind.itemsize and math.prod(shape) > MOST_EMPTY:
            raise UnpicklingError("damaged file: an array that costs nothing and has no end")
        del self.empty[waiting[0]]
        whole = 1, shape, kind, bool(columns), data
        if kind.kind not in NUMBERS:  # a program may have the target already
            trial = np.empty(0, np.int8)
            trial.__setstate__(whole)
            check_text(trial)
        target.__setstate__(whole)
        return True


def check_text(array: np.ndarray) -> None:
    """Refuse text that is not made of characters, which Python's encoders write behind their memory for."""
    if not has_characters(array):
        raise UnpicklingError("damaged file: text that is not made of characters")
