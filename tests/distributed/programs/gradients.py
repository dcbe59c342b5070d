"""Collectives that gradients flow through."""

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as F

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def leaf(*shape):
    return (torch.arange(float(torch.Size(shape).numel())).reshape(shape) + rank).requires_grad_()


x = leaf(3)
y = F.all_reduce(x)
(y * (rank + 1)).sum().backward()
print("all_reduce", y, x.grad)
x = leaf(2)
y = F.all_gather(x)
sum((part * (i + rank + 1)).sum() for i, part in enumerate(y)).backward()
print("all_gather", y, x.grad)
x = leaf(2)
y = F.broadcast(x, 1)
(y * (rank + 2)).sum().backward()
print("broadcast", y, x.grad)
x = leaf(2)
y = F.reduce(x, 0)
(y * (rank + 2)).sum().backward()
print("reduce", x.grad)
parts = [leaf(2) for _ in range(size)]
y = F.scatter(parts, 0)
(y * (rank + 2)).sum().backward()
print("scatter", y, [part.grad for part in parts])
x = leaf(2)
y = F.gather(x, 0)
sum((part * (i + 2) * torch.ones(2)).sum() for i, part in enumerate(y)).backward()
print("gather", y, x.grad)
parts = [leaf(2) for _ in range(size)]
y = F.reduce_scatter(torch.zeros(2), parts)
(y * (rank + 2)).sum().backward()
print("reduce_scatter", y, [part.grad for part in parts])
parts = [leaf(2) for _ in range(size)]
y = F.all_to_all([torch.zeros(2) for _ in range(size)], parts)
sum((part * (i + 2 + rank)).sum() for i, part in enumerate(y)).backward()
print("all_to_all", y, [part.grad for part in parts])
x = leaf(size, 2)
y = F.all_to_all_single(torch.zeros(size, 2), x)
(y * (rank + 2)).sum().backward()
print("all_to_all_single", y, x.grad)
dist.destroy_process_group()
