"""Descent on a sphere and in the Poincare ball."""

import geoopt
import torch

torch.manual_seed(0)
sphere = geoopt.Sphere()
x = geoopt.ManifoldParameter(sphere.random_uniform(4, dtype=torch.float64), manifold=sphere)
target = torch.tensor([0.0, 0.0, 0.6, 0.8], dtype=torch.float64)
optimizer = geoopt.optim.RiemannianAdam([x], lr=0.1)
for _ in range(5):
    loss = (x - target).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
print(x, x.norm())
ball = geoopt.PoincareBall(c=1.0)
a, b = ball.expmap0(torch.randn(2, 3) * 0.3), ball.expmap0(torch.randn(2, 3) * 0.3)
print(ball.dist(a, b), ball.mobius_add(a, b), geoopt.Stiefel().projx(torch.randn(4, 2)))
