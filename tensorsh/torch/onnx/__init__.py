"""``torch.onnx``: the export of models, which PyTorch does. What asks whether a model is being exported is told no. For plain Python
alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..version import __version__

producer_name, producer_version = "pytorch", __version__.partition("+")[0]


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: never."""
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Any, opset_version: int) -> None:
    """Nothing is exported: nothing is kept."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """There is none."""
