"""Placements that a tensor cannot have, casts of parts, functions of parts, plans of parallel modules, what pipelines refuse and give."""

# ruff: noqa: B023 - what a loop makes is called within its turn

import warnings

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch.distributed.tensor as parts
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import implicit_replication, local_map
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (size,))


def tried(name, function):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = function()
        except Exception as error:
            found = f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"
    print(name, found, [str(each.message)[:90] for each in told if each.category is not ResourceWarning])


for dim in (-1, -3, 2, 3):
    for shape in ((4, 2), (4,), ()):
        whole = torch.ones(shape)
        tried((dim, shape), lambda: distribute_tensor(whole, mesh, [Shard(dim)]).placements)
        tried("local", lambda: DTensor.from_local(whole, mesh, [Shard(dim)]).placements)
        tried("made", lambda: parts.zeros(shape, device_mesh=mesh, placements=[Shard(dim)]).placements)
        laid = distribute_tensor(whole, mesh, [Replicate()])
        tried("redistributed", lambda: laid.redistribute(mesh, [Shard(dim)]).placements)
tried("no placement", lambda: distribute_tensor(torch.ones(3), mesh, [0]))

cut = distribute_tensor(torch.arange(8.0).reshape(4, 2), mesh, [Shard(0)])
terms = DTensor.from_local(torch.ones(2, 2), mesh, [Partial()])
for name in "cpu float double half bfloat16 long int bool contiguous clone cfloat".split():
    tried(name, lambda: [getattr(t, name)().placements for t in (cut, terms)])
tried("to", lambda: [t.to(kind).placements for t in (cut, terms) for kind in (torch.int, torch.float64)])
tried("type", lambda: (cut.type(torch.int).placements, cut.type(), cut.type_as(terms).placements))
leaf = distribute_tensor(torch.ones(4, requires_grad=True), mesh, [Shard(0)])
print(leaf, (leaf * 2).detach())
tried("iter", lambda: [row.shape for row in cut])

tried("mixed", lambda: cut + torch.ones(4, 2))
with implicit_replication():
    tried("implicit", lambda: (cut + torch.ones(4, 2)).placements)
added = local_map(lambda a, b: a + b, [Shard(0)], ([Shard(0)], [Shard(0)]))
tried("local_map", lambda: added(cut, cut).full_tensor())
tried("terms", lambda: local_map(lambda a: a.sum(), [Partial()], ([Shard(0)],))(cut).full_tensor())
tried("other places", lambda: local_map(lambda a: a, [Shard(0)], ([Replicate()],))(cut))
tried("count", lambda: added(cut))
tried("results", lambda: local_map(lambda a: (a, a), ([Shard(0)],), ([Shard(0)],))(cut))
tried("plain", lambda: local_map(lambda a: a, [Shard(0)])(torch.ones(1)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)


def plan(**styles):
    model = nn.ModuleDict({"layers": nn.ModuleList([Block(), Block()]), "out": nn.Linear(4, 4)})
    styles = {key.replace("__", ".").replace("ANY", "*"): style for key, style in styles.items()}
    parallelize_module(model, mesh, styles)
    return [(name, p.placements) for name, p in model.named_parameters() if isinstance(p, DTensor)]


tried("any", lambda: plan(layers__ANY__up=ColwiseParallel(), layers__1__down=RowwiseParallel()))
tried(
    "lacking",
    lambda: plan(layers__5__up=ColwiseParallel(), foo=ColwiseParallel(), layers__1__foo__bar=RowwiseParallel()),
)
tried("no plan", lambda: parallelize_module(nn.Linear(2, 2), mesh))
tried("itself", lambda: parallelize_module(nn.Linear(4, 4), mesh, {"": ColwiseParallel()}).weight.placements)
tried("no style", lambda: parallelize_module(nn.Sequential(nn.Linear(2, 2)), mesh, {"0": 3}))

torch.manual_seed(0)
layers = [nn.Linear(4, 4) for _ in range(2 * size)]
x, y = torch.randn(8, 4), torch.randn(8, 4)
stage = lambda i, count: PipelineStage(layers[i], i, count, torch.device("cpu"))


def through(schedule, step):
    given = {"target": y} if rank == size - 1 else {}
    found = step(x) if rank == 0 else step(**given)
    return found if found is None else (tuple(found.shape), found.requires_grad)


for kind in (ScheduleGPipe, Schedule1F1B):
    schedule = kind(stage(rank, size), size, loss_fn=nn.MSELoss())
    tried(kind.__name__, lambda: through(schedule, schedule.step))
    before = layers[rank].weight.grad.clone()
    tried("eval", lambda: through(schedule, schedule.eval))
    print(torch.allclose(layers[rank].weight.grad, before / size))
    with torch.no_grad():
        tried("no_grad", lambda: through(schedule, schedule.step))
tried("few", lambda: Schedule1F1B(stage(rank, size), 1))
tried("losses", lambda: schedule.step(x, losses=3))
tried("stages", lambda: ScheduleGPipe([stage(rank, size)], 2))
tried("stage", lambda: ScheduleInterleaved1F1B(stage(rank, size), 4))

t = torch.ones(3)
tried("way", lambda: fc.all_reduce(t, "foo", dist.group.WORLD))
tried("size", lambda: dist.all_gather_into_tensor(torch.zeros(3 * size - 1), t))
tried("dtype", lambda: dist.all_gather_into_tensor(torch.zeros(3 * size, dtype=torch.int), t))
tried("old", lambda: dist.all_gather_into_tensor(torch.zeros(3 * size), t))
tried("nobody", lambda: dist.new_group([]))
tried("SyncBatchNorm", lambda: nn.SyncBatchNorm(2)(torch.ones(2, 2)))
tried("of DDP", lambda: nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(2, 2), nn.SyncBatchNorm(2))))
dist.destroy_process_group()
dist.init_process_group("cpu:gloo")
print(dist.get_backend(), dist.get_backend_config())
dist.destroy_process_group()
