"""Tensors saved to a file and read back, whole, one by one, and into a model."""

import os
import tempfile

import torch
from safetensors import safe_open
from safetensors.torch import load_file, load_model, save_file, save_model

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "some.safetensors")
    save_file(
        {"a": torch.randn(2, 3), "b": torch.arange(4), "c": torch.ones(3, dtype=torch.bfloat16)},
        path,
        metadata={"made": "here"},
    )
    print(load_file(path))
    with safe_open(path, framework="pt") as file:
        print(sorted(file.keys()), file.metadata(), file.get_tensor("a"), file.get_slice("a")[:, 1:])
    one, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    save_model(one, path)
    print(load_model(other, path), other.weight.equal(one.weight))
