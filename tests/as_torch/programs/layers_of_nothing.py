# ruff: noqa
"""Layers of empty batches, buffers, pictures of bytes, scaled gradients, steps of optimizers that are differentiated, views."""

import pickle
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


def told(f):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(f())
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
    for each in heard:
        print("   ", each.category.__name__, str(each.message)[:60])


def through(module, *shape):
    x = torch.ones(shape, requires_grad=True)
    y = module(x)
    y.sum().backward()
    return tuple(y.shape), tuple(x.grad.shape), [float(p.grad.sum()) for p in module.parameters()]


told(lambda: through(nn.Linear(3, 2), 0, 3))
told(lambda: through(nn.BatchNorm2d(3), 0, 3, 2, 2))
for kind in (nn.RNN, nn.LSTM, nn.GRU):
    told(lambda: kind(3, 4)(torch.zeros(5, 0, 3))[0].shape)
    told(lambda: kind(3, 4)(torch.zeros(0, 2, 3)))
told(lambda: nn.TransformerEncoderLayer(8, 2)(torch.zeros(4, 0, 8)).shape)
told(lambda: F.cross_entropy(torch.zeros(5, 0), torch.zeros(5, 0)))
told(lambda: nn.Fold((4, 5), (2, 2), dilation=8)(torch.zeros(1, 12, 12)))
for pad, shape in (
    (nn.ReflectionPad1d(2), (3, 0, 10)),
    (nn.ReplicationPad2d(2), (3, 0, 10, 10)),
    (nn.ReflectionPad2d(1), (0, 3, 4, 4)),
):
    told(lambda: pad(torch.zeros(shape)).shape)
told(lambda: nn.GroupNorm(10, 10)(torch.zeros(1, 10, 1)))
told(lambda: nn.InstanceNorm1d(4)(torch.zeros(2, 3, 5)).shape)
told(lambda: nn.InstanceNorm1d(4, eps=0)(torch.arange(40.0).view(2, 4, 5)).sum().round())
told(lambda: nn.MultiMarginLoss(reduction="none")(torch.ones(3), torch.tensor([0])).shape)
told(lambda: nn.Linear(2, 2).to(torch.complex64).weight.dtype)
told(lambda: nn.Linear(2, 2).to(torch.device("cpu"), True))
told(lambda: nn.Linear(2, 2).to(torch.float64, True).weight.dtype)
m = nn.Module()
m.name = 5
told(lambda: setattr(m, "name", nn.Buffer(torch.ones(1))))


class Old(nn.Linear):
    def register_buffer(self, name, value):
        super().register_buffer(name, value, True)


old = Old(1, 1)
old.more = nn.Buffer(torch.ones(2))
print(list(old.state_dict()))
told(lambda: type(pickle.loads(pickle.dumps(nn.utils.spectral_norm(nn.Linear(2, 2))))).__name__)
picture = torch.arange(16, dtype=torch.uint8).view(1, 1, 4, 4) * 16
found = F.interpolate(picture, size=(8, 8), mode="bilinear")
print(found.dtype, (found.float() - F.interpolate(picture.float(), size=(8, 8), mode="bilinear")).abs().max() <= 1)
print(F.interpolate(picture, size=(8, 8), mode="bicubic").dtype)

scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
told(lambda: scaler.update())
w = nn.Parameter(torch.tensor([1.0, 2.0]))
sgd = torch.optim.SGD([w], lr=0.5)
for factor in (1.0, 1.0, float("inf")):
    sgd.zero_grad()
    scaler.scale((w * factor).sum()).backward()
    scaler.unscale_(sgd)
    told(lambda: scaler.unscale_(sgd))
    scaler.step(sgd)
    told(lambda: scaler.step(sgd))
    scaler.update()
    print(w.data, scaler.get_scale(), scaler.state_dict()["_growth_tracker"])
print(pickle.loads(pickle.dumps(scaler)).get_scale())
told(lambda: torch.amp.GradScaler("cpu", growth_factor=0.5))

for kind in (
    torch.optim.SGD,
    torch.optim.Adam,
    torch.optim.RMSprop,
    torch.optim.Adagrad,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.Adamax,
    torch.optim.Adadelta,
    torch.optim.ASGD,
    torch.optim.Rprop,
):
    start = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    p = start.clone()
    optimizer = kind([p], lr=0.1, differentiable=True)
    p.grad = (start * 2).cos()
    optimizer.step()
    p.sum().backward()
    print(kind.__name__, p.detach(), start.grad)

x = torch.zeros(3)
with torch.inference_mode():
    seen = x.view(3)
    made = torch.ones(2, requires_grad=True)
print(made.is_inference())
grows = torch.ones(3, requires_grad=True)
told(lambda: seen.mul_(grows))
told(lambda: made * torch.ones(2, requires_grad=True))
told(lambda: torch.add(x, 1, out=torch.inference_mode()(torch.ones)(3)))


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        return g


told(lambda: Same.apply(grows * 1).mul_(2))


class Asked:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return function.__name__


print(torch.numel(Asked()), torch.is_complex(Asked()), torch.is_floating_point(Asked()))
told(lambda: torch._check(torch.tensor(True)))
