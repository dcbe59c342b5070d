"""Where PyTorch defines its names: ``torch.distributions.Normal`` in ``torch.distributions.normal``.

One line a module: its name without ``torch.``, a colon, the names of its own that a package above it has, too.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import FunctionType, ModuleType

import torch

from tensorsh.language.pytorch_names import MODULES

from .origin import write_text

APART = """
_inductor _dynamo testing _functorch _export onnx distributed _prims _refs _decomp export utils.benchmark utils.tensorboard
utils.bottleneck _numpy _vendor _higher_order_ops _subclasses ao backends utils.data.datapipes _C fx cuda. csrc _strobelight
_native _logging _library _lazy nativert utils._ package _meta quantization jit nn.intrinsic nn.quant nn.qat contrib compiler
utils.hipify utils.model_dump utils.jit utils.serialization utils.viz sparse._ nn.utils._ nn.backends masked.masked nested._ numa __main__
""".split()
"""The beginnings of names that are left out: what compiles programs, or is PyTorch's own."""


def below(package: ModuleType):
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if found.name[6:].startswith(tuple(APART)):
            continue
        try:
            module = importlib.import_module(found.name)
        except ImportError:
            continue
        yield module
        if found.ispkg:
            yield from below(module)


def defined(module: ModuleType) -> list[str]:
    """The names that a module defines and a package above it has under the same name."""
    found = []
    parts = module.__name__.split(".")
    above = [importlib.import_module(".".join(parts[:count])) for count in range(1, len(parts))]
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__ and isinstance(value, type | FunctionType)
        if own or name in getattr(module, "__all__", ()):
            if any(vars(package).get(name, above) is value for package in above):
                found.append(name)
    return sorted(found)


def record() -> None:
    lines = [f"{m.__name__[6:]}: {' '.join(names)}" for m in below(torch) if (names := defined(m))]
    write_text("modules", MODULES, "Module: its names that packages above it have.", lines)
