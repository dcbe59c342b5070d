"""``torch._custom_op.impl``: operators by their names. What makes operators is ``torch.library.custom_op``."""

from __future__ import annotations

from typing import Any

from .._library.utils import lookup_op
from ..library import get_ctx
from ..schemas import infer_schema

__all__ = ["get_ctx", "infer_schema"]

SUPPORTED_DEVICE_TYPE_TO_KEY = {"cpu": "CPU", "cuda": "CUDA"}
RESERVED_NS = {"prim", "prims", "aten", "at", "torch", "pytorch"}
global_registry: dict[str, Any] = {}
"""The operators that were made here: none."""


def parse_qualname(qualname: str) -> tuple[str, str]:
    """The namespace of an operator and its name, which has no form."""
    space, colons, name = qualname.partition("::")
    if not colons:
        raise ValueError(
            f"Expected there to be a namespace in {qualname}, i.e. The operator name should look something like ns::foo"
        )
    if "." in name:
        raise ValueError(
            "The torch.custom_ops APIs do not handle overloads, i.e. operator names with '.' in them. Please name your operator "
            f"something like ns::foo. Got: {qualname}"
        )
    return space, name


def get_op(qualname: str) -> Any:
    """The operator of a name; ValueError where there is none."""
    parse_qualname(qualname)
    try:
        return lookup_op(qualname)
    except AttributeError:
        raise ValueError(
            f"Could not find the operator {qualname}. Please make sure you have already registered the operator and (if registered "
            "from C++) loaded it via torch.ops.load_library."
        ) from None
