"""Optimizers of heavyball: momentum turned, whitened and preconditioned."""

import heavyball
import torch

heavyball.utils.compile_mode = None
heavyball.utils.set_torch()
for name in (
    "ForeachAdamW",
    "ForeachSOAP",
    "ForeachMuon",
    "ForeachLaProp",
    "ForeachSFAdamW",
    "ForeachADOPT",
    "PaLMForeachSFAdamW",
    "ForeachPSGDKron",
):
    kind = getattr(heavyball, name, None)
    if kind is None:
        print(name, "none")
        continue
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    optimizer = kind(net.parameters(), lr=1e-2)
    for _ in range(6):
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(name, f"{loss.item():.5f}")
