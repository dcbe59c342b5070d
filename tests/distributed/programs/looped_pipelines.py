"""Pipelines of several stages in each process."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.pipelining import PipelineStage, ScheduleInterleaved1F1B, ScheduleLoopedBFS

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


kinds = (
    (ScheduleInterleaved1F1B, 2, 4),
    (ScheduleInterleaved1F1B, 3, 8),
    (ScheduleLoopedBFS, 2, 4),
    (ScheduleInterleaved1F1B, 2, 2),
)
for kind, each, micro in kinds:
    torch.manual_seed(0)
    blocks = [nn.Sequential(nn.Linear(5, 5), nn.Tanh()) for _ in range(each * size)]
    stages = [PipelineStage(blocks[i], i, each * size, device) for i in range(rank, each * size, size)]
    schedule = kind(stages, n_microbatches=micro, loss_fn=nn.functional.mse_loss)
    parameters = [p for stage in stages for p in stage.submod.parameters()]
    opt = torch.optim.SGD(parameters, lr=0.3)
    for step in range(2):
        torch.manual_seed(step)
        x = torch.randn(16, 5)
        opt.zero_grad()
        print(kind.__name__, each, micro, *run(schedule, x, x * 2), [f"{p.grad.norm():.4f}" for p in parameters])
        opt.step()

try:
    ScheduleInterleaved1F1B(stages, 2 * size + 1, loss_fn=nn.functional.mse_loss)
except ValueError as error:
    print(error)


dist.destroy_process_group()
