"""Workers of a DataLoader, as far as PyTorch says the same each time."""

import random
import sys
import time
import warnings

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info


class S(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        w = get_worker_info()
        if w is None:
            return iter(range(self.n))
        per = (self.n + w.num_workers - 1) // w.num_workers
        return iter(range(w.id * per, min(self.n, (w.id + 1) * per)))


print(list(DataLoader(S(11), num_workers=2, batch_size=2)))
print(sorted(torch.cat(list(DataLoader(S(11), num_workers=2, batch_size=2, in_order=False))).tolist()))
dl = DataLoader(S(7), num_workers=2, batch_size=None, persistent_workers=True, prefetch_factor=1)
print(list(dl), list(dl))


class R(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return random.random(), np.random.rand(), torch.rand(1).item()


torch.manual_seed(3)
for x in DataLoader(R(), num_workers=2, batch_size=3):
    print(x)
it = iter(DataLoader(range(100), num_workers=2))
print(next(it), next(it))
del it


class Told(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i, Told.told, get_worker_info().id, torch.initial_seed() == get_worker_info().seed


def init(i):
    Told.told = i + 10


for x in DataLoader(Told(), num_workers=2, worker_init_fn=init):
    print(x)
print(hasattr(Told, "told"), get_worker_info())
for x in DataLoader(range(4), num_workers=2, batch_size=2):
    print(x.is_shared())
for x in DataLoader(TensorDataset(torch.arange(6.0), torch.arange(6)), num_workers=2, batch_size=3):
    print(x)
for x in DataLoader([{"a": torch.ones(2), "b": "s"}, {"a": torch.zeros(2), "b": "t"}], num_workers=1, batch_size=2):
    print(x)


class Bad(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        if i == 3:
            raise ValueError("item 3 is bad")
        if i == 4:
            raise KeyError("four")
        return i


it = iter(DataLoader(Bad(), num_workers=2))
for _ in range(6):
    try:
        print(next(it))
    except Exception as e:
        lines = str(e).strip().splitlines()
        print(type(e).__name__, lines[0], lines[1])


def broken(i):
    raise RuntimeError("no start")


try:
    list(DataLoader(range(4), num_workers=2, worker_init_fn=broken))
except RuntimeError as e:
    print(str(e).splitlines()[0])


class Slow(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 2:
            time.sleep(30)
        return i


try:
    for x in DataLoader(Slow(), num_workers=2, timeout=1):
        print(x)
except RuntimeError as e:
    print(e)


class Leaves(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 0:
            time.sleep(0.3)
            sys.exit(5)
        return i


try:
    list(DataLoader(Leaves(), num_workers=1))
except RuntimeError as e:
    print(str(e).split("(")[0], str(e).split(")")[-1], str(e.__cause__).split(")")[1])
for n in (0, 1, 2):
    dl = DataLoader(range(5), num_workers=n, batch_size=2, drop_last=True)
    print(len(dl), list(dl))


# Sparse tensors are sent, and not collated.
sparse = [
    torch.eye(3).to_sparse(),
    torch.eye(4).to_sparse_csr(),
    torch.eye(4).to_sparse_bsc((2, 2)),
    torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (3,)),
]
for x in DataLoader(sparse, batch_size=None, num_workers=2):
    print(x, x.is_coalesced() if x.is_sparse else "")
try:
    print(next(iter(DataLoader(sparse[:1] * 2, batch_size=2))))
except RuntimeError as error:
    print(error)


class Longer(IterableDataset):
    def __iter__(self):
        return iter(range(6))

    def __len__(self):
        return 3


for before in (True, False):
    loader = DataLoader(Longer())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        length = before and len(loader)
        passing = iter(loader)
        next(passing)
        print(len(loader), len(list(passing)), len(told))
