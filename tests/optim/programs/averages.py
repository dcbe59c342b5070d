# ruff: noqa
"""Averages of models, and the optimizers for matrices."""

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)
X = torch.randn(64, 5)
Y = (X @ torch.randn(5, 1)).squeeze(1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
averages = [
    AveragedModel(model),
    AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9)),
    AveragedModel(model, avg_fn=get_ema_avg_fn(0.5), use_buffers=True),
]
for strategy, epochs in (("cos", 3), ("linear", 0)):
    schedule = SWALR(optimizer, swa_lr=0.05, anneal_epochs=epochs, anneal_strategy=strategy)
    for _ in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
        for average in averages:
            average.update_parameters(model)
        schedule.step()
        print(f"{loss.item():.3f}", schedule.get_last_lr(), averages[0].n_averaged)
update_bn(loader, averages[0])
for average in averages:
    average.eval()
    print(f"{nn.functional.mse_loss(average(X).squeeze(1), Y).item():.3f}", list(average.state_dict()))

for name, options in (
    ("Muon", {}),
    ("Muon", dict(nesterov=False, adjust_lr_fn="match_rms_adamw", momentum=0.8, lr=0.1)),
    ("Adafactor", {}),
    ("Adafactor", dict(lr=0.1, weight_decay=0.1, maximize=True)),
):
    torch.manual_seed(0)
    params = [nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(3, 5))]
    if name == "Adafactor":
        params.append(nn.Parameter(torch.randn(5)))
    optimizer = getattr(torch.optim, name)(params, **options)
    for _ in range(4):
        optimizer.zero_grad()
        loss = sum(((p - 1) ** 2 * torch.arange(p.numel()).view(p.shape)).sum() for p in params)
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.3f}")
    print(optimizer)
    print({k: list(v) for k, v in optimizer.state_dict()["state"].items()})
try:
    torch.optim.Muon([nn.Parameter(torch.ones(2))])
except ValueError as error:
    print(error)
