"""Prodigy finds its own step."""

import prodigyopt
import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.randn(5))
t = torch.arange(5.0)
opt = prodigyopt.Prodigy([w], lr=1.0, weight_decay=0.01, safeguard_warmup=True)
for i in range(30):
    opt.zero_grad()
    loss = ((w - t) ** 2).sum()
    loss.backward()
    opt.step()
    if i % 10 == 9:
        print(i, loss, w, opt.param_groups[0]["d"])
print(opt.state_dict()["param_groups"][0]["k"], opt)
