"""Many differential equations at once, each with steps of its own."""

import torch
import torchode as to

torch.manual_seed(0)


def f(t, y):
    return torch.stack((y[:, 1], (1 - y[:, 0] ** 2) * y[:, 1] * 2 - y[:, 0]), 1)


y0 = torch.randn(3, 2).requires_grad_()
times = torch.linspace(0, 2, 5).repeat(3, 1)
for method in (to.Dopri5, to.Tsit5, to.Heun):
    term = to.ODETerm(f)
    step = method(term=term)
    solver = to.AutoDiffAdjoint(step, to.IntegralController(atol=1e-5, rtol=1e-3, term=term))
    solution = solver.solve(to.InitialValueProblem(y0=y0, t_eval=times))
    print(method.__name__, solution.stats, solution.status)
    print(solution.ys[:, -1])
solution.ys[:, -1].sum().backward()
print(y0.grad)
term = to.ODETerm(f)
solver = to.AutoDiffAdjoint(to.Dopri5(term=term), to.PIDController(1e-5, 1e-3, 0.2, 0.4, 0.0, term=term))
print(solver.solve(to.InitialValueProblem(y0=y0.detach(), t_eval=times)).stats["n_steps"])
