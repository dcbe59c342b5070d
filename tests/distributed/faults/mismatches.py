"""Ranks that call different things: each call fails on each rank with a sentence, and the group goes on."""

from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=30))
rank, size = dist.get_rank(), dist.get_world_size()
one, other = torch.ones(4), torch.ones(5)
odd = rank == 1
pick = lambda a, b: b if odd else a  # noqa: E731


def parts(t, count=size):
    return [torch.zeros_like(t) for _ in range(count)]


CASES = {
    "shape": lambda: dist.all_reduce(pick(one, other)),
    "dimensions": lambda: dist.all_reduce(pick(torch.ones(2, 3), torch.ones(3, 2))),
    "dtype": lambda: dist.all_reduce(pick(one, one.double())),
    "bytes alike": lambda: dist.all_reduce(pick(torch.ones(2).double(), torch.ones(4))),
    "operation": lambda: dist.all_reduce(one, op=pick(dist.ReduceOp.SUM, dist.ReduceOp.MAX)),
    "order": lambda: pick(dist.all_reduce, lambda t: dist.broadcast(t, 0))(one),
    "root": lambda: dist.broadcast(one, pick(0, 1)),
    "broadcast shape": lambda: dist.broadcast(pick(one, other), 0),
    "reduce root": lambda: dist.reduce(one, pick(0, 1)),
    "reduce dtype": lambda: dist.reduce(pick(one, one.int()), 0),
    "all_gather shape": lambda: dist.all_gather(parts(pick(one, other)), pick(one, other)),
    "all_gather dtype": lambda: dist.all_gather(parts(pick(one, one.int())), pick(one, one.int())),
    "gather root": lambda: dist.gather(one, parts(one) if rank == pick(0, 1) else None, pick(0, 1)),
    "gather shape": lambda: dist.gather(pick(one, other), parts(one) if rank == 0 else None, 0),
    "scatter shape": lambda: dist.scatter(pick(one, other), parts(one) if rank == 0 else None, 0),
    "reduce_scatter": lambda: dist.reduce_scatter(pick(one, other), parts(pick(one, other))),
    "all_to_all": lambda: dist.all_to_all_single(
        torch.zeros(size + odd), torch.ones(size), [1] * (size - 1) + [1 + odd]
    ),
    "barrier": lambda: pick(dist.barrier, lambda: dist.all_reduce(one))(),
    "object": lambda: pick(
        lambda: dist.all_gather_object([None] * size, 1), lambda: dist.all_gather(parts(one), one)
    )(),
    "async": lambda: dist.all_reduce(pick(one, other), async_op=True).wait(),
    "message": lambda: dist.send(other, 0) if odd else dist.recv(one, 1) if rank == 0 else None,
}
for name, case in CASES.items():
    try:
        case()
        print(name, "nothing")
    except (RuntimeError, ValueError) as error:
        print(name, type(error).__name__, str(error)[:60])
x = torch.ones(1)
dist.all_reduce(x)
print("and on", x)
