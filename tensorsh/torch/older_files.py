"""Files of ``torch.save`` from before zip archives: five values one behind the other, then the memory of each storage.

The values are a magic number, the number of the format, what the machine was like, what was saved, and the keys of the storages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.arrays.dtype import BY_NAME, DTYPES
from .loaded import Loaded, Storage, text
from .makers import UnpicklingError
from .pickled import Reader, Scan, Writer, of_weights
from .quantized_codes import CODES

MAGIC, FORMAT = 0x1950A86A20F9469CFC6C, 1001
MACHINE = {
    "protocol_version": FORMAT, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4},
}  # fmt: skip


def written(structure: bytes, pieces: list[tuple[str, Any, int]]) -> list:
    """The parts of a file of what was saved, and the storages in it: key, memory, bytes of an element."""

    def value(given: Any) -> bytes:
        return Writer(lambda other: other).dump(given)

    parts: list = [value(MAGIC), value(FORMAT), value(MACHINE), structure, value([key for key, _, _ in pieces])]
    for _, memory, size in pieces:
        data = np.ascontiguousarray(memory).reshape(-1).view(np.uint8)
        parts += [struct.pack("<q", data.size // size), memoryview(data)]
    return parts


STORAGE_NAMES = {("torch", each.short + "Storage"): Storage(CODES.get(each, each).name) for each in (*DTYPES, *CODES)} | {
    ("torch.storage", "UntypedStorage"): Storage(None), ("torch", "UntypedStorage"): Storage(None),
}  # fmt: skip
"""What a scan has to know."""


class Older(Loaded):
    """Such a file that is being read; it may lie in front of others."""

    def __init__(self, data: bytes, map_location: Any, names: dict, encoding: str = "utf-8") -> None:
        super().__init__(map_location, names)
        self.data, self.encoding, self.at = data, encoding, 0
        self.told = 0

    def value(self, names: dict | None = None) -> Any:
        """The next value."""
        reader = Reader(self.data, {} if names is None else names, self.storage, self.encoding, of_weights(self.names))
        reader.at = self.at
        found = reader.read()
        self.at = reader.at
        return found

    def read(self, take: Callable | None = None) -> Any:
        """What was saved; take: reads it from the bytes at a place."""
        if self.value(self.names) != MAGIC:
            raise RuntimeError("Invalid magic number; corrupt file?")
        number = self.value()
        if number != FORMAT:
            raise RuntimeError(f"Invalid protocol version: {number}")
        machine = self.value()
        self.swaps = isinstance(machine, dict) and machine.get("little_endian") is False
        # The memory lies behind what is made of it, and is read first: what is made checks it.
        start = self.at
        scan = Scan(self.data, STORAGE_NAMES, self.storage, self.encoding)
        scan.at = start
        scan.read()
        self.at = scan.at
        for key in self.value():
            self.fill(text(key))
        end, self.at = self.at, start
        known = len(self.memory)
        found = self.value(self.names) if take is None else take(self.data, start)
        self.at = end
        if len(self.memory) != known:
            raise UnpicklingError("damaged file: a storage of unknown form")
        return found

    def fill(self, name: str) -> None:
        """Take the memory of a storage, which lies here."""
        if name not in self.memory:
            raise UnpicklingError("damaged file: a storage of unknown form")
        head = self.data[self.at : self.at + 8]
        if len(head) < 8:
            raise EOFError("Ran out of input")
        kind = self.kinds[name]
        size = BY_NAME[kind].itemsize if kind else 1
        memory = self.memory[name]
        if struct.unpack("<q", head)[0] * size != memory.size:
            raise RuntimeError(
                f"storage has wrong byte size: expected {memory.size} got {struct.unpack('<q', head)[0] * size}"
            )
        self.at += 8
        missing = self.at + memory.size - len(self.data)
        if missing > 0:
            raise RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")
        data = np.frombuffer(self.data, np.uint8, memory.size, self.at)
        memory[:] = data
        self.swap(memory, kind)
        self.at += memory.size

    def bytes_of(self, name: str, kind: str | None, length: int) -> Any:
        size = length * (BY_NAME[kind].itemsize if kind else 1)
        self.told += size  # of all storages, so that a small file cannot ask for much memory
        if size < 0 or self.told > len(self.data):
            raise UnpicklingError("damaged file: storages longer than the file")
        return np.zeros(size, np.uint8)
