"""Every collective of gloo, every dtype and every way to reduce, and what is said of wrong arguments."""

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
print("rank", rank, "of", size, dist.get_backend(), dist.is_initialized())


def said(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


OPS = "SUM AVG PRODUCT MIN MAX BAND BOR BXOR".split()
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
WHOLE = [torch.int8, torch.uint8, torch.int32, torch.int64]
for dtype in FLOATS + WHOLE + [torch.bool, torch.complex64, torch.int16]:
    for op in OPS:
        if op == "AVG" and dtype not in FLOATS:
            continue  # an error after the ranks have spoken
        x = (torch.arange(5) + rank + 1).to(dtype)
        result = said(dist.all_reduce, x, op=getattr(ReduceOp, op))
        print(dtype, op, x if result is None else result)

x = torch.tensor([[1.5, -2.0], [0.25, 4.0]]) * (rank + 1)
dist.all_reduce(x.t())
print("a view", x)
x = torch.tensor(float(rank))
dist.all_reduce(x)
print("a number", x)
x = torch.zeros(0, 3)
dist.all_reduce(x)
print("nothing", x)

x = torch.full((3,), float(rank))
dist.broadcast(x, src=size - 1)
print("broadcast", x)
x = torch.full((2, 2), rank + 1)
dist.reduce(x, dst=1)
if rank == 1:
    print("reduce", x)

parts = [torch.zeros(2, dtype=torch.int64) for _ in range(size)]
dist.all_gather(parts, torch.tensor([rank, rank * rank]))
print("all_gather", parts)
whole = torch.zeros(size * 2)
dist.all_gather_into_tensor(whole, torch.tensor([rank + 0.5, rank - 0.5]))
print("all_gather_into_tensor", whole)
parts = [torch.zeros(2) for _ in range(size)] if rank == 0 else None
dist.gather(torch.tensor([1.0, 2.0]) * rank, parts, dst=0)
print("gather", parts)
x = torch.zeros(2)
dist.scatter(x, [torch.tensor([i, i + 0.5]) for i in range(size)] if rank == 0 else None, src=0)
print("scatter", x)

x = torch.zeros(2)
dist.reduce_scatter(x, [torch.tensor([1.0, 2.0]) * (i + rank) for i in range(size)])
print("reduce_scatter", x)
x = torch.zeros(2)
dist.reduce_scatter_tensor(x, torch.arange(2.0 * size) * (rank + 1), op=ReduceOp.MAX)
print("reduce_scatter_tensor", x)
out = [torch.zeros(1) for _ in range(size)]
dist.all_to_all(out, [torch.tensor([10.0 * rank + i]) for i in range(size)])
print("all_to_all", out)
out = torch.zeros(size)
dist.all_to_all_single(out, torch.arange(size) + 10.0 * rank)
print("all_to_all_single", out)
sizes = [i + 1 for i in range(size)]
out = torch.zeros(size * (rank + 1))
dist.all_to_all_single(out, torch.arange(float(sum(sizes))) + 100 * rank, [rank + 1] * size, sizes)
print("uneven", out)

both = [torch.ones(2) * rank, torch.ones(3)]
dist.all_reduce_coalesced(both)
print("coalesced", both)
work = dist.all_reduce(both[0], async_op=True)
print("async", work.wait(), work.is_completed(), work.is_success(), both[0])
work = dist.all_reduce(both[0], async_op=True)
print("future", work.get_future().wait())
works = [dist.all_reduce(x, async_op=True) for x in both]
for work in works:
    work.wait()
print("several", both)
dist.barrier()
dist.monitored_barrier()

print(said(dist.all_reduce, [1]))
print(said(dist.all_gather, torch.ones(2), torch.ones(2)))
print(said(dist.all_gather, [torch.ones(2)], torch.ones(2)) if size > 1 else "")
print(said(dist.all_gather, [torch.ones(2)] * size, torch.ones(3)))
print(said(dist.all_gather, [torch.ones(2).double()] * size, torch.ones(2)))
print(said(dist.all_gather_into_tensor, torch.ones(size, 2), torch.ones(2)))
print(said(dist.broadcast, torch.ones(2), size + 5))
print(said(dist.broadcast, torch.ones(2)))
print(said(dist.broadcast, torch.ones(2), 0, group_src=0))
print(said(dist.send, torch.ones(2), rank))
print(said(dist.init_process_group, "gloo"))
dist.destroy_process_group()
print(dist.is_initialized(), said(dist.all_reduce, torch.ones(1)))
