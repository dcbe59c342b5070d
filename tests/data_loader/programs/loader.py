# ruff: noqa
"""Datasets, samplers, loaders, and what they leave in the random stream."""

import collections

import numpy as np
import torch

D = torch.utils.data


def show(l):
    for b in l:
        print(b)
    print(torch.rand(2))


torch.manual_seed(0)
x = torch.arange(10.0).view(10, 1)
y = torch.arange(10)
ds = D.TensorDataset(x, y)
show(D.DataLoader(ds, 4))
show(D.DataLoader(ds, 4, shuffle=True))
show(D.DataLoader(ds, 3, shuffle=True, drop_last=True))
g = torch.Generator()
g.manual_seed(3)
show(D.DataLoader(ds, 5, shuffle=True, generator=g))
print(torch.rand(1, generator=g))
a, b = D.random_split(ds, [7, 3])
print(a.indices, b.indices)
a, b, c = D.random_split(ds, [0.5, 0.3, 0.2], generator=g)
print(a.indices, b.indices, c.indices)
show(D.DataLoader(a, 2, shuffle=True))
show(D.ConcatDataset([a, b])[6:7] if 0 else [D.ConcatDataset([a, b])[6]])
show(D.DataLoader(ds, sampler=D.WeightedRandomSampler([0.1] * 5 + [0.9] * 5, 4), batch_size=2))
show(D.DataLoader(ds, batch_sampler=D.BatchSampler(D.SubsetRandomSampler([1, 2, 3, 4]), 3, False)))
show(D.DataLoader(ds, sampler=D.RandomSampler(ds, replacement=True, num_samples=40), batch_size=20))


class My(D.Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, i):
        return {"a": i, "b": torch.rand(2), "c": np.float32(i), "d": [1.5, "s"], "e": np.ones(2)}


show(D.DataLoader(My(), 2, shuffle=True))
show(D.DataLoader(My(), batch_size=None))
show(D.DataLoader(My(), 2, num_workers=2))


class It(D.IterableDataset):
    def __iter__(self):
        return iter(range(7))


show(D.DataLoader(It(), 3))
show(D.DataLoader(It(), 3, drop_last=True))
show(D.DataLoader(It(), 3, num_workers=2))
show(D.DataLoader(It(), batch_size=None))
show(D.DataLoader([(1, 2.0), (3, 4.0)], 2))
show(D.DataLoader(list(range(5)), 2, collate_fn=lambda b: b))
P = collections.namedtuple("P", "u v")
show(D.DataLoader([P(1, 2), P(3, 4)], 2))
print(len(D.DataLoader(ds, 4)), len(D.DataLoader(ds, 4, drop_last=True)))
l = D.DataLoader(ds, 2)
for f in (
    lambda: D.DataLoader(ds, 0),
    lambda: D.DataLoader(ds, 2, shuffle=True, sampler=[1]),
    lambda: setattr(l, "batch_size", 3),
    lambda: D.DataLoader(ds, num_workers=-1),
    lambda: D.TensorDataset(x, y[:3]),
    lambda: D.random_split(ds, [1, 2]),
    lambda: next(iter(D.DataLoader([object()]))),
    lambda: next(iter(D.DataLoader([[1], [1, 2]], 2))),
    lambda: D.RandomSampler(ds, num_samples=1e3),
):
    try:
        f()
        print("no")
    except Exception as e:
        print(type(e).__name__, str(e)[:100])
show(D.StackDataset(x, y)[2])
print(next(iter(D.DataLoader(ds, 4))))

l = D.DataLoader(
    ds,
    sampler=D.RandomSampler(ds, replacement=True, num_samples=int(1e10)),
    batch_size=4,
    pin_memory=True,
    num_workers=1,
)
print(next(iter(l)))
it = iter(l)
next(it)
