# What is said of groups that were destroyed, of reductions that gloo has not, and of lengths that do not fit.
import re
import tempfile
from functools import partial

import torch
import torch.distributed as dist


def tried(title, call):
    try:
        print(f"{title}: {call()}")
    except Exception as error:
        print(f"{title}: {type(error).__name__}: {re.sub('0x[0-9a-f]+', '0x', str(error).splitlines()[0])}")


x = torch.ones(4)
tried("before", dist.get_rank)
tried("destroyed before", dist.destroy_process_group)
with tempfile.NamedTemporaryFile() as file:
    dist.init_process_group("gloo", init_method=f"file://{file.name}", rank=0, world_size=1)
    for name in ("SUM", "PREMUL_SUM", "BAND"):
        tried(name, partial(dist.all_reduce, x, getattr(dist.ReduceOp, name)))
        tried(f"{name} to one", partial(dist.reduce, x, 0, getattr(dist.ReduceOp, name)))
    tried("by a factor", lambda: dist.all_reduce(x, dist._make_nccl_premul_sum(2.0)))
    a = torch.arange(4.0)
    tried("all to all", lambda: dist.all_to_all_single(x, a))
    for title, size, wanted, sent in (
        ("longer", 6, None, None),
        ("shorter", 3, None, None),
        ("wanted", 4, [5], [4]),
        ("sent", 4, [4], [3]),
        ("two parts", 4, [2, 2], [4]),
        ("both", 3, [3], [4]),
    ):
        tried(title, partial(dist.all_to_all_single, torch.empty(size), a, wanted, sent))
    tried("lists", lambda: dist.all_to_all([torch.empty(3)], [a]))
    tried("two lists", lambda: dist.all_to_all([torch.empty(4)], [a, a]))
    tried("twice the same", lambda: dist.new_group([0, 0]))
    tried("no such rank", lambda: dist.new_group([3]))
    group = dist.new_group([0])
    dist.destroy_process_group(group)
    tried("rank", lambda: dist.get_rank(group))
    tried("size", lambda: dist.get_world_size(group))
    tried("backend", lambda: dist.get_backend(group))
    tried("destroyed", lambda: dist.destroy_process_group(group))
    tried("broadcast", lambda: dist.broadcast(x, 0, group=group))
    tried("reduce", lambda: dist.reduce(x, 0, group=group))
    tried("gather", lambda: dist.gather(x, [torch.empty(4)], group=group))
    tried("scatter", lambda: dist.scatter(x, [torch.empty(4)], group=group))
    tried("send", lambda: dist.send(x, 0, group=group))
    tried("its number", lambda: dist.get_global_rank(group, 0))
    dist.destroy_process_group()
    tried("after", lambda: dist.all_reduce(x))
    tried("destroyed after", dist.destroy_process_group)
