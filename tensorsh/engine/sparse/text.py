"""The text of a sparse tensor, letter for letter."""

from __future__ import annotations

from typing import Any

from ..arrays.device import CPU
from ..arrays.dtype import COMPLEX
from ..arrays.state import state
from ..tensors.tensor import Tensor
from ..tensors.text import PrintOptions, contents_text, print_options
from .arrays import Coo


def text_of_sparse(self: Tensor, node: Any, device: str | None) -> str:
    """The text of a tensor that `node` made, on a device that is named (None: it is not)."""
    kind, default = self.dtype, state.default_dtype
    usual = (
        kind.name in ("int64", "bool") or kind is default or kind.category == COMPLEX and kind is default.to_complex()
    )
    suffixes = []
    if node is not None:
        suffixes.append(f"grad_fn=<{node.name().rpartition('::')[2]}>")
    elif self.requires_grad:
        suffixes.append("requires_grad=True")
    return sparse_text(
        self._array,
        dtype=kind.name,
        options=print_options(),
        named=not usual,
        device=device,
        prefix="tensor(",
        suffixes=suffixes,
    )


def sparse_text(
    array: Any, *, dtype: str, options: PrintOptions, named: bool, device: str | None, prefix: str, suffixes: list[str]
) -> str:
    """`named`: whether the dtype is; `suffixes`: what follows the layout."""
    indent = len(prefix)
    array = array.moved(CPU)
    if type(array) is Coo:
        parts = {"indices": array.indices, "values": array.values}
    else:
        first, second = ("crow", "col") if array.by_rows else ("ccol", "row")
        parts = {f"{first}_indices": array.starts, f"{second}_indices": array.others, "values": array.values}
    lines = [part_text(f"{name}=tensor(", each, options, indent) for name, each in parts.items()]
    text = prefix + (",\n" + " " * indent).join(lines)
    shown = [f"device='{device}'"] if device else []
    shown += [f"size={array.shape}", f"nnz={array.nnz}"]
    if named:
        shown.append(f"dtype=torch.{dtype}")
    shown += [f"layout={array.layout}", *suffixes]
    length = len(text) - text.rfind("\n") + 1
    if type(array) is Coo:
        length = options.linewidth  # the first stands on a line of its own
    for suffix in shown:
        if length + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


def part_text(prefix: str, array: Any, options: PrintOptions, indent: int) -> str:
    if not array.size:
        return f"{prefix}[], size={tuple(array.shape)})"
    return prefix + contents_text(array, options, indent + len(prefix)) + ")"
