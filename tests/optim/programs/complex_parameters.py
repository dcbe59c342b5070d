# ruff: noqa
"""Optimizers on complex parameters: the parts are parameters of their own. And states of older versions."""

import torch

start = torch.complex(
    torch.tensor([[1.3, -0.4, 2.0], [0.1, -3.0, 0.7]]), torch.tensor([[0.05, -1.5, 0.35], [0.65, -0.2, 1.0]])
)
target = torch.tensor([0.5 + 1j, -2.0, 1j])
cases = [
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)),
    ("Adam", dict(lr=0.1)),
    ("Adam", dict(lr=0.1, amsgrad=True, weight_decay=0.1, maximize=True)),
    ("AdamW", dict(lr=0.1)),
    ("Adagrad", dict(lr=0.1, initial_accumulator_value=0.2)),
    ("Adadelta", dict(lr=1.0, weight_decay=0.1)),
    ("Adamax", dict(lr=0.1)),
    ("RMSprop", dict(lr=0.1, momentum=0.9, centered=True)),
    ("NAdam", dict(lr=0.1, weight_decay=0.1)),
    ("RAdam", dict(lr=0.1)),
    ("ASGD", dict(lr=0.1, t0=2)),
    ("Rprop", dict(lr=0.1)),
    ("LBFGS", dict(lr=0.3, max_iter=3)),
    ("LBFGS", dict(line_search_fn="strong_wolfe", max_iter=3)),
]
for name, options in cases:
    p, s = start.clone().requires_grad_(), torch.tensor(1 + 1j, requires_grad=True)
    optimizer = getattr(torch.optim, name)([p, s], **options)

    def closure():
        optimizer.zero_grad()
        # What a line search meets has no corner: beside one, the last bit of a product decides the step.
        products = (s * p).abs() ** (2 if name == "LBFGS" else 1)
        loss = ((p - target).abs() ** 2).sum() + products.sum() + s.abs() ** 2
        loss.backward()
        return loss

    for _ in range(4):
        optimizer.step(closure)
    print(name, torch.view_as_real(p.detach()).tolist(), torch.view_as_real(s.detach()).tolist())
    print(
        [
            (k, v.dtype, v.shape)
            for k, v in optimizer.state_dict()["state"].get(1, {}).items()
            if isinstance(v, torch.Tensor)
        ]
    )

x = torch.ones(2, requires_grad=True)
optimizer = torch.optim.Adam([x], lr=0.1)
(x * x).sum().backward()
optimizer.step()
saved = optimizer.state_dict()
saved["state"][0]["step"] = 3.0
del saved["param_groups"][0]["maximize"], saved["param_groups"][0]["foreach"]
optimizer.load_state_dict(saved)
optimizer.step()
print(x.tolist(), optimizer.state_dict())
