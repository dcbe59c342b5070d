# ruff: noqa: B023
"""Gradients clipped of parameters that lie in parts; and what functions of lists refuse."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,))


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


def parameters(*placements):
    found = []
    for placement in placements:
        whole = torch.arange(4.0).view(2, 2)
        made = distribute_tensor(whole, mesh, [placement]) if placement else whole
        found.append(nn.Parameter(made))
        found[-1].grad = made * 2
    return found


for placements in ((Shard(0),), (Replicate(),), (Shard(0), Shard(0)), (Shard(1), Replicate()), (Shard(0), None)):
    for order in (2.0, 1.0, float("inf")):
        for foreach in (None, False):
            given = parameters(*placements)
            if order < 3 or len(set(placements)) == 1:  # else the placement of the norm is another
                t(f"norm {placements} {order}", lambda: nn.utils.clip_grad_norm_(given, 1.0, order, foreach=foreach))
                t("then", lambda: [p.grad for p in given])
    given = parameters(*placements)
    t(f"value {placements}", lambda: nn.utils.clip_grad_value_(given, 1.0))
    t("then", lambda: [p.grad for p in given])

x = distribute_tensor(torch.tensor([[1.0, -2.0], [3.0, -4.0]]), mesh, [Shard(0)])
t("largest", lambda: torch.linalg.vector_norm(x, float("inf")))
t("least", lambda: torch.linalg.vector_norm(x, -float("inf")))
t("norm", lambda: x.norm(float("inf")))
t("stack", lambda: torch.stack([x.sum(), x.sum()]))
t("in place", lambda: x.mul_(torch.ones(2, 2)))
t("none", lambda: nn.utils.clip_grad_value_([nn.Parameter(torch.ones(1))], 1.0))
dist.destroy_process_group()
