"""Names that people know from elsewhere, and what stands for them here: tables, read where an error is explained."""

from __future__ import annotations

TENSOR = {
    "length": "`len(x)` for the size of its first dimension, `x.numel()` for the number of its elements",
    "astype": "`x.to(dtype)`, and `x.float()`, `x.long()` and their like",
    "array": "`x.numpy()` for the same numbers as an array",
    "copy": "`x.clone()` for a copy, with its history; `x.detach().clone()` is one without",
    "append": "a fixed size; `torch.cat` and `torch.stack` join tensors, also those of a list",
    "extend": "a fixed size; `torch.cat` and `torch.stack` join tensors, also those of a list",
    "rank": "`x.dim()` for the number of its dimensions",
    "value": "`x.item()` for the number of a tensor of one element, `x.detach()` for it without its history",
    "eval": "nothing to be evaluated: its numbers are there; `net.eval()` is for modules",
    "concat": "no method for that; `torch.cat([x, y])` joins tensors",
    "concatenate": "no method for that; `torch.cat([x, y])` joins tensors",
    "expand_dims": "`x.unsqueeze(dim)`, and `x[None]`",
}
"""What a tensor has in place of a name."""

FUNCTIONS = {
    "squareroot": "sqrt", "ln": "log", "power": "pow", "absolute": "fabs", "average": "mean", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "rnd": "rand", "append": "cat",
}  # fmt: skip
"""What a function is called, in lower case and without underscores."""

ARGUMENTS = {"axis": "dim", "axes": "dim", "keepdims": "keepdim", "learning_rate": "lr"}
"""What an argument is called."""

OF_TENSORS = frozenset(
    "shape dtype device backward clone item grad detach numpy view reshape layout float long mean unsqueeze".split()
)
"""What Python's own numbers and lists are asked for that are taken for tensors."""

_DATA = dict.fromkeys(("DataLoader", "Dataset", "TensorDataset", "random_split"), "torch.utils.data")
_PYTHON = {"partial": "functools", "defaultdict": "collections", "Counter": "collections", "dataclass": "dataclasses"}
IMPORTS = {
    "F": "import torch.nn.functional as F",
    **{name: f"from IPython.display import {name}" for name in ("HTML", "Markdown", "Image", "SVG", "Latex")},
    **{name: f"from {module} import {name}" for name, module in {**_DATA, **_PYTHON}.items()},
}
"""What has to be imported before a name is used."""
