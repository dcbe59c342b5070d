"""Workers that stay for the next pass end when nobody has their loader any more."""

import warnings

import torch
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
data = TensorDataset(torch.arange(12.0))


def pids(passes):
    return [worker.pid for worker in passes._workers]


loader = DataLoader(data, num_workers=2, batch_size=3, persistent_workers=True)
first = iter(loader)
workers = list(first._workers)
print(next(first))
before = pids(first)
print([batch[0].tolist() for batch in loader], pids(iter(loader)) == before)
del first
print([worker.is_alive() for worker in workers])
del loader
for worker in workers:
    worker.join(10)
print([(worker.is_alive(), worker.exitcode) for worker in workers])

passes = iter(DataLoader(data, num_workers=2, batch_size=3, persistent_workers=True))
workers = list(passes._workers)
print(next(passes)[0].tolist(), len(passes))
print([batch[0].tolist() for batch in passes], [worker.is_alive() for worker in workers])
del passes
for worker in workers:
    worker.join(10)
print([(worker.is_alive(), worker.exitcode) for worker in workers])
