"""Memory formats and layouts: names that programs pass about, accepted where they change nothing."""

from __future__ import annotations

from typing import Any

from ..sealed import Frozen


class memory_format(Frozen):
    """An order of dimensions in memory."""

    __module__ = "torch"
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return "torch." + self.name


class layout(memory_format):
    """How a tensor's elements are stored."""

    __module__ = "torch"
    __slots__ = ()


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")

PINNED = "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system."


def check_options(function: str, wanted: Any, pinned: Any) -> None:
    """Refuse what tensors here cannot be: sparse; pinned in memory where there is no device to copy to."""
    if wanted is not None and wanted is not strided:
        last = function.rpartition(".")[2]
        if last in ("full", "ones") and wanted is sparse_coo:
            raise RuntimeError("full(...) is not implemented for sparse layout")
        raise NotImplementedError(f"{last}(): tensorsh has no {wanted} tensors, only torch.strided ones")
    if pinned:
        from .backend import device_count

        if not device_count():
            raise RuntimeError(PINNED)
