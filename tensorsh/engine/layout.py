"""Memory formats and layouts: names that programs pass about, accepted where they change nothing."""

from __future__ import annotations

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
