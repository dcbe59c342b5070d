"""Schedules that warm up."""

import pytorch_warmup as warmup
import torch

p = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.AdamW([p], lr=0.1)
s = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for kind in (
    warmup.UntunedLinearWarmup(opt),
    warmup.LinearWarmup(opt, 5),
    warmup.ExponentialWarmup(opt, 4),
    warmup.RAdamWarmup(opt),
):
    for _ in range(6):
        p.grad = torch.ones(2)
        opt.step()
        with kind.dampening():
            s.step()
    print(type(kind).__name__, opt.param_groups[0]["lr"], kind.state_dict(), p)
