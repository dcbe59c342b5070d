"""Writes tensorsh/pytorch_names.txt: run it with a Python in which PyTorch is installed.

    python tests/record_pytorch_names.py > tensorsh/pytorch_names.txt

One line a namespace: its name, a colon, its public names.
"""

from __future__ import annotations

import importlib
import inspect

import torch

NAMESPACES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize
torch.optim torch.optim.lr_scheduler torch.autograd torch.autograd.functional torch.autograd.graph
torch.linalg torch.fft torch.special torch.signal.windows torch.random torch.cuda torch.utils.data
torch.utils.checkpoint torch.distributions torch.func torch.masked torch.sparse torch.testing
torch.utils torch.nested torch.distributed torch.jit torch.overrides torch.autograd.profiler torch.storage
torch.serialization torch.compiler torch.onnx torch.hub torch.nn.attention torch.nn.utils.parametrizations
torch.autograd.forward_ad torch.profiler torch.amp torch.cpu torch.cpu.amp torch.library
""".split()

FOREIGN = ("typing", "typing_extensions", "collections", "os", "sys", "functools", "builtins")


def names(owner: object) -> list[str]:
    """The public names of a namespace that are PyTorch's own."""
    found = []
    for name in dir(owner):
        value = inspect.getattr_static(owner, name, None)
        if name.startswith("_") or not name.isascii():
            continue
        if inspect.ismodule(value) and not value.__name__.startswith("torch"):
            continue
        home = getattr(value, "__module__", None) or ""
        if isinstance(home, str) and home.partition(".")[0] in FOREIGN:
            continue
        found.append(name)
    return found


for namespace in NAMESPACES:
    print(f"{namespace}: {' '.join(names(importlib.import_module(namespace)))}")
print(f"Tensor: {' '.join(names(torch.Tensor))}")
