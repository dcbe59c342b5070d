"""Curvature matrices as linear operators."""

import numpy as np
import torch
from curvlinops import EFLinearOperator, GGNLinearOperator, HessianLinearOperator, KFACLinearOperator

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).double()
loss = torch.nn.MSELoss()
params = [p for p in net.parameters() if p.requires_grad]
data = [(torch.randn(5, 3).double(), torch.randn(5, 2).double()) for _ in range(2)]
v = torch.arange(26.0).double() / 10
for kind in (HessianLinearOperator, GGNLinearOperator, EFLinearOperator):
    op = kind(net, loss, params, data)
    print(kind.__name__, op.shape, op @ v)
print(np.linalg.eigvalsh(HessianLinearOperator(net, loss, params, data).to_scipy() @ np.eye(26)).round(6))
k = KFACLinearOperator(net, loss, params, data, fisher_type="empirical")
print((k @ v)[:6])
