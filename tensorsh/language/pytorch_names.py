"""The public names of PyTorch, to tell a misspelt name from one that tensorsh lacks.

They are recorded in `pytorch_names.txt` (by `tests/recording/names.py`) and read only when an error is explained.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

FILE = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")
MODULES = os.path.join(os.path.dirname(__file__), "pytorch_modules.txt")
"""Where PyTorch defines names that its packages have, too (by `tests/recording/modules.py`)."""
REFUSED = os.path.join(os.path.dirname(__file__), "pytorch_refused.txt")
"""What libraries import and tensorsh refuses when it is used (by `tests/recording/refused.py`)."""


INSTEAD = {
    "distributed.pipelining": "give each process its layers in a PipelineStage, and use ScheduleGPipe or Schedule1F1B",
    "distributed.rpc": "pass tensors on by torch.distributed.send and recv, objects by send_object_list and recv_object_list",
    "distributed": "use torch.distributed with DistributedDataParallel, fully_shard or DTensor",
    "onnx": "export from PyTorch, with the state dict that torch.save writes",
    "export": "export from PyTorch, with the state dict that torch.save writes",
    "ao": "keep the model in float32 or bfloat16",
    "package": "save the state dict with torch.save, beside the model's source",
    "quantization": "keep the model in float32 or bfloat16",
    "nn.quantized": "keep the model in float32 or bfloat16",
    "utils.cpp_extension": "write the operator in Python (torch.library.custom_op)",
    "_inductor": "call torch.compile, which runs the program as it is",
    "_dynamo": "call torch.compile, which runs the program as it is",
    "from_file": "read it, torch.frombuffer(bytearray(open(path, 'rb').read()), dtype=...)",
    "utils.data": "use torch.utils.data.Dataset and DataLoader",
}
"""What to do in place of it, by the beginning of the name below torch."""


@lru_cache(maxsize=2)
def names(path: str = FILE) -> dict[str, frozenset[str]]:
    """The names in each namespace of PyTorch, and those of `Tensor`; or those of another such table."""
    try:
        with open(path, encoding="ascii") as file:
            text = file.read()
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines()[1:])
    return {owner: frozenset(found.split()) for owner, _, found in lines}


def in_plain_python(title: str) -> str | None:
    """The remark on a module of torch that programs in the sandbox do not reach, or on a name that such a file defines; None
    where there is none."""
    owner, _, name = title.rpartition(".")
    source = source_of(owner)
    if not source_of(title) and not (
        source and re.search(rf"^(def |class |from .* import .*\b){re.escape(name)}\b", text_of(source), re.M)
    ):
        return None
    return f"{title} is there in plain Python alone: `tensorsh python FILE` runs a program so, with all rights"


def source_of(module: str) -> str | None:
    """The file of a module of torch."""
    base = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), *module.split("."))
    return next((path for path in (base + ".py", os.path.join(base, "__init__.py")) if os.path.isfile(path)), None)


def text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def lacking(owner: str, name: str) -> str | None:
    """The remark on a name that PyTorch has there (`torch`, `torch.nn`, `Tensor`) and tensorsh has not."""
    if name not in names().get(owner, ()):
        return None
    if elsewhere := in_plain_python(f"{owner}.{name}"):
        return elsewhere
    return f"PyTorch has `{owner}.{name}`, tensorsh does not{instead_of(f'{owner}.{name}')}"


def instead_of(title: str) -> str:
    """What to do in place of a name of PyTorch, behind a colon; empty where nothing is known."""
    below = title.partition(".")[2] + "."
    return next((f": {text}" for start, text in INSTEAD.items() if below.startswith(start + ".")), "")
