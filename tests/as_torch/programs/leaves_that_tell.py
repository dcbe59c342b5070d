"""Leaves whose gradients somebody hears get them as soon as these are complete, before the walk goes on."""

# ruff: noqa
import torch
from torch import nn

order = []
lin = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for n, p in lin.named_parameters():
    p.register_post_accumulate_grad_hook(lambda p, n=n: order.append(n))


def act(m, i, o):
    if o.requires_grad:
        o.register_hook(lambda g: order.append(type(m).__name__))


for m in lin:
    m.register_forward_hook(act)
lin(torch.ones(2, 2)).sum().backward()
print(order)
order.clear()
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
for n, p in (("x", x), ("w", w)):
    p.register_hook(lambda g, n=n: order.append("pre " + n))
    p.register_post_accumulate_grad_hook(lambda p, n=n: order.append("post " + n))
y = x * w
y.register_hook(lambda g: order.append("y"))
z = y.sin() * w
z.register_hook(lambda g: order.append("z"))
u = (z * x).exp()
u.register_hook(lambda g: order.append("u"))
u.sum().backward()
print(order)
order.clear()
# optimizer in backward
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])
alive = []


def step(p):
    alive.append(sum(q.grad is not None for q in model.parameters()))
    p.data.add_(p.grad, alpha=-0.1)
    p.grad = None


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step)
torch.manual_seed(0)
model(torch.ones(2, 4)).sum().backward()
print(alive)
v = torch.ones(2, requires_grad=True)
v.register_post_accumulate_grad_hook(lambda p: order.append("v"))
(v * 2).sum().backward()
v.sum().backward()
torch.autograd.backward([v.sum(), (v * 3).sum()])
print(order, v.grad)


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return None, g


x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
order = []
for n, p in (("x", x), ("y", y)):
    p.register_post_accumulate_grad_hook(lambda p, n=n: order.append((n, p.grad.tolist())))
z = Both.apply(x * 1, y) * x
z.register_hook(lambda g: order.append("z"))
z.sum().backward()
print(order)
node = x.view_as(x).grad_fn.next_functions[0][0]
node.register_hook(lambda *_: order.append("node after"))
node.register_prehook(lambda *_: order.append("node before"))
order.clear()
q = (x * 2).sin()
q.register_hook(lambda g: order.append("q"))
(q * x).sum().backward(inputs=[x])
(q_ := (x * 2).sin()).register_hook(lambda g: order.append("q"))
(q_ * x).sum().backward()
print(order)
with torch.no_grad():
    x.grad = None
(x * x).sum().backward(create_graph=True)
print(x.grad.requires_grad, order[-1])
