"""Small programs about views, indexing and in-place writes, with what PyTorch gave for them.

An outcome is one text: value, strides, history and warnings, or the error.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..support.outcomes import headline, history
from .origin import again

TABLES = (
    "views_indexing",
    "views_inplace",
    "views_shape",
    "views_deferred",
    "older_constructors",
    "autograd_corners",
    "custom_operators",
)


def described(torch: Any, value: Any) -> str:
    if isinstance(value, torch.Tensor):
        with torch.no_grad():
            numbers = value.detach().clone().tolist()
        strides = list(value.stride()) if value.numel() else None
        text = f"{value.dtype} {list(value.shape)} {strides} {numbers}"
        if value.requires_grad:
            text += f" {history(value.grad_fn) if value.grad_fn is not None else 'leaf'}"
        return text
    if isinstance(value, (list, tuple)):
        return f"({', '.join(described(torch, v) for v in value)})"
    if hasattr(value, "next_functions"):
        return f"<{value.name().rpartition(':')[2]}>"
    return repr(value)


def outcome(torch: Any, program: str) -> str:
    names = {"torch": torch}
    torch.sparse.check_sparse_tensor_invariants.disable()  # once said, by whatever program, it is not spoken of
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(program, names)
            text = described(torch, names.get("r"))
        except Exception as error:
            text = headline(error)
        torch.set_grad_enabled(True)
        torch.autograd.set_detect_anomaly(False)
    for warning in caught:
        text += (
            f" | {type(warning.message).__name__} {str(warning.message).partition(' (Triggered')[0].splitlines()[0]}"
        )
    return text


def record() -> None:
    import torch

    torch.set_warn_always(True)
    for table in TABLES:
        again("views", table, lambda program: outcome(torch, program))
