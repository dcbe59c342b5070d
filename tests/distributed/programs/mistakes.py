"""What is said of arguments that no rank can use: it is said before anything is sent."""

import torch
import torch.distributed as dist
from torch.distributed.algorithms.model_averaging.utils import average_parameters
from torch.distributed.optim import ZeroRedundancyOptimizer

dist.init_process_group("gloo")
ones, size, rank = torch.ones, dist.get_world_size(), dist.get_rank()


def tried(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


tried(lambda: dist.all_reduce(ones(2), group=3))
tried(lambda: dist.barrier(group="a"))
tried(lambda: dist.send(ones(2), 0, group=3))
tried(lambda: dist.get_backend(3))
tried(lambda: dist.get_rank(3))
tried(lambda: dist.get_global_rank(3, 0))
tried(lambda: dist.get_group_rank(3, 0))
tried(lambda: dist.get_global_rank(dist.group.WORLD, 7))
tried(lambda: dist.get_group_rank(dist.group.WORLD, 7))
tried(lambda: dist.batch_isend_irecv([]))
tried(lambda: dist.batch_isend_irecv([3]))
tried(lambda: dist.P2POp(dist.all_reduce, ones(2), 0))
tried(lambda: dist.all_to_all([ones(1)], [ones(1)]))
tried(lambda: dist.all_to_all([ones(1)], [ones(1)] * size))
tried(lambda: dist.all_to_all([ones(1)] * size, [ones(1)]))
tried(lambda: dist.all_gather([ones(2)], ones(2)))
tried(lambda: dist.all_gather([ones(3)] * size, ones(2)))
tried(lambda: dist.broadcast(ones(2), src=7))
tried(lambda: dist.reduce(ones(2), dst=7))
tried(lambda: dist.send(ones(2), dst=rank))
tried(lambda: dist.all_reduce("a"))
tried(lambda: dist.all_reduce(ones(2), op=dist.ReduceOp.BAND))
tried(lambda: dist.new_group([0, 5]))
tried(lambda: dist.init_process_group("gloo"))
for parameters, kind in (
    ([], torch.optim.SGD),
    (3, torch.optim.SGD),
    (ones(2), torch.optim.SGD),
    ([torch.nn.Parameter(ones(2))], None),
):
    tried(lambda parameters=parameters, kind=kind: ZeroRedundancyOptimizer(parameters, optimizer_class=kind))
tried(lambda: average_parameters([], None))
print(dist.ReduceOp.RedOpType.SUM, repr(dist.ReduceOp.RedOpType.MAX), dist.ReduceOp.RedOpType.AVG == dist.ReduceOp.AVG)
dist.barrier()
print(dist.is_initialized())
dist.destroy_process_group()
tried(lambda: dist.barrier())
tried(lambda: dist.get_rank())
tried(lambda: dist.destroy_process_group())
