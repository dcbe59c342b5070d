"""The `pickle` module of a program: values as bytes that Python's own pickle reads, and the plain part of what it writes.

Tensors, numbers, texts, containers, arrays of numpy, modules and instances of the program's own classes are written and read, as
`torch.save` and ``torch.load(weights_only=False)`` have them. Nothing of what is read runs as code, and `__reduce__`,
`__getstate__` and their kin are not asked.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor
from ..sandbox.integers import octets
from ..sandbox.namespace import Namespace
from .makers import Maker, UnpicklingError
from .objects import Names
from .pickled import Call, Global, Reader, Writer
from .serialization import NAMES, Storages, _load_from_bytes, save

__all__: list[str] = []


class Values(Storages):
    """How values are written: each tensor as what `torch.save` writes of it."""

    def tensor(self, t: Tensor) -> Call:
        file = io.BytesIO()
        save(t, file)
        return Call(Global("torch.storage", "_load_from_bytes"), file.getvalue())

    def refused(self, value: Any) -> Exception:
        return TypeError(f"cannot pickle '{type(value).__name__}' object")


class Pickle(Reader):
    """One value of a text of bytes."""

    def damaged(self, error: Exception) -> Exception:
        if isinstance(error, UnicodeDecodeError):  # another encoding helps
            return error
        return super().damaged(error)


def dumps(
    obj: Any, protocol: Any = None, *, fix_imports: bool = True, buffer_callback: Any = None
) -> bytes:  # fmt: skip
    """A value as bytes, which `loads` reads, and Python's own pickle.
    obj: tensors, numbers, texts, arrays of numpy, containers of them, modules and instances of the program's classes. protocol,
    fix_imports, buffer_callback: have no effect. TypeError: what cannot be written.
    >>> import pickle
    >>> pickle.loads(pickle.dumps({"w": torch.ones(2)}))
    {'w': tensor([1., 1.])}"""
    return Writer(Values().convert).dump(obj)


def dump(obj: Any, file: Any, protocol: Any = None, *, fix_imports: bool = True, buffer_callback: Any = None) -> None:
    """Write a value to an open file, as `dumps` has it. TypeError: what has no `write`, a value that cannot be written.
    >>> import io, pickle
    >>> file = io.BytesIO()
    >>> pickle.dump([1, 2], file)
    >>> pickle.loads(file.getvalue())
    [1, 2]"""
    if not hasattr(type(file), "write"):
        raise TypeError("file must have a 'write' attribute")
    file.write(dumps(obj))


def loads(
    data: Any, /, *, fix_imports: bool = True, encoding: str = "ASCII", errors: str = "strict", buffers: Any = None
) -> Any:  # fmt: skip
    """The value that bytes hold: plain data, tensors, arrays of numpy, modules and instances of the program's classes.
    encoding: of texts that Python 2 wrote; "bytes" leaves them as bytes. errors, fix_imports, buffers: have no effect.
    UnpicklingError: bytes that hold anything else, which is not made. EOFError: nothing is there.
    >>> import pickle
    >>> pickle.loads(pickle.dumps((1, "a")))
    (1, 'a')"""
    return _read(octets(data), encoding)[0]


def load(
    file: Any, *, fix_imports: bool = True, encoding: str = "ASCII", errors: str = "strict", buffers: Any = None
) -> Any:  # fmt: skip
    """The value that comes next in an open file, as `loads` has it.
    TypeError: what has no `read` and `readline`.
    >>> import io, pickle
    >>> pickle.load(io.BytesIO(pickle.dumps(3.5)))
    3.5"""
    if not hasattr(type(file), "read") or not hasattr(type(file), "readline"):
        raise TypeError("file must have 'read' and 'readline' attributes")
    data = octets(file.read())
    value, end = _read(data, encoding)
    if end < len(data) and hasattr(type(file), "seek"):
        file.seek(end - len(data), 1)  # where the next begins
    return value


def _read(data: bytes, encoding: str) -> tuple[Any, int]:
    names = Names(NAMES)
    names["torch.storage", "_load_from_bytes"] = Maker(_load_from_bytes)
    reader = Pickle(data, names, _no_key, encoding)
    return reader.read(), reader.at


def _no_key(key: Any) -> Any:
    raise UnpicklingError(
        "A load persistent id instruction was encountered, but no persistent_load function was specified."
    )


def pickles() -> Namespace:
    """The module."""
    functions: list[Callable] = [dump, dumps, load, loads]
    for each in functions:
        each.__module__ = "pickle"
    own = {each.__name__: each for each in functions}
    kept = "DEFAULT_PROTOCOL HIGHEST_PROTOCOL PickleError PicklingError UnpicklingError".split()
    return Namespace("pickle", own | {name: getattr(pickle, name) for name in kept})
