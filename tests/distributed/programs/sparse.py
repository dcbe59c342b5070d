"""Sparse tensors summed, sparse gradients reduced, options as objects, queues of stores."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

t = torch.tensor([[0.0, 1.0 + rank], [2.0 * (rank == 0), 5.0 * (rank == 1)]]).to_sparse()
dist.all_reduce(t)
print(t, t.is_coalesced())
t = torch.eye(2).to_sparse() if rank == 0 else torch.zeros(2, 2).to_sparse()
work = dist.all_reduce(t, async_op=True)
print(work.wait(), t)
t = torch.arange(6.0).view(3, 2).bfloat16()
t[rank % 3] = 0
t = t.to_sparse(1)
dist.all_reduce(t)
print(t)
t = torch.sparse_coo_tensor([[0, rank, rank]], [1, 2, 3], (size,))
dist.all_reduce(t)
print(t)
t = torch.zeros(3).to_sparse()
dist.all_reduce(t)
print(t)
for op in (dist.ReduceOp.MAX, dist.ReduceOp.AVG):
    try:
        dist.all_reduce(t, op=op)
    except RuntimeError as error:
        print(error)

table = nn.Embedding(6, 2, sparse=True)
bag = nn.EmbeddingBag(4, 2, sparse=True, mode="sum")
nn.init.ones_(table.weight)
nn.init.ones_(bag.weight)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.bag, self.last = table, bag, nn.Linear(2, 1)
        nn.init.ones_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, places):
        return self.last(self.table(places) + self.bag(places.view(-1, 1) % 4))


model = nn.parallel.DistributedDataParallel(Model())
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(2):
    optimizer.zero_grad()
    (model(torch.tensor([rank, 1, 5 - rank])) * (rank + 1)).sum().backward()
    print(table.weight.grad.coalesce())
    print(bag.weight.grad.coalesce())
    print(model.module.last.weight.grad)
    optimizer.step()
print(table.weight)

group = dist.group.WORLD
options = dist.AllreduceOptions()
options.reduceOp, options.timeout = dist.ReduceOp.MAX, timedelta(seconds=20)
t = torch.tensor([float(rank)])
print(group.allreduce([t], options).wait(), t)
options = dist.BroadcastOptions()
options.rootRank = size - 1
t = torch.tensor([float(rank)])
group.broadcast([t], opts=options).wait()
print(t, options.rootTensor, options.asyncOp, dist.ReduceOptions().timeout)
group.barrier(dist.BarrierOptions()).wait()
group.monitored_barrier()

store = dist.HashStore()
store.queue_push("q", "a")
store.queue_push("q", "b")
print(store.queue_len("q"), store.queue_pop("q"), store.queue_pop("q"), store.queue_len("q"))
try:
    store.queue_pop("q", False)
except dist.QueueEmptyError as error:
    print(error)
dist.destroy_process_group()
