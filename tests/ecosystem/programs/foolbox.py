"""Attacks on a classifier, and the accuracy that is left."""

import eagerpy as ep
import foolbox as fb
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Flatten(), nn.Linear(48, 20), nn.ReLU(), nn.Linear(20, 4)).eval()
m = fb.PyTorchModel(net, bounds=(0, 1), device="cpu")
x = torch.rand(4, 3, 4, 4)
y = net(x).argmax(1)
print(fb.accuracy(m, x, y))
for A in [
    fb.attacks.LinfPGD(steps=4),
    fb.attacks.FGSM(),
    fb.attacks.L2DeepFoolAttack(steps=5),
    fb.attacks.L2CarliniWagnerAttack(binary_search_steps=1, steps=5),
    fb.attacks.DDNAttack(steps=5),
    fb.attacks.L2FMNAttack(steps=5),
    fb.attacks.EADAttack(binary_search_steps=1, steps=5),
    fb.attacks.NewtonFoolAttack(steps=3),
    fb.attacks.LinfBasicIterativeAttack(steps=3),
    fb.attacks.GaussianBlurAttack(),
]:
    try:
        raw, cl, ok = A(m, x, y, epsilons=[0.05, 0.5])
        print(type(A).__name__, ok.float().mean(-1), [round(float((c - x).norm()), 4) for c in cl])
    except Exception as e:
        print(type(A).__name__, type(e).__name__, str(e)[:200])
t = ep.astensor(x)
print(t.flatten(start=1).norms.l2(axis=-1), ep.maximum(t, 0.5).mean())
