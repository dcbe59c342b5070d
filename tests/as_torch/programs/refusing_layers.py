# ruff: noqa
"""What layers refuse: gradients of calls in place that have none, indices that were changed, windows that do not fit."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def in_place(f):
    x = torch.tensor([-1.0, 1.0], requires_grad=True)
    y = f(x.clone())
    print(type(y.grad_fn).__name__)
    y.sum().backward()
    return x.grad


for slope in (-2.0, 0.0, 0.5):
    told(lambda: in_place(lambda x: F.elu_(x, slope)))
    told(lambda: in_place(lambda x: F.elu(x, slope, inplace=True)))
    told(lambda: in_place(lambda x: F.leaky_relu_(x, slope)))
    told(lambda: in_place(lambda x: F.rrelu_(x, slope, slope + 1)))
    told(lambda: in_place(nn.LeakyReLU(slope, inplace=True)))
told(lambda: in_place(lambda x: F.celu_(x, -2.0)))
told(lambda: in_place(lambda x: F.selu_(x)))
told(lambda: in_place(lambda x: F.leaky_relu(x, -2.0)))

x = torch.arange(6.0).expand(2, 6)
told(lambda: F.threshold_(x, 0.5, 0.5))
told(lambda: F.relu_(x))

pools = (
    nn.MaxPool1d,
    nn.MaxPool2d,
    nn.MaxPool3d,
    nn.AdaptiveMaxPool1d,
    nn.AdaptiveMaxPool2d,
    nn.AdaptiveMaxPool3d,
)
for pool in pools:
    d = int(pool.__name__[-2])

    def changed(change):
        x = torch.arange(4.0 ** (d + 1)).view(2, 2, *[4] * d).requires_grad_()
        y, indices = pool(2, return_indices=True)(x)
        if change:
            indices.add_(1)
        y.sum().backward()
        return x.grad.sum()

    told(lambda: changed(False))
    told(lambda: changed(True))


def sorted_and_changed():
    x = torch.rand(3, 4, requires_grad=True)
    values, indices = x.sort()
    indices.zero_()
    values.sum().backward()


told(sorted_and_changed)

for d in (1, 2, 3):
    for kind in ("avg", "max"):
        for n in (0, 1):
            x = torch.rand(2, 3, *[4] * d)[: 2 * n].requires_grad_()
            pool = getattr(F, f"adaptive_{kind}_pool{d}d")
            told(lambda: pool(x, 0).sum().backward())
for kernel in ([1, 1], [1], 1, [1, 1, 1]):
    told(lambda: F.max_unpool3d(torch.ones(1, 3, 1, 1, 1), torch.zeros(1, 3, 1, 1, 1, dtype=int), kernel).shape)
    told(lambda: F.max_unpool2d(torch.ones(1, 3, 1, 1), torch.zeros(1, 3, 1, 1, dtype=int), kernel).shape)
for shape in ((1, 1, 4), (1, 4), (4,), (1, 1, 1, 4), (1, 0, 4)):
    for given in (
        (6, 2),
        (2, 0),
        (2, -1),
        (0, 1),
        (2, 2, 2),
        (3, 1, -1),
        (3, 2, 0, 0),
        (3, 2, 0, 5),
        ((3, 3), 2),
        (3, 2),
    ):
        told(lambda: [part.shape for part in F.max_pool1d_with_indices(torch.ones(shape), *given)])

means, variances = torch.zeros(3), torch.ones(3)
x = torch.arange(24.0).reshape(2, 3, 4) ** 1.5
told(lambda: torch.batch_norm_update_stats(x, means, variances, 0.1))
print(means, variances)
told(lambda: torch.batch_norm_update_stats(x, None, None, 0.1))
told(lambda: torch.batch_norm_update_stats(x.half(), means, variances, 0.5))
told(lambda: torch.batch_norm_update_stats(torch.rand(0, 3), means, variances, 0.1))
told(lambda: torch.batch_norm_update_stats(torch.rand(3), means, variances, 0.1))
print(means, variances)
for shape in ((0, 3, 2, 2), (2, 3, 0, 2)):
    norm = nn.BatchNorm2d(3)
    norm(torch.ones(shape, requires_grad=True)).sum().backward()
    print(norm.running_mean, norm.running_var, norm.num_batches_tracked, norm.weight.grad)

for name in ("Adam", "AdamW", "SGD", "Adagrad"):
    for made in (torch.ones(2, device="meta"), torch.ones(2, dtype=torch.complex64), torch.ones(2)):
        given = nn.Parameter(made)
        optimizer = getattr(torch.optim, name)([given], lr=0.1, fused=True)
        given.grad = torch.ones_like(given)
        told(optimizer.step)
