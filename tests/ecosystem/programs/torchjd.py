"""Several losses at once: their Jacobian aggregated without conflict."""

import torch
from torchjd import aggregation as A
from torchjd import autojac

torch.manual_seed(0)
J = torch.tensor([[-4.0, 1.0, 1.0], [6.0, 1.0, 1.0], [1.0, 0.0, 2.0]])
for way in (
    A.MGDA(),
    A.Mean(),
    A.Sum(),
    A.PCGrad(),
    A.IMTLG(),
    A.AlignedMTL(),
    A.TrimmedMean(1),
    A.Constant(torch.tensor([1.0, 2.0, 3.0])),
    A.Random(),
    A.GradDrop(),
    A.ConFIG(),
):
    torch.manual_seed(1)
    print(way, way(J))
net = torch.nn.Linear(3, 2)
y = net(torch.randn(4, 3))
autojac.backward([y[:, 0].pow(2).mean(), y[:, 1].abs().mean()])
autojac.jac_to_grad(net.parameters(), A.MGDA())
print(net.weight.grad, net.bias.grad)
