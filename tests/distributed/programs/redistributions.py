"""A tensor from all placements on a mesh of two dimensions to all others; how many collectives one dimension takes."""

import itertools

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

torch.set_num_threads(1)
dist.init_process_group("gloo")
size = dist.get_world_size()
mesh = init_device_mesh("cpu", (size // 2, 2))
full = torch.arange(30.0).reshape(5, 6)
ways = [Replicate(), Shard(0), Shard(1)]
wrong = []
for before in itertools.product([*ways, Partial()], repeat=2):
    base = [Replicate() if way.is_partial() else way for way in before]
    part = distribute_tensor(full, mesh, base).to_local()
    whole = DTensor.from_local(part, mesh, before, shape=full.shape, stride=full.stride())
    terms = 1
    for dim, way in enumerate(before):
        terms *= mesh.size(dim) if way.is_partial() else 1
    for after in itertools.product(ways, repeat=2):
        found = whole.redistribute(mesh, after)
        wanted = distribute_tensor(full * terms, mesh, after)
        if not torch.equal(found.to_local(), wanted.to_local()) or not torch.equal(found.full_tensor(), full * terms):
            wrong.append((before, after))
print(len(wrong))
line = init_device_mesh("cpu", (size,))
t = torch.arange(24.0).reshape(2, 3, 4).permute(1, 2, 0)
print(DTensor.from_local(t, line, [Shard(1)]).stride() == (4 * size, 1, 12 * size))
terms = DTensor.from_local(torch.ones(5, 3) * (dist.get_rank() + 1), line, [Partial()])
for dim in (0, 1):
    print(terms.redistribute(line, [Shard(dim)]).full_tensor()[0].tolist())
for wrong_call in (
    lambda: DTensor.from_local(torch.ones(2), line, [Shard(0)], shape=torch.Size([4])),
    lambda: DTensor.from_local(torch.ones(dist.get_rank() + 1), line, [Shard(0)], run_check=True),
):
    try:
        wrong_call()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
dist.destroy_process_group()
