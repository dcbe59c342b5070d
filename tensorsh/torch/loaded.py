"""The storages of a file that is being read: each once, where `map_location` wants it, in this machine's order of bytes."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import layout
from ..engine.arrays.device import device as device_type
from ..engine.arrays.dtype import BY_NAME
from ..engine.tensors.storage import part as bytes_between
from ..engine.tensors.storage import storage_on
from ..engine.tensors.typed_storage import TypedStorage
from .makers import UnpicklingError

NO_GPU = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only "
    "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)


class Storage:
    """What a file calls a storage type."""

    __slots__ = ("_dtype",)

    def __init__(self, dtype: str | None) -> None:
        self._dtype = dtype


class Loaded:
    """A file that is being read. Derived classes say where the bytes of a storage lie."""

    swaps = False
    """Whether the file has the other order of bytes."""

    def __init__(self, map_location: Any, names: dict) -> None:
        self.map_location, self.names = map_location, names
        self.memory: dict[str, Any] = {}
        self.places: dict[str, Any] = {}
        self.kinds: dict[str, str | None] = {}
        self.storages: dict[tuple, Any] = {}

    def bytes_of(self, name: str, kind: str | None, length: int) -> Any:
        """The memory of a storage, as an array of bytes that may be written to."""
        raise NotImplementedError

    def storage(self, key: Any) -> Any:
        """The storage of a key; for another device than the CPU its dtype, its bytes and the device."""
        known = type(key) is tuple and len(key) in (5, 6) and key[0] in ("storage", b"storage")
        if not known or type(key[1]) is not Storage or type(key[4]) is not int:
            raise UnpicklingError("damaged file: a storage of unknown form")
        name, location = map(text, key[2:4])
        kind, length = key[1]._dtype, key[4]
        if name not in self.memory:
            if not name.isdecimal():
                raise UnpicklingError("damaged file: a storage of unknown form")
            self.memory[name], self.places[name] = self.bytes_of(name, kind, length), self.place(location)
            self.kinds[name] = kind
        memory, place = self.memory[name], self.places[name]
        view = key[5] if len(key) == 6 else None
        part = () if view is None else part_of(view, BY_NAME[kind].itemsize if kind else 1, memory.size)
        if part:
            memory = bytes_between(memory, *part)
        if place is not None:
            return kind, memory, place
        found = self.storages.get((name, kind, part))
        if found is None:
            found = TypedStorage(wrap_storage=storage_on(memory), dtype=BY_NAME[kind or "uint8"])
            self.storages[name, kind, part] = found
        return found

    def swap(self, memory: Any, kind: str | None) -> None:
        """Turn the bytes of elements around, where the file has the other order."""
        size = BY_NAME[kind].itemsize if kind else 1
        if self.swaps and size > 1:
            size = size // 2 if BY_NAME[kind].is_complex else size  # type: ignore[index]
            memory.view(f"u{size}").byteswap(inplace=True)

    def place(self, location: str) -> Any:
        """The device for what was saved from a device; None for the CPU."""
        wanted = self.map_location
        if isinstance(wanted, dict):
            wanted = wanted.get(location, location)
        elif callable(wanted):
            wanted = "cpu"
        elif wanted is not None and not isinstance(wanted, (str, device_type)):
            raise TypeError(f"'{type(wanted).__name__}' object is not callable")
        if isinstance(wanted, str) and wanted.partition(":")[0] not in ("cpu", "cuda", "meta"):
            raise RuntimeError(
                f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {wanted})"
            )
        target = device_type(location if wanted is None else wanted)
        if target.type == "cpu":
            return None
        from ..engine.arrays.backend import device_count

        if target.type == "cuda" and not device_count():
            raise RuntimeError(NO_GPU)
        return target


def text(value: Any) -> str:
    """A text, which may have been left as bytes."""
    if type(value) is not str and type(value) is not bytes:
        raise UnpicklingError("damaged file: a storage of unknown form")
    return value.decode("latin1") if type(value) is bytes else value


def part_of(view: Any, size: int, whole: int) -> tuple:
    """Where a part of a storage begins and ends, in bytes."""
    if type(view) is not tuple or len(view) != 3 or any(type(each) is not int or each < 0 for each in view[1:]):
        raise UnpicklingError("damaged file: a part of a storage of unknown form")
    start, end = view[1] * size, (view[1] + view[2]) * size
    if end > whole:
        raise UnpicklingError("damaged file: a part reaches beyond its storage")
    return start, end


def layout_of(name: Any) -> Any:
    """A layout by its name."""
    found = getattr(layout, name.removeprefix("torch."), None) if type(name) is str else None
    if not isinstance(found, layout.layout):
        raise UnpicklingError("damaged file: a layout of unknown name")
    return found
