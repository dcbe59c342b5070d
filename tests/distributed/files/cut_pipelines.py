"""Pipelines of models that are cut where modules begin or end."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.pipelining import ScheduleGPipe, SplitPoint, pipeline

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
device = torch.device("cpu")


def run(schedule, x, y):
    losses = []
    if rank == 0:
        out = schedule.step(x)
    elif rank == size - 1:
        out = schedule.step(target=y, losses=losses)
    else:
        out = schedule.step()
    return None if out is None else tuple(out.shape), [f"{loss.item():.4f}" for loss in losses]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.line = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.line(self.norm(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.blocks = nn.ModuleList([Block(8) for _ in range(size)])
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


begins = {f"blocks.{i}": SplitPoint.BEGINNING for i in range(1, size)}
ends = {f"blocks.{i}": SplitPoint.END for i in range(size - 1)}
for spec in (begins, ends):
    torch.manual_seed(1)
    model = Model()
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    pipe = pipeline(model, mb_args=(x[:2],), split_spec=spec)
    stage = pipe.build_stage(rank, device)
    schedule = ScheduleGPipe(stage, 4, loss_fn=nn.functional.cross_entropy)
    shown = run(schedule, x, y)
    print(pipe.num_stages, *shown, [f"{p.grad.norm():.4f}" for p in stage.submod.parameters()])

try:
    pipe.get_stage_module(size)
except ValueError as error:
    print(error)
try:
    pipeline(model, mb_args=(x,), split_spec=begins, split_policy=lambda g: g)
except ValueError as error:
    print(error)
dist.destroy_process_group()
