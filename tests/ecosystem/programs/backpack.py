"""Individual gradients, variances and curvature in one backward pass."""

import torch
from backpack import backpack, extend
from backpack.extensions import KFAC, BatchGrad, BatchL2Grad, DiagGGNExact, DiagHessian, SumGradSquared, Variance

torch.manual_seed(0)
model = extend(
    torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8, 3))
)
lossfunc = extend(torch.nn.CrossEntropyLoss())
x, y = torch.randn(4, 1, 4, 4), torch.tensor([0, 1, 2, 1])
loss = lossfunc(model(x), y)
with backpack(BatchGrad(), Variance(), SumGradSquared(), BatchL2Grad(), DiagGGNExact(), KFAC()):
    loss.backward()
for name, p in model.named_parameters():
    print(
        name,
        p.grad_batch.shape,
        p.grad_batch.sum().item(),
        p.variance.sum().item(),
        p.sum_grad_squared.sum().item(),
        p.batch_l2.sum().item(),
        p.diag_ggn_exact.sum().item(),
        [k.shape for k in p.kfac],
    )
net = extend(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sigmoid(), torch.nn.Linear(4, 2)))
loss = extend(torch.nn.MSELoss())(net(torch.randn(5, 3)), torch.randn(5, 2))
with backpack(DiagHessian()):
    loss.backward()
print([p.diag_h for p in net.parameters()])
