"""What a node shows of what it keeps: ``grad_fn._saved_self``, ``_saved_dim`` and so on, under PyTorch's names.

`saved.txt`, recorded from PyTorch 2.13, lists the names for each node (`dim*`: always in a tuple). Those that can be
answered from what the formulas keep are there, also where a formula keeps it under another name; others are not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from ..arrays.dtype import of
from .fields import Wrapped, wrap
from .nodes import FREED, SECOND_TIME, unpack
from .raw_saved import raw_of

FILE = os.path.join(os.path.dirname(__file__), "saved.txt")
UNSIGNED = frozenset(
    "dim dim0 dim1 dim2 dims padding pad offset padding_idx ignore_index index k shifts diagonal divisor_override start".split()
)
"""Numbers that PyTorch's nodes show without their sign."""
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
OTHER_NAMES = {
    "self": "A x", "input": "self", "min": "bound", "max": "bound", "other": "number", "normalization": "mode", "delta": "parameter",
    "beta": "parameter", "split_sizes": "lengths", "split_size": "lengths", "output_size": "size", "align_corners": "align", "padding": "pad",
    "output": "result", "attn_mask": "mask", "result0": "result", "group": "num_groups", "input2": "tau L", "input3": "other",
}  # fmt: skip
"""What a formula may call it."""
DEFAULT_ONE = frozenset(("alpha", "beta", "step"))
SIZE = re.compile(r"(.+)_sym_(sizes|strides|numel|argsize_(minus_)?(\d+))")


@lru_cache(1)
def table() -> dict[str, list[str]]:
    """The names of each node's values."""
    with open(FILE, encoding="utf-8") as file:
        next(file)
        return {title: names for title, *names in map(str.split, file)}


def own_names(operator: Any) -> dict[str, int]:
    """What the formulas keep: the name and the place of each."""
    found = {}
    for at, name in enumerate(operator.saved_names):
        kind = operator.sources[at][0]
        base = name[:-6] if kind == "shape" else name[:-8] if kind == "strides" else name
        suffix = {"shape": "_sym_sizes", "strides": "_strides"}.get(kind, "")
        found[("self" if base == "input" else base) + suffix] = at
    return found


def names(cls: Any) -> list[str]:
    """The names of what the nodes of a class show."""
    listed = table().get(cls._title)
    if listed is None:
        return [name for name in own_names(cls._operator) if not name.endswith("_strides")]
    return [plain for plain in (name.rstrip("*") for name in listed) if reader(cls, plain) is not None]


def readers(title: str, operator: Any) -> dict[str, property]:
    """The attributes `_saved_<name>` for the class of a node (a `__getattr__` would slow every other attribute down)."""
    listed = table().get(title)
    known = own_names(operator) if listed is None else [name.rstrip("*") for name in listed]
    found = {"_saved_" + name: property(partial(read, name=name)) for name in known}
    return found | {"_raw_saved_" + name: property(partial(read_raw, name=name)) for name in known}


def read_raw(node: Any, name: str) -> Any:
    """The value of `_raw_saved_<name>` of a node: a tensor that takes hooks of its own."""
    cls: Any = type(node)
    own = own_names(cls._operator)
    at = next((own[each] for each in (name, *OTHER_NAMES.get(name, "").split()) if each in own), None)
    if at is None or "_sym_" in name or reader(cls, name) is None:
        raise AttributeError(f"'{node._title}' object has no attribute '_raw_saved_{name}'")
    return raw_of(node, at)


def read(node: Any, name: str) -> Any:
    """The value of `_saved_<name>` of a node."""
    cls: Any = type(node)
    found = reader(cls, name)
    if found is None:
        raise AttributeError(f"'{node._title}' object has no attribute '_saved_{name}'")
    if node._saved is FREED:
        raise RuntimeError(SECOND_TIME)
    return found(node)


@cache
def reader(cls: Any, name: str) -> Callable | None:
    """What reads a value from the nodes of a class; None where they do not show it."""
    listed = table().get(cls._title)
    if listed is not None and name not in listed and name + "*" not in listed:
        return None
    own, several = own_names(cls._operator), listed is not None and name + "*" in listed
    for each in (name, *(OTHER_NAMES.get(name, "").split() if listed is not None else ())):
        if each in own:
            at = own[each]
            return lambda node: _shown(node, name, node._saved[at], several)
    size = SIZE.fullmatch(name)
    if size is None:
        return None
    tensor, shape = own.get(size[1]), own.get(size[1] + "_sym_sizes")
    if shape is not None and size[2] != "strides":
        return lambda node: _measure(node._saved[shape], size)
    if tensor is None:
        return None
    return lambda node: _measured(unpack(node, node._saved[tensor], True), size)


def _measured(array: Any, size: re.Match) -> Any:
    if array is None:
        return None
    if size[2] == "strides":
        return tuple(n // array.itemsize for n in array.strides)
    return _measure(array.shape, size)


def _measure(shape: Any, size: re.Match) -> Any:
    if shape is None or size[2] == "sizes":
        return shape
    if size[2] == "numel":
        return int(np.prod(shape))
    return shape[-int(size[4]) if size[3] else int(size[4])]


def _shown(node: Any, name: str, entry: Any, several: bool) -> Any:
    if type(entry) is Wrapped:
        return wrap(np.asarray(entry.value))
    value = unpack(node, entry, False)
    if name == "reduction":
        return REDUCTIONS.get(value, value)
    if isinstance(value, np.dtype):
        return of(np.empty(0, value))
    if name in DEFAULT_ONE and value is None:
        return 1
    if name == "correction" and value is None and read(node, "dim") is not None:
        return 1
    if name == "split_size":
        return value[0]
    if several and type(value) is int:
        value = (value,)
    if type(value) is list:
        value = tuple(value)
    if name in UNSIGNED:
        return tuple(_unsigned(n) for n in value) if type(value) is tuple else _unsigned(value)
    return value


def _unsigned(n: Any) -> Any:
    return n + (1 << 64) if type(n) is int and n < 0 else n
