"""What of a tensor its text shows: values, dtype, device, the node that made it, a tangent, the class of a program."""

from __future__ import annotations

from textwrap import indent

import numpy as np

from ...arrays.state import here, state
from ...graph.fields import detached
from ...graph.nodes import AccumulateGrad
from ...tensors.tensor import Tensor
from ...tensors.text import print_options, tensor_text


def text_of(self: Tensor, given: str | None = None) -> str:
    """The text of a tensor; `given`: that of its elements, where a class knows it. Within a transform of `torch.func`, a tensor that
    was made there is shown in what tracks it."""
    if here.gradients and self._born and given is None:
        tracked = [(depth, TRACKING) for number, depth in here.gradients if self._born >= number]
        if tracked:
            return nested(self, tracked)
    return plain_text(self, given)


def nested(self: Tensor, within: list[tuple[int, str]]) -> str:
    """The text of a tensor within those that track it, each with its depth, by their texts."""
    text = plain_text(self if leads_out(self) else without_history(self))
    for depth, form in sorted(within):
        text = form.format(depth, indent(text, "    "))
    return text


TRACKING = "GradTrackingTensor(lvl={}, value=\n{}\n)"


def without_history(self: Tensor) -> Tensor:
    return detached(self) if self._node is not None else self


def leads_out(self: Tensor) -> bool:
    """Whether the history of a tensor has a leaf that was there before any transform began."""
    first, nodes, seen = here.gradients[0][0] if here.gradients else 0, [self._node], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node) is AccumulateGrad and node.variable._born < first:
            return True
        nodes += node._edges
    return False


def plain_text(self: Tensor, given: str | None = None) -> str:
    """The text of a tensor, and of nothing that tracks it."""
    node = self.grad_fn
    shown = None if type(self._array) is np.ndarray or self.is_cpu else str(self.device)
    write, more = tensor_text, {"given": given}
    if hasattr(self._array, "layout") and given is None:
        from ...sparse.text import sparse_text

        write, more = sparse_text, {}
    own = self._is_parameter and type(self).__module__ != "torch.nn.parameter"  # a class that a program derived
    text = write(
        self._array,
        dtype=self.dtype.name,
        default_dtype=state.default_dtype.name,
        options=print_options(),
        device=shown,
        grad_fn=None if node is None else node.name().rpartition("::")[2],
        requires_grad=self.requires_grad,
        tangent=tangent_text(self) if here.dual_level >= 0 else None,
        prefix=f"{type(self).__name__}(" if own or is_derived(self) else "tensor(",
        **more,
    )
    return f"Parameter({text})" if own or is_derived(self) and getattr(self, "_is_param", False) else text


def tangent_text(self: Tensor) -> str | None:
    from ...tape.forward_mode import tangent_of

    tangent = tangent_of(self)
    return None if tangent is None else f"{tangent}"


def is_derived(t: Tensor) -> bool:
    """Whether a tensor is of a class that a program has derived from Tensor."""
    kind = type(t)
    return kind is not Tensor and not t._is_parameter and getattr(kind, "__torch_function__", None) is not None
