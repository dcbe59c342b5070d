"""From a list of items to a batch: tensors stacked, numbers made tensors, containers item by item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....engine.arrays.dtype import float64
from ....engine.tensors.tensor import Tensor
from ...nn.reach import T

__all__ = ["default_collate", "default_convert"]

WRONG_KIND = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Any) -> Any:
    """A batch made of a list of items of one structure: what a DataLoader does when it is given no other.

    batch: the items. Tensors and arrays are stacked along a new first dimension, numbers become a tensor, strings stay a list; of
    tuples, named tuples and dicts each entry is collated. RuntimeError: different shapes; TypeError: other things.

    >>> torch.utils.data.default_collate([(torch.zeros(2), 0), (torch.ones(2), 1)])
    [tensor([[0., 0.],
            [1., 1.]]), tensor([0, 1])]
    >>> torch.utils.data.default_collate([{"x": 1.5, "name": "a"}, {"x": 2.5, "name": "b"}])
    {'x': tensor([1.5000, 2.5000], dtype=torch.float64), 'name': ['a', 'b']}
    """
    first = batch[0]
    for kind, function in added().items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=default_collate_fn_map)
    if isinstance(first, Tensor):
        return collate_tensor_fn(batch)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(WRONG_KIND.format(first.dtype))
        return T.stack([T.as_tensor(each) for each in batch], 0)
    if isinstance(first, (np.bool_, np.number)):
        return T.as_tensor(np.array(batch))
    if isinstance(first, float):
        return T.tensor(list(batch), dtype=float64)
    if isinstance(first, int):
        return T.tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like(first, {key: default_collate([item[key] for item in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(column) for column in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(WRONG_KIND.format(type(first)))


def collate(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """A batch as `default_collate` makes it, after what a table of types and functions says of its items."""
    first = batch[0]
    for kind, function in (collate_fn_map or {}).items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _like(
            first, {key: collate([item[key] for item in batch], collate_fn_map=collate_fn_map) for key in first}
        )
    if isinstance(first, Sequence) and not isinstance(first, (str, bytes)):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=True)]
        if hasattr(first, "_fields"):
            return type(first)(*columns)
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(WRONG_KIND.format(type(first)))


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """The tensors of a batch along a new first dimension."""
    kind = "nested" if batch[0].is_nested else "sparse" if hasattr(batch[0]._array, "layout") else None
    if kind is not None:
        raise RuntimeError(
            f"Batches of {kind} tensors are not currently supported by the default collate_fn; please provide a custom collate_fn "
            "to handle them appropriately."
        )
    return T.stack(batch if isinstance(batch, Tensor) else list(batch), 0)


def _collate_usual(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return default_collate(batch)


_USUAL = (Tensor, np.ndarray, (np.bool_, np.number, np.object_), float, int, str, bytes)
default_collate_fn_map: dict[Any, Any] = dict.fromkeys(_USUAL, _collate_usual)
"""What makes a batch of items of a type. Libraries enter types of their own; no script reaches it."""
default_collate_fn_map[Tensor] = collate_tensor_fn
np_str_obj_array_pattern = re.compile(r"[SaUO]")


def added() -> dict:
    """What libraries have entered for types of their own."""
    if len(default_collate_fn_map) == len(_USUAL):
        return {}
    return {kind: function for kind, function in default_collate_fn_map.items() if kind not in _USUAL}


def default_convert(data: Any) -> Any:
    """An item with its numpy arrays made tensors, within tuples, lists and dicts, too; everything else stays.

    data: the item: what a DataLoader does that makes no batches.

    >>> import numpy
    >>> torch.utils.data.default_convert([numpy.ones(2), "a", 3])
    [tensor([1., 1.], dtype=torch.float64), 'a', 3]
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.number, np.bool_)):
        return data if isinstance(data, np.ndarray) and data.dtype.kind in "SUO" else T.as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        made = [default_convert(each) for each in data]
        return made if isinstance(data, tuple) else _like(data, made)
    return data


def _like(original: Any, made: Any) -> Any:
    """A container of the original's type, where that can be made from a plain one."""
    if type(original) is type(made):
        return made
    try:
        return type(original)(made)
    except TypeError:
        return made


for _f in (default_collate, default_convert):
    _f.__module__ = "torch.utils.data._utils.collate"
