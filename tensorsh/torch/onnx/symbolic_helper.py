"""``torch.onnx.symbolic_helper``: marks on functions that would write a model for export. For plain Python alone
(`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any


def parse_args(*kinds: str) -> Any:
    """A decorator that gives the function itself."""
    return lambda function: function


quantized_args = parse_args
cast_pytorch_to_onnx: dict[str, Any] = {}
