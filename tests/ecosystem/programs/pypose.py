"""Rotations and poses as tensors of their own kind."""

import pypose as pp
import torch

torch.manual_seed(0)
r = pp.randn_so3(2, requires_grad=True)
R = r.Exp()
p = R @ torch.randn(2, 3)
loss = p.pow(2).sum() + R.tensor().sum()
print(r, R, p)
loss.backward()
print(r.grad)
X = pp.randn_SE3(3)
x = X.Log()
print(X.Inv() @ X, x.Exp().matrix()[0], (X @ X.Inv()).Log(), X.translation(), X.rotation(), X.shape, X.lshape)
print(
    pp.euler2SO3(torch.tensor([0.1, 0.2, 0.3])),
    pp.SO3([0.0, 0.0, 0.0, 1.0]).euler(),
    X.Adj(x),
    pp.mat2SO3(torch.eye(3)),
)


class Inv(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pose = pp.Parameter(pp.randn_se3(2))

    def forward(self, inp):
        return (self.pose.Exp() @ inp).Log().tensor()


m = Inv()
opt = pp.optim.LM(m, strategy=pp.optim.strategy.Constant(damping=1e-4))
inp = pp.randn_SE3(2)
for _ in range(3):
    print(f"{opt.step(inp).item():.4e}")
