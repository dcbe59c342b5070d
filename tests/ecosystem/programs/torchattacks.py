"""Attacks on a small network for pictures."""

import torch
import torch.nn as nn
import torchattacks

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 16, 4)
).eval()
x = torch.rand(3, 3, 8, 8)
y = torch.tensor([0, 1, 2])
for A in [
    torchattacks.FGSM(net, eps=8 / 255),
    torchattacks.PGD(net, eps=8 / 255, alpha=2 / 255, steps=4),
    torchattacks.BIM(net),
    torchattacks.MIFGSM(net, steps=3),
    torchattacks.CW(net, steps=5),
    torchattacks.DeepFool(net, steps=4),
    torchattacks.FFGSM(net),
    torchattacks.APGD(net, steps=3),
    torchattacks.TIFGSM(net, steps=2),
    torchattacks.NIFGSM(net, steps=2),
    torchattacks.EOTPGD(net, steps=2),
    torchattacks.Jitter(net, steps=2),
    torchattacks.PGDL2(net, steps=2),
    torchattacks.GN(net),
    torchattacks.SparseFool(net, steps=2),
    torchattacks.Square(net, n_queries=5),
    torchattacks.FAB(net, steps=2),
    torchattacks.SINIFGSM(net, steps=2, m=2),
    torchattacks.VMIFGSM(net, steps=2, N=2),
    torchattacks.DIFGSM(net, steps=2, resize_rate=0.9),
]:
    try:
        adv = A(x, y)
        print(
            A.attack,
            adv.shape,
            round(float((adv - x).abs().max()), 5),
            round(float((adv - x).norm()), 4),
            net(adv).argmax(1).tolist(),
        )
    except Exception as e:
        print(A.attack, type(e).__name__, str(e)[:200])
