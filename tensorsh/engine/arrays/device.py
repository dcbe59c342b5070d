"""Devices: where a tensor's elements lie."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from ...sandbox.sealed import Frozen, underived
from .cupy_module import check_accelerator
from .state import here
from .type_names import type_name

_TYPES = ("cpu", "cuda", "meta", "mps", "xpu", "xla", "hpu", "mtia", "ipu", "privateuseone")
_EXPECTED = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)


@underived
class device(Frozen):
    """``torch.device("cuda:0")``, ``torch.device("cuda", 0)``, ``torch.device(0)``; also a context manager."""

    __module__ = "torch"
    __slots__ = ("type", "index")

    type: str
    index: int | None

    def __init__(self, *given: Any, **named: Any) -> None:
        type, index = (*given, None, None)[:2]
        type = type.decode() if isinstance(type, bytes) else type
        wrong = named.keys() - {"type", "index", "device"}
        if wrong and (len(given) == 1 or "type" in named):
            raise TypeError(f"device() got an unexpected keyword argument '{min(wrong)}'")
        if len(given) > 2 or wrong:
            listed = [*map(type_name, given), *(f"{k}={type_name(v)}" for k, v in named.items())]
            listed += [""] if named and not given else []
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({', '.join(listed)}), but expected one of:"
            )
        if named:
            type, index = named.get("device", named.get("type", type)), named.get("index", index)
            given = (type,)
        if len(given) + len(named) == 2 and not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type_name(type)}")
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            if type >> 63:
                raise ValueError("Overflow when unpacking long long")
            check_accelerator()
            type, index = "cuda", type
        elif not isinstance(type, str):
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({type_name(type) if given else ''}), but "
                "expected one of:\n * (torch.device device)\n * (str type, int index = -1)"
            )
        if not type:
            raise RuntimeError("Device string must not be empty")
        if index is not None:
            if not isinstance(index, int):
                raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type_name(index)}")
            if index < 0:
                raise RuntimeError("Device index must not be negative")
        name, colon, number = type.partition(":")
        if name not in _TYPES:
            if not name.replace("_", "").isalpha():
                raise RuntimeError(f"Invalid device string: '{type}'")
            raise RuntimeError(f"Expected one of {_EXPECTED} device type at start of device string: {name}")
        if colon:
            if index is not None:
                raise RuntimeError(
                    f"type (string) must not include an index because index was passed explicitly: {type}"
                )
            if not number.isdigit() or (len(number) > 1 and number[0] == "0"):
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self.type, self.index = name, index

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple:
        return device, (str(self),)

    def __enter__(self) -> device:
        here.outer_devices += (here.default_device,)
        here.default_device = None if self == CPU else self
        return self

    def __exit__(self, *exception: object) -> None:
        here.default_device, here.outer_devices = here.outer_devices[-1], here.outer_devices[:-1]


CPU = device("cpu")
META = device("meta")


@cache
def cuda(index: int) -> device:
    """A CUDA device by its number."""
    return device("cuda", index)


@lru_cache(64)
def named(text: str) -> device:
    """A device by what names it: making one checks who writes its fields."""
    return device(text)


def as_device(where: Any) -> device:
    """A device, of one or of what names it."""
    return where if type(where) is device else named(where) if type(where) is str else device(where)


class Nowhere:
    """What an array of the meta device has for a place: see `engine/meta`."""

    id = -1


def absent(x: Any) -> bool:
    """Whether a value is an array of the meta device, which has no elements."""
    return type(getattr(type(x), "device", None)) is Nowhere
