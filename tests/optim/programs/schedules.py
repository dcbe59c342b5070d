# ruff: noqa
"""Learning rate schedules, L-BFGS, text, state dicts and errors of optimizers."""

import torch

optim = torch.optim
nn = torch.nn
S = optim.lr_scheduler


def opt(m=0.9):
    p = nn.Parameter(torch.ones(2))
    return optim.SGD([{"params": [p]}, {"params": [nn.Parameter(torch.ones(1))], "lr": 0.5}], lr=0.1, momentum=m)


def run(name, mk, n=12, o=None):
    o = o or opt()
    s = mk(o)
    r = []
    for i in range(n):
        o.step()
        r.append((s.get_last_lr(), [g.get("momentum", g.get("betas")) for g in o.param_groups]))
        if isinstance(s, S.ReduceLROnPlateau):
            s.step([5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3][i])
        else:
            s.step()
    print(name, r)
    sd = s.state_dict()
    print(list(sd), {k: v for k, v in sd.items() if isinstance(v, (int, float, list)) and k != "_schedulers"})


run("StepLR", lambda o: S.StepLR(o, 3))
run("MultiStep", lambda o: S.MultiStepLR(o, [2, 2, 5], gamma=0.5))
run("Exp", lambda o: S.ExponentialLR(o, 0.9))
run("Cos", lambda o: S.CosineAnnealingLR(o, 5, eta_min=0.01))
run("CosWR", lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2))
run("Lambda", lambda o: S.LambdaLR(o, lambda e: 0.9**e))
run("Mult", lambda o: S.MultiplicativeLR(o, lambda e: 0.9))
run("One", lambda o: S.OneCycleLR(o, [0.1, 0.2], total_steps=12))
run("One3", lambda o: S.OneCycleLR(o, 0.1, epochs=3, steps_per_epoch=4, three_phase=True, anneal_strategy="linear"))
run("Plateau", lambda o: S.ReduceLROnPlateau(o, patience=1))
run("Linear", lambda o: S.LinearLR(o))
run("Const", lambda o: S.ConstantLR(o))
run("Poly", lambda o: S.PolynomialLR(o, 5, 2.0))
run("Seq", lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [4]))
run("Chain", lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
for m in ("triangular", "triangular2", "exp_range"):
    run("Cyc", lambda o: S.CyclicLR(o, 0.01, 0.1, 2, 3, mode=m, gamma=0.99))
run("OneA", lambda o: S.OneCycleLR(o, 0.1, total_steps=12), o=optim.Adam([nn.Parameter(torch.ones(1))]))
for ls in (None, "strong_wolfe"):
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    x = torch.randn(20, 3)
    y = torch.randn(20, 1)
    l = nn.Linear(3, 1)
    o = optim.LBFGS(l.parameters(), lr=0.5, line_search_fn=ls, max_iter=5)
    for i in range(4):

        def c():
            o.zero_grad()
            L = ((l(x) - y) ** 4).mean()
            L.backward()
            return L

        print(o.step(c))
    print(l.weight, o.state_dict()["state"][0]["n_iter"], o.state_dict()["state"][0]["func_evals"])
o = opt()
print(o)
o.add_param_group({"params": nn.Parameter(torch.ones(3)), "lr": 2})
print(o.state_dict())
o2 = optim.Adam([nn.Parameter(torch.ones(2))])
o2.param_groups[0]["params"][0].grad = torch.ones(2)
o2.step()
sd = o2.state_dict()
o3 = optim.Adam([nn.Parameter(torch.zeros(2))], lr=1)
o3.load_state_dict(sd)
print(o3.state_dict())
try:
    o3.load_state_dict(o.state_dict())
except ValueError as e:
    print(e)
for f in (
    lambda: optim.SGD(torch.ones(1)),
    lambda: optim.SGD([]),
    lambda: optim.SGD([1]),
    lambda: optim.SGD([torch.ones(1, requires_grad=True) * 2]),
    lambda: optim.SGD([torch.ones(1)], lr=-1),
    lambda: optim.Adam([torch.ones(1)], betas=(1.0, 0.9)),
    lambda: optim.Adam([torch.ones(1)], eps=-1),
    lambda: optim.SGD([torch.ones(1)], nesterov=True),
    lambda: optim.RMSprop([torch.ones(1)], momentum=-1),
    lambda: S.StepLR(3, 1),
    lambda: optim.SGD([torch.ones(1)]).add_param_group(3),
):
    try:
        f()
        print("no")
    except Exception as e:
        print(type(e).__name__, e)
for n in "SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam ASGD LBFGS Rprop".split():
    p = [nn.Parameter(torch.ones(2))]
    o = getattr(optim, n)(p)
    print(o)
    print(o.defaults)
    for _ in range(2):

        def c():
            o.zero_grad()
            l = (p[0] ** 2).sum()
            l.backward()
            return l

        o.step(c)
    print(o.state_dict())
