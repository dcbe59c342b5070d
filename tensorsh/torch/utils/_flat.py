"""Lists of tensors as one flat tensor, devices by name: private functions of ``torch._utils`` that libraries use."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ...engine.arrays.device import device as device_type
from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor


def _flatten_dense_tensors(tensors: Any) -> Tensor:
    """The elements of tensors of one dtype in a row."""
    return find_function("cat")([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Any) -> tuple:
    """Parts of a row with the shapes of tensors."""
    made, at = [], 0
    for t in tensors:
        made.append(flat.narrow(0, at, t.numel()).view(t.shape))
        at += t.numel()
    return tuple(made)


def _take_tensors(tensors: Any, size_limit: int) -> Any:
    """Tensors in groups of one type, each of so many bytes about."""
    groups: dict = defaultdict(lambda: [[], 0])
    for t in tensors:
        group = groups[t.type()]
        size = t.numel() * t.element_size()
        if group[1] + size > size_limit and group[1] > 0:
            yield group[0]
            group = groups[t.type()] = [[], 0]
        group[0].append(t)
        group[1] += size
    for group, _ in groups.values():
        if group:
            yield group


def _reorder_tensors_as(tensors: Any, ordered_tensors: Any) -> tuple:
    """Tensors that come grouped by type, in the order of others."""
    by_type: dict = defaultdict(list)
    for t in tensors:
        by_type[t.type()].append(t)
    rows = {kind: iter(each) for kind, each in by_type.items()}
    return tuple(next(rows[t.type()]) for t in ordered_tensors)


def _get_available_device_type() -> Any:
    """The kind of accelerator that there is; None where there is none."""
    from ..root import torch

    return "cuda" if torch.cuda.is_available() else None


def _get_device_module(device_type_: str) -> Any:
    """The module of a kind of device: ``torch.cuda`` of "cuda"."""
    from ..root import torch

    found = getattr(torch, device_type_, None)
    if found is None:
        raise RuntimeError(
            f"Device '{device_type_}' does not have a corresponding module registered as 'torch.{device_type_}'."
        )
    return found


def _get_all_device_indices() -> Any:
    """The numbers of the accelerators; None where there is none."""
    from ..root import torch

    return list(range(torch.cuda.device_count())) if torch.cuda.is_available() else None


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device; -1 for the CPU."""
    if isinstance(device, str):
        device = device_type(device)
    if isinstance(device, device_type):
        if not allow_cpu and device.type == "cpu":
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        device = -1 if device.type == "cpu" else device.index
    if device is None:
        if not optional:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
        return 0
    return int(device)


def _import_dotted_name(name: str) -> Any:
    """What a dotted name means."""
    components = name.split(".")
    found = __import__(components[0])
    for component in components[1:]:
        found = getattr(found, component)
    return found


class classproperty:  # noqa: N801 - PyTorch's name
    """A property of a class."""

    def __init__(self, func: Any) -> None:
        self.func = func

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.func(owner)


def scatter_kwargs(inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0) -> tuple:
    """NotImplementedError: modules run on one device."""
    raise NotImplementedError("tensorsh does not scatter arguments to several devices: run the program in one process")


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")
