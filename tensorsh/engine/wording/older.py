"""Calls in PyTorch's older forms, which its parser still takes: numbers before the tensors that they scale
(``p.add_(-0.1, grad)``), dimensions one by one where a tuple is meant."""

from __future__ import annotations

import warnings

from ..arrays.constants import NUMBERS
from ..tensors.tensor import Tensor
from .overloads import overloads, parameter_text, spoken_name

PRODUCTS = {
    "addmm": "mat1 mat2",
    "addmv": "mat vec",
    "addr": "vec1 vec2",
    "addbmm": "batch1 batch2",
    "baddbmm": "batch1 batch2",
}
OLDER = {
    "add": ("input alpha other",), "sub": ("input alpha other",),
    "addcmul": ("input value tensor1 tensor2",), "addcdiv": ("input value tensor1 tensor2",),
    **{name: (f"beta input alpha {factors}", f"beta input {factors}") for name, factors in PRODUCTS.items()},
}  # fmt: skip
"""The parameters of a function in their older orders; a method has `input` before them."""
SCALES = frozenset(("alpha", "beta", "value"))
IN_A_TUPLE = ("Tensor.squeeze", "Tensor.squeeze_")
warned = False


def rearranged(title: str, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """The arguments of a call that did not fit, in the order that a form takes them; None where they are in no older one."""
    if title in IN_A_TUPLE and len(args) > 2 and not kwargs and all(type(d) is int for d in args[1:]):
        return (args[0], args[1:]), {}
    owner, _, name = title.rpartition(".")
    for order in OLDER.get(name.removesuffix("_"), ()):
        names = order.split()
        if owner == "Tensor":
            names = ["input", *[each for each in names if each != "input"]]
        found = dict(zip(names, args, strict=False)) | {key: kwargs[key] for key in names if key in kwargs}
        others = {key: value for key, value in kwargs.items() if key not in names}
        if len(args) > len(names) or len(found) != len(names) or len(found) < len(args) or others.keys() - {"out"}:
            continue
        if all(isinstance(v, NUMBERS if key in SCALES else Tensor) for key, v in found.items()):
            warn(title, order, owner == "Tensor")
            tensors = tuple([found[key] for key in names if key not in SCALES])
            return tensors, {key: found[key] for key in names if key in SCALES} | others
    return None


def warn(title: str, order: str, method: bool) -> None:
    """Say so once in a process, as PyTorch does."""
    global warned
    if warned:
        return
    warned = True
    parts = [
        f"{'Number' if each in SCALES else 'Tensor'} {each}" for each in order.split() if not method or each != "input"
    ]
    out = "" if method else ", *, Tensor out = None"
    dotted = title if method else title.removeprefix("torch.")
    new = overloads(parameter_text(dotted))[0].shown()
    spoken = spoken_name(dotted)
    warnings.warn(
        f"This overload of {spoken} is deprecated:\n\t{spoken}({', '.join(parts)}{out})\n"
        f"Consider using one of the following signatures instead:\n\t{spoken}{new}",
        stacklevel=4,
    )
