"""Groups that their members make alone, what a group's methods refuse, coalesced collectives and their Futures."""

import torch
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
mine = [rank % 2 + 2 * i for i in range(size // 2)]
others = [each for each in range(size) if each not in mine]
print(dist.new_group(others, use_local_synchronization=True))
own = dist.new_group(mine, use_local_synchronization=True)
t = torch.full((2,), float(rank))
dist.all_reduce(t, group=own)
print(dist.get_process_group_ranks(own), dist.get_group_rank(own, rank), t.tolist())
again = dist.new_group(mine, use_local_synchronization=True)
dist.barrier(again)
everyone = dist.new_group()
t = torch.ones(1)
dist.all_reduce(t, group=everyone)
print(t.item())

group = dist.group.WORLD
one, double, longer = torch.zeros(1), torch.zeros(1, dtype=torch.float64), torch.zeros(2)
rooted = dist.GatherOptions()
rooted.rootRank = rank
outside = dist.BroadcastOptions()
outside.rootRank = size
for call in (
    lambda: group.allreduce([one, double]),
    lambda: group.allreduce([one, longer]),
    lambda: group.allgather([], [one]),
    lambda: group.allgather([[one] * (size + 1)], [one]),
    lambda: group.broadcast([one], outside),
    lambda: group.gather([], [one], rooted),
    lambda: group.gather([[double] * size], [one], rooted),
    lambda: dist.all_to_all_single(torch.zeros(size, size), torch.ones(size, size).t()),
):
    try:
        call()
        print("passed")
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__)

parts = [torch.ones(2, 2) * rank, torch.ones(1)]
future = dist.all_reduce_coalesced(parts, async_op=True)
print(type(future).__name__, [each.sum().item() for each in future.wait()])
wholes = [torch.zeros(2 * size), torch.zeros(size)]
group.allgather_into_tensor_coalesced(wholes, [torch.ones(2) * rank, torch.ones(1) * rank]).wait()
print([each.tolist() for each in wholes])
sums = [torch.zeros(1), torch.zeros(2)]
group.reduce_scatter_tensor_coalesced(sums, [torch.arange(float(size)), torch.arange(2.0 * size)]).wait()
print([each.tolist() for each in sums])
dist.destroy_process_group()
