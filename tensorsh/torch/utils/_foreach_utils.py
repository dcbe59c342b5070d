"""``torch.utils._foreach_utils``: lists of tensors sorted for functions that take lists. For plain Python alone
(`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.device import device
from ...engine.tensors.tensor import Tensor

_foreach_supported_types = [Tensor]


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["cpu", "cuda", "mps"]


def _has_foreach_support(tensors: list, device: device) -> bool:
    return device.type in ("cpu", *_get_foreach_kernels_supported_devices()) and all(
        t is None or type(t) in _foreach_supported_types for t in tensors
    )


def _device_has_foreach_support(device: device) -> bool:
    return device.type in ("cpu", *_get_foreach_kernels_supported_devices())


def _group_tensors_by_device_and_dtype(tensorlistlist: list, with_indices: bool = False) -> dict[tuple, Any]:
    """Lists of tensors that belong together, by device and dtype of the first list's."""
    found: dict[tuple, Any] = {}
    for at, row in enumerate(zip(*tensorlistlist, strict=True)):
        key = (row[0].device, row[0].dtype)
        lists, places = found.setdefault(key, ([[] for _ in tensorlistlist], []))
        for each, value in zip(lists, row, strict=True):
            each.append(value)
        places.append(at)
    return {
        key: (lists, places if with_indices else list(range(len(places)))) for key, (lists, places) in found.items()
    }
