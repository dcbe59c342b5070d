"""Collectives between GPUs: NCCL, by cupy. Where ranks share a GPU, which NCCL refuses, tensors go through the processor's memory.

NCCL is told of its ranks by a secret that rank 0 of a group makes, and which goes to the others over MPI. What it does is waited for as
all else is: by looking whether it is done, with a clock beside it.
"""

from __future__ import annotations

import socket
from typing import Any

import numpy as np

from .backends import is_nccl_available
from .groups import ProcessGroup
from .held import Held, gather_bytes
from .transport import MOVING

TYPES = {
    "float32": "FLOAT32", "float64": "FLOAT64", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "int8": "INT8", "uint8": "UINT8",
    "int32": "INT32", "int64": "INT64", "uint32": "UINT32", "uint64": "UINT64", "bool": "UINT8",
}  # fmt: skip
OPERATIONS = {"SUM": "SUM", "PROD": "PROD", "MIN": "MIN", "MAX": "MAX", "LOR": "MAX", "LAND": "MIN"}
SECRET = 128
"""Bytes of the secret."""


class Link:
    """NCCL's communicator of a group."""

    def __init__(self, module: Any, nccl: Any, communicator: Any) -> None:
        self.module, self.nccl, self.communicator = module, nccl, communicator

    def kind(self, held: Held) -> int:
        name = held.tensor.dtype.name
        if name not in TYPES or not hasattr(self.nccl, "NCCL_" + TYPES[name]):
            raise RuntimeError(f"NCCL has no tensors of {held.tensor.dtype}")
        return getattr(self.nccl, "NCCL_" + TYPES[name])

    def operation(self, name: str) -> int:
        if name not in OPERATIONS:
            raise RuntimeError(f"Cannot use ReduceOp.{name} with NCCL")
        return getattr(self.nccl, "NCCL_" + OPERATIONS[name])

    def flat(self, held: Held) -> Any:
        """The elements in a row, on the device: the memory itself where that is in order, else a copy."""
        return self.module.ascontiguousarray(held.array).reshape(-1)

    def run(self, name: str, *arguments: Any) -> Any:
        """The steps of a call of NCCL."""
        stream = self.module.cuda.get_current_stream()
        getattr(self.communicator, name)(*arguments, stream.ptr)
        event = self.module.cuda.Event(disable_timing=True)
        event.record(stream)
        while not event.done:
            yield MOVING


def link(group: ProcessGroup, *held: Held) -> Any:
    """The steps that join a group by NCCL, once; None for tensors of the CPU, where there is no NCCL, or two ranks share a GPU."""
    if group.size() == 1 or any(type(each.array) is np.ndarray for each in held):
        return None
    if group._backend not in ("nccl", "undefined") or not is_nccl_available():
        return None
    if group._link is None:
        from ...engine.arrays.backend import cupy

        module = cupy()
        nccl = module.cuda.nccl
        device = module.cuda.Device()
        place = f"{socket.gethostname()} {device.pci_bus_id}".encode()[:SECRET].ljust(SECRET, b"\0")
        places = yield from gather_bytes(group, np.frombuffer(place, np.uint8))
        if len({row.tobytes() for row in places}) < group.size():
            group._link = False
        else:
            secret = np.zeros(SECRET, np.uint8)
            if group._me == 0:
                secret[:] = np.array(nccl.get_unique_id(), np.int64).astype(np.uint8)
            secrets = yield from gather_bytes(group, secret)
            key = tuple(int(each) for each in secrets[0].view(np.int8))
            group._link = Link(module, nccl, nccl.NcclCommunicator(group.size(), key, group._me))
    return group._link or None


def reduce(held: Held, link: Link, how: Any, group: ProcessGroup, root: int | None = None) -> Any:
    """The steps that reduce a tensor, into all or into one."""
    array = link.flat(held)
    if how.factor is not None:
        array = array * array.dtype.type(how.factor)
    place, kind, operation = array.data.ptr, link.kind(held), link.operation(how.name)
    if root is None:
        yield from link.run("allReduce", place, place, array.size, kind, operation)
    else:
        yield from link.run("reduce", place, place, array.size, kind, operation, root)
    if root is None or root == group._me:
        finish(held, array / array.dtype.type(group.size()) if how.average else array)


def broadcast(held: Held, link: Link, root: int) -> Any:
    """The steps that give all ranks one's tensor."""
    array = link.flat(held)
    yield from link.run("broadcast", array.data.ptr, array.data.ptr, array.size, link.kind(held), root)
    finish(held, array)


def gather(given: Held, taken: Held, link: Link) -> Any:
    """The steps that give all ranks the tensors of all, joined."""
    array, joined = link.flat(given), link.flat(taken)
    yield from link.run("allGather", array.data.ptr, joined.data.ptr, array.size, link.kind(given))
    finish(taken, joined)


def reduce_scatter(given: Held, taken: Held, link: Link, how: Any, group: ProcessGroup) -> Any:
    """The steps that give each rank its part of the reduced tensor."""
    array, part = link.flat(given), link.flat(taken)
    if how.factor is not None:
        array = array * array.dtype.type(how.factor)
    kind, operation = link.kind(given), link.operation(how.name)
    yield from link.run("reduceScatter", array.data.ptr, part.data.ptr, part.size, kind, operation)
    finish(taken, part / part.dtype.type(group.size()) if how.average else part)


def finish(held: Held, array: Any) -> None:
    """Writes a result where it is not already."""
    if array.data.ptr != held.array.data.ptr:
        held.array[...] = array.reshape(held.array.shape)
    held.tensor._bump()
