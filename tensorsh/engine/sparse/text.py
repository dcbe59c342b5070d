"""The text of a sparse tensor, letter for letter."""

from __future__ import annotations

from typing import Any

from ..arrays.device import CPU
from ..tensors.text import PrintOptions, contents_text, is_default, of_gradients, with_suffixes
from .arrays import Coo


def sparse_text(
    array: Any,
    *,
    dtype: str,
    default_dtype: str,
    options: PrintOptions,
    device: str | None,
    grad_fn: str | None,
    requires_grad: bool,
    tangent: str | None,
    prefix: str,
) -> str:
    """The text of a sparse tensor from what `tensor_text` is given of a dense one."""
    indent = len(prefix)
    array = array.moved(CPU)
    if type(array) is Coo:
        parts = {"indices": array.indices, "values": array.values}
    else:
        first, second = ("crow", "col") if array.by_rows else ("ccol", "row")
        parts = {f"{first}_indices": array.starts, f"{second}_indices": array.others, "values": array.values}
    lines = [part_text(f"{name}=tensor(", each, options, indent) for name, each in parts.items()]
    text = prefix + (",\n" + " " * indent).join(lines)
    suffixes = [f"device='{device}'"] if device else []
    suffixes += [f"size={array.shape}", f"nnz={array.nnz}"]
    if not is_default(dtype, default_dtype):
        suffixes.append(f"dtype=torch.{dtype}")
    suffixes += [f"layout={array.layout}", *of_gradients(grad_fn, requires_grad, tangent)]
    return with_suffixes(text, suffixes, indent, options.linewidth, on_new_line=type(array) is Coo)


def part_text(prefix: str, array: Any, options: PrintOptions, indent: int) -> str:
    if not array.size:
        return f"{prefix}[], size={tuple(array.shape)})"
    return prefix + contents_text(array, options, indent + len(prefix)) + ")"
