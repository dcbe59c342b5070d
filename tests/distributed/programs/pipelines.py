"""Pipelines: stages in several processes, schedules, losses, gradients."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


class Part(nn.Module):
    def __init__(self, first, last):
        super().__init__()
        self.first = nn.Linear(6, 8) if first else nn.Identity()
        self.mid = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU())
        self.last = nn.Linear(8, 3) if last else nn.Identity()

    def forward(self, x):
        return self.last(self.mid(self.first(x)))


for kind, micro in ((ScheduleGPipe, 4), (Schedule1F1B, 4), (Schedule1F1B, 8)):
    torch.manual_seed(rank)
    part = Part(rank == 0, rank == size - 1)
    stage = PipelineStage(part, rank, size, torch.device("cpu"))
    schedule = kind(stage, micro, loss_fn=nn.functional.cross_entropy)
    opt = torch.optim.SGD(part.parameters(), lr=0.5)
    for step in range(3):
        torch.manual_seed(10 + step)
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        opt.zero_grad()
        losses = []
        if rank == 0:
            out = schedule.step(x)
        elif rank == size - 1:
            out = schedule.step(target=y, losses=losses)
        else:
            out = schedule.step()
        print(
            kind.__name__,
            step,
            None if out is None else (tuple(out.shape), f"{out.sum().item():.4f}"),
            [f"{l.item():.4f}" for l in losses],
            f"{sum(p.grad.abs().sum() for p in part.parameters()).item():.4f}",
        )
        opt.step()
    torch.manual_seed(99)
    x = torch.randn(8, 6)
    out = (
        schedule.eval(x)
        if rank == 0
        else schedule.eval(target=torch.zeros(8, dtype=torch.long))
        if rank == size - 1
        else schedule.eval()
    )
    print(None if out is None else f"{out.sum().item():.4f}", stage.is_first, stage.is_last)
dist.destroy_process_group()
