"""The names of types in PyTorch's messages."""

from __future__ import annotations

from typing import Any

from ...sandbox.sealed import Dotted


def type_name(value: Any) -> str:
    """The name that PyTorch's messages give the type of a value."""
    if value is None:
        return "NoneType"
    kind = type(value)
    module = kind.__module__
    if hasattr(value, "_operator") and not value._operator.names[0].startswith("nn.functional."):
        return "builtin_function_or_method"  # what functions of torch are, there
    if module == "numpy" or type(kind) is Dotted:
        return f"{module}.{kind.__name__}"
    return kind.__name__
