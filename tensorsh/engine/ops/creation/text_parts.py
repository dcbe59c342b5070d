"""What of a tensor its text shows: values, dtype, device, the node that made it, a tangent, the class of a program."""

from __future__ import annotations

import numpy as np

from ...arrays.state import state
from ...tensors.tensor import Tensor
from ...tensors.text import print_options, tensor_text


def text_of(self: Tensor, given: str | None = None) -> str:
    """The text of a tensor; `given`: that of its elements, where a class knows it."""
    node = self.grad_fn
    shown = None if type(self._array) is np.ndarray or self.is_cpu else str(self.device)
    if hasattr(self._array, "layout") and given is None:
        from ...sparse.text import text_of_sparse

        return text_of_sparse(self, node, shown)
    own = self._is_parameter and type(self).__module__ != "torch.nn.parameter"  # a class that a program derived
    text = tensor_text(
        self._array,
        dtype=self.dtype.name,
        default_dtype=state.default_dtype.name,
        options=print_options(),
        device=shown,
        grad_fn=None if node is None else node.name().rpartition("::")[2],
        requires_grad=self.requires_grad,
        tangent=tangent_text(self) if state.dual_level >= 0 else None,
        prefix=f"{type(self).__name__}(" if own or is_derived(self) else "tensor(",
        given=given,
    )
    return f"Parameter({text})" if own or is_derived(self) and getattr(self, "_is_param", False) else text


def tangent_text(self: Tensor) -> str | None:
    from ...tape.forward_mode import tangent_of

    tangent = tangent_of(self)
    return None if tangent is None else f"{tangent}"


def is_derived(t: Tensor) -> bool:
    """Whether a tensor is of a class that a program has derived."""
    kind = type(t)
    return kind is not Tensor and getattr(kind, "__torch_function__", None) is not None
