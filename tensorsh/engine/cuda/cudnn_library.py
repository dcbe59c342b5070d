"""cuDNN's library: where it is found, its functions by ctypes, a handle for each device and thread, and descriptors."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import weakref
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ..arrays.backend import cupy
from .products import Handles

HANDLE, DATA_TYPE, INTEGERS, FLOATS, DOUBLES, ADDRESSES, CONVOLUTION_MODE, MODE, NOTES, DESCRIPTORS = (
    0, 1, 3, 4, 5, 6, 7, 8, 11, 15,
)  # fmt: skip
"""Kinds of attributes."""
HELD: dict[int, Any] = {
    INTEGERS: ctypes.c_int64, FLOATS: ctypes.c_float, DOUBLES: ctypes.c_double, HANDLE: ctypes.c_void_p,
    ADDRESSES: ctypes.c_void_p, DESCRIPTORS: ctypes.c_void_p,
}  # fmt: skip
"""What C has their elements in; the others are numbers of cuDNN's lists, integers."""
_p, _i, _n = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
SIGNATURES: dict[str, tuple] = {
    "Create": (_p,), "SetStream": (_p, _p), "BackendCreateDescriptor": (_i, _p), "BackendDestroyDescriptor": (_p,),
    "BackendFinalize": (_p,), "BackendSetAttribute": (_p, _i, _i, _n, _p), "BackendGetAttribute": (_p, _i, _i, _n, _p, _p),
    "BackendExecute": (_p, _p, _p),
}  # fmt: skip


class Refused(Exception):
    """cuDNN does not take something."""


def checked(status: int) -> None:
    if status:
        raise Refused(status)


def places() -> Iterator[str]:
    """Where the library may be: in NVIDIA's packages, as they lie beside CuPy, and where the system looks."""
    name = "cudnn64_9.dll" if sys.platform == "win32" else "libcudnn.so.9"
    inside = ("cudnn/bin", "cu13/bin") if sys.platform == "win32" else ("cudnn/lib", "cu13/lib")
    try:
        found = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        found = None
    for folder in (found.submodule_search_locations or ()) if found else ():
        for part in inside:
            path = Path(folder, part, name)
            if path.is_file():
                yield str(path)
    yield name


def opened(path: str) -> Any:
    """The library at a path, its functions declared. OSError and AttributeError where there is none, or another one."""
    found = ctypes.CDLL(path)
    for name, parameters in SIGNATURES.items():
        function = getattr(found, "cudnn" + name)
        function.argtypes, function.restype = parameters, ctypes.c_int
    for name in ("cudnnGetVersion", "cudnnGetCudartVersion"):
        getattr(found, name).restype = ctypes.c_size_t
    return found


@cache
def library() -> Any:
    """cuDNN for the CUDA that CuPy runs on; None where there is none."""
    module = cupy()
    if module is None:
        return None
    for path in places():
        try:
            found = opened(path)
            if found.cudnnGetCudartVersion() // 1000 == module.cuda.runtime.runtimeGetVersion() // 1000:
                return found
        except (OSError, AttributeError):
            continue
    return None


def version() -> int | None:
    """The number of cuDNN's version, as 92000 of 9.20; None where it is not found."""
    found = library()
    return None if found is None else int(found.cudnnGetVersion())


class Handle:
    """cuDNN for one device and one thread, with the plans made for it."""

    def __init__(self, dnn: Any) -> None:
        self.dnn, self.stream = dnn, -1
        made = ctypes.c_void_p()
        checked(dnn.cudnnCreate(ctypes.byref(made)))
        self.address = made.value
        self.plans: dict[tuple, Any] = {}
        """By what is computed; None where cuDNN does not compute it."""

    def given_to(self, stream: int) -> None:
        """Let the work go to a stream."""
        if stream != self.stream:
            checked(self.dnn.cudnnSetStream(self.address, stream))
            self.stream = stream


_handles = Handles()


def handle(module: Any) -> Handle:
    """cuDNN on the current device, for the current stream."""
    found: Handle = _handles.here(module, lambda: Handle(library()))
    found.given_to(module.cuda.get_current_stream().ptr)
    return found


class Descriptors:
    """Descriptors of cuDNN's, which are given back with this object."""

    def __init__(self, dnn: Any) -> None:
        self.dnn, self.made = dnn, []  # type: ignore[var-annotated]
        weakref.finalize(self, destroyed, dnn, self.made).atexit = False

    def empty(self, what: int) -> int:
        """A new descriptor."""
        made = ctypes.c_void_p()
        checked(self.dnn.cudnnBackendCreateDescriptor(what, ctypes.byref(made)))
        self.made.append(made.value)
        return made.value or 0

    def new(self, what: int, *attributes: tuple) -> int:
        """A finished descriptor with attributes: each one's number, kind and elements."""
        made = self.empty(what)
        for number, kind, values in attributes:
            checked(self.dnn.cudnnBackendSetAttribute(made, number, kind, len(values), held(kind, values)))
        checked(self.dnn.cudnnBackendFinalize(made))
        return made

    def told(self, descriptor: int, number: int, kind: int, most: int, into: Any = None) -> list:
        """The elements of an attribute, `most` at most. into: descriptors that are to become them."""
        count, found = ctypes.c_int64(), held(kind, into or [0] * most)
        checked(self.dnn.cudnnBackendGetAttribute(descriptor, number, kind, most, ctypes.byref(count), found))
        return list(found[: count.value])

    def count(self, descriptor: int, number: int, kind: int) -> int:
        """How many elements an attribute has."""
        count = ctypes.c_int64()
        checked(self.dnn.cudnnBackendGetAttribute(descriptor, number, kind, 0, ctypes.byref(count), None))
        return count.value


def destroyed(dnn: Any, descriptors: list) -> None:
    for address in reversed(descriptors):
        dnn.cudnnBackendDestroyDescriptor(address)


def held(kind: int, values: Any) -> Any:
    """Elements of an attribute as C has them."""
    return (HELD.get(kind, ctypes.c_int) * len(values))(*values)
