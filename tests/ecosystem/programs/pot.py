"""Optimal transport of POT on tensors: exact, by entropy, unbalanced, between spaces, and its gradient."""

import ot
import torch

torch.manual_seed(0)
a, b = torch.full((5,), 0.2).double(), torch.ones(6).double() / 6
x, y = torch.randn(5, 2).double().requires_grad_(), torch.randn(6, 2).double()
cost = ot.dist(x, y)
loss = ot.emd2(a, b, cost)
loss.backward()
print(loss, x.grad)
cost = cost.detach()
x = x.detach()
print(ot.emd(a, b, cost)[0])
for way in (ot.sinkhorn, ot.bregman.sinkhorn_stabilized, ot.bregman.sinkhorn_log):
    print(way.__name__, way(a, b, cost, 0.5)[0])
print(ot.sinkhorn2(a, b, cost, 0.5), ot.unbalanced.sinkhorn_unbalanced(a, b, cost, 0.5, 1.0)[0])
moved = x.clone().requires_grad_()
loss = ot.sliced_wasserstein_distance(moved, y, n_projections=20, seed=0)
loss.backward()
print(loss, moved.grad[0], ot.wasserstein_1d(x[:, 0], y[:, 0]))
one, two = ot.dist(x, x), ot.dist(y, y)
print(ot.gromov.gromov_wasserstein2(one, two, a, b))
print(ot.gromov.entropic_gromov_wasserstein(one, two, a, b, epsilon=1.0, max_iter=20)[0])
print(ot.gaussian.bures_wasserstein_distance(x.mean(0), y.mean(0), torch.cov(x.T), torch.cov(y.T)))
print(ot.solve(cost, a, b, reg=0.3).value, ot.solve_sample(x, y, a, b).value)
print(ot.lp.free_support_barycenter([x, y], [a, b], y[:3].clone(), numItermax=5))
