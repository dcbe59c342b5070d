# ruff: noqa
"""Eight steps of every optimizer, small and large; those with plain arithmetic bit for bit."""

import torch

EXACT = "SGD Adamax ASGD Rprop".split()
optim = torch.optim
nn = torch.nn


def run(name, n=7, **kw):
    torch.manual_seed(1)
    p = nn.Parameter(torch.randn(n, 3))
    q = nn.Parameter(torch.randn(5))
    o = getattr(optim, name)([p, q], **kw)
    for i in range(8):
        o.zero_grad()
        gp = torch.randn(n, 3)
        gq = torch.randn(5)
        p.grad = gp
        q.grad = gq if i != 2 else None
        o.step()
    print(
        name,
        kw,
        [
            x.hex() if name in EXACT else f"{x:.6f}"
            for x in p.detach().double().flatten().tolist()[:6] + q.detach().double().tolist()
        ],
        [
            (k, v if not torch.is_tensor(v) else v.double().sum().item())
            for k, v in o.state_dict()["state"].get(0, {}).items()
        ]
        if n < 1000
        else "",
        f"{p.detach().double().sum().item():.4f}",
    )


for n in (7, 20000):
    run("SGD", n, lr=0.1)
    run("SGD", n, lr=0.1, momentum=0.9)
    run("SGD", n, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
    run("SGD", n, lr=0.1, maximize=True, weight_decay=0.1)
    run("SGD", n, lr=0.1, momentum=0.5, dampening=0.3)
    run("Adam", n)
    run("Adam", n, weight_decay=0.1, amsgrad=True)
    run("AdamW", n, lr=0.01)
    run("Adam", n, maximize=True, betas=(0.5, 0.9))
    run("RMSprop", n)
    run("RMSprop", n, momentum=0.9, centered=True, weight_decay=0.1)
    run("Adagrad", n, lr_decay=0.1, initial_accumulator_value=0.1, weight_decay=0.1)
    run("Adadelta", n)
    run("Adadelta", n, weight_decay=0.1)
    run("Adamax", n)
    run("Adamax", n, weight_decay=0.1)
    run("NAdam", n)
    run("NAdam", n, weight_decay=0.1)
    run("RAdam", n)
    run("RAdam", n, weight_decay=0.1)
    run("ASGD", n)
    run("ASGD", n, t0=3, weight_decay=0.1)
    run("Rprop", n)
