"""Collectives of tensors on the stand-in's devices: through the processor's memory, and by a stand-in for NCCL that checks its arguments.

Run on two ranks, with the word `shared` (they share a device, as NCCL refuses), `nccl`, or `none` (there is no NCCL).
"""

import ctypes
import importlib
import sys
from types import ModuleType

import numpy as np
import torch
import torch.distributed as dist

from tensorsh.torch.distributed.groups import world
from tests.device import standin

how = sys.argv[1]
calls = []
KINDS = {7: np.float32, 4: np.int64}


def seen(pointer, count, kind):
    memory = (ctypes.c_char * (count * np.dtype(KINDS[kind]).itemsize)).from_address(pointer)
    return np.frombuffer(memory, KINDS[kind])


class Communicator:
    def __init__(self, size, secret, rank):
        assert (size, len(secret)) == (2, 128) and all(type(n) is int and -128 <= n < 128 for n in secret)
        assert secret == tuple((i * 7) % 256 - 128 for i in range(128)), secret

    def allReduce(self, source, target, count, kind, operation, stream):
        calls.append("allReduce")
        way = {0: "SUM", 1: "PROD", 2: "MAX", 3: "MIN"}[operation]
        into = seen(target, count, kind)
        self.mpi().Allreduce(seen(source, count, kind).copy(), into, getattr(world.transport.MPI, way))

    def reduce(self, source, target, count, kind, operation, root, stream):
        calls.append("reduce")
        into = np.empty(count, KINDS[kind])
        self.mpi().Allreduce(seen(source, count, kind).copy(), into)
        if root == dist.get_rank():
            seen(target, count, kind)[:] = into

    def broadcast(self, source, target, count, kind, root, stream):
        calls.append("broadcast")
        self.mpi().Bcast(seen(target, count, kind), root)

    def allGather(self, source, target, count, kind, stream):
        calls.append("allGather")
        self.mpi().Allgather(seen(source, count, kind).copy(), seen(target, count * 2, kind))

    def reduceScatter(self, source, target, count, kind, operation, stream):
        calls.append("reduceScatter")
        self.mpi().Reduce_scatter_block(seen(source, 2 * count, kind).copy(), seen(target, count, kind))

    def mpi(self):
        return world.transport.control


def unique():
    return tuple((i * 7) % 256 - 128 for i in range(128))


with standin.installed():
    module = standin.module
    nccl = ModuleType("cupy.cuda.nccl")
    nccl.get_unique_id, nccl.NcclCommunicator = unique, Communicator
    for i, name in enumerate(["SUM", "PROD", "MAX", "MIN"]):
        setattr(nccl, f"NCCL_{name}", i)
    nccl.NCCL_FLOAT32, nccl.NCCL_INT64 = 7, 4
    module.cuda.nccl = nccl
    carrier = importlib.import_module("tensorsh.torch.distributed.nccl")

    carrier.is_nccl_available = lambda: how != "none"
    dist.init_process_group()
    rank = dist.get_rank()
    standin.Device.pci_bus_id = "0000" if how == "shared" else property(lambda device: f"{rank}")
    x = torch.arange(3.0, device="cuda") + rank
    dist.all_reduce(x)
    print(x)
    y = (torch.arange(4, device="cuda").reshape(2, 2) * (rank + 1)).t()
    dist.all_reduce(y, op=dist.ReduceOp.MAX)
    print(y.cpu())
    dist.broadcast(x, 1)
    z = torch.ones(2, device="cuda") * (rank + 1)
    dist.reduce(z, 0)
    print(z if rank == 0 else "")
    joined = torch.zeros(4, device="cuda")
    dist.all_gather_into_tensor(joined, torch.ones(2, device="cuda") * rank)
    part = torch.zeros(2, device="cuda")
    dist.reduce_scatter_tensor(part, torch.arange(4.0, device="cuda"), op=dist.ReduceOp.AVG)
    print(joined, part)
    try:
        dist.all_reduce(torch.ones(2, device="cuda" if rank else "cpu"))
    except RuntimeError as error:
        print("TensorDeviceTypes=cuda" in str(error))
    print(calls)
