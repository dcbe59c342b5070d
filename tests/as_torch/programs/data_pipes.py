# ruff: noqa
"""Data pipes, alone and read by loaders; loaders' rarer ways."""

import pickle

import torch
from torch.utils.data import DataLoader, IterDataPipe, IterableDataset, StackDataset, functional_datapipe
from torch.utils.data.datapipes.iter import Batcher, IterableWrapper, Shuffler


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


print(Batcher, Shuffler, IterableWrapper)
a = IterableWrapper(range(5))
first, second = iter(a), None
next(first)
second = iter(a)
next(second)
told(lambda: next(first))
print(repr(a), a.map(str), list(a.map(str).batch(2)), len(a.batch(2)), list(a.batch(2).unbatch()))
told(lambda: a.foo)
torch.manual_seed(0)
print(list(a.shuffle()), list(a.shuffle(buffer_size=2)))
for shuffle in (True, False, None):
    torch.manual_seed(0)
    print(list(DataLoader(a.shuffle(), shuffle=shuffle, batch_size=2)), torch.rand(1))
torch.manual_seed(0)
print(list(DataLoader(a.shuffle().sharding_filter(), shuffle=True, batch_size=2, num_workers=2)), torch.rand(1))
loader = DataLoader(a.shuffle().sharding_filter(), shuffle=True, batch_size=2, num_workers=2, persistent_workers=True)
print(list(loader), list(loader), torch.rand(1))
print(pickle.loads(pickle.dumps(a.map(str).shuffle())))


@functional_datapipe("doubled")
class Doubled(IterDataPipe):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        for x in self.source:
            yield 2 * x


print(list(a.doubled()), Doubled(a))
pairs = IterableWrapper([(1, 2), (3, 4)])
print(list(pairs.map(lambda x: -x, input_col=1)), list(pairs.map(max, input_col=[0, 1], output_col=-1)))
print(
    list(pairs.map(max, input_col=[0, 1])), list(a.filter(lambda x: x % 2 == 0)), list(a.concat(IterableWrapper("ab")))
)
print(list(a.zip(IterableWrapper("abc"))), list(a.collate(lambda x: [x])))
told(lambda: list(a.unbatch()))
told(lambda: a.batch(0))


class Short:
    def __getitem__(self, i):
        return i

    def __getitems__(self, numbers):
        return numbers[:-1]

    def __len__(self):
        return 4


print(StackDataset([1, 2], a=[3, 4]) if False else StackDataset(a=[1, 2], b=[3, 4]).__getitems__([1, 0]))
told(lambda: StackDataset(Short(), [1, 2, 3, 4]).__getitems__([0, 1, 2, 3]))
told(lambda: DataLoader([1], num_workers=1, multiprocessing_context="none"))
told(lambda: DataLoader([1], num_workers=1, multiprocessing_context=3))
print(DataLoader([1], batch_size=None)._auto_collation, torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL)


class Counted(IterableDataset):
    def __iter__(self):
        return iter(range(3))

    def __len__(self):
        return 2


import warnings

from torch.utils.data._utils.worker import _generate_state

print(_generate_state(13434589827475259383, 4))
iterator = iter(DataLoader(range(8), num_workers=2))
workers = iterator._workers
print(next(iterator), [w.is_alive() for w in workers], len({w.pid for w in workers}))
del iterator
for w in workers:
    w.join(60)
print([w.is_alive() for w in workers])
loader = DataLoader(Counted())
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    print(len(loader), list(loader))
print([str(w.message).partition(" was ")[2] for w in said])
