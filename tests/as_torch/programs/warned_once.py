# What is said once in a program, and what at each line.
import warnings

import numpy as np
import torch

fixed = np.ones(2)
fixed.flags.writeable = False
v = torch.arange(3.0)
calls = {
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "storage": v.storage,
    "index_reduce": lambda: v.index_reduce(0, torch.tensor([0]), torch.ones(1), "prod"),
    "array": lambda: torch.from_numpy(fixed),
    "buffer": lambda: torch.frombuffer(b"abcd", dtype=torch.int32),
    "meshgrid": lambda: torch.meshgrid(v, v),
    "bytes": lambda: torch.where(torch.tensor([1, 0, 1]).byte(), v, v),
    "old": lambda: torch.cholesky(torch.eye(2)),
    "copy": lambda: torch.tensor(v),
    "copy beside": lambda: v.new_tensor(v),
    "variance": lambda: torch.tensor([1.0]).var(),
    "sizes": lambda: torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2)),
}
for name, call in calls.items():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
        first = len(told)
        call()
    print(name, first, len(told) - first, str(told[0].message).partition(" (Triggered")[0])
