"""numpy's arrays read as another dtype: never numbers as text, nor text as numbers, nor as structures with gaps.

numpy makes Python's text of whatever four bytes it finds, also of numbers beyond the last character, and Python's encoders
take room for characters alone: such text writes behind the memory that they took.
"""

from __future__ import annotations

from types import BuiltinMethodType, MethodDescriptorType
from typing import Any

from .integers import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NO_GAPS = (
    "structured arrays with bytes between their fields, or text that shares its bytes, are not available, nor are long doubles: "
    "leave out align, offsets and itemsize"
)
NO_NAMES = "fields of structured arrays are named by plain text in tensorsh, not by a class derived from str"
NO_TEXT = "bytes are not read as text, nor text as bytes, in tensorsh: convert with astype or str.encode"
PLAIN = frozenset("biufcSVmM")
"""Kinds of dtypes for which any bytes will do."""
PADDED = "gG"
"""Long doubles, the last bytes of which nobody writes."""
ODD = f"OTV{PADDED}"
"""What is not simply a number or text, by the letters of dtypes."""
LAST = 0x10FFFF
"""The last character."""


def is_plain(dtype: Any) -> bool:
    """Whether any bytes may stand for a value of a dtype."""
    if dtype.subdtype is not None:
        return is_plain(dtype.subdtype[0])
    return dtype.kind in PLAIN and all(is_plain(field[0]) for field in (dtype.fields or {}).values())


def has_gaps(dtype: Any) -> bool:
    """Whether a dtype has bytes which no assignment writes, as between fields, or text into which other bytes may be written."""
    if dtype.subdtype is not None:
        return has_gaps(dtype.subdtype[0])
    if not dtype.names:
        return dtype.char in PADDED
    fields = [dtype.fields[name] for name in dtype.names]  # a title is another name of a field; fields may overlap
    end, plain = 0, is_plain(dtype)
    for kind, offset in sorted(((field[0], field[1]) for field in fields), key=lambda field: field[1]):
        if offset > end or (offset < end and not plain) or has_gaps(kind):
            return True
        end = max(end, offset + kind.itemsize)
    return end < dtype.itemsize or (dtype.kind != "V" and not plain)


def without_gaps(value: Any) -> Any:
    """An array, a number or a dtype of numpy's, which has none."""
    dtype = getattr(value, "dtype", value)
    if has_gaps(dtype):
        raise TypeError(NO_GAPS)
    if not has_plain_names(dtype):
        raise TypeError(NO_NAMES)
    return value


def has_plain_names(dtype: Any) -> bool:
    """Whether numpy finds the fields of a dtype: under names of a program's own class, which may say something else each time, it finds none."""
    if dtype.subdtype is not None:
        return has_plain_names(dtype.subdtype[0])
    fields = dtype.fields or {}
    return all(type(name) is str and has_plain_names(field[0]) for name, field in fields.items()) and all(
        type(name) is str for name in dtype.names or ()
    )


def has_characters(array: Any) -> bool:
    """Whether all text of an array is made of characters."""
    dtype = array.dtype
    if dtype.fields:
        return all(has_characters(array[name]) for name in dtype.names)
    if dtype.kind != "U" or not array.size or not dtype.itemsize:
        return True
    import numpy as np

    words = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    return int(words.max()) <= LAST


def check_buffer(buffer: memoryview) -> None:
    """Refuses to lend the memory of objects or text, which a number could be written into."""
    if "O" in buffer.format:
        raise TypeError("arrays of Python objects (dtype=object) are not available")
    if "w" in buffer.format or "u" in buffer.format:
        raise TypeError(NO_TEXT)


def reread(value: Any, name: str) -> Any:
    """`value.view` or `value.byteswap` in a script."""
    found = getattr(value, name)
    if type(found) is not BuiltinMethodType and type(found) is not MethodDescriptorType:
        return found
    return {"view": view, "byteswap": byteswap}[name](found)


def check(old: Any, new: Any) -> None:
    """Refuses to read an array of one dtype as another."""
    if new != old or new.names != old.names:
        if not is_plain(new) or not is_plain(old):
            raise TypeError(NO_TEXT)
        without_gaps(old), without_gaps(new)


def view(found: Callable[..., Any]) -> Callable[..., Any]:
    def view(*arguments: Any, **options: Any) -> Any:
        array, rest = taken(found, arguments)
        result = array.view(*map(plain, rest), **plain(options))
        check(array.dtype, result.dtype)
        return result if array is source(found, arguments) else result[()]

    return view


def byteswap(found: Callable[..., Any]) -> Callable[..., Any]:
    def byteswap(*arguments: Any, **options: Any) -> Any:
        array, rest = taken(found, arguments)
        if not is_plain(array.dtype):
            raise TypeError(NO_TEXT)
        result = array.byteswap(*rest, **options)
        return result if array is source(found, arguments) else result[()]

    return byteswap


def source(found: Any, arguments: tuple) -> Any:
    """The object whose method is called."""
    return found.__self__ if type(found) is BuiltinMethodType else arguments[0]


def taken(found: Any, arguments: tuple) -> tuple[Any, tuple]:
    """The array that a method is called for (of a single number, one of it alone), and the other arguments."""
    import numpy as np

    if type(found) is MethodDescriptorType:
        if not arguments or not isinstance(arguments[0], found.__objclass__):
            found(*arguments)
        return np.asarray(arguments[0]), arguments[1:]
    value = found.__self__
    return (value if isinstance(value, np.ndarray) else np.asarray(value)), arguments
