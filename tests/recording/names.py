"""Public names of PyTorch's namespaces.

One line a namespace: its name, a colon, its public names.
"""

from __future__ import annotations

import importlib
import inspect

import torch

from tensorsh.language.pytorch_names import FILE

from .origin import write_text

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


def record() -> None:
    owners = {namespace: importlib.import_module(namespace) for namespace in NAMESPACES} | {"Tensor": torch.Tensor}
    lines = [f"{title}: {' '.join(names(owner))}" for title, owner in owners.items()]
    write_text("names", FILE, "Namespace: its public names.", lines)
