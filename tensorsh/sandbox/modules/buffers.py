"""`array.array` and `struct.Struct` behind stand-ins of their classes, and `csv`.

Python's own ask a program's object for its number (`__index__`, `__float__`) in the middle of writing into memory, and trust that
it does not shorten the array meanwhile, nor call `Struct.__init__` anew. Here numbers are asked for before, and the classes, whose
methods would do without, are not shown. A reader of `csv` gathers a line in its own memory, which another line, read meanwhile, would take.
"""

from __future__ import annotations

import array as real
import struct
from collections.abc import Iterable
from operator import index
from typing import Any

from ..kinds import Calling, stand_in, stands_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment

PLAIN = frozenset((int, float, str))
PIECE = 1 << 16
"""Bytes that are written to a file at once, as Python does."""
NO_TEXT = "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)"
CODES = real.typecodes.replace("w", "")
"""Without Python 3.13's arrays of characters, which make text of any numbers."""


class Array(real.array):
    """An array that takes plain numbers into its memory."""

    def __new__(cls, typecode: str, *initializer: Any) -> Array:
        if typecode == "w":
            raise ValueError(NO_TEXT)
        if not initializer or len(initializer) > 1 or isinstance(initializer[0], (real.array, bytes, bytearray, str)):
            return real.array.__new__(cls, typecode, *initializer)
        made = real.array.__new__(cls, typecode)
        made.extend(initializer[0])
        return made

    def _plain(self, value: Any) -> Any:
        if type(value) in PLAIN:
            return value
        code = self.typecode
        return float(value) if code in "fd" else value if code == "u" or isinstance(value, float) else index(value)

    def _made(self, found: Any) -> Any:
        return Array(found.typecode, found) if type(found) is real.array else found

    def __setitem__(self, i: Any, value: Any) -> None:
        super().__setitem__(
            i if isinstance(i, slice) else index(i), value if isinstance(i, slice) else self._plain(value)
        )

    def append(self, v: Any) -> None:
        super().append(self._plain(v))

    def insert(self, i: Any, v: Any) -> None:
        super().insert(index(i), self._plain(v))

    def extend(self, bb: Iterable) -> None:
        super().extend(bb if isinstance(bb, real.array) else [self._plain(v) for v in bb])

    def fromlist(self, ll: Any) -> None:
        super().fromlist([self._plain(v) for v in ll] if isinstance(ll, list) else ll)

    def tofile(self, f: Any) -> None:
        data = self.tobytes()  # a writer may shorten the array
        for at in range(0, len(data), PIECE):
            f.write(data[at : at + PIECE])

    def __getitem__(self, i: Any) -> Any:
        return self._made(super().__getitem__(i))

    def __add__(self, other: Any) -> Any:
        return self._made(super().__add__(other))

    def __mul__(self, n: Any) -> Any:
        return self._made(super().__mul__(index(n)))

    __rmul__ = __mul__

    def __copy__(self) -> Array:
        return self[:]

    def __deepcopy__(self, memo: Any) -> Array:
        return self[:]

    def __repr__(self) -> str:
        return repr(real.array(self.typecode, self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'array.array' object")


class_of_arrays = stand_in(real.array, "", Calling, _made=Array)
Array.__name__ = Array.__qualname__ = "array"
stands_for(Array, real.array)
class_of_structs = stand_in(struct.Struct, "", Calling, _made=struct.Struct)


def array(environment: Environment) -> dict[str, Any]:
    return {"array": class_of_arrays, "typecodes": CODES}


def packing(environment: Environment) -> dict[str, Any]:
    from ..restored import caches
    from .standard import take

    caches[struct._clearcache] = None  # type: ignore[attr-defined]
    return take(struct, "calcsize error pack unpack") | {"Struct": class_of_structs}


def csv(environment: Environment) -> dict[str, Any]:
    import csv as real

    from ..builtins import held
    from .standard import take

    if held is not None:
        held.advance_alone(type(real.reader([])))
    names = """DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC excel excel_tab
    reader unix_dialect writer"""
    return take(real, names)
