"""Launches of compiled kernels by CUDA's driver: addresses and numbers are packed into the places of a kernel's parameters.

CuPy's own call of a kernel makes an object for each argument. Here one format, read off the kernel's C, packs them all. A
program with several devices takes CuPy's call, which knows a kernel's module on each."""

from __future__ import annotations

import ctypes
import re
import struct
import threading
from typing import Any

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy

MOST = 64
"""Parameters of a kernel at most."""
PLACES = {
    "float": "f4x", "double": "d", "bool": "?7x", "int": "i4x", "unsigned": "I4x", "unsigned int": "I4x", "long long": "q",
    "unsigned long long": "Q", "short": "h6x", "unsigned short": "H6x", "signed char": "b7x", "unsigned char": "B7x",
    "__half": "e6x",
}  # fmt: skip
"""How a number of a type lies in its eight bytes."""


def parameters(code: str, name: str) -> list[str]:
    """The types of a kernel's parameters, in order; those of addresses end with a star."""
    letters = {letter: kind for kind, letter in re.findall(r"typedef ([\w ]+) (\w);", code)}
    found = re.search(rf"__global__ void (?:__launch_bounds__\([\w, ]+\) )?{name}\(([^)]*)\)", code)
    if found is None:
        raise ValueError(f"no kernel {name}")
    types = []
    for each in found[1].split(","):
        kind = re.sub(r"\bconst\b", "", each).replace("*", "* ").rsplit(None, 1)[0].strip()
        types.append(kind if "*" in kind else letters.get(kind, kind))
    return types


def packing(types: list[str]) -> str | None:
    """The format of a kernel's parameters; None where one of them has no place here."""
    if len(types) > MOST or any("*" not in kind and kind not in PLACES for kind in types):
        return None
    return "<" + "".join("Q" if "*" in kind else PLACES[kind] for kind in types)


def structured(types: list[str], code: str) -> bool:
    """Whether the first parameter is a structure, given by value."""
    return f"struct {types[0]} {{" in code


class Room(threading.local):
    """A thread's place for parameters, and the addresses of them, which the driver reads."""

    def __init__(self) -> None:
        self.bytes = (ctypes.c_uint64 * MOST)()
        begin = ctypes.addressof(self.bytes)
        self.places = (ctypes.c_uint64 * MOST)(*range(begin, begin + 8 * MOST, 8))
        self.address = ctypes.addressof(self.places)


_room = Room()


class Launcher:
    """A compiled kernel of one dtype: called with blocks, threads and the parameters."""

    def __init__(self, code: str, name: str) -> None:
        self.name, self.function = name, cupy().RawKernel(code, name)
        self.kind = cupy_module.array_class
        types = parameters(code, name)
        self.structured = structured(types, code)
        format_ = packing(types[self.structured :]) if hasattr(self.function, "kernel") else None
        self.count = 0 if format_ is None else len(types)
        self.handle = 0
        if format_ is not None:
            module = cupy()
            self.pack = struct.Struct(format_).pack_into
            self.launch, self.stream = module.cuda.driver.launchKernel, module.cuda.get_current_stream

    def __call__(self, blocks: int, threads: int, *args: Any) -> None:
        """args: contiguous arrays, and numbers of exactly the parameters' types."""
        if device_guard.several or not self.count:
            self.function((blocks,), (threads,), args)
            return
        if not self.handle:
            self.handle = self.function.kernel.ptr
        kind, room = self.kind, _room
        if self.structured:
            self.with_structure(blocks, threads, *args)
            return
        self.pack(room.bytes, 0, *[x.data.ptr if type(x) is kind else x for x in args])
        self.launch(self.handle, blocks, 1, 1, threads, 1, 1, 0, self.stream().ptr, room.address, 0)

    def with_structure(self, blocks: int, threads: int, structure: Any, *args: Any) -> None:
        """The same where the first parameter lies in an array of the CPU, which the driver reads before the call ends."""
        room = _room
        self.pack(room.bytes, 8, *args)
        room.places[0] = structure.ctypes.data
        try:
            self.launch(self.handle, blocks, 1, 1, threads, 1, 1, 0, self.stream().ptr, room.address, 0)
        finally:
            room.places[0] = ctypes.addressof(room.bytes)
