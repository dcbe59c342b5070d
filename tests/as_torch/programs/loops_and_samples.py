"""Loops over slices, gradients of each sample, fake tensors whose elements are known, and what is heard of moved dimensions."""

import torch
import torch.nn as nn
from functorch.experimental.control_flow import cond, map
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils._per_sample_grad import call_for_per_sample_grads


def said(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


x = torch.arange(6.0).view(3, 2)
print(map(lambda a, b: a + b, x, torch.ones(2)), map(lambda t: (t[0] * 2, {"s": t[1].sum()}), [x, x + 1])[1]["s"])
print(cond(x.sum() > 3, lambda a: a + 1, lambda a: a - 1, (x,))[0])
for given in ({}, {"reverse": True}, {"dim": 1}, {"dim": 1, "reverse": True}):
    start = torch.zeros(3 if given.get("dim") else 2)
    print(scan(lambda c, a: (c + a, c * a), start, x, **given))
    print(associative_scan(torch.add, x, given.get("dim", 0), given.get("reverse", False), combine_mode="generic"))
print(associative_scan(lambda a, b: {"u": a["u"] * b["u"]}, {"u": x + 1}, 0, combine_mode="generic"))
w = x.clone().requires_grad_()
scan(lambda c, a: (c * a, c * a), torch.ones(2), w + 1)[0].sum().backward()
print(w.grad)
for call in (
    lambda: map(lambda a: a, torch.ones(0, 2)),
    lambda: map(lambda a: a[0] + a[1], [x, torch.ones(2)]),
    lambda: map(lambda a: a, [x, 1]),
    lambda: scan(1, torch.zeros(2), x),
    lambda: scan(lambda c, a: (c, a), [], x),
    lambda: scan(lambda c, a: (c, a), 1.0, x),
    lambda: scan(lambda c, a: (c, a), torch.zeros(2), []),
    lambda: scan(lambda c, a: (c, a), torch.zeros(2), x, reverse=1),
    lambda: associative_scan(torch.add, x, 0),
    lambda: associative_scan(torch.add, x, 0, combine_mode="all"),
    lambda: associative_scan(torch.add, [x, 2], 0, combine_mode="generic"),
    lambda: cond(1, lambda a: a, lambda a: a, (x,)),
    lambda: cond(torch.ones(2) > 0, lambda a: a, lambda a: a, (x,)),
    lambda: cond(True, 1, lambda a: a, (x,)),
    lambda: cond(True, lambda a: a, lambda a: a, (1,)),
):
    said(call)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
batch = torch.arange(20.0).view(5, 4) / 10
call_for_per_sample_grads(model)(batch).pow(2).sum().backward()
samples = [p.grad_sample for p in model.parameters()]
print([tuple(s.shape) for s in samples], [p.grad for p in model.parameters()])
model(batch).pow(2).sum().backward()
print([torch.allclose(s.sum(0), p.grad, atol=1e-6) for s, p in zip(samples, model.parameters(), strict=True)])
for p in model.parameters():
    p.grad_sample = None
call_for_per_sample_grads(model, loss_reduction="mean")(batch).pow(2).mean(0).sum().backward()
print([torch.allclose(s, p.grad_sample, atol=1e-6) for s, p in zip(samples, model.parameters(), strict=True)])
for call in (
    lambda: call_for_per_sample_grads("no"),
    lambda: call_for_per_sample_grads(nn.Linear(2, 2), batch_size=1.5),
    lambda: call_for_per_sample_grads(nn.Linear(2, 2), batch_size=-1),
    lambda: call_for_per_sample_grads(nn.Linear(2, 2), loss_reduction="none"),
    lambda: call_for_per_sample_grads(nn.Bilinear(2, 2, 1))(torch.ones(3, 2), torch.ones(4, 2)),
    lambda: call_for_per_sample_grads(nn.Linear(2, 2))(2),
):
    said(call)

real = torch.ones(2, 3)
with FakeTensorMode() as mode:
    fake = mode.from_tensor(real)
    print(fake, fake + fake.movedim(0, 1).mT, torch.moveaxis(torch.ones(2, 3, 4), (0, 1), (2, 0)).shape)
    print(fake.max(0), fake.sort()[1].dtype, torch.tensor([1, 2]), torch.tensor(3).item(), (torch.tensor(3) * 2).item())
    number = torch.tensor(4.0)
    same = number.add_(1)
    print(number.item(), same.item(), number.constant)
    number.add_(torch.rand(()))
    print(number.constant)
    said(lambda: number.item())
    said(lambda: real + fake)
    print(nn.MultiheadAttention(4, 2)(torch.ones(2, 3, 4), torch.ones(2, 3, 4), torch.ones(2, 3, 4))[0].shape)
print(
    make_fx(lambda a: a.t().contiguous().movedim(0, 1) + torch.moveaxis(a, (0, 1), (1, 0)) * a.T)(torch.ones(2, 2)).code
)
